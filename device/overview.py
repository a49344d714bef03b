"""What the device's tables hold, for a person."""

from collections.abc import Sequence
from datetime import tzinfo
from typing import Final

from pydantic import JsonValue
from rich import box
from rich.table import Table
from rich.text import Text

from device.blocks import names_of
from device.errors import UsageError
from device.store import Store
from device.tables import TABLES, Column, Kind, Row, TableName
from device.wording import one_line, said_date

_LEFT_OUT: Final = frozenset({"id", "createdAt", "isAiSuggested", "isApproved", "description"})
_LONGEST: Final = 60


def table_counts(store: Store) -> Table:
    """How many rows each table has."""
    drawn = _table("table", "rows")
    for table, count in store.counts().items():
        drawn.add_row(table.value, str(count))
    return drawn


def table_rows(store: Store, name: str, *, zone: tzinfo) -> Table:
    """The rows of one table, dates in ``zone``. Raises ``UsageError`` when there is no such table."""
    table = next((table for table in TableName if table.value.casefold() == name.casefold()), None)
    if table is None:
        raise UsageError(f"There is no table {name}: there are {', '.join(TableName)}.")
    columns = [column for column in TABLES[table] if column.name not in _LEFT_OUT]
    names = _names(store)
    drawn = _table(*(column.name.removesuffix("Id") for column in columns))
    for row in store.select(table, {"includeArchived": True}):
        drawn.add_row(*(Text(_cell(column, row[column.name], names, zone)) for column in columns))
    return drawn


def _table(*headers: str) -> Table:
    return Table(*headers, box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)


def _names(store: Store) -> dict[JsonValue, str]:
    """What the rows are called that others refer to by id."""
    referred: Sequence[Row] = (
        *store.select(TableName.PROJECTS, {"includeArchived": True}),
        *store.select(TableName.CLIENTS, {}),
        *store.select(TableName.TASKS, {}),
    )
    return {row["id"]: str(row.get("name") or row.get("title")) for row in referred}


def _cell(column: Column, value: JsonValue, names: dict[JsonValue, str], zone: tzinfo) -> str:
    if column.kind is Kind.MILLISECONDS:
        return said_date(value, zone)
    if column.kind is Kind.NAMES:
        return one_line(", ".join(names_of(value)))
    text = one_line(names.get(value, value) if column.name.endswith("Id") else value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
