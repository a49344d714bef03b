"""The sockets this process holds, by user, device and session."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias
from uuid import UUID

from chat.devices.links import Attachment, DeviceLink
from chat.protocol.frames.server import ServerFrame
from chat.protocol.frames.vocabulary import CloseCode

DeviceKey: TypeAlias = tuple[UUID, str]
"""A user and the id that one of their devices gave itself."""


class Socket(Protocol):
    """A client's socket, as seen by those who do not read its frames."""

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
    """The questions that were put on it."""


@dataclass(kw_only=True)
class ConnectionManager:
    """Who is connected here, and the link to each of their devices.

    A device has one socket: a newer one of the same ``device_id`` takes the older one's place and closes it. The link
    outlives its sockets while a turn waits for the device to come back.
    """

    make_link: Callable[[DeviceKey], DeviceLink] = field(default=lambda _: DeviceLink())
    _links: dict[DeviceKey, DeviceLink] = field(default_factory=dict, init=False)
    _connections: dict[DeviceKey, Connection] = field(default_factory=dict, init=False)

    def __len__(self) -> int:
        return len(self._connections)

    def add(self, connection: Connection) -> DeviceLink:
        """Take ``connection`` in; gives the link that its device's answers go to."""
        older = self._connections.get(connection.device)
        self._connections[connection.device] = connection
        link = self.link(connection.device)
        link.attach(connection.attachment)
        if older is not None:
            older.socket.close_soon(CloseCode.REPLACED)
        return link

    def remove(self, connection: Connection) -> None:
        """``connection`` is gone."""
        if self._connections.get(connection.device) is connection:
            del self._connections[connection.device]
        self.link(connection.device).detach(connection.attachment)
        self.release(connection.device)

    def used(self, device: DeviceKey) -> None:
        """``device`` was asked something: of its user's devices it is the one used last."""
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
        """Drop the link to ``device`` when nobody needs it any more."""
        link = self._links.get(device)
        if link is not None and link.idle:
            del self._links[device]

    def all(self) -> list[Connection]:
        """Every connection of this process."""
        return list(self._connections.values())
