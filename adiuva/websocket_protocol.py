"""uvicorn's WebSocket protocol, except that a client which does not read cannot keep its connection."""

from typing import TYPE_CHECKING, Final

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

if TYPE_CHECKING:
    from uvicorn._types import ASGISendEvent

_LAST_CHANCE_S: Final = 5.0


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """Closes within ``_LAST_CHANCE_S`` seconds, whether or not the client takes what was sent before.

    uvicorn's own lets a close wait behind everything unread, and closes by flushing first: both never end when nobody
    reads, and the connection's buffers stay.
    """

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
