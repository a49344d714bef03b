"""Short reads of the database that a turn waits for: the port, and the way that is always there."""

from collections.abc import Sequence
from typing import Any, LiteralString, Protocol, TypeAlias
from uuid import UUID

from channels.db import database_sync_to_async
from django.db import connection

Found: TypeAlias = Sequence[tuple[Any, ...]]
"""Rows, each the values of the columns that were asked for."""


class Reader(Protocol):
    """Reads the database as it is at the moment of asking; nothing is kept for the next time."""

    async def rows(self, statement: LiteralString, parameters: Sequence[UUID | str]) -> Found:
        """What the SELECT ``statement`` finds. Raises ``django.db.Error``."""


class ThreadReader:
    """The ``Reader`` by Django's own connection, in a thread."""

    async def rows(self, statement: LiteralString, parameters: Sequence[UUID | str]) -> Found:
        # Not thread-sensitive: otherwise one slow query would stall every turn of the process.
        found: Found = await database_sync_to_async(found_by, thread_sensitive=False)(statement, parameters)
        return found


def found_by(statement: LiteralString, parameters: Sequence[UUID | str]) -> Found:
    """As ``Reader.rows``, for who is in a thread already."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        found: Found = cursor.fetchall()
    return found
