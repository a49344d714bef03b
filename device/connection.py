"""One socket to the server: the handshake, the hello, frames both ways, and what its close means."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from enum import StrEnum
from typing import Final, TypeAlias

from pydantic import JsonValue
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidProxy, InvalidStatus, InvalidURI

from device.addresses import ServerAddress
from device.errors import ConnectionFailed, ServerGone, Unauthorized
from device.frames import DeviceWelcome, ErrorFrame, ServerFrame, read_frame
from device.hello import Hello

_MAX_FRAME_BYTES: Final = 4 * 1024 * 1024
_PING_S: Final = 10.0
"""A server that is gone without a word is noticed within twice this time, and so within the 30 s a call has."""
_WELCOME_S: Final = 10.0
_CLOSING_S: Final = 2.0
_UNAUTHORIZED: Final = frozenset({"unauthorized", "token_expired"})
_CREDENTIALS: Final = 4401
_REVOKED: Final = 4403
_TRY_LATER: Final = 1013
_LATER_S: Final = 2.0
"""The pause after the server has refused a device for now, before the random one."""
_FINAL: Final = frozenset({1000, 1009, 4400, _REVOKED, 4409})
"""The closes after which a device does not reconnect: it is not allowed to, or the same would happen again."""
_CLOSED: Final[Mapping[int, str]] = {
    1009: "A frame was larger than the server takes.",
    1012: "The server is restarting: try again in a moment.",
    4400: "The server closed the connection: this device sent frames it cannot read.",
    _CREDENTIALS: "The server closed the connection: sign in again.",
    _REVOKED: "The server closed the connection: access was revoked.",
    4408: "The server closed the connection: it heard nothing from this device.",
    4409: "The same device connected from elsewhere: another program uses this data file.",
    4413: "The server closed the connection: this device read too slowly.",
}


class Direction(StrEnum):
    """Where a frame goes."""

    TO_SERVER = "to server"
    FROM_SERVER = "from server"


Tap: TypeAlias = Callable[[Direction, str], None]
"""Is shown the text of every frame that passes."""


class Connection:
    """A socket on which frames pass. After the first ``ServerGone`` there are only more of them."""

    def __init__(self, socket: ClientConnection, *, tap: Tap | None = None) -> None:
        self._socket = socket
        self._tap = tap

    async def send(self, frame: Mapping[str, JsonValue]) -> None:
        """Raises ``ServerGone``."""
        text = json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
        try:
            await self._socket.send(text)
        except ConnectionClosed as closed:
            raise _gone(closed) from None
        if self._tap is not None:
            self._tap(Direction.TO_SERVER, text)

    async def receive(self) -> ServerFrame:
        """The next frame that this client has a use for. Raises ``ServerGone``."""
        while True:
            try:
                text = await self._socket.recv()
            except ConnectionClosed as closed:
                raise _gone(closed) from None
            if isinstance(text, bytes):
                raise ServerGone("The server sent a binary frame.", is_final=True)
            if self._tap is not None:
                self._tap(Direction.FROM_SERVER, text)
            frame = read_frame(text)
            if frame is not None:
                return frame

    async def close(self) -> None:
        await self._socket.close()


@asynccontextmanager
async def opened(
    server: ServerAddress, token: str, hello: Hello, *, tap: Tap | None = None
) -> AsyncIterator[tuple[Connection, DeviceWelcome]]:
    """A connection that has been welcomed. Raises ``ConnectionFailed`` or ``Unauthorized``; closed on leaving."""
    socket = await _socket(server, token)
    try:
        connection = Connection(socket, tap=tap)
        try:
            async with asyncio.timeout(_WELCOME_S):
                welcome = await _greeted(connection, hello)
        except TimeoutError:
            raise ConnectionFailed("The server does not answer the hello.") from None
        except ServerGone as gone:
            if gone.code in {_CREDENTIALS, _REVOKED}:
                raise Unauthorized(str(gone)) from None
            raise ConnectionFailed(str(gone), retry_after_s=_LATER_S if gone.code == _TRY_LATER else 0.0) from None
        yield connection, welcome
    finally:
        await socket.close()


async def _socket(server: ServerAddress, token: str) -> ClientConnection:
    try:
        return await connect(
            server.socket,
            additional_headers={"Authorization": f"Bearer {token}"},
            compression=None,
            max_size=_MAX_FRAME_BYTES,
            ping_interval=_PING_S,
            ping_timeout=_PING_S,
            close_timeout=_CLOSING_S,
            proxy=None if server.is_local else True,
        )
    except InvalidStatus as error:
        # A proxy in front of servers that restart, or a limit on handshakes.
        status, asked = error.response.status_code, error.response.headers.get("Retry-After", "")
        message = f"No socket opens at {server.socket} (HTTP {status})."
        raise ConnectionFailed(message, retry_after_s=float(asked) if asked.isdecimal() else 0.0) from error
    except (OSError, TimeoutError, InvalidHandshake, InvalidProxy, InvalidURI) as error:
        raise ConnectionFailed(f"No socket opens at {server.socket} ({str(error) or type(error).__name__}).") from error


async def _greeted(connection: Connection, hello: Hello) -> DeviceWelcome:
    with suppress(ServerGone):  # what it said before it went is still to be read
        await connection.send(hello.frame())
    while True:
        match await connection.receive():
            case DeviceWelcome() as welcome:
                return welcome
            case ErrorFrame(code=code, message=message, retryable=retryable):
                if code in _UNAUTHORIZED:
                    raise Unauthorized(message)
                raise ConnectionFailed(message, retry_after_s=_LATER_S if retryable else 0.0)


def _gone(closed: ConnectionClosed) -> ServerGone:
    if closed.rcvd is None:
        return ServerGone()
    code = closed.rcvd.code
    return ServerGone(_CLOSED.get(code), code=code, is_final=code in _FINAL)
