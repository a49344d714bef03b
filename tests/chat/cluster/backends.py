"""State shared by processes, in memory and in Redis, for any number of processes."""

import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol
from uuid import UUID

from channels_redis.core import RedisChannelLayer

from accounts.cipher import new_user_key
from accounts.keys.vault import Vault
from adiuva.channel_layers import channel_layers
from chat.cluster.node import ClusterPorts, redis_ports, single_process_ports
from chat.cluster.notifications import NotificationBus
from chat.cluster.redis_connection import RedisConnection

REDIS_URL = "redis://127.0.0.1:6379"
LEASE_S = 60.0
"""Long enough that no process on a busy machine is taken for dead; one that a test ends releases its lease."""


class Backend(Protocol):
    """Gives each process its ports to the shared state."""

    def ports(self) -> ClusterPorts:
        """The ports of one more process."""


@dataclass
class MemoryBackend:
    """Processes that share one memory."""

    memory: ClusterPorts = field(default_factory=single_process_ports)

    def ports(self) -> ClusterPorts:
        return replace(self.memory, bus=NotificationBus(self.memory.bus.layer), shared=True)


@dataclass
class RedisBackend:
    """Processes that share one Redis, each with its own connection and channel layer."""

    url: str = REDIS_URL
    lease_s: float = LEASE_S
    prefix: str = field(default_factory=lambda: f"test:{uuid.uuid4().hex}")
    connections: list[RedisConnection] = field(default_factory=list)
    layers: list[Any] = field(default_factory=list)
    vaults: dict[UUID, Vault] = field(default_factory=dict)

    async def open_vault(self, user_id: UUID) -> Vault:
        return self.vaults.setdefault(user_id, Vault(key=new_user_key()))

    def connection(self) -> RedisConnection:
        self.connections.append(RedisConnection(self.url, prefix=self.prefix))
        return self.connections[-1]

    def ports(self) -> ClusterPorts:
        settings: Any = channel_layers(self.url, secret="a secret of the tests", prefix=self.prefix)
        self.layers.append(RedisChannelLayer(**settings["default"]["CONFIG"]))
        return redis_ports(self.connection(), layer=self.layers[-1], open_vault=self.open_vault, lease_s=self.lease_s)

    async def keys(self) -> list[str]:
        """Every key that the processes have created."""
        client = RedisConnection(REDIS_URL, prefix=self.prefix)
        self.connections.append(client)
        return [key async for key in client.client.scan_iter(match=f"{self.prefix}*", count=1000)]

    async def aclose(self) -> None:
        names = await self.keys()
        if names:
            await self.connections[-1].client.delete(*names)
        for layer in self.layers:
            await layer.close_pools()
        for line in self.connections:
            await line.aclose()


@asynccontextmanager
async def in_memory() -> AsyncIterator[MemoryBackend]:
    yield MemoryBackend()


@asynccontextmanager
async def in_redis(**options: Any) -> AsyncIterator[RedisBackend]:
    backend = RedisBackend(**options)
    try:
        yield backend
    finally:
        await backend.aclose()


BACKENDS: dict[str, Callable[..., Any]] = {"memory": in_memory, "redis": in_redis}
