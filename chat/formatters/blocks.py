"""The parts of an answer: text, and blocks, which are made from what a model wrote.

Models are not trusted. Charts, tables and timelines are repaired (``repair.py``) and then validated. The rows of an
``entity_ref`` are those that the turn's tools returned, not those that the model wrote. Pure.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final, Literal, TypeAlias
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from chat.formatters.repair import Fields, repaired_fields

MAX_ITEMS = 50
"""The number of rows of one ``entity_ref``."""
_BETWEEN_WORDS: Final = re.compile(r"[\s_-]+")
_COUNT_KEYS: Final = ("value", "count", "number", "tasks")
_MIN_GROUPS: Final = 3
FARTHEST_DATE_MS = 8_640_000_000_000_000  # the limit of a client's dates (ECMAScript)


class BlockType(StrEnum):
    """The types of blocks in a home answer."""

    CHART = "chart"
    ENTITY_REF = "entity_ref"
    TABLE = "table"
    TIMELINE = "timeline"


@dataclass(frozen=True, kw_only=True, slots=True)
class TextPart:
    """A piece of the answer's text."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockPart:
    """A valid block. ``data`` is that of its ``stream_block`` frame."""

    block_type: BlockType
    data: Mapping[str, object]

    @property
    def rows(self) -> Sequence[Mapping[str, object]]:
        """The rows that the block shows as cards."""
        items = self.data.get("items")
        return items if self.block_type is BlockType.ENTITY_REF and isinstance(items, list) else ()


Part: TypeAlias = TextPart | BlockPart


class Entity(StrEnum):
    """The kinds of rows that an ``entity_ref`` can show."""

    TASK = "task"
    PROJECT = "project"
    NOTE = "note"
    CHECKPOINT = "checkpoint"


COLUMNS: Mapping[Entity, tuple[str, ...]] = {
    Entity.TASK: (
        "id",
        "projectId",
        "title",
        "status",
        "priority",
        "assignee",
        "dueDate",
        "isAiSuggested",
        "isApproved",
        "createdAt",
    ),
    Entity.PROJECT: ("id", "name", "clientId", "status"),
    Entity.NOTE: ("id", "title", "createdAt", "projectId"),
    Entity.CHECKPOINT: ("id", "title", "date", "projectId", "isAiSuggested", "isApproved"),
}
"""The columns of a row in an ``entity_ref``."""

Row: TypeAlias = Mapping[str, object]
RowSource: TypeAlias = Callable[[Entity], Sequence[Row]]
"""Returns all rows of an entity that the turn's tools have returned, oldest first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class InvalidBlock:
    """A block that is not shown. The ``reason`` contains no words of the model."""

    reason: str


RowId: TypeAlias = Callable[[str], str | None]
"""Returns the id of the row with a short id, which models are sent instead; None if there is no such row."""
UTC: Final = ZoneInfo("UTC")


def no_rows(_entity: Entity) -> Sequence[Row]:
    """The ``RowSource`` of a turn that has read no rows."""
    return ()


def no_short_ids(_short: str) -> None:
    """The ``RowId`` of a model that is sent the rows' own ids."""
    return


def make_block(
    block_type: BlockType, fields: Fields, rows: RowSource, timezone: ZoneInfo, row_id: RowId = no_short_ids
) -> BlockPart | InvalidBlock:
    """The block that ``fields`` describe, or why it is invalid.

    ``rows`` returns the rows for an ``entity_ref`` and a timeline, and ``row_id`` resolves short ids. Dates without a
    time zone are in ``timezone``.
    """

    def find(name: str) -> Row | None:
        by_name = {str(row.get(key)): row for row in rows(Entity.CHECKPOINT) for key in ("title", "id")}
        return by_name.get(row_id(name) or name)

    try:
        repaired = repaired_fields(block_type, fields, timezone=timezone, find=find)
        if block_type is BlockType.ENTITY_REF:
            return _entity_part(_EntityRef.model_validate(repaired), rows, row_id)
        block = _FORMS[block_type].model_validate(repaired)
        if isinstance(block, _Chart):
            block = _recounted(block, rows(Entity.TASK))
    except ValidationError as error:
        # The field and the kind of the first error. Longer paths and messages may contain words of the model.
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        return InvalidBlock(reason=f"{first['loc'][0] if first['loc'] else 'rows'}: {first['type']}")
    return BlockPart(block_type=block_type, data=block.model_dump(by_alias=True))


