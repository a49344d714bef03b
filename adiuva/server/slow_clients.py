"""uvicorn's protocols with time limits: a client that sends or reads slowly costs a connection for seconds only.

Each of these has its limit: the head of a request or of a WebSocket's handshake; the body; one frame, or all fragments
of one message; and the time until the client reads what was written. uvicorn itself limits how long a connection may
wait between two requests (``timeout_keep_alive``), and the consumer how long a socket may wait with its hello.

Time that passes because the application does not take what has come does not count.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

import h11
from uvicorn.middleware.proxy_headers import _TrustedHosts
from uvicorn.protocols.http.h11_impl import H11Protocol

from accounts.networks import network_of
from adiuva.server.websocket_protocol import WebSocketProtocol
from chat.protocol.frames.vocabulary import CloseCode

if TYPE_CHECKING:
    from uvicorn._types import ASGISendEvent

logger = logging.getLogger(__name__)

_FLUSH_S: Final = 1.0
"""How long the text of a refusal may take to be sent."""


@dataclass(frozen=True, kw_only=True)
class ClientLimits:
    """How long clients may take, in seconds, and how many connections an address may hold.

    A body or a frame has ``body_s``, and a second more for every ``bytes_per_s`` that have come of it. A body may have
    ``most_bytes``, on the paths of ``larger`` as many as that says; the rest is not read. ``trusted`` proxies may hold
    any number of connections: they serve many clients.
    """

    head_s: float
    body_s: float
    bytes_per_s: int
    send_s: float
    most_bytes: int
    larger: Mapping[str, int] = field(default_factory=dict)
    per_address: int
    """0: no limit."""
    trusted: tuple[str, ...] = ()
    _held: Counter[str] = field(default_factory=Counter, init=False)

    def admit(self, address: str) -> Callable[[], None] | None:
        """Count a connection from ``address``. Returns what to call at its end; None if there are too many."""
        if not self.per_address or address in _TrustedHosts(list(self.trusted)):
            return lambda: None
        network = network_of(address)
        if self._held[network] >= self.per_address:
            return None
        self._held[network] += 1
        return partial(self._release, network)

    def _release(self, network: str) -> None:
        self._held[network] -= 1
        if not self._held[network]:
            del self._held[network]

    @property
    def held(self) -> int:
        """The counted connections."""
        return self._held.total()


class Deadline:
    """Calls ``on_late`` unless what is awaited comes in time. At most one timer, however often it is moved."""

    __slots__ = ("_due", "_looks_at", "_loop", "_on_late", "_timer")

    def __init__(self, loop: asyncio.AbstractEventLoop, on_late: Callable[[], None]) -> None:
        self._loop, self._on_late = loop, on_late
        self._due: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._looks_at = 0.0

    @property
    def runs(self) -> bool:
        return self._due is not None

    def begin(self, seconds: float) -> None:
        """From now on, ``seconds``."""
        self._due = self._loop.time() + seconds
        if self._timer is None or self._looks_at > self._due:
            self._arm(self._due)

    def extend(self, seconds: float) -> None:
        if self._due is not None:
            self._due += seconds

    def stop(self) -> None:
        self._due = None

    def end(self) -> None:
        """Stop, and leave no timer behind."""
        self._due = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self, due: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._looks_at = self._loop.call_at(due, self._look), due

    def _look(self) -> None:
        self._timer = None
        if self._due is None:
            return
        if self._due > self._loop.time():
            self._arm(self._due)
            return
        self._due = None
        self._on_late()


class HttpProtocol(H11Protocol):
    """HTTP. ``protocols`` sets ``limits``."""

    limits: ClientLimits

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._reading = Deadline(self.loop, self._late)
        self._writing = Deadline(self.loop, self._unread)
        self._body_bytes: int | None = None
        """What has come of a body; None outside one."""
        self._release: Callable[[], None] = lambda: None
        self._ignores_input = self._upgraded = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn does
        super().connection_made(transport)
        release = self.limits.admit(self.client[0] if self.client else "")
        if release is None:
            self._refuse(429, b"There are too many connections from this address.")
            return
        self._release = release
        self._reading.begin(self.limits.head_s)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._ignores_input or self.transport.is_closing():
            return
        super().data_received(data)
        if not self._upgraded:
            self._watch(len(data))

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._upgraded = True
        release, self._release = self._release, lambda: None
        self._end()
        sockets = cast("type[SocketProtocol]", self.ws_protocol_class)
        self.ws_protocol_class = partial(sockets, release=release)  # type: ignore[assignment] # makes one, too
        super().handle_websocket_upgrade(event)
        # They refer to this protocol, which no longer is one: without them it is gone at once.
        del self._reading, self._writing

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._ignores_input and not self.transport.is_closing():
            self.transport.close()
        self._watch(0)
        if self.transport.is_closing():
            self._abort_unread()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._abort_unread()

    def send_400_response(self, msg: str) -> None:
        super().send_400_response(msg)
        self._abort_unread()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._writing.begin(self.limits.send_s)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._writing.stop()

    def _watch(self, count: int) -> None:
        """Begin, move or stop the deadline, ``count`` bytes later."""
        if self._ignores_input:
            return
        their = self.conn.their_state
        if their is h11.SEND_BODY:
            self._watch_body(count)
        elif their is h11.IDLE and self.conn.trailing_data[0]:
            self._body_bytes = None
            if not self._reading.runs:
                self._reading.begin(self.limits.head_s)
        elif their is not h11.IDLE or self.cycle is not None:
            self._body_bytes = None
            self._reading.stop()

    def _watch_body(self, count: int) -> None:
        if self._body_bytes is None:
            self._body_bytes = 0
            self._reading.begin(self.limits.body_s)
        self._body_bytes += count
        self._reading.extend(count / self.limits.bytes_per_s)
        most = self.limits.larger.get(self.scope["path"], self.limits.most_bytes)
        if max(self._body_bytes, _declared(self.headers)) > most:
            self._overflow()

    def _overflow(self) -> None:
        """Read no more. The application refuses the body for its size."""
        self._ignores_input = True
        self._reading.stop()
        if self.cycle.response_complete:
            self.transport.close()
            return
        self.cycle.keep_alive = self.cycle.more_body = False
        self.cycle.message_event.set()

    def _late(self) -> None:
        if self._ignores_input or self.transport.is_closing():
            return
        if self._body_bytes is not None and self.flow.read_paused:
            self._reading.begin(self.limits.body_s)
            return
        logger.info("a client was too slow with its request: the connection is closed")
        if self._body_bytes is not None:
            if self.cycle.response_started:
                self.transport.abort()
                return
            # The application is told now and answers no more: nothing can be written after the refusal.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self._refuse(408, b"The request took too long.")

    def _refuse(self, status: int, words: bytes) -> None:
        head = b"HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
        self.transport.write(head % (status, _REASONS[status], len(words)) + words)
        # If it were closed at once, what the client still sends would cause a reset, which can overtake the text.
        self._ignores_input = True
        self.transport.write_eof()
        self.loop.call_later(_FLUSH_S, self.transport.abort)

    def _unread(self) -> None:
        logger.info("a client does not read an answer: the connection is closed")
        self.transport.abort()

    def _abort_unread(self) -> None:
        """Without this, a closing connection could wait forever for its client to read."""
        if self.transport.get_write_buffer_size():
            self.loop.call_later(self.limits.send_s, self.transport.abort)

    def _end(self) -> None:
        self._reading.end()
        self._writing.end()
        self._release()
        self._release = lambda: None


def _declared(headers: Sequence[tuple[bytes, bytes]]) -> int:
    """The length that a request gives its body; 0 if it gives none."""
    # h11 has refused lengths that are no numbers, and several that differ.
    return next((int(value) for name, value in headers if name == b"content-length"), 0)


_REASONS: Final = {408: b"Request Timeout", 429: b"Too Many Requests"}


class SocketProtocol(WebSocketProtocol):
    """WebSockets. ``protocols`` sets ``limits``."""

    __slots__ = ("_reading", "_release")

    limits: ClientLimits

    def __init__(self, *arguments: Any, release: Callable[[], None] = lambda: None, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._reading = Deadline(self.loop, self._late)
        self._release = release

    def connection_lost(self, exc: Exception | None) -> None:
        self._reading.end()
        self._release()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._reading.extend(len(data) / self.limits.bytes_per_s)

    def send_receive_event_to_app(self) -> None:
        super().send_receive_event_to_app()
        # The next message has its own time.
        self._reading.stop()

    def _parse(self) -> None:
        super()._parse()
        if not self._is_within_message():
            self._reading.stop()
        elif not self._reading.runs:
            self._reading.begin(self.limits.body_s)

    async def send(self, message: "ASGISendEvent") -> None:
        await super().send(message)
        if message["type"] == "websocket.close":
            # uvicorn closes the connection then, which could wait forever for its client to read.
            self.loop.call_later(self.close_timeout + _FLUSH_S, self.transport.abort)

    def _is_within_message(self) -> bool:
        return bool(self.frames or self.conn.reader.buffer)

    def _late(self) -> None:
        if not self._is_within_message() or self.transport.is_closing() or self.close_sent:
            return
        if self._waits_for_application():
            self._reading.begin(self.limits.body_s)
            return
        logger.info("a client was too slow with a frame: its socket is closed")
        self.conn.fail(CloseCode.SILENT, "A frame took too long.")
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.transport.close()
        self.loop.call_later(_FLUSH_S, self.transport.abort)

    def _waits_for_application(self) -> bool:
        return self.read_paused or bool(self._pieces) or self._waiting is not None


def protocols(limits: ClientLimits) -> tuple[type[HttpProtocol], type[SocketProtocol]]:
    """The protocols of a server with these ``limits``: classes, as uvicorn takes them."""
    return (
        type("BoundHttpProtocol", (HttpProtocol,), {"limits": limits}),
        type("BoundSocketProtocol", (SocketProtocol,), {"limits": limits}),
    )
