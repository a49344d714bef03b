"""Reading, locking and writing many rows in two statements, as the database driver returns them, without models.

Through models, a row with a vector costs a hundred times as much, and fifty times as much as its encryption. Rows come
in PostgreSQL's binary format: types that the driver knows as Python values, others as bytes.
"""

import struct
from collections.abc import Sequence
from typing import Final, TypeAlias, cast
from uuid import UUID

import psycopg
from django.db import connection
from django.db.models import Model
from psycopg import sql
from psycopg.adapt import Buffer, Dumper
from psycopg.pq import Format

Row: TypeAlias = tuple[object, ...]

_NULL: Final = struct.pack("!i", -1)


def locked_rows(model: type[Model], columns: Sequence[str], ids: Sequence[UUID], *, wait: bool) -> list[Row]:
    """``columns`` of the rows with these ids, unordered, locked for writing; without ``wait`` locked rows are skipped.

    Inside a transaction only. Lock many rows without waiting, so that no transactions wait for each other in a circle.
    """
    query = sql.SQL("SELECT {} FROM {} WHERE id = ANY(%b) FOR NO KEY UPDATE {}").format(
        sql.SQL(", ").join(map(sql.Identifier, columns)),
        sql.Identifier(model._meta.db_table),  # noqa: SLF001 - Django's public name for it
        sql.SQL("" if wait else "SKIP LOCKED"),
    )
    with connection.wrap_database_errors, _cursor() as cursor:
        return cursor.execute(query, [list(ids)], binary=True).fetchall()


def write_rows(model: type[Model], columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Update ``columns``, the first of them the id, of many rows at once."""
    options = model._meta  # noqa: SLF001 - Django's public name for it
    types = {field.column: str(field.db_type(connection)) for field in options.concrete_fields}
    kinds = [types[name] for name in columns]
    query = sql.SQL("UPDATE {} AS old SET {} FROM unnest({}) AS new({}) WHERE old.{id} = new.{id}").format(
        sql.Identifier(options.db_table),
        sql.SQL(", ").join(sql.SQL("{0} = new.{0}").format(sql.Identifier(name)) for name in columns[1:]),
        sql.SQL(", ").join(sql.SQL(f"%b::{kind}[]") for kind in kinds),
        sql.SQL(", ").join(map(sql.Identifier, columns)),
        id=sql.Identifier(columns[0]),
    )
    with connection.wrap_database_errors, _cursor() as cursor:
        values = zip(*rows, strict=True)
        cursor.execute(query, [_array(cursor, kind, of_all) for kind, of_all in zip(kinds, values, strict=True)])


class _RawArray(bytes):
    """A whole array in PostgreSQL's binary format."""


class _RawArrayDumper(Dumper):
    """Sends it as it is; the server takes the type from the cast (object id 0)."""

    format = Format.BINARY

    def dump(self, obj: _RawArray) -> Buffer:
        return obj


def _array(cursor: "psycopg.Cursor[Row]", kind: str, values: Row) -> object:
    if not any(isinstance(value, bytes) for value in values):
        return list(values)
    [[type_id]] = cursor.execute("SELECT %s::regtype::oid", [kind.partition("(")[0]]).fetchall()
    header = struct.pack("!iiIii", 1, 1, type_id, len(values), 1)  # dimensions, nulls, type, length, first index
    items = cast("Sequence[bytes | None]", values)
    return _RawArray(
        header + b"".join(_NULL if item is None else struct.pack("!i", len(item)) + item for item in items)
    )


def _cursor() -> "psycopg.Cursor[Row]":
    # Django's cursors interpolate parameters into the query and read text; this one sends and reads bytes.
    connection.ensure_connection()
    cursor = psycopg.Cursor(connection.connection)
    cursor.adapters.register_dumper(_RawArray, _RawArrayDumper)
    return cursor
