"""The outbox of a socket, with its only writer, and the timers of a socket."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import KW_ONLY, dataclass, field
from functools import partial

from chat.errors import SocketClosed
from chat.protocol.frames.client import Ping
from chat.protocol.frames.codec import size_of
from chat.protocol.frames.server import ServerFrame, TokenExpiring
from chat.protocol.frames.vocabulary import CloseCode
from chat.services import Timings
from chat.tasks import Signal


@dataclass(eq=False, slots=True)
class Outbox:
    """A bounded queue of frames to one client.

    ``put`` waits while the outbox is full, so a producer is no faster than the client. When the outbox has been full
    for ``stall_s`` seconds, ``on_stalled`` is called.

    If the server has the extension ``send_now``, a frame that need not wait is sent without the queue, which saves an
    iteration of the event loop.
    """

    send: Callable[[str], Awaitable[None]]
    _: KW_ONLY
    on_stalled: Callable[[], None]
    stall_s: float
    limit_bytes: int = 1024 * 1024
    send_now: Callable[[str], bool] | None = None
    # A list, because an empty deque takes 0.6 KiB of every idle device.
    _frames: list[str] = field(default_factory=list, init=False)
    _bytes: int = field(default=0, init=False)
    _closed: bool = field(default=False, init=False)
    _filled: Signal = field(default_factory=Signal, init=False)
    _drained: Signal = field(default_factory=Signal, init=False)
    _stall: asyncio.TimerHandle | None = field(default=None, init=False)

    async def put(self, frame: str) -> None:
        """Queue ``frame`` once there is room. Raises ``SocketClosed`` after ``close``."""
        while self._bytes >= self.limit_bytes and not self._closed:
            await self._drained.wait()
        self.put_now(frame)

    def put_now(self, frame: str) -> None:
        """Queue ``frame`` without waiting. Only for a few small frames, such as replies. Raises as ``put``."""
        if self._closed:
            raise SocketClosed
        if not self._frames and self.send_now is not None and self.send_now(frame):
            return
        self._frames.append(frame)
        self._bytes += size_of(frame)
        self._filled.notify()
        if self._bytes >= self.limit_bytes and self._stall is None:
            self._stall = asyncio.get_running_loop().call_later(self.stall_s, self.on_stalled)

    async def run(self) -> None:
        """Send queued frames until ``close``, or until the connection is lost. The only writer of the socket."""
        while True:
            while self._frames:
                try:
                    await self.send(self._frames[0])
                except OSError:
                    return
                if self._frames:  # not closed meanwhile
                    self._bytes -= size_of(self._frames.pop(0))
                if self._bytes < self.limit_bytes:
                    self._relax()
                    self._drained.notify()
            if self._closed:
                return
            await self._filled.wait()

    async def flush(self) -> None:
        """Wait until all queued frames have been passed to the socket."""
        while self._frames and not self._closed:
            await self._drained.wait()

    def close(self) -> None:
        """Accept and send no more frames. Pending calls of ``put`` raise ``SocketClosed``."""
        self._closed = True
        self._frames.clear()
        self._bytes = 0
        self._relax()
        self._filled.notify()
        self._drained.notify()

    def _relax(self) -> None:
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None


@dataclass(kw_only=True, eq=False, slots=True)
class SocketTimers:
    """Sends heartbeats, and closes a socket whose hello is late, whose token expires, or whose client is silent.

    ``send`` sends a frame to the client, and ``close`` closes the socket. ``on_expiry`` is called when the token
    expires.
    """

    timings: Timings
    send: Callable[[ServerFrame], None]
    close: Callable[[CloseCode], None]
    on_expiry: Callable[[], None]
    _timers: dict[str, asyncio.TimerHandle] = field(default_factory=dict, init=False)
    _heard: float = field(default=0.0, init=False)

    def expect_hello(self) -> None:
        """Close the socket unless ``greeted`` follows in time."""
        self._set("hello", self.timings.hello_s, partial(self.close, CloseCode.SILENT))

    def greeted(self, *, answers_pings: bool) -> None:
        """Begin to send heartbeats. With ``answers_pings``, the client must answer them."""
        self._cancel("hello")
        self._set("beat", self.timings.heartbeat_s, self._beat)
        if answers_pings:
            self._watch_silence()

    def expect_expiry(self, expires_at: int) -> None:
        """Call ``on_expiry`` at ``expires_at`` (ms since the epoch). A newer token replaces this one."""
        self._set("expiry", expires_at / 1000 - time.time(), self.on_expiry)

    def watch_token(self, expires_at: int) -> None:
        """As ``expect_expiry``, with a notice before. For after the welcome: before it, a client cannot renew."""
        left = expires_at / 1000 - time.time()
        self._set("notice", left - self.timings.token_notice_s, partial(self._give_notice, expires_at))
        self.expect_expiry(expires_at)

    def heard(self) -> None:
        """The client has sent a frame."""
        self._heard = asyncio.get_running_loop().time()

    def end(self) -> None:
        """Cancel all timers."""
        for name in list(self._timers):
            self._cancel(name)

    def _give_notice(self, expires_at: int) -> None:
        self.send(TokenExpiring(expires_at=expires_at))

    def _beat(self) -> None:
        self.send(Ping())
        self._set("beat", self.timings.heartbeat_s, self._beat)

    def _watch_silence(self) -> None:
        left = self.timings.silence_s - (asyncio.get_running_loop().time() - self._heard)
        if left <= 0:
            self.close(CloseCode.SILENT)
        else:
            self._set("silence", left, self._watch_silence)

    def _set(self, name: str, delay_s: float, action: Callable[[], None]) -> None:
        """Call ``action`` in ``delay_s`` seconds. This replaces the timer with the same name."""
        self._cancel(name)
        self._timers[name] = asyncio.get_running_loop().call_later(max(0.0, delay_s), action)

    def _cancel(self, name: str) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()
