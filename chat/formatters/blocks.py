"""The parts of an answer, text and the blocks that travel whole, and how a block is made of what a model wrote.

A model is not trusted: a chart, a table or a timeline has to fit its form once it is repaired (``repair.py``), and the
rows of an ``entity_ref`` are those that the turn's tools returned, not those that the model wrote. Pure.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final, Literal, TypeAlias
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from chat.formatters.repair import Fields, meant_fields

MAX_ITEMS = 50
"""Rows of one ``entity_ref``."""
_BETWEEN_WORDS: Final = re.compile(r"[\s_-]+")
_NUMBERS: Final = ("value", "count", "number", "tasks")
_MIN_GROUPS: Final = 3
FARTHEST_DATE_MS = 8_640_000_000_000_000  # the limit of a client's dates (ECMAScript)


class BlockType(StrEnum):
    """The blocks of a home answer that travel whole."""

    CHART = "chart"
    ENTITY_REF = "entity_ref"
    TABLE = "table"
    TIMELINE = "timeline"


@dataclass(frozen=True, kw_only=True, slots=True)
class TextPart:
    """Text to show as it is."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockPart:
    """A whole, valid block: ``data`` is what ``stream_block`` carries."""

    block_type: BlockType
    data: Mapping[str, object]

    @property
    def rows(self) -> Sequence[Mapping[str, object]]:
        """The rows that it shows as cards."""
        items = self.data.get("items")
        return items if self.block_type is BlockType.ENTITY_REF and isinstance(items, list) else ()


Part: TypeAlias = TextPart | BlockPart


class Entity(StrEnum):
    """What an ``entity_ref`` can show."""

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
"""The columns of a row that an ``entity_ref`` carries."""

Row: TypeAlias = Mapping[str, object]
RowSource: TypeAlias = Callable[[Entity], Sequence[Row]]
"""All rows of an entity that the turn's tools returned, in the order in which they came, oldest first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class InvalidBlock:
    """Why a block is not shown, without any words of the model."""

    reason: str


RowId: TypeAlias = Callable[[str], str | None]
"""The id of a row by the short one that a model knows; None if there is no such row."""
UTC: Final = ZoneInfo("UTC")


def no_rows(_entity: Entity) -> Sequence[Row]:
    """The ``RowSource`` of a turn that has read nothing."""
    return ()


def no_short_ids(_short: str) -> None:
    """The ``RowId`` of a model that knows the rows' own ids."""
    return


def make_block(
    block_type: BlockType, fields: Fields, rows: RowSource, timezone: ZoneInfo, row_id: RowId = no_short_ids
) -> BlockPart | InvalidBlock:
    """The block that ``fields`` describe, or why there is none.

    ``rows`` returns the rows for an ``entity_ref`` and a timeline, ``row_id`` resolves short ids, and ``timezone`` is
    that of dates without one.
    """

    def find(name: str) -> Row | None:
        known = {str(row.get(key)): row for row in rows(Entity.CHECKPOINT) for key in ("title", "id")}
        return known.get(row_id(name) or name)

    try:
        meant = meant_fields(block_type, fields, timezone=timezone, find=find)
        if block_type is BlockType.ENTITY_REF:
            return _entity_part(_EntityRef.model_validate(meant), rows, row_id)
        block = _FORMS[block_type].model_validate(meant)
        if isinstance(block, _Chart):
            block = _recounted(block, rows(Entity.TASK))
    except ValidationError as error:
        # The field and the kind of the first mistake. Deeper paths and messages may hold words of the model.
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        return InvalidBlock(reason=f"{first['loc'][0] if first['loc'] else 'rows'}: {first['type']}")
    return BlockPart(block_type=block_type, data=block.model_dump(by_alias=True))


class _Form(BaseModel):
    """Strict: what is not repaired by now is refused. Unknown keys are left out."""

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
    """``chart`` with the right numbers if it counts ``tasks`` by status or priority and got a few of them wrong.

    That is known if its labels are all such values that there are, at least three, and most of its numbers are right:
    small models count wrongly, or write the number of all tasks for one of the groups.
    """
    counted = {str(task["id"]): task for task in tasks if task.get("id") is not None}.values()
    keys = [_label_and_number(point) for point in chart.data]
    if len(keys) < _MIN_GROUPS or not all(number in _NUMBERS for _, number in keys):
        return chart
    groups = [_folded(point[label]) for point, (label, _) in zip(chart.data, keys, strict=True)]
    told = [point[number] for point, (_, number) in zip(chart.data, keys, strict=True)]
    for field in ("status", "priority"):
        counts = Counter(_folded(task[field]) for task in counted if task.get(field))
        wrong = sum(number != counts[group] for number, group in zip(told, groups, strict=True))
        if sorted(groups) == sorted(counts) and 0 < wrong * 2 < len(groups):
            pairs = zip(chart.data, keys, groups, strict=True)
            right = [{**point, number: counts[group]} for point, (_, number), group in pairs]
            return chart.model_copy(update={"data": right})
    return chart


def _label_and_number(point: Mapping[str, _Scalar]) -> tuple[str, str]:
    """The keys of a point's label and of its number; empty unless these are all it has."""
    labels = [key for key, value in point.items() if isinstance(value, str)]
    numbers = [key for key, value in point.items() if isinstance(value, int | float) and not isinstance(value, bool)]
    return (labels[0], numbers[0]) if len(point) == 2 and labels and numbers else ("", "")


def _folded(value: object) -> str:
    """A status or a priority however it is spelled: ``To do`` is ``todo``."""
    return _BETWEEN_WORDS.sub("", str(value).casefold())


def _entity_part(ref: _EntityRef, rows: RowSource, row_id: RowId) -> BlockPart | InvalidBlock:
    # Each row once, by id, with the last known value of each column, in the order of their last appearance.
    known: dict[str, Row] = {}
    for row in rows(ref.entity):
        if row.get("id") is not None:
            own_id = str(row["id"])
            known[own_id] = {**known.pop(own_id, {}), **row}
    meant = ref.ids if ref.id is None else [ref.id]
    wanted = None if meant is None else {row_id(str(each)) or str(each) for each in meant}
    found = [row for own_id, row in known.items() if wanted is None or own_id in wanted]
    return cards_of(ref.entity, found) if found else InvalidBlock(reason="no tool returned such rows")


def cards_of(entity: Entity, rows: Sequence[Row]) -> BlockPart:
    """The first ``MAX_ITEMS`` of ``rows`` as an ``entity_ref``."""
    items = [{column: row[column] for column in COLUMNS[entity] if column in row} for row in rows[:MAX_ITEMS]]
    return BlockPart(block_type=BlockType.ENTITY_REF, data={"entity": entity.value, "items": items})
