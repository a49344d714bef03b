"""Django's connections to PostgreSQL: their options, and a pool that survives a restart of the database."""

import select
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary

import dj_database_url
import psycopg
from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS
from django.db.backends.postgresql import base

from adiuva.database.availability import DatabaseAway, WatchedConnection, availability

DatabaseSettings: TypeAlias = dict[str, object]

_SCHEMES: Final = ("postgresql://", "postgres://")
_SSL_MODES: Final = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
_POOL: Final = {"min_size": 1, "max_size": 16, "timeout": 10.0, "connection_class": WatchedConnection}
_NETWORK: Final = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    "tcp_user_timeout": 30_000,
}
"""A dead network is noticed within half a minute, also by commands, whose statements may take long."""
_CLOSE_S: Final = 0.2
_TRIES: Final = 3
"""Connections lent in one attempt before the error is raised, in case the database ends each of them."""
_ASK_EVERY_S: Final = 30.0
"""After this time a connection is asked whether it is alive: the network may have dropped it without a word."""
_asked_at: Final[WeakKeyDictionary[object, float]] = WeakKeyDictionary()

on_wait: Final[set[Callable[[float], None]]] = set()
"""Told of each wait for a connection of the threads' pool, in seconds, also of one in vain. Called in any thread."""


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's PostgreSQL backend. It checks each connection itself, and if one is dead, all others of the pool.

    psycopg's pool, as Django sets it up, checks one connection after the other with longer and longer pauses between
    them: a restart that ended six idle ones costs 10 s and then an error.
    """

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A live connection from the pool.

        Raises ``psycopg.Error``, at once while the database is away, and also if the pool has none in time.
        """
        if availability.away:
            raise DatabaseAway
        for left in reversed(range(_TRIES)):
            lent = self._lent(conn_params)
            # Not that of Django's setting, which is another one once the database was away.
            pool = lent._pool  # noqa: SLF001 - as Django returns a connection to its pool
            if pool is None or _quiet(lent):
                break
            try:
                pool.check_connection(lent)
                _asked_at[lent] = time.monotonic()
                break
            except psycopg.Error:
                pool.putconn(lent)
                pool.check()
                if not left:
                    raise
        return lent

    def _lent(self, conn_params: dict[str, Any]) -> Any:
        began = time.perf_counter()
        try:
            return super().get_new_connection(conn_params)
        finally:
            for tell in on_wait:
                tell(time.perf_counter() - began)


def _quiet(lent: Any) -> bool:
    """Whether the server has ended nothing since the connection was last asked. Costs no round trip.

    A server that ends a connection says so, or its system does: there is something to read then.
    """
    if time.monotonic() - _asked_at.get(lent, -_ASK_EVERY_S) >= _ASK_EVERY_S:
        return False
    waiting = select.poll()
    waiting.register(lent.fileno(), select.POLLIN)
    return not waiting.poll(0)


def drop_pool() -> None:
    """Have the next connection come from a new pool. What waits for one of the present pool gets an error.

    A pool tries again after longer and longer pauses; a new one connects at once.
    """
    # As ``close_pool`` does, which would wait for the pool's own threads.
    pool = base.DatabaseWrapper._connection_pools.pop(DEFAULT_DB_ALIAS, None)  # type: ignore[attr-defined]  # noqa: SLF001
    if pool is not None:
        # Those who wait are told after its own threads have ended, one of which may wait for the network.
        pool.close(timeout=_CLOSE_S)


def connection_options(options: Mapping[str, object] | None = None) -> DatabaseSettings:
    """The settings of all our connections, on top of ``options``.

    The pool keeps at most 16 connections per process and lends each for one crossing from the event loop, so
    ``CONN_MAX_AGE`` is 0: a connection that stayed with its thread would never return. Waiting for a free one ends
    after 10 s. ``DatabaseWrapper`` looks at a connection before it is lent, so a restart of the database causes no
    errors; ``CONN_HEALTH_CHECKS`` would do it again. The connections of ``loop_statements.py``, ``notices.py`` and
    ``availability.py`` come on top.
    """
    return {
        "ENGINE": "adiuva.pooled_postgresql",
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": False,
        "OPTIONS": {**_NETWORK, **(options or {}), "pool": dict(_POOL)},
    }


def database_from_url(url: str) -> DatabaseSettings:
    """Django's settings for a ``DATABASE_URL`` such as ``postgresql://user:password@host:5432/name``.

    Raises ``ImproperlyConfigured`` for anything else, without repeating the address, which may hold a password.
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
    options = parsed.get("OPTIONS", {})
    if options.get("sslmode", "prefer") not in _SSL_MODES:
        raise ImproperlyConfigured(f"DATABASE_URL has an unknown sslmode: set it to one of {', '.join(_SSL_MODES)}.")
    return {**parsed, **connection_options(options)}
