"""What the device's tables hold, for a person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Final

from pydantic import JsonValue
from rich import box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from device.blocks import names_of
from device.errors import UsageError
from device.store import Store
from device.tables import TABLES, Column, Kind, Row, TableName, table_named, title_of
from device.wording import one_line, said_date

_LEFT_OUT: Final = frozenset({"id", "createdAt", "isAiSuggested", "isApproved", "description"})
_MAX_TITLE_CHARS: Final = 60
_UNBOUNDED: Final = 10_000
_NAMES: Final = ("title", "name", "content")


def table_counts(store: Store) -> Table:
    """How many rows each table has."""
    drawn = _table("table")
    drawn.add_column("rows", justify="right")
    for table, count in store.counts().items():
        drawn.add_row(table.value, str(count))
    return drawn


def table_rows(store: Store, name: str, *, zone: tzinfo) -> RenderableType:
    """The rows of one table, dates in ``zone``. Raises ``UsageError`` when there is no such table."""
    if (table := table_named(name)) is None:
        raise UsageError(f"There is no table {name}: there are {', '.join(TableName)}.")
    rows, names = store.select(table, {"includeArchived": True}), row_names(store)
    shown = {
        column: cells
        for column in TABLES[table]
        if column.name not in _LEFT_OUT
        and any(cells := [cell_of(column, row[column.name], names, zone) for row in rows])
    }
    headers = tuple(column.name.removesuffix("Id") for column in shown)
    lines = tuple(zip(*shown.values(), strict=True))
    return ListedRows(headers=headers, rows=lines) if rows else Text(f"There are no {table}.")


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedRows:
    """Rows of cells in a table; on a terminal that is too narrow for it, each row on lines of its own."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = _table(*self.headers)
        for row in self.rows:
            table.add_row(*map(Text, row))
        width = Measurement.get(console, options.update_width(_UNBOUNDED), table).maximum
        # The reader of a pipe wraps lines itself.
        if width <= options.max_width or not options.is_terminal:
            yield from console.render(table, options.update_width(width))
            return
        named = next((self.headers.index(name) for name in _NAMES if name in self.headers), 0)
        for row in self.rows:
            yield Text(row[named], style="bold")
            cells = zip(self.headers, row, strict=True)
            facts = [f"{name} {cell}" for number, (name, cell) in enumerate(cells) if cell and number != named]
            yield Padding(Text(" · ".join(facts), style="dim"), (0, 0, 0, 2))


def _table(*headers: str) -> Table:
    return Table(*headers, box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)


def row_names(store: Store) -> dict[JsonValue, str]:
    """What the rows are called that others refer to by id."""
    referred: Sequence[Row] = (
        *store.select(TableName.PROJECTS, {"includeArchived": True}),
        *store.select(TableName.CLIENTS, {}),
        *store.select(TableName.TASKS, {}),
    )
    return {row["id"]: title_of(row) for row in referred}


def cell_of(column: Column, value: JsonValue, names: Mapping[JsonValue, str], zone: tzinfo) -> str:
    """``value`` on one line, dates in ``zone``, ids as what ``names`` calls them; empty when there is nothing."""
    if column.kind is Kind.MILLISECONDS:
        return said_date(value, zone)
    if column.kind is Kind.NAMES:
        return one_line(", ".join(names_of(value)))
    text = one_line(names.get(value, value) if column.name.endswith("Id") else value)
    return text if len(text) <= _MAX_TITLE_CHARS else f"{text[:_MAX_TITLE_CHARS]}…"
