"""How Django talks to PostgreSQL: the one place that decides connection options."""

from collections.abc import Mapping
from typing import TypeAlias

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

DatabaseSettings: TypeAlias = dict[str, object]

_SCHEMES = ("postgresql://", "postgres://")
_POOL = {"min_size": 1, "max_size": 16, "timeout": 10.0}


def connection_options(options: Mapping[str, object] | None = None) -> DatabaseSettings:
    """What every connection of ours has, on top of ``options``.

    The pool keeps at most 16 connections open a process and lends each for one crossing, so ``CONN_MAX_AGE`` is 0:
    a connection that stayed with its thread would never return. Waiting for a free one ends after 10 s. Before it is
    lent a connection is asked whether it lives, so that a restart of the database costs nobody an error: by
    ``pooled_postgresql``, not by ``CONN_HEALTH_CHECKS``. Those of ``loop_reading.py`` come on top.
    """
    return {
        "ENGINE": "adiuva.pooled_postgresql",
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": False,
        "OPTIONS": {**(options or {}), "pool": dict(_POOL)},
    }


def database_from_url(url: str) -> DatabaseSettings:
    """Django's settings for a ``DATABASE_URL`` such as ``postgresql://user:password@host:5432/name``.

    Raises ``ImproperlyConfigured`` for anything else; the address is not repeated, for it holds a password.
    """
    if not url.startswith(_SCHEMES):
        raise ImproperlyConfigured("DATABASE_URL is not an address of PostgreSQL: start it with postgresql://.")
    try:
        parsed = dj_database_url.parse(url)
    except (dj_database_url.ParseError, ValueError):
        parsed = {}
    if not parsed.get("NAME"):
        raise ImproperlyConfigured(
            "DATABASE_URL cannot be read: write postgresql://user:password@host:port/name, "
            "with special characters percent-encoded."
        )
    return {**parsed, **connection_options(parsed.get("OPTIONS"))}
