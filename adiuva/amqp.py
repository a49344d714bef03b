"""The address of the broker, as it is set."""

from typing import Final

from django.core.exceptions import ImproperlyConfigured
from yarl import URL

_SCHEMES: Final = ("amqp", "amqps")


def checked_amqp_url(url: str) -> str:
    """``url``, if it is one that a broker can be reached by.

    Raises ``ImproperlyConfigured`` for anything else; the address is not repeated, for it may hold a password.
    """
    try:
        parsed = URL(url)
        known = parsed.scheme in _SCHEMES and bool(parsed.host) and parsed.port != 0
    except ValueError:
        known = False
    if not known:
        raise ImproperlyConfigured(
            "AMQP_URL cannot be read: write amqp://user:password@host:port/vhost, or amqps:// for TLS, with special "
            "characters percent-encoded."
        )
    return url
