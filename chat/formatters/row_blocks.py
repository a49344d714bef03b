"""Blocks of the rows that a tool returned, for programs that call tools without a model. Pure."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from accounts.translations import gettext_noop, translations
from agents.calls import NamedRows, Row, Table
from agents.tools.rows import milliseconds, text, to_iso
from chat.formatters.blocks import (
    FARTHEST_DATE_MS,
    MAX_ITEMS,
    UTC,
    BlockPart,
    BlockType,
    Entity,
    InvalidBlock,
    cards_of,
    make_block,
    no_rows,
)

_CARDS: Final = {Table.TASKS: Entity.TASK, Table.PROJECTS: Entity.PROJECT, Table.NOTES: Entity.NOTE}
_STATES: Final = {
    "todo": gettext_noop("to do"),
    "in_progress": gettext_noop("in progress"),
    "done": gettext_noop("done"),
}
_MIN_CHARTED: Final = 3
"""A chart of fewer tasks would show nothing that the cards do not."""


def blocks_of_rows(rows: NamedRows, language: str, timezone: ZoneInfo) -> Sequence[Mapping[str, JsonValue]]:
    """The blocks of ``rows``, which are by table, each as ``{block_type, data}``.

    Tasks, projects and notes become cards, checkpoints a timeline, and comments a table. Tasks of several states also
    become a chart.
    """
    blocks = (
        block for name, part in rows.items() if part.rows for block in _blocks(name, part.rows, language, timezone)
    )
    return [{"block_type": block.block_type.value, "data": block.data} for block in blocks]  # type: ignore[dict-item]


def _blocks(name: str, rows: Sequence[Row], language: str, timezone: ZoneInfo) -> Iterator[BlockPart]:
    if name in _CARDS:
        if name == Table.TASKS:
            yield from _chart(rows, language)
        yield cards_of(_CARDS[Table(name)], rows)
    elif name == Table.CHECKPOINTS:
        dated = [
            {"id": row["id"], "title": row["title"], "date": milliseconds(row, "date")}
            for row in rows
            if _is_dated(row)
        ]
        if dated:
            yield from _valid(BlockType.TIMELINE, {"checkpoints": dated})
    elif name == Table.TASK_COMMENTS:
        yield from _comments(rows, language, timezone)


def _chart(rows: Sequence[Row], language: str) -> Iterator[BlockPart]:
    """The number of tasks in each state, unless there are few tasks or states."""
    counts = Counter(text(row, "status") for row in rows)
    known = {state: counts[state] for state in _STATES if counts[state]}
    if len(rows) < _MIN_CHARTED or len(known) < len(_STATES) - 1:
        return
    gettext = translations(language).gettext
    points: list[JsonValue] = [{"name": gettext(_STATES[state]), "value": count} for state, count in known.items()]
    yield from _valid(BlockType.CHART, {"chartType": "bar", "title": gettext("Tasks by status"), "data": points})


def _comments(rows: Sequence[Row], language: str, timezone: ZoneInfo) -> Iterator[BlockPart]:
    gettext = translations(language).gettext
    cells: list[JsonValue] = [
        [
            text(row, "author"),
            text(row, "content"),
            to_iso(at, timezone) if (at := milliseconds(row, "createdAt")) else "",
        ]
        for row in rows[:MAX_ITEMS]
    ]
    yield from _valid(
        BlockType.TABLE, {"headers": [gettext("Author"), gettext("Comment"), gettext("Date")], "rows": cells}
    )


def _is_dated(row: Row) -> bool:
    is_whole = all(column in row for column in ("id", "title"))
    return is_whole and 0 < abs(milliseconds(row, "date")) <= FARTHEST_DATE_MS


def _valid(block_type: BlockType, fields: Mapping[str, object]) -> Iterator[BlockPart]:
    block = make_block(block_type, fields, no_rows, UTC)  # type: ignore[arg-type]
    if not isinstance(block, InvalidBlock):
        yield block
