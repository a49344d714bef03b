"""What the processes have in common, in Redis."""

from chat.cluster.commons import Commons
from chat.cluster.hints import Hints, Layer
from chat.cluster.over_redis.directory import RedisDirectory
from chat.cluster.over_redis.line import RedisLine
from chat.cluster.over_redis.mailbox import RedisMailbox
from chat.cluster.over_redis.presence import RedisPresence
from chat.cluster.over_redis.pulse import RedisPulse
from chat.cluster.over_redis.vaults import OpenVault, Vaults
from chat.cluster.pulse import LEASE_S
from chat.turns.supervisor import KEEP_S


def over_redis(
    line: RedisLine, *, layer: Layer, open_vault: OpenVault, lease_s: float = LEASE_S, keep_s: float = KEEP_S
) -> Commons:
    """The ports over ``line``; whatever says something of users is encrypted with keys that ``open_vault`` gives."""
    pulse, vaults = RedisPulse(line=line, lease_s=lease_s), Vaults(open_vault)
    return Commons(
        hints=Hints(layer),
        pulse=pulse,
        presence=RedisPresence(line=line, pulse=pulse),
        directory=RedisDirectory(line=line, vaults=vaults, keep_s=keep_s),
        mailbox=RedisMailbox(line=line, vaults=vaults),
        shared=True,
    )
