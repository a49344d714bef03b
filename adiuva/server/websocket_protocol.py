"""uvicorn's WebSocket protocol, which also disconnects clients that do not read, and batches writes."""

import asyncio
from typing import TYPE_CHECKING, Any, Final, cast

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

if TYPE_CHECKING:
    from uvicorn._types import ASGISendEvent

_LAST_CHANCE_S: Final = 5.0
_GATHERED_BYTES: Final = 16 * 1024
"""The most that waits for the end of the loop's iteration; more must reach the transport's own limits at once."""


class GatheringTransport:
    """A transport that joins everything written within one iteration of the event loop into one write.

    uvicorn writes each frame separately, and uvloop makes each write a system call, which wakes the other end. A tool
    call and the two status frames around it would wake the client three times, and cost more than all the rest.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._pieces: list[bytes] = []
        self._size = 0

    def __getattr__(self, name: str) -> Any:  # everything but writing is the transport's own
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """As the transport's, by the end of the loop's iteration."""
        if not self._pieces:
            self._loop.call_soon(self._flush)
        self._pieces.append(data)
        self._size += len(data)
        if self._size >= _GATHERED_BYTES:
            self._flush()

    def close(self) -> None:
        """As the transport's: earlier writes still go out."""
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        if self._pieces:
            data = b"".join(self._pieces)
            self._pieces.clear()
            self._size = 0
            if not self._transport.is_closing():  # the connection may be lost meanwhile
                self._transport.write(data)


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """Closes within ``_LAST_CHANCE_S`` seconds, whether or not the client reads earlier frames.

    uvicorn's own close waits behind everything unread and flushes first: with a client that does not read, neither
    ends, and the connection's buffers stay.
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