class _Form(BaseModel):
    """Strict, because the fields were repaired before. Unknown keys are dropped."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


_Scalar: TypeAlias = str | int | float | bool | None
_Milliseconds: TypeAlias = Annotated[int, Field(ge=-FARTHEST_DATE_MS, le=FARTHEST_DATE_MS)]


class _Series(_Form):
    label: str
    color: str


class _Chart(_Form):
    chart_type: Literal["area", "bar", "line", "pie", "radar", "radial"] = Field(alias="chartType")
    title: str
    data: list[dict[str, _Scalar]]
    config: dict[str, _Series]


class _Table(_Form):
    headers: list[str]
    rows: list[list[_Scalar]]

    @model_validator(mode="after")
    def _rows_are_as_long_as_headers(self) -> "_Table":
        if any(len(row) != len(self.headers) for row in self.rows):
            raise ValueError("a row is not as long as the headers")
        return self


class _Milestone(_Form):
    id: str
    title: str
    date: _Milliseconds


class _Timeline(_Form):
    checkpoints: list[_Milestone]


class _EntityRef(_Form):
    entity: Annotated[Entity, Field(strict=False)]
    id: str | int | None = None
    ids: list[str | int] | None = None


_FORMS: Mapping[BlockType, type[_Form]] = {
    BlockType.CHART: _Chart,
    BlockType.TABLE: _Table,
    BlockType.TIMELINE: _Timeline,
}


def _recounted(chart: _Chart, tasks: Sequence[Row]) -> _Chart:
    """``chart`` with corrected numbers, if it counts ``tasks`` by status or priority and a few numbers are wrong.

    Small models count wrongly, or write the number of all tasks for one of the groups. A chart counts tasks if its
    labels are exactly the values that the tasks have, at least three, and most of its numbers are right.
    """
    distinct = {str(task["id"]): task for task in tasks if task.get("id") is not None}.values()
    keys = [_label_and_count(point) for point in chart.data]
    if len(keys) < _MIN_GROUPS or not all(count in _COUNT_KEYS for _, count in keys):
        return chart
    groups = [_folded(point[label]) for point, (label, _) in zip(chart.data, keys, strict=True)]
    written = [point[count] for point, (_, count) in zip(chart.data, keys, strict=True)]
    for field in ("status", "priority"):
        counts = Counter(_folded(task[field]) for task in distinct if task.get(field))
        errors = sum(number != counts[group] for number, group in zip(written, groups, strict=True))
        if sorted(groups) == sorted(counts) and 0 < errors * 2 < len(groups):
            points = zip(chart.data, keys, groups, strict=True)
            corrected = [{**point, count: counts[group]} for point, (_, count), group in points]
            return chart.model_copy(update={"data": corrected})
    return chart


def _label_and_count(point: Mapping[str, _Scalar]) -> tuple[str, str]:
    """The keys of a point's label and number; empty if the point has other keys."""
    labels = [key for key, value in point.items() if isinstance(value, str)]
    numbers = [key for key, value in point.items() if isinstance(value, int | float) and not isinstance(value, bool)]
    return (labels[0], numbers[0]) if len(point) == 2 and labels and numbers else ("", "")


def _folded(value: object) -> str:
    """A status or a priority in any spelling: ``To do`` becomes ``todo``."""
    return _BETWEEN_WORDS.sub("", str(value).casefold())


def _entity_part(ref: _EntityRef, rows: RowSource, row_id: RowId) -> BlockPart | InvalidBlock:
    # Each row once, with the latest value of each column, in the order in which they were last returned.
    by_id: dict[str, Row] = {}
    for row in rows(ref.entity):
        if row.get("id") is not None:
            own_id = str(row["id"])
            by_id[own_id] = {**by_id.pop(own_id, {}), **row}
    named = ref.ids if ref.id is None else [ref.id]
    ids = None if named is None else {row_id(str(each)) or str(each) for each in named}
    shown = [row for own_id, row in by_id.items() if ids is None or own_id in ids]
    return cards_of(ref.entity, shown) if shown else InvalidBlock(reason="no tool returned such rows")


def cards_of(entity: Entity, rows: Sequence[Row]) -> BlockPart:
    """The first ``MAX_ITEMS`` of ``rows`` as an ``entity_ref``."""
    items = [{column: row[column] for column in COLUMNS[entity] if column in row} for row in rows[:MAX_ITEMS]]
    return BlockPart(block_type=BlockType.ENTITY_REF, data={"entity": entity.value, "items": items})
