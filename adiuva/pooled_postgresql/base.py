"""The backend that ``ENGINE`` names; Django looks for ``base.DatabaseWrapper``."""

from typing import Any, Final

import psycopg
from django.db.backends.postgresql import base

_TRIES: Final = 3
"""Connections lent at once before what is wrong with them is said: a database that ends each would have no end."""


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's own, but that it asks each connection itself whether it lives, and at one that does not all the others.

    psycopg's pool, as Django sets it up, asks one connection after the other with longer and longer pauses between
    them: a restart that ended six idle ones costs 10 s and then an error.
    """

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A connection that lives, lent by the pool. Raises ``psycopg.Error``, also where the pool has none in time."""
        for left in reversed(range(_TRIES)):
            lent = super().get_new_connection(conn_params)
            pool = self.pool
            if pool is None:  # made for this one use
                break
            try:
                pool.check_connection(lent)
                break
            except psycopg.Error:
                pool.putconn(lent)
                pool.check()
                if not left:
                    raise
        return lent
