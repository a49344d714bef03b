"""Single statements that a turn waits for: the port, and its implementation in a thread."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString, Protocol, TypeAlias
from uuid import UUID

from django.db import connection

from accounts.database import in_database

Found: TypeAlias = Sequence[tuple[Any, ...]]
"""Rows, each with the values of the columns that were asked for."""
Value: TypeAlias = UUID | str | bytes | bool | int | float | datetime | None


class Statements(Protocol):
    """Runs statements in the database as it is now, without a cache, each in a transaction of its own."""

    async def rows(self, statement: LiteralString, parameters: Sequence[Value]) -> Found:
        """The rows that ``statement`` selects or returns; what it writes is committed. Raises ``django.db.Error``.

        If the connection fails, the statement may run twice.
        """


class ThreadStatements:
    """The ``Statements`` over Django's own connection, in a thread."""

    async def rows(self, statement: LiteralString, parameters: Sequence[Value]) -> Found:
        return await in_database(run_statement, statement, parameters)


def run_statement(statement: LiteralString, parameters: Sequence[Value]) -> Found:
    """As ``Statements.rows``, for callers that are in a thread already. Within a transaction it is a part of that."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        found: Found = cursor.fetchall()
    return found
