"""uvicorn's WebSocket protocol, except that a client which does not read cannot keep its connection.

And what is sent at once goes out at once: see ``GatheringTransport``.
"""

import asyncio
from typing import TYPE_CHECKING, Any, Final, cast

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

if TYPE_CHECKING:
    from uvicorn._types import ASGISendEvent

_LAST_CHANCE_S: Final = 5.0
_GATHERED_BYTES: Final = 16 * 1024
"""How much waits for the end of the loop's turn at most; more must meet the transport's own limits at once."""


class GatheringTransport:
    """A transport that writes once what is written to it within one turn of the event loop, in the same order.

    uvicorn writes each frame for itself, and uvloop makes a system call of each write, which wakes the other end. A
    tool call and the two status frames around it would wake the client three times, and cost more than all the rest.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._pieces: list[bytes] = []
        self._size = 0

    def __getattr__(self, name: str) -> Any:  # whatever does not write is the transport's own
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """As the transport's, by the end of the loop's turn."""
        if not self._pieces:
            self._loop.call_soon(self._flush)
        self._pieces.append(data)
        self._size += len(data)
        if self._size >= _GATHERED_BYTES:
            self._flush()

    def close(self) -> None:
        """As the transport's: what was written before still goes out."""
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        if self._pieces:
            data = b"".join(self._pieces)
            self._pieces.clear()
            self._size = 0
            if not self._transport.is_closing():  # the connection may be lost by the end of the loop's turn
                self._transport.write(data)


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """Closes within ``_LAST_CHANCE_S`` seconds, whether or not the client takes what was sent before.

    uvicorn's own lets a close wait behind everything unread, and closes by flushing first: both never end when nobody
    reads, and the connection's buffers stay.
    """

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        gathering = GatheringTransport(cast("asyncio.Transport", transport), self.loop)
        super().connection_made(cast("asyncio.Transport", gathering))

    async def send(self, message: "ASGISendEvent") -> None:
        if message["type"] == "websocket.close" and not self.writable.is_set():
            self.writable.set()
            self._abort_later()
        await super().send(message)

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self._abort_later()

    def _abort_later(self) -> None:
        self.loop.call_later(_LAST_CHANCE_S, self.transport.abort)
