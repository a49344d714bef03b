"""What processes have in common, in memory and in Redis, for as many processes as a test wants."""

import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import UUID

from channels_redis.core import RedisChannelLayer

from accounts.keys import new_user_key
from accounts.vault import Vault
from adiuva.channel_layers import channel_layers
from chat.cluster.commons import CommonMemory, Commons, common_memory
from chat.cluster.over_redis.commons import over_redis
from chat.cluster.over_redis.line import RedisLine

REDIS_URL = "redis://127.0.0.1:6379"
LEASE_S = 60.0
"""A process that is held up by a busy machine is not dead; one that a test ends says so."""


class Ground(Protocol):
    """Gives each process its view of what they share."""

    def commons(self) -> Commons:
        """The view of one more process."""


@dataclass
class MemoryGround:
    """Processes in one memory."""

    lease_s: float = LEASE_S
    memory: CommonMemory = field(init=False)

    def __post_init__(self) -> None:
        self.memory = common_memory(lease_s=self.lease_s)

    def commons(self) -> Commons:
        return self.memory.commons(shared=True)


@dataclass
class RedisGround:
    """Processes with one Redis, each with a line and a channel layer of its own."""

    url: str = REDIS_URL
    lease_s: float = LEASE_S
    prefix: str = field(default_factory=lambda: f"test:{uuid.uuid4().hex}")
    lines: list[RedisLine] = field(default_factory=list)
    layers: list[Any] = field(default_factory=list)
    vaults: dict[UUID, Vault] = field(default_factory=dict)

    async def open_vault(self, user_id: UUID) -> Vault:
        return self.vaults.setdefault(user_id, Vault(key=new_user_key()))

    def line(self) -> RedisLine:
        self.lines.append(RedisLine(self.url, prefix=self.prefix))
        return self.lines[-1]

    def commons(self) -> Commons:
        settings: Any = channel_layers(self.url, secret="a secret of the tests", prefix=self.prefix)
        self.layers.append(RedisChannelLayer(**settings["default"]["CONFIG"]))
        return over_redis(self.line(), layer=self.layers[-1], open_vault=self.open_vault, lease_s=self.lease_s)

    async def keys(self) -> list[str]:
        """Every key that the processes have made."""
        client = RedisLine(REDIS_URL, prefix=self.prefix)
        self.lines.append(client)
        return [key async for key in client.client.scan_iter(match=f"{self.prefix}*", count=1000)]

    async def aclose(self) -> None:
        names = await self.keys()
        if names:
            await self.lines[-1].client.delete(*names)
        for layer in self.layers:
            await layer.close_pools()
        for line in self.lines:
            await line.aclose()


@asynccontextmanager
async def in_memory(**options: Any) -> AsyncIterator[MemoryGround]:
    yield MemoryGround(**options)


@asynccontextmanager
async def in_redis(**options: Any) -> AsyncIterator[RedisGround]:
    ground = RedisGround(**options)
    try:
        yield ground
    finally:
        await ground.aclose()


GROUNDS: dict[str, Callable[..., Any]] = {"memory": in_memory, "redis": in_redis}
