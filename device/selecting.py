"""Filters of ``select`` as SQL. Pure: filters in, a statement and its parameters out."""

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from device.errors import CallRefused
from device.tables import Column, Kind, Row, TableName, column_of, has_column, shown, valid_text

SELECT_LIMIT: Final = 500

_ACCENTS: Final = re.compile("[\u0300-\u036f]")
_SEARCHED: Final = ("title", "name", "description", "content")
_SAME: Final = frozenset({"projectId", "clientId", "taskId", "status"})
_RANGES: Final = {"dueDateFrom": ">=", "dueDateTo": "<="}
_DATES: Final = {TableName.TASKS: "dueDate", TableName.CHECKPOINTS: "date"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """SQL and the values of its question marks."""

    sql: str
    parameters: tuple[str | int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Condition:
    sql: str
    parameters: tuple[str | int, ...] = ()


def folded(text: str | None) -> str | None:
    """``text`` as it is compared: upper and lower case are the same, and letters with and without accents.

    SQLite's own LOWER knows only the letters of ASCII, so the store lends it this function.
    """
    if text is None or text.isascii():
        return text and text.lower()
    plain = _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", plain).casefold()


def select_statement(table: TableName, filters: Row, *, limit: int = SELECT_LIMIT) -> Statement:
    """The rows of ``table`` where ``filters`` (protocol: "Filters of select"). Raises ``CallRefused``.

    Archived projects are left out unless ``includeArchived`` is true or ``status`` asks for them. The order is
    ``orderBy``, then the oldest first; columns with a closed list of values sort in the order of that list, text
    regardless of case, and rows without a value come last.
    """
    if limit < 1:
        raise CallRefused(f"limit must be 1 or more, not {limit}.")
    where = _where(table, filters)
    order = ", ".join(_order(table, filters))
    return Statement(
        # Every name in it is one of our columns; the caller's values are parameters.
        sql=f"SELECT * FROM {table}{where.sql} ORDER BY {order} LIMIT ?",  # noqa: S608
        parameters=(*where.parameters, limit),
    )


def count_statement(table: TableName, filters: Row) -> Statement:
    """How many rows ``select_statement`` gives without a limit, as ``count``. Raises ``CallRefused``."""
    where = _where(table, filters)
    return Statement(sql=f"SELECT COUNT(*) AS count FROM {table}{where.sql}", parameters=where.parameters)  # noqa: S608


def _where(table: TableName, filters: Row) -> _Condition:
    conditions = [_condition(table, name, value) for name, value in filters.items()]
    conditions += _not_archived(table, filters)
    given = [condition for condition in conditions if condition.sql]
    return _Condition(
        sql=f" WHERE {' AND '.join(condition.sql for condition in given)}" if given else "",
        parameters=tuple(value for condition in given for value in condition.parameters),
    )


def _condition(table: TableName, name: str, value: JsonValue) -> _Condition:
    if name in _SAME:
        return _same(table, name, value)
    if name in _RANGES:
        return _range(table, name, value)
    if name == "search":
        return _search(table, value)
    if name == "includeArchived" and not isinstance(value, bool):
        raise CallRefused(f"includeArchived must be true or false, not {shown(value)}.")
    if name in {"orderBy", "includeArchived"}:
        return _Condition(sql="")
    raise CallRefused(f"There is no filter {shown(name)}.")


def _same(table: TableName, name: str, value: JsonValue) -> _Condition:
    if not has_column(table, name):
        raise _cannot(table, name)
    column = column_of(table, name)
    text = valid_text(value, name)
    if column.choices:
        column.checked(text)
    return _Condition(sql=f"{name} = ?", parameters=(text,))


def _range(table: TableName, name: str, value: JsonValue) -> _Condition:
    if table not in _DATES:
        raise _cannot(table, name)
    moment = Column(name=name, kind=Kind.MILLISECONDS, required=True).checked(value)
    assert isinstance(moment, int)  # noqa: S101 - for the type checker: a number of milliseconds is one
    return _Condition(sql=f"{_DATES[table]} {_RANGES[name]} ?", parameters=(moment,))


def _search(table: TableName, value: JsonValue) -> _Condition:
    words = (folded(valid_text(value, "search")) or "").split()
    columns = [name for name in _SEARCHED if has_column(table, name)]
    texts = ", ".join(f"folded({name}) AS {name}" for name in columns)
    found = " OR ".join(f"instr(texts.{name}, word.value) > 0" for name in columns)
    # A condition for each word would be too deep for SQLite from a thousand words on. LIMIT keeps SQLite from folding
    # the texts again for each word.
    return _Condition(
        sql=(
            f"NOT EXISTS (SELECT 1 FROM (SELECT {texts} LIMIT 1) AS texts, json_each(?) AS word "  # noqa: S608
            f"WHERE ({found}) IS NOT TRUE)"
        ),
        parameters=(json.dumps(words),),
    )


def _not_archived(table: TableName, filters: Row) -> list[_Condition]:
    if table is not TableName.PROJECTS or filters.get("includeArchived") is True or "status" in filters:
        return []
    return [_Condition(sql="status <> 'archived'")]


def _order(table: TableName, filters: Row) -> Iterator[str]:
    if "orderBy" in filters:
        name = valid_text(filters["orderBy"], "orderBy")
        column = column_of(table, name.removeprefix("-"))
        direction = "DESC" if name.startswith("-") else "ASC"
        yield f"{_sortable(column)} {direction} NULLS LAST"
    yield "createdAt"
    yield "rowid"


def _sortable(column: Column) -> str:
    if column.choices:
        ranks = " ".join(f"WHEN '{choice}' THEN {rank}" for rank, choice in enumerate(column.choices))
        return f"CASE {column.name} {ranks} END"
    return f"folded({column.name})" if column.kind is Kind.TEXT else column.name


def _cannot(table: TableName, name: str) -> CallRefused:
    return CallRefused(f"{table} cannot be filtered by {name}.")
