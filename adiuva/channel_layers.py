"""The options of Django's channel layer, over which the processes of one server notify each other."""

from typing import Final, TypeAlias

from adiuva.secret_keys import derived_key

LayerSettings: TypeAlias = dict[str, object]

_EXPIRY_S: Final = 10
"""Notifications are repeated, so an old one is worth nothing."""
_CAPACITY: Final = 10_000
# The layer waits for messages for 5 s at a time, as long as the client's default time-out, which must not end first.
# Also, the client's time-out swallows cancellations before Python 3.12. Users of the layer have time-outs of their own.
_SOCKET_TIMEOUT_S: Final = None
_MAX_CONNECTIONS: Final = 1000


def channel_layers(redis_url: str, *, secret: str, prefix: str) -> dict[str, LayerSettings]:
    """Django's ``CHANNEL_LAYERS``: in Redis, encrypted with a key of its own; in memory without an address."""
    if not redis_url:
        return {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
    options: dict[str, object] = {
        "hosts": [
            {
                "address": redis_url,
                "socket_timeout": _SOCKET_TIMEOUT_S,
                "socket_connect_timeout": 1.0,
                "max_connections": _MAX_CONNECTIONS,
            }
        ],
        "prefix": f"{prefix}:layer",
        "symmetric_encryption_keys": [derived_key(secret, purpose="channel layer").hex()],
        "expiry": _EXPIRY_S,
        "capacity": _CAPACITY,
    }
    return {"default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": options}}
