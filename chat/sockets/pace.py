"""The pace of a client's frames: if there are too many, they are read more slowly, and finally the socket is closed.

Frames wait unread, so TCP slows the client down and nothing is lost. Both their number and the time of the event loop
that reading them takes are limited, because the worst frame takes a thousand times as long as a typical one. Answers to
calls do not wait for other frames, because a device sends them as fast as it is called.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from chat.rates import MS_PER_BYTE, SocketRates, TokenBucket

NOTICE_EVERY_S: Final = 5.0
_BYTES_A_TOKEN: Final = 64 * 1024
"""A larger frame costs more than one token, because it takes longer to parse."""
_RELIEF_S: Final = 1.0
"""After a pause of this length, earlier excess is forgiven."""
_NOTICE_SHARE: Final = 0.1
"""The share of the bucket by which a client may exceed it without a notice."""
_STEP_S: Final = 1.0
"""The longest wait before checking again whether the socket is closing."""


@dataclass(kw_only=True, eq=False, slots=True)
class FramePace:
    """The pace of one socket.

    ``notify`` tells the client that its frames are read more slowly. ``on_flood`` is called when the client, without a
    pause, has exceeded its bucket by the size of the bucket.
    """

    rates: SocketRates
    user_id: UUID
    notify: Callable[[], None]
    on_flood: Callable[[], None]
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _own: TokenBucket = field(init=False)
    _excess: float = field(default=0.0, init=False)
    _read_at: float = field(default=0.0, init=False)
    _notify_at: float = field(default=0.0, init=False)
    _ended: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._own = self.rates.socket_frames()

    async def admit(self, size: int) -> bool:
        """Wait until a frame of ``size`` bytes may be read, and count it. False if the socket closes meanwhile."""
        if self.rates.clock() - self._read_at >= _RELIEF_S:
            self._excess = 0.0
        if self._wait_s > 0:
            self._exceed(_cost(size))
        await self._wait(lambda: max(self._wait_s, self._bursts.wait_s))
        self._own.spend(_cost(size))
        self._users.spend(_cost(size))
        self._bursts.spend()
        self._time.spend(size * MS_PER_BYTE)
        self._read_at = self.rates.clock()
        return not self._ended

    async def admit_answer(self) -> bool:
        """Wait for the cost of earlier frames that only looked like answers. False if the socket closes meanwhile."""
        await self._wait(lambda: self._disguised.wait_s)
        return not self._ended

    @property
    def delays_answers(self) -> bool:
        """Whether ``admit_answer`` would wait, or return False."""
        return self._ended or self._disguised.wait_s > 0

    def charge(self, seconds: float) -> None:
        """Count the time of the event loop that the frame has taken since it was admitted."""
        self._time.spend(seconds * 1000)

    def charge_disguised(self, seconds: float) -> None:
        """As ``charge``, for a frame that was admitted as an answer but is not one."""
        self.charge(seconds)
        self._disguised.spend(seconds * 1000)

    def end(self) -> None:
        """Stop waiting, because the socket is closing."""
        self._ended = True

    @property
    def _users(self) -> TokenBucket:
        return self.rates.user_frames.of(self.user_id)

    @property
    def _bursts(self) -> TokenBucket:
        return self.rates.user_bursts.of(self.user_id)

    @property
    def _time(self) -> TokenBucket:
        """In milliseconds."""
        return self.rates.user_ms.of(self.user_id)

    @property
    def _wait_s(self) -> float:
        return max(self._own.wait_s, self._users.wait_s, self._time.wait_s)

    @property
    def _disguised(self) -> TokenBucket:
        return self.rates.user_disguised_ms.of(self.user_id)

    async def _wait(self, seconds: Callable[[], float]) -> None:
        while not self._ended and (wait_s := seconds()) > 0:
            await self.sleep(min(wait_s, _STEP_S))

    def _exceed(self, cost: float) -> None:
        self._excess += cost
        if self._excess > self._own.burst:
            self.on_flood()
        elif self._excess > self._own.burst * _NOTICE_SHARE and self.rates.clock() >= self._notify_at:
            self._notify_at = self.rates.clock() + NOTICE_EVERY_S
            self.notify()


def _cost(size: int) -> float:
    return 1 + size // _BYTES_A_TOKEN
