"""Half-precision vectors on their way to the database: as bytes, beside the query.

As text, which is how Django sends parameters, a vector costs more to write and read than all the comparisons with it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, cast

import psycopg
from django.db import connection
from django.db.backends.utils import CursorWrapper
from pgvector import HalfVector
from psycopg.adapt import Buffer, Dumper
from psycopg.pq import Format

AS_HALVES: Final = "%b::halfvec"
"""How a query of ``binary_cursor`` takes a ``HalfVector``."""


class _BinaryDumper(Dumper):
    """Sends a vector as the bytes it is stored as; the server takes the type from the cast (object id 0)."""

    format = Format.BINARY

    def dump(self, obj: HalfVector) -> Buffer:
        return obj.to_binary()


@contextmanager
def binary_cursor() -> Iterator[CursorWrapper]:
    """A cursor that sends parameters beside the query; Django's own write them into its text.

    Like theirs it belongs to the present transaction, raises Django's errors, and its queries are counted.
    """
    connection.ensure_connection()
    cursor = psycopg.Cursor(connection.connection)
    speaking_halves(cursor)
    make = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
    with make(cast("CursorWrapper", cursor)) as wrapped:
        yield wrapped


def speaking_halves(cursor: "psycopg.Cursor[tuple[object, ...]]") -> None:
    """Have one of the driver's own cursors take ``HalfVector`` for a parameter, or for a column of a binary COPY."""
    cursor.adapters.register_dumper(HalfVector, _BinaryDumper)
