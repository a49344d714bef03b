"""The devices that are connected to this process, and the background task that stores which ones these are."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from chat.devices.links import CALL_TIMEOUT_S, Attachment, CallForwarder, DeviceKey, DeviceLink
from chat.protocol.frames.server import ServerFrame
from chat.protocol.frames.vocabulary import CloseCode
from chat.tasks import OwnedTasks

logger = logging.getLogger(__name__)


class Socket(Protocol):
    """A client's socket, except for reading its frames."""

    def send_soon(self, frame: ServerFrame) -> None:
        """Queue a small frame, unless the socket is closed. Does not wait."""

    def close_soon(self, code: CloseCode) -> None:
        """Begin to send the queued frames, and then to close with ``code``. Does not wait."""

    async def wait_closed(self) -> None:
        """Return once the client is disconnected."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Connection:
    """A socket after its hello. ``opened_at`` is the time of its handshake, by the clock of the event loop."""

    id: str
    device: DeviceKey
    attachment: Attachment
    socket: Socket
    opened_at: float
    shown: set[UUID] = field(default_factory=set)
    """The questions that the device was sent."""


@dataclass(kw_only=True)
class ConnectionManager:
    """The connections of this process, and the link to each of their devices.

    A device has one socket. If several have the same ``device_id``, the one with the latest handshake is kept, even if
    the hello of an older one took longer. A link outlives its sockets while a turn waits for the device to return.
    """

    call_timeout_s: float = CALL_TIMEOUT_S
    forwarder: CallForwarder | None = None
    _links: dict[DeviceKey, DeviceLink] = field(default_factory=dict, init=False)
    _connections: dict[DeviceKey, Connection] = field(default_factory=dict, init=False)

    def __len__(self) -> int:
        return len(self._connections)

    def add(self, connection: Connection) -> DeviceLink:
        """Add ``connection``. Returns the link that gets the device's answers."""
        other = self._connections.get(connection.device)
        link = self.link(connection.device)
        if other is not None and other.opened_at > connection.opened_at:
            connection.socket.close_soon(CloseCode.REPLACED)
            return link
        self._connections[connection.device] = connection
        link.attach(connection.attachment)
        if other is not None:
            other.socket.close_soon(CloseCode.REPLACED)
        return link

    def remove(self, connection: Connection) -> None:
        """``connection`` has ended."""
        if self._connections.get(connection.device) is connection:
            del self._connections[connection.device]
        self.link(connection.device).detach(connection.attachment)
        self.release(connection.device)

    def used(self, device: DeviceKey) -> None:
        """Make ``device`` the one that its user has used last."""
        if device in self._connections:
            self._connections[device] = self._connections.pop(device)

    def latest(self, user_id: UUID) -> DeviceKey | None:
        """The connected device that the user has used last."""
        return next((device for device in reversed(self._connections) if device[0] == user_id), None)

    def connection(self, device: DeviceKey) -> Connection | None:
        """The connection of ``device`` to this process."""
        return self._connections.get(device)

    def link(self, device: DeviceKey) -> DeviceLink:
        """The link to ``device``, connected or not."""
        if device not in self._links:
            self._links[device] = DeviceLink(device=device, timeout_s=self.call_timeout_s, forwarder=self.forwarder)
        return self._links[device]

    def release(self, device: DeviceKey) -> None:
        """Drop the link to ``device`` if it is no longer needed."""
        link = self._links.get(device)
        if link is not None and link.idle:
            del self._links[device]

    def all(self) -> list[Connection]:
        """Every connection of this process."""
        return list(self._connections.values())


@dataclass(kw_only=True)
class OnlineReporter:
    """Stores every ``every_s`` seconds which devices are connected here, and tries again if the database is away."""

    connections: ConnectionManager
    store: Callable[[Collection[DeviceKey]], Awaitable[None]]
    every_s: float
    _tasks: OwnedTasks = field(default_factory=OwnedTasks, init=False)
    _reporting: asyncio.Task[None] | None = field(default=None, init=False)

    def begin(self) -> None:
        """Report from now on. Idempotent."""
        if self._reporting is None:
            self._reporting = self._tasks.start(self._report(), name="reporting which devices are online")

    async def aclose(self) -> None:
        await self._tasks.aclose()

    async def _report(self) -> None:
        failing = False
        while True:
            try:
                await self.store([connection.device for connection in self.connections.all()])
                failing = False
            except Exception:  # the boundary of a task that outlives failures of the database
                if not failing:
                    logger.exception("reporting which devices are online failed; it is tried again")
                failing = True
            await asyncio.sleep(self.every_s)
