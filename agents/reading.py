"""Short reads of the database that a turn waits for: the port, and its implementation in a thread."""

from collections.abc import Sequence
from typing import Any, LiteralString, Protocol, TypeAlias
from uuid import UUID

from django.db import connection

from accounts.database import in_database

Found: TypeAlias = Sequence[tuple[Any, ...]]
"""Rows, each with the values of the columns that were asked for."""


class Reader(Protocol):
    """Reads the database as it is now, without a cache."""

    async def rows(self, statement: LiteralString, parameters: Sequence[UUID | str]) -> Found:
        """The rows of the SELECT ``statement``. Raises ``django.db.Error``."""


class ThreadReader:
    """The ``Reader`` over Django's own connection, in a thread."""

    async def rows(self, statement: LiteralString, parameters: Sequence[UUID | str]) -> Found:
        return await in_database(found_by, statement, parameters)


def found_by(statement: LiteralString, parameters: Sequence[UUID | str]) -> Found:
    """As ``Reader.rows``, for callers that are in a thread already."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        found: Found = cursor.fetchall()
    return found
