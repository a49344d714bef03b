"""Rate limits: token buckets, one for each user or other key."""

import asyncio
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Final

from chat.admission import AdmissionQueue

_BURST_S: Final = 5
"""The burst of frames that may arrive, as the number of seconds in which the rate allows as many."""
_SPREAD_OVER_S: Final = 1.0
"""The time in which the rest of a burst is read, after the first frames."""
_READ_AT_ONCE_S: Final = 0.5
"""The frames of a burst that are read at once, as the number of seconds in which the rate allows as many."""
MAX_SOCKETS: Final = 10
_ONE: Final = 1 - 1e-6
"""One token, less the rounding error that can be missing after a wait of exactly ``wait_s`` seconds."""
_MIN_STARTS_PER_S: Final = 1.0
_MIN_STARTS_AT_ONCE: Final = 2.0
_MAX_STARTS_AT_ONCE: Final = 10.0
_TIME_AT_ONCE_S: Final = 0.2
"""The time of the event loop that a user may use at once, as the number of seconds in which the rate allows as much."""
MS_PER_BYTE: Final = 5 / (1024 * 1024)
"""The time of the event loop for reading a byte of a frame from the network, before the application gets the frame."""
_LARGE_AT_ONCE: Final = 4 * 1024 * 1024
"""In bytes. The size of one of the largest answers."""
_ARRIVAL_WAIT_S: Final = 5.0
"""How long a handshake waits for others. Waiting costs nothing, but a client that is refused connects again, up to
three times. After 10 s many clients give up."""
_WAITING_PER_PLACE: Final = 16
"""How many handshakes may wait for each one that queries the database: as many as a process can handle within
``_ARRIVAL_WAIT_S``."""
_MIN_KEPT: Final = 1000
"""The number of buckets from which on full ones are dropped."""


