"""The blocks that show rows as a tool has told them, for those who call tools without a model. Pure."""

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
    BlockPart,
    BlockType,
    Entity,
    InvalidBlock,
    cards_of,
    make_block,
)

_CARDS: Final = {Table.TASKS: Entity.TASK, Table.PROJECTS: Entity.PROJECT, Table.NOTES: Entity.NOTE}
_STATES: Final = {
    "todo": gettext_noop("to do"),
    "in_progress": gettext_noop("in progress"),
    "done": gettext_noop("done"),
}
_MIN_COUNTED: Final = 3
"""Fewer tasks are seen at a glance."""


def blocks_of_rows(rows: NamedRows, language: str, timezone: ZoneInfo) -> Sequence[Mapping[str, JsonValue]]:
    """The blocks of ``rows``, which are by table, each as ``{block_type, data}``.

    Tasks, projects and notes are cards, tasks of several states a chart besides, checkpoints a timeline, and comments a
    table.
    """
    found = (
        block for name, part in rows.items() if part.rows for block in _blocks(name, part.rows, language, timezone)
    )
    return [{"block_type": block.block_type.value, "data": block.data} for block in found]  # type: ignore[dict-item]


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
            yield from _made(BlockType.TIMELINE, {"checkpoints": dated})
    elif name == Table.TASK_COMMENTS:
        yield from _comments(rows, language, timezone)


def _chart(rows: Sequence[Row], language: str) -> Iterator[BlockPart]:
    """How many tasks there are of each state, if that is worth a look."""
    counts = Counter(text(row, "status") for row in rows)
    known = {state: counts[state] for state in _STATES if counts[state]}
    if len(rows) < _MIN_COUNTED or len(known) < len(_STATES) - 1:
        return
    gettext = translations(language).gettext
    points: list[JsonValue] = [{"name": gettext(_STATES[state]), "value": count} for state, count in known.items()]
    yield from _made(BlockType.CHART, {"chartType": "bar", "title": gettext("Tasks by status"), "data": points})


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
    yield from _made(
        BlockType.TABLE, {"headers": [gettext("Author"), gettext("Comment"), gettext("Date")], "rows": cells}
    )


def _is_dated(row: Row) -> bool:
    is_known = all(column in row for column in ("id", "title"))
    return is_known and 0 < abs(milliseconds(row, "date")) <= FARTHEST_DATE_MS


def _made(block_type: BlockType, fields: Mapping[str, object]) -> Iterator[BlockPart]:
    block = make_block(block_type, fields, lambda _entity: (), ZoneInfo("UTC"))  # type: ignore[arg-type]
    if not isinstance(block, InvalidBlock):
        yield block
