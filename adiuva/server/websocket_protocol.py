"""uvicorn's WebSocket protocol, which also bounds what a client costs before the application sees it.

It disconnects clients that do not read, reads no faster than the application takes frames, and batches writes.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, cast

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from chat.rates import TokenBucket, loop_time
from chat.sockets.extensions import IS_OPEN, PACE_LARGE, SEND_NOW, TAKE_NOW
from chat.tasks import Flag, Signal

if TYPE_CHECKING:
    from uvicorn._types import ASGIReceiveEvent, ASGISendEvent
    from websockets.frames import Frame
    from websockets.http11 import Request

_LAST_CHANCE_S: Final = 5.0
_GATHERED_BYTES: Final = 16 * 1024
"""The most that waits for the end of the loop's iteration; more must reach the transport's own limits at once."""
_PIECE_BYTES: Final = 4 * 1024
"""How much is parsed at a time. The loop may read 256 KiB at once, which can be 40,000 frames."""
_UNSEEN_PER_S: Final = 200
_UNSEEN_AT_ONCE: Final = 2000
"""Frames that the application does not see: pings, pongs, and parts of messages."""
_UNSEEN_AFTER_CLOSE: Final = 100
"""The burst after our close. The client's own close is among these frames, so they are read, but slowly."""

_MAX_PARTS: Final = 1024
"""Parts of a message that are kept apart until it is whole."""
_LARGE_BYTES: Final = 64 * 1024
"""A message of which more has come, and which is not whole, is read at a pace."""
_READ_BYTES: Final = 256 * 1024
"""How much the loop reads at once of a message that waits."""
_BEHIND_S: Final = 0.02
"""How much longer a message waits of which nothing has come than one of which ``_MAX_BYTES`` have. What is begun is
completed first, so that few of a user's large messages are in memory in part."""
_MAX_BYTES: Final = 4 * 1024 * 1024


class GatheringTransport:
    """A transport that joins everything written within one iteration of the event loop into one write.

    uvicorn writes each frame separately, and uvloop makes each write a system call, which wakes the other end. A tool
    call and the two status frames around it would wake the client three times, and cost more than all the rest.
    """

    __slots__ = ("_is_paused", "_loop", "_pieces", "_size", "_transport", "_wants_pause")

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._pieces: list[bytes] = []
        self._size = 0
        self._wants_pause = self._is_paused = False

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

    def pause_reading(self) -> None:
        """Have ``pause_if_wanted`` pause, which is called once more has come.

        uvicorn pauses and resumes for each frame, which are system calls, and most often the application has taken the
        frame before more has come.
        """
        self._wants_pause = True

    def resume_reading(self) -> None:
        """As the transport's."""
        self._wants_pause = False
        if self._is_paused:
            self._is_paused = False
            self._transport.resume_reading()

    def pause_if_wanted(self) -> None:
        """Pause now if reading is to be paused."""
        if self._wants_pause and not self._is_paused:
            self._is_paused = True
            self._transport.pause_reading()

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


