"""The devices that are connected to this process, and reporting which they are."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias
from uuid import UUID

from chat.devices.links import Attachment, DeviceLink
from chat.protocol.frames.server import ServerFrame
from chat.protocol.frames.vocabulary import CloseCode
from chat.tasks import OwnedTasks

logger = logging.getLogger(__name__)

DeviceKey: TypeAlias = tuple[UUID, str]
"""A user and the id that one of their devices gave itself."""
StoreOnline: TypeAlias = Callable[[Collection[DeviceKey]], Awaitable[None]]
"""Stores that these devices are online now."""


class Socket(Protocol):
    """A client's socket, without the reading of its frames."""

    def tell(self, frame: ServerFrame) -> None:
        """Queue a small frame; nothing happens when the socket is closing."""

    def close_soon(self, code: CloseCode) -> None:
        """Send what is queued and close with ``code``, without waiting for it."""

    async def wait_closed(self) -> None:
        """Return once the socket is gone."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Connection:
    """One socket after its hello."""

    id: str
    device: DeviceKey
    attachment: Attachment
    socket: Socket
    shown: set[UUID] = field(default_factory=set)
    """The questions that it has shown."""


@dataclass(kw_only=True)
class ConnectionManager:
    """The connections of this process, and the link to each of their devices.

    A device has one socket: a newer one with the same ``device_id`` replaces and closes the older one. The link
    outlives its sockets while a turn waits for the device to come back.
    """

    make_link: Callable[[DeviceKey], DeviceLink] = field(default=lambda _: DeviceLink())
    _links: dict[DeviceKey, DeviceLink] = field(default_factory=dict, init=False)
    _connections: dict[DeviceKey, Connection] = field(default_factory=dict, init=False)

    def __len__(self) -> int:
        return len(self._connections)

    def add(self, connection: Connection) -> DeviceLink:
        """Add ``connection``; the link that its device's answers go to."""
        older = self._connections.get(connection.device)
        self._connections[connection.device] = connection
        link = self.link(connection.device)
        link.attach(connection.attachment)
        if older is not None:
            older.socket.close_soon(CloseCode.REPLACED)
        return link

    def remove(self, connection: Connection) -> None:
        """``connection`` has ended."""
        if self._connections.get(connection.device) is connection:
            del self._connections[connection.device]
        self.link(connection.device).detach(connection.attachment)
        self.release(connection.device)

    def used(self, device: DeviceKey) -> None:
        """Make ``device`` the one of its user's that was used last."""
        connection = self._connections.pop(device, None)
        if connection is not None:
            self._connections[device] = connection

    def latest(self, user_id: UUID) -> DeviceKey | None:
        """The user's connected device that was used last."""
        return next((device for device in reversed(self._connections) if device[0] == user_id), None)

    def connection(self, device: DeviceKey) -> Connection | None:
        """The socket on which ``device`` is connected here."""
        return self._connections.get(device)

    def link(self, device: DeviceKey) -> DeviceLink:
        """The link to ``device``, connected or not."""
        link = self._links.get(device)
        if link is None:
            link = self._links[device] = self.make_link(device)
        return link

    def holds(self, device: DeviceKey) -> bool:
        """Whether ``device`` is connected to this process."""
        return device in self._connections

    def release(self, device: DeviceKey) -> None:
        """Drop the link to ``device`` if it is no longer needed."""
        link = self._links.get(device)
        if link is not None and link.idle:
            del self._links[device]

    def all(self) -> list[Connection]:
        """Every connection of this process."""
        return list(self._connections.values())


class OnlineReporter:
    """Stores every ``every_s`` seconds which devices are connected here. A database that is away is tried again."""

    def __init__(self, *, connections: ConnectionManager, store: StoreOnline, every_s: float) -> None:
        self._connections = connections
        self._store = store
        self._every_s = every_s
        self._tasks = OwnedTasks()
        self._failing = False

    def begin(self) -> None:
        """Report from now on. Idempotent."""
        if not len(self._tasks):
            self._tasks.start(self._repeat(), name="saying which devices are online")

    async def aclose(self) -> None:
        await self._tasks.aclose()

    async def _repeat(self) -> None:
        while True:
            await self._report()
            await asyncio.sleep(self._every_s)

    async def _report(self) -> None:
        try:
            await self._store([connection.device for connection in self._connections.all()])
        except Exception:  # the boundary of a task that outlives a database that is away
            if not self._failing:
                logger.exception("saying which devices are online failed; it goes on")
            self._failing = True
        else:
            self._failing = False
