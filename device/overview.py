"""What the device's tables hold, for a person."""

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Final

from pydantic import JsonValue
from rich import box
from rich.console import RenderableType
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
    drawn = _table("table")
    drawn.add_column("rows", justify="right")
    for table, count in store.counts().items():
        drawn.add_row(table.value, str(count))
    return drawn


def table_rows(store: Store, name: str, *, zone: tzinfo) -> RenderableType:
    """The rows of one table, dates in ``zone``. Raises ``UsageError`` when there is no such table."""
    table = next((table for table in TableName if table.value.casefold() == name.casefold()), None)
    if table is None:
        raise UsageError(f"There is no table {name}: there are {', '.join(TableName)}.")
    rows, names = store.select(table, {"includeArchived": True}), row_names(store)
    shown = {
        column: cells
        for column in TABLES[table]
        if column.name not in _LEFT_OUT
        and any(cells := [cell_of(column, row[column.name], names, zone) for row in rows])
    }
    drawn = _table()
    for column in shown:
        is_short = column.kind is Kind.MILLISECONDS or bool(column.choices)
        drawn.add_column(column.name.removesuffix("Id"), no_wrap=is_short)
    for row in zip(*shown.values(), strict=True):
        drawn.add_row(*(Text(cell) for cell in row))
    return drawn if rows else Text(f"There are no {table}.")


def _table(*headers: str) -> Table:
    return Table(*headers, box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)


def row_names(store: Store) -> dict[JsonValue, str]:
    """What the rows are called that others refer to by id."""
    referred: Sequence[Row] = (
        *store.select(TableName.PROJECTS, {"includeArchived": True}),
        *store.select(TableName.CLIENTS, {}),
        *store.select(TableName.TASKS, {}),
    )
    return {row["id"]: str(row.get("name") or row.get("title")) for row in referred}


def cell_of(column: Column, value: JsonValue, names: Mapping[JsonValue, str], zone: tzinfo) -> str:
    """``value`` on one line, dates in ``zone``, ids as what ``names`` calls them; empty when there is nothing."""
    if column.kind is Kind.MILLISECONDS:
        return said_date(value, zone)
    if column.kind is Kind.NAMES:
        return one_line(", ".join(names_of(value)))
    text = one_line(names.get(value, value) if column.name.endswith("Id") else value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
