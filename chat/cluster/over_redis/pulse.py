"""The ``Pulse`` over Redis: a key with an expiry for each process."""

from dataclasses import dataclass

from chat.cluster.over_redis.line import RedisLine
from chat.cluster.pulse import LEASE_S


@dataclass(kw_only=True)
class RedisPulse:
    """As ``Pulse``. Redis's own clock ends the leases."""

    line: RedisLine
    lease_s: float = LEASE_S

    def key(self, process: str) -> str:
        """The key that exists while ``process`` lives."""
        return self.line.key("process", process)

    async def beat(self, process: str) -> bool:
        before = await self.line.run(
            lambda client: client.set(self.key(process), "1", px=round(self.lease_s * 1000), get=True),
            urgent=True,
        )
        return before is not None

    async def stop(self, process: str) -> None:
        await self.line.run(lambda client: client.delete(self.key(process)))

    async def lives(self, process: str) -> bool:
        return bool(await self.line.run(lambda client: client.exists(self.key(process))))
