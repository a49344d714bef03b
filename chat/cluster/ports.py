"""The ports to what the processes of one server share, in memory or in Redis."""

from dataclasses import dataclass

from channels.layers import InMemoryChannelLayer

from chat.cluster.call_store import CallStore, MemoryCallStore, RedisCallStore
from chat.cluster.leases import LEASE_S, Leases, MemoryLeases, RedisLeases
from chat.cluster.notifications import Layer, NotificationBus
from chat.cluster.presence import MemoryPresence, PresenceStore, RedisPresence
from chat.cluster.redis_connection import OpenVault, RedisConnection, VaultCache
from chat.cluster.remote_turns import MemoryDirectory, RedisDirectory, TurnDirectory
from chat.turns.supervisor import KEEP_S


@dataclass(frozen=True, kw_only=True, slots=True)
class ClusterPorts:
    """The ports as one process uses them. ``shared`` is whether there may be other processes."""

    bus: NotificationBus
    leases: Leases
    presence: PresenceStore
    directory: TurnDirectory
    calls: CallStore
    shared: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ClusterMemory:
    """What the ports in memory share. Several processes share one only in tests."""

    layer: Layer
    leases: MemoryLeases
    presence: MemoryPresence
    directory: MemoryDirectory
    calls: MemoryCallStore

    def ports(self, *, shared: bool) -> ClusterPorts:
        """The ports for one more process."""
        return ClusterPorts(
            bus=NotificationBus(self.layer),
            leases=self.leases,
            presence=self.presence,
            directory=self.directory,
            calls=self.calls,
            shared=shared,
        )


def cluster_memory(*, lease_s: float = float("inf")) -> ClusterMemory:
    """An empty memory."""
    leases = MemoryLeases(lease_s=lease_s)
    return ClusterMemory(
        layer=InMemoryChannelLayer(),
        leases=leases,
        presence=MemoryPresence(leases=leases),
        directory=MemoryDirectory(),
        calls=MemoryCallStore(),
    )


def single_process_ports() -> ClusterPorts:
    """The ports of a process that shares nothing."""
    return cluster_memory().ports(shared=False)


def redis_ports(
    redis: RedisConnection, *, layer: Layer, open_vault: OpenVault, lease_s: float = LEASE_S, keep_s: float = KEEP_S
) -> ClusterPorts:
    """The ports over Redis. Users' content is encrypted with the keys that ``open_vault`` gives."""
    leases, vaults = RedisLeases(redis=redis, lease_s=lease_s), VaultCache(open_vault)
    return ClusterPorts(
        bus=NotificationBus(layer),
        leases=leases,
        presence=RedisPresence(redis=redis, leases=leases),
        directory=RedisDirectory(redis=redis, vaults=vaults, keep_s=keep_s),
        calls=RedisCallStore(redis=redis, vaults=vaults),
        shared=True,
    )
