"""Over what the processes of one server send each other hints: the one place that decides a channel layer's options."""

from typing import Final, TypeAlias

from django.core.exceptions import ImproperlyConfigured
from redis.asyncio.connection import parse_url

from adiuva.derived_keys import derived_key

LayerSettings: TypeAlias = dict[str, object]

_SCHEMES: Final = ("redis://", "rediss://", "unix://")
_EXPIRY_S: Final = 10
"""Hints are repeated; an old one is worth nothing."""
_CAPACITY: Final = 10_000
# The layer waits for messages for 5 s at a time, as long as the client does by itself, and must not lose patience
# first. Also, the client's own time-out swallows cancellations before Python 3.12. Whoever uses the layer has one.
_SOCKET_TIMEOUT_S: Final = None
_MOST_CONNECTIONS: Final = 1000


def checked_redis_url(url: str) -> str:
    """``url``, if it is one that Redis can be reached by.

    Raises ``ImproperlyConfigured`` for anything else; the address is not repeated, for it may hold a password.
    """
    if not url.startswith(_SCHEMES):
        raise ImproperlyConfigured("REDIS_URL is not an address of Redis: start it with redis:// or rediss://.")
    try:
        parse_url(url)
        known = True
    except (ValueError, TypeError):
        known = False
    if not known:
        raise ImproperlyConfigured(
            "REDIS_URL cannot be read: write redis://user:password@host:port/number, "
            "with special characters percent-encoded."
        )
    return url


def channel_layers(redis_url: str, *, secret: str, prefix: str) -> dict[str, LayerSettings]:
    """Django's ``CHANNEL_LAYERS``: in Redis and encrypted with a key of its own, or in memory without an address."""
    if not redis_url:
        return {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
    options: dict[str, object] = {
        "hosts": [
            {
                "address": redis_url,
                "socket_timeout": _SOCKET_TIMEOUT_S,
                "socket_connect_timeout": 1.0,
                "max_connections": _MOST_CONNECTIONS,
            }
        ],
        "prefix": f"{prefix}:layer",
        "symmetric_encryption_keys": [derived_key(secret, purpose="channel layer").hex()],
        "expiry": _EXPIRY_S,
        "capacity": _CAPACITY,
    }
    return {"default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": options}}
