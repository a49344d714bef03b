"""What every socket has: an outbox with one writer, and its timers."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from chat.errors import SocketClosed
from chat.protocol.frames.client import Ping
from chat.protocol.frames.codec import size_of
from chat.protocol.frames.server import ServerFrame, TokenExpiring
from chat.protocol.frames.vocabulary import CloseCode
from chat.services import Timings
from chat.tasks import Signal

LIMIT_BYTES: Final = 1024 * 1024


class Outbox:
    """A bounded queue of frames to one client.

    ``put`` waits while the outbox is full, so that a producer goes no faster than the client reads. Once it has been
    full for ``stall_s`` seconds, ``on_stalled`` is called.
    """

    def __init__(
        self,
        send: Callable[[str], Awaitable[None]],
        *,
        on_stalled: Callable[[], None],
        stall_s: float,
        limit_bytes: int = LIMIT_BYTES,
    ) -> None:
        self._send = send
        self._on_stalled = on_stalled
        self._limit = limit_bytes
        self._stall_s = stall_s
        self._frames: deque[str] = deque()
        self._bytes = 0
        self._closed = False
        self._filled = asyncio.Event()
        self._drained = Signal()
        self._stall: asyncio.TimerHandle | None = None

    async def put(self, frame: str) -> None:
        """Queue ``frame`` once there is room. Raises ``SocketClosed`` when nothing is sent any more."""
        while self._bytes >= self._limit and not self._closed:
            await self._drained.wait()
        self.put_now(frame)

    def put_now(self, frame: str) -> None:
        """Queue ``frame`` without waiting: for the few small frames that answer a client's own. Raises as ``put``."""
        if self._closed:
            raise SocketClosed
        self._frames.append(frame)
        self._bytes += size_of(frame)
        self._filled.set()
        if self._bytes >= self._limit and self._stall is None:
            self._stall = asyncio.get_running_loop().call_later(self._stall_s, self._on_stalled)

    async def run(self) -> None:
        """Send what is queued until ``close``. The only writer of the socket."""
        while True:
            while self._frames:
                await self._send(self._frames[0])
                self._sent()
            if self._closed:
                return
            self._filled.clear()
            await self._filled.wait()

    async def flush(self) -> None:
        """Wait until everything that is queued has been handed to the socket."""
        while self._frames and not self._closed:
            await self._drained.wait()

    def close(self) -> None:
        """Take and send nothing more; those that wait in ``put`` get ``SocketClosed``."""
        self._closed = True
        self._frames.clear()
        self._bytes = 0
        self._relax()
        self._filled.set()
        self._drained.notify()

    def _sent(self) -> None:
        if self._frames:
            self._bytes -= size_of(self._frames.popleft())
        if self._bytes < self._limit:
            self._relax()
            self._drained.notify()

    def _relax(self) -> None:
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None


class SocketTimers:
    """Sends heartbeats, and closes a socket whose hello is overdue, whose token expires or whose client is silent.

    ``tell`` sends a frame to the client, ``close`` closes the socket, ``on_expiry`` is called when the token expires.
    """

    def __init__(
        self,
        timings: Timings,
        *,
        tell: Callable[[ServerFrame], None],
        close: Callable[[CloseCode], None],
        on_expiry: Callable[[], None],
    ) -> None:
        self._timings = timings
        self._tell = tell
        self._close = close
        self._on_expiry = on_expiry
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._heard = 0.0

    def expect_hello(self) -> None:
        """Close the socket unless ``greeted`` follows in time."""
        self._set("hello", self._timings.hello_s, partial(self._close, CloseCode.SILENT))

    def greeted(self, *, answers_pings: bool) -> None:
        """Begin with heartbeats; a client that promised to answer them must."""
        self._cancel("hello")
        self._set("beat", self._timings.heartbeat_s, self._beat)
        if answers_pings:
            self._watch_silence()

    def watch_token(self, expires_at: int) -> None:
        """Give notice before the token expires (ms), and call ``on_expiry`` then. A newer token replaces this one."""
        left = expires_at / 1000 - time.time()
        notice = partial(self._tell, TokenExpiring(expires_at=expires_at))
        self._set("notice", left - self._timings.token_notice_s, notice)
        self._set("expiry", left, self._on_expiry)

    def heard(self) -> None:
        """The client has sent something."""
        self._heard = asyncio.get_running_loop().time()

    def end(self) -> None:
        """Cancel all timers."""
        for name in list(self._timers):
            self._cancel(name)

    def _beat(self) -> None:
        self._tell(Ping())
        self._set("beat", self._timings.heartbeat_s, self._beat)

    def _watch_silence(self) -> None:
        left = self._timings.silence_s - (asyncio.get_running_loop().time() - self._heard)
        if left <= 0:
            self._close(CloseCode.SILENT)
        else:
            self._set("silence", left, self._watch_silence)

    def _set(self, name: str, delay_s: float, action: Callable[[], None]) -> None:
        """Call ``action`` in ``delay_s`` seconds, instead of what was set by this name."""
        self._cancel(name)
        self._timers[name] = asyncio.get_running_loop().call_later(max(0.0, delay_s), action)

    def _cancel(self, name: str) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()
