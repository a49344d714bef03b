"""The leases of processes: each renews its own, and counts as dead once it has expired.

A process renews its lease twice a second, in a task that does nothing else. So it keeps the lease if it stalls for 3 s
at any moment, and others wait for a killed process for 5 s at most. Only the clock of Redis counts.
"""

from dataclasses import dataclass, field
from typing import Final, Protocol

from chat.cluster.redis_connection import RedisConnection

RENEW_EVERY_S: Final = 0.5
LEASE_S: Final = 4.0
_RENEW_S: Final = 1.0
"""How long one attempt may take, in seconds: several fit into a lease."""


class Leases(Protocol):
    """The leases of all processes. Every method raises ``ClusterUnavailable``."""

    async def renew(self, process: str) -> bool:
        """Renew the lease of ``process``. Returns whether it had not expired."""

    async def release(self, process: str) -> None:
        """End the lease of ``process`` at once, because it stops."""

    async def alive(self, process: str) -> bool:
        """Whether ``process`` has a lease."""


@dataclass
class MemoryLeases:
    """``Leases`` in this process's memory. They do not expire, because a single process renews nothing."""

    processes: set[str] = field(default_factory=set, init=False)

    async def renew(self, process: str) -> bool:
        was_alive = await self.alive(process)
        self.processes.add(process)
        return was_alive

    async def release(self, process: str) -> None:
        self.processes.discard(process)

    async def alive(self, process: str) -> bool:
        return process in self.processes


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
            within_s=_RENEW_S,
        )
        return before is not None

    async def release(self, process: str) -> None:
        await self.redis.run(lambda client: client.delete(self.key(process)))

    async def alive(self, process: str) -> bool:
        return bool(await self.redis.run(lambda client: client.exists(self.key(process))))
