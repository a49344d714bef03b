"""Which processes are alive: each renews its lease every second, and counts as dead once the lease has expired."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from chat.cluster.redis_connection import RedisConnection

RENEW_EVERY_S: Final = 1.0
LEASE_S: Final = 3.0


class Leases(Protocol):
    """The leases of all processes. Every method raises ``ClusterUnavailable``."""

    async def renew(self, process: str) -> bool:
        """Renew the lease of ``process``; whether it was alive until now."""

    async def release(self, process: str) -> None:
        """End the lease of ``process`` at once, because it stops."""

    async def alive(self, process: str) -> bool:
        """Whether ``process`` has a lease."""


class MemoryLeases:
    """``Leases`` in this process's memory. They do not expire by default: a process alone renews nothing."""

    def __init__(self, *, lease_s: float = float("inf"), clock: Callable[[], float] = time.monotonic) -> None:
        self._lease_s = lease_s
        self._clock = clock
        self._until: dict[str, float] = {}

    async def renew(self, process: str) -> bool:
        known = self.holds(process)
        self._until[process] = self._clock() + self._lease_s
        return known

    async def release(self, process: str) -> None:
        self._until.pop(process, None)

    async def alive(self, process: str) -> bool:
        return self.holds(process)

    def holds(self, process: str) -> bool:
        """As ``alive``, without waiting."""
        return self._until.get(process, 0.0) > self._clock()


@dataclass(kw_only=True)
class RedisLeases:
    """``Leases`` in Redis: a key for each process, which Redis expires by its own clock."""

    redis: RedisConnection
    lease_s: float = LEASE_S

    def key(self, process: str) -> str:
        """The key that exists while ``process`` is alive."""
        return self.redis.key("process", process)

    async def renew(self, process: str) -> bool:
        before = await self.redis.run(
            lambda client: client.set(self.key(process), "1", px=round(self.lease_s * 1000), get=True),
            urgent=True,
        )
        return before is not None

    async def release(self, process: str) -> None:
        await self.redis.run(lambda client: client.delete(self.key(process)))

    async def alive(self, process: str) -> bool:
        return bool(await self.redis.run(lambda client: client.exists(self.key(process))))