class _Messages:
    """As much of ``asyncio.Queue`` as is used, without its three deques, which take 1.9 KiB of an idle device."""

    __slots__ = ("_added", "_messages")

    def __init__(self) -> None:
        self._messages: list[ASGIReceiveEvent] = []
        self._added = Signal()

    def put_nowait(self, message: "ASGIReceiveEvent") -> None:
        self._messages.append(message)
        self._added.notify()

    def empty(self) -> bool:
        return not self._messages

    async def get(self) -> "ASGIReceiveEvent":
        while not self._messages:
            await self._added.wait()
        return self._messages.pop(0)


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """Closes within ``_LAST_CHANCE_S`` seconds, whether or not the client reads earlier frames.

    uvicorn's own close waits behind everything unread and flushes first: with a client that does not read, neither
    ends, and the connection's buffers stay.

    uvicorn parses all that the loop has read, and stops reading once the application has a frame to take. This parses
    a piece, and the next one when the application asks for more than the frames of the first. Frames that the
    application does not see are read at a pace.
    """

    # More than 30 attributes outside slots would make a dictionary of 1.2 KiB; uvicorn itself has more.
    __slots__ = (
        *("_pieces", "_unseen", "_waiting", "app", "app_state", "asgi_version", "client", "config"),
        *("default_headers", "logger", "loop", "request", "response", "root_path", "scheme", "scope", "server"),
        *("_large", "_paid", "_take_now"),
    )

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.queue = _Messages()  # type: ignore[assignment] # as much of one as is used
        self.writable = Flag()  # type: ignore[assignment] # likewise
        self.writable.set()
        self._pieces: list[bytes] = []
        self._unseen = TokenBucket(per_s=_UNSEEN_PER_S, burst=_UNSEEN_AT_ONCE, clock=loop_time)
        self._waiting: asyncio.TimerHandle | None = None
        self._large: Callable[[], TokenBucket] | None = None
        self._paid = 0
        """The bytes that were counted before they came."""
        self._take_now: Callable[[str], bool] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        gathering = GatheringTransport(cast("asyncio.Transport", transport), self.loop)
        super().connection_made(cast("asyncio.Transport", gathering))

    def connection_lost(self, exc: Exception | None) -> None:
        self._pieces.clear()
        self._take_now = None
        if self._waiting is not None:
            self._waiting.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._pieces.extend(data[at : at + _PIECE_BYTES] for at in range(0, len(data), _PIECE_BYTES))
        if self._waiting is not None:
            self.transport.pause_reading()
        self._pause_if_wanted()
        self._parse()
        if self._pieces or len(data) > _LARGE_BYTES:
            self._pause_if_wanted()
        if self._large is not None and self._begun_bytes > _LARGE_BYTES:
            # Less may have come than was paid for: a slow network brings a large message in small pieces.
            self._large().spend(len(data) - self._paid)
            self._paid = 0
            self._wait_if_fast()

    def handle_connect(self, event: "Request") -> None:
        super().handle_connect(event)
        if self.handshake_initiated and not self.close_sent:
            extensions = cast("dict[str, Any]", self.scope["extensions"])
            extensions |= {
                IS_OPEN: self._is_open,
                PACE_LARGE: self._pace_large,
                SEND_NOW: self._send_now,
                TAKE_NOW: self._set_take_now,
            }

    async def receive(self) -> "ASGIReceiveEvent":
        # uvicorn would read on as soon as it hands out a frame: while the application is busy with a large one, the
        # next would already be in memory.
        if self.read_paused and self.queue.empty():
            self.read_paused = False
            self._read_further()
        return await self.queue.get()

    async def send(self, message: "ASGISendEvent") -> None:
        if message["type"] == "websocket.close" and not self.writable.is_set():
            self.writable.set()
            self._abort_later()
        if self.close_sent and self.initial_response is None:
            # The client's frames could not be read, and the application has not heard of it yet.
            raise ClientDisconnected
        await super().send(message)
        if message["type"] == "websocket.accept":
            self._forget_handshake()
        if message["type"] == "websocket.close":
            self._unseen.spend(max(0.0, self._unseen.left - _UNSEEN_AFTER_CLOSE))
        # After a close uvicorn reads on until the client's own.
        self._parse()

    def _is_open(self) -> bool:
        return not (self.disconnected or self.close_sent or self.transport.is_closing())

    def _send_now(self, text: str) -> bool:
        """Send ``text``, unless it has to wait for the client, or can no longer be sent; whether it was sent."""
        if not self.writable.is_set() or not self._is_open():
            return False
        self.conn.send_text(text.encode())
        self.transport.write(b"".join(self.conn.data_to_send()))
        return True

    def handle_ping(self) -> None:
        self._count_unseen()
        super().handle_ping()

    def handle_pong(self, event: "Frame") -> None:
        self._count_unseen()
        super().handle_pong(event)

    def handle_cont(self, event: "Frame") -> None:
        self._count_unseen()
        super().handle_cont(event)
        if len(self.frames) >= _MAX_PARTS:
            # A part may be empty, so the largest message does not bound how many there are.
            self.frames = [b"".join(self.frames)]

    def send_receive_event_to_app(self) -> None:
        if self.close_sent:
            self._count_unseen()
        elif self._is_taken_now():
            self.frames = []
            return
        super().send_receive_event_to_app()

    def _is_taken_now(self) -> bool:
        """Whether the application has handled the received message, without an iteration of the event loop."""
        # Reading is paused until the application asks for the next message, so none is overtaken.
        if self._take_now is None or self.read_paused or self.curr_msg_data_type != "text":
            return False
        try:
            return self._take_now(b"".join(self.frames).decode())
        except UnicodeDecodeError:  # reported as of any other message
            return False

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self._abort_later()

    def _forget_handshake(self) -> None:
        """Drop the headers, among them the token. The parser and every frame below keep them, so they are emptied."""
        self.request.headers.clear()
        self.scope["headers"].clear()  # type: ignore[attr-defined] # it is a list
        del self.request, self.response

    def _parse(self) -> None:
        while self._pieces and self._waiting is None and not self.read_paused:
            if self.transport.is_closing():
                self._pieces.clear()
                return
            super().data_received(self._pieces.pop(0))

    def _pause_if_wanted(self) -> None:
        cast("GatheringTransport", self.transport).pause_if_wanted()

    def _pace_large(self, bucket: Callable[[], TokenBucket]) -> None:
        """From now on read large messages as fast as ``bucket`` has bytes. Others may share it."""
        self._large = bucket

    def _set_take_now(self, take: Callable[[str], bool]) -> None:
        self._take_now = take

    @property
    def _begun_bytes(self) -> int:
        """How much has come of a message that is not whole."""
        return len(self.conn.reader.buffer) + sum(map(len, self.frames))

    def _count_unseen(self) -> None:
        self._unseen.spend()
        self._wait_if_fast()

    def _wait_if_fast(self) -> None:
        if self._wait_s > 0 and self._waiting is None and not self.transport.is_closing():
            self.transport.pause_reading()
            self._pause_if_wanted()
            self._waiting = self.loop.call_later(self._wait_s, self._read_on)

    @property
    def _wait_s(self) -> float:
        return max(self._unseen.wait_s, self._large_wait_s)

    @property
    def _large_wait_s(self) -> float:
        if self._large is None or (begun := self._begun_bytes) <= _LARGE_BYTES:
            return 0.0
        wait_s = self._large().wait_s
        return wait_s and wait_s + _BEHIND_S * max(0.0, 1 - begun / _MAX_BYTES)

    def _read_on(self) -> None:
        self._waiting = None
        if self._wait_s > 0:
            self._waiting = self.loop.call_later(self._wait_s, self._read_on)
            return
        if self._large is not None and self._begun_bytes > _LARGE_BYTES:
            # Now, so that others that share the bucket do not read on at the same time.
            self._large().spend(_READ_BYTES)
            self._paid = _READ_BYTES
        if not self.read_paused:
            self._read_further()

    def _read_further(self) -> None:
        """Parse what has come, and read more once a piece of it is left at most: else it would pile up."""
        if len(self._pieces) > 1:
            self._parse()
        if not self.read_paused and self._waiting is None and not self.transport.is_closing():
            self.transport.resume_reading()
            self._parse()

    def _abort_later(self) -> None:
        self.loop.call_later(_LAST_CHANCE_S, self.transport.abort)
