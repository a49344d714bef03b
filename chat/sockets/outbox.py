"""What a socket still has to send: a bounded queue with one writer."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

from chat.errors import SocketClosed
from chat.protocol.frames.codec import size_of
from chat.signal import Signal

LIMIT_BYTES: Final = 1024 * 1024


class Outbox:
    """Frames on their way to one client.

    ``put`` waits while the outbox is full, so whoever produces faster than the client reads slows down. When it has
    been full for ``stall_s`` seconds, ``on_stalled`` is called once.
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
        """Queue ``frame``, after room has been made for it. Raises ``SocketClosed`` when nothing goes out any more."""
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
        """Wait until everything queued so far has been handed to the socket."""
        while self._frames and not self._closed:
            await self._drained.wait()

    def close(self) -> None:
        """Take and send nothing more; whoever waits in ``put`` gets ``SocketClosed``."""
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
