"""Which processes live: each says so every second, and counts as dead when it has not for ``LEASE_S``."""

import time
from collections.abc import Callable
from typing import Final, Protocol

BEAT_S: Final = 1.0
LEASE_S: Final = 3.0


class Pulse(Protocol):
    """The leases of the processes. Raises ``NeighboursAway`` throughout."""

    async def beat(self, process: str) -> bool:
        """``process`` lives for another lease; whether it was known to until now."""

    async def stop(self, process: str) -> None:
        """``process`` is leaving: it counts as dead at once."""

    async def lives(self, process: str) -> bool:
        """Whether the lease of ``process`` holds."""


class MemoryPulse:
    """The ``Pulse`` in this process's memory. Leases are endless where nobody beats because nobody else is there."""

    def __init__(self, *, lease_s: float = float("inf"), clock: Callable[[], float] = time.monotonic) -> None:
        self._lease_s = lease_s
        self._clock = clock
        self._until: dict[str, float] = {}

    async def beat(self, process: str) -> bool:
        known = self.holds(process)
        self._until[process] = self._clock() + self._lease_s
        return known

    async def stop(self, process: str) -> None:
        self._until.pop(process, None)

    async def lives(self, process: str) -> bool:
        return self.holds(process)

    def holds(self, process: str) -> bool:
        """As ``lives``, without waiting."""
        return self._until.get(process, 0.0) > self._clock()
