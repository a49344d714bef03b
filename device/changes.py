"""What a tool would do to a row, field by field, for a person."""

import difflib
from collections.abc import Iterator, Mapping
from datetime import tzinfo
from typing import Final

from pydantic import JsonValue
from rich.table import Table
from rich.text import Text

from device.frames import Preview
from device.overview import cell_of
from device.tables import TABLES, Column, Row
from device.wording import printable

_LEFT_OUT: Final = frozenset({"id", "createdAt", "updatedAt", "isAiSuggested", "isApproved"})
_MAX_LINES: Final = 12
_MAX_LINE_CHARS: Final = 200
_STYLES: Final = {"-": "red", "+": "green", " ": "dim"}
_COLUMNS: Final = {column.name: column for columns in TABLES.values() for column in columns}


def change_of(preview: Preview, names: Mapping[JsonValue, str], *, zone: tzinfo) -> Table:
    """The fields that would go (``-``) and come (``+``), of a row that stays only those that differ.

    ``names`` says what the rows are called that others refer to by id; dates are said in ``zone``.
    """
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name in dict.fromkeys([*(preview.before or {}), *(preview.after or {})]):
        if name not in _LEFT_OUT:
            for number, (sign, value) in enumerate(_lines(name, preview, names, zone)):
                style = _STYLES[sign]
                shown = "" if number and sign == " " else name.removesuffix("Id")
                table.add_row(Text(sign, style=style), Text(shown, style="dim"), Text(value, style=style))
    return table


def _lines(name: str, preview: Preview, names: Mapping[JsonValue, str], zone: tzinfo) -> Iterator[tuple[str, str]]:
    before, after = (_value(row, name) for row in (preview.before, preview.after))
    if preview.before is not None and preview.after is not None and before == after:
        return
    if isinstance(before, str) and isinstance(after, str) and ("\n" in before or "\n" in after):
        yield from _text_lines(before, after)
        return
    column = _COLUMNS.get(name, Column(name=name))
    for sign, value in (("-", before), ("+", after)):
        if said := cell_of(column, value, names, zone):
            yield sign, said


def _value(row: Row | None, name: str) -> JsonValue:
    return None if row is None else row.get(name)


def _text_lines(before: str, after: str) -> Iterator[tuple[str, str]]:
    old, new = (printable(text).splitlines() for text in (before, after))
    lines = [line for line in difflib.unified_diff(old, new, n=1, lineterm="") if line[:1] in _STYLES][2:]
    for line in lines[:_MAX_LINES]:
        yield line[0], line[1 : _MAX_LINE_CHARS + 1]
    if len(lines) > _MAX_LINES:
        yield " ", f"… {len(lines) - _MAX_LINES} more lines"