class TokenBucket:
    """``burst`` tokens at once, and ``per_s`` more in each second. Tokens that are spent beyond that are a debt."""

    __slots__ = ("_at", "_clock", "_left", "_per_s", "burst")

    def __init__(self, *, per_s: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.burst = burst
        self._per_s = per_s
        self._clock = clock
        self._left, self._at = burst, clock()

    @property
    def left(self) -> float:
        """The tokens that are left now. A debt is negative."""
        now = self._clock()
        self._left, self._at = min(self.burst, self._left + (now - self._at) * self._per_s), now
        return self._left

    @property
    def wait_s(self) -> float:
        """The seconds until there is a token; 0 if there is one."""
        left = self.left
        return 0.0 if left >= _ONE else (1 - left) / self._per_s

    def spend(self, tokens: float = 1.0) -> None:
        """Spend ``tokens``, even if fewer are left."""
        self._left = self.left - tokens

    def take(self) -> float:
        """If there is a token, spend it and return 0; otherwise return the seconds until there is one."""
        wait_s = self.wait_s
        if wait_s == 0:
            self.spend()
        return wait_s

    def reserve(self) -> float:
        """Spend the next token. Returns the seconds until there is one."""
        self.spend()
        return max(0.0, -self.left) / self._per_s


class Buckets:
    """A bucket for each user, or other key. Full buckets are dropped, because they equal new ones."""

    def __init__(self, *, per_s: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._make = partial(TokenBucket, per_s=per_s, burst=burst, clock=clock)
        self._buckets: dict[Hashable, TokenBucket] = {}
        self._max_kept = _MIN_KEPT

    def of(self, key: Hashable) -> TokenBucket:
        """The bucket of ``key``. Do not keep a reference to it, because it may be dropped."""
        bucket = self._buckets.get(key)
        if bucket is None:
            self._drop_full()
            bucket = self._buckets[key] = self._make()
        return bucket

    def _drop_full(self) -> None:
        if len(self._buckets) > self._max_kept:
            self._buckets = {key: each for key, each in self._buckets.items() if each.left < each.burst}
            self._max_kept = max(_MIN_KEPT, 2 * len(self._buckets))


class RequestRate:
    """For each user, or other key, ``per_minute`` requests at once, and as many again over the next minute.

    Requests are admitted at once, but only ``max_at_once`` of them begin at once. The others begin one by one, four
    times as fast as the rate, because a burst of one user's requests would delay those of other users.
    """

    def __init__(
        self,
        *,
        per_minute: int,
        max_at_once: float = _MAX_STARTS_AT_ONCE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._buckets = Buckets(per_s=per_minute / 60, burst=per_minute, clock=clock)
        self._starts = Buckets(
            per_s=max(_MIN_STARTS_PER_S, per_minute / 15),
            burst=min(max(_MIN_STARTS_AT_ONCE, per_minute / 20), max_at_once),
            clock=clock,
        )

    def admit(self, key: Hashable) -> bool:
        """Count a request if it is admitted. Returns whether it is."""
        return self.wait_s(key) == 0

    def wait_s(self, key: Hashable) -> float:
        """If a request is admitted, count it and return 0; otherwise return the seconds until one would be."""
        return self._buckets.of(key).take()

    def give_back(self, key: Hashable) -> None:
        """Undo the count of an admitted request and its start. It was refused because of requests of other users."""
        for buckets in (self._buckets, self._starts):
            buckets.of(key).spend(-1.0)

    def delay_s(self, key: Hashable) -> float:
        """Count the start of an admitted request. Returns for how many seconds it must wait before it begins."""
        return self._starts.of(key).reserve()


@dataclass(frozen=True, kw_only=True, slots=True)
class SocketLimits:
    """The limits of a user's sockets. Frames that answer a call are neither limited nor counted."""

    sockets: int = MAX_SOCKETS
    """How many may be open at the same time, on all processes."""
    connections_per_minute: int = 60
    frames_per_s: int = 20
    """For one socket."""
    user_frames_per_s: int = 40
    """For all sockets of a user on one process."""
    frame_time_percent: int = 5
    """The share of the event loop's time for reading a user's frames."""
    arriving: int = 64
    """For how many devices of all users the database may be queried about tokens and hellos at the same time."""


def loop_time() -> float:
    """The time of the running loop, in seconds."""
    return asyncio.get_running_loop().time()


class SocketRates:
    """Counts the connections and frames of all users of this process. A new socket of a user does not reset them."""

    def __init__(self, limits: SocketLimits, *, clock: Callable[[], float] = loop_time) -> None:
        self.limits = limits
        self.clock = clock
        self.connections = RequestRate(
            per_minute=limits.connections_per_minute, max_at_once=_MIN_STARTS_AT_ONCE, clock=clock
        )
        self.arriving = AdmissionQueue(
            limits.arriving, waiting=_WAITING_PER_PLACE * limits.arriving, wait_s=_ARRIVAL_WAIT_S
        )
        """The devices of all users about which the database is queried."""
        per_s = limits.user_frames_per_s
        self.user_frames = Buckets(per_s=per_s, burst=per_s * _BURST_S, clock=clock)
        self.user_bursts = Buckets(
            per_s=per_s * _BURST_S / _SPREAD_OVER_S, burst=max(1.0, per_s * _READ_AT_ONCE_S), clock=clock
        )
        """The rate at which the frames of a burst are read. Clients get no notice of it."""
        # Operations in the database cost more than reading a frame, but run outside the event loop.
        self.user_operations = Buckets(per_s=per_s / 4, burst=max(1.0, per_s / 10), clock=clock)
        ms = 10 * limits.frame_time_percent
        self.user_ms = Buckets(per_s=ms, burst=max(2.0, ms * _TIME_AT_ONCE_S), clock=clock)
        self.user_disguised_ms = Buckets(per_s=ms, burst=max(2.0, ms * _TIME_AT_ONCE_S), clock=clock)
        """The time for frames that only looked like answers to calls."""
        self.user_large_bytes = Buckets(per_s=ms / MS_PER_BYTE, burst=_LARGE_AT_ONCE, clock=clock)
        """The bytes of large messages, counted while they arrive."""

    def socket_frames(self) -> TokenBucket:
        """The bucket of a new socket."""
        per_s = self.limits.frames_per_s
        return TokenBucket(per_s=per_s, burst=per_s * _BURST_S, clock=self.clock)
