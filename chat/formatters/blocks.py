"""The parts of an answer: text, and the blocks that travel whole.

Blocks are written by a model and are not trusted: a chart, a table or a timeline has to fit its form, and the rows of
an ``entity_ref`` are those that the turn's tools returned, not those that the model wrote.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from chat.formatters.json_stream import joined_surrogates

MAX_ITEMS = 50
"""Rows of one ``entity_ref``."""
_FARTHEST_DATE_MS = 8_640_000_000_000_000  # the limit of a client's dates (ECMAScript)
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')
_HALF_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")


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


def block_part(block_type: BlockType, source: str, rows: RowSource) -> BlockPart | InvalidBlock:
    """The block that the JSON object ``source`` describes; ``rows`` are asked for an ``entity_ref`` only."""
    try:
        fields = _values_of(source)
        if block_type is BlockType.ENTITY_REF:
            return _entity_part(_EntityRef.model_validate(fields), rows)
        block = _FORMS[block_type].model_validate(fields)
    except ValidationError as error:
        return InvalidBlock(reason=_first_reason(error))
    except ValueError:
        return InvalidBlock(reason="a number is not finite or too long")
    return BlockPart(block_type=block_type, data=block.model_dump(by_alias=True))


class _Form(BaseModel):
    """Strict: a model's mistakes are not corrected. Unknown keys are left out."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


_Scalar: TypeAlias = str | int | float | bool | None
_Milliseconds: TypeAlias = Annotated[int, Field(ge=-_FARTHEST_DATE_MS, le=_FARTHEST_DATE_MS)]


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


_FORMS: Mapping[BlockType, type[_Form]] = {
    BlockType.CHART: _Chart,
    BlockType.TABLE: _Table,
    BlockType.TIMELINE: _Timeline,
}


def _entity_part(ref: _EntityRef, rows: RowSource) -> BlockPart | InvalidBlock:
    wanted = None if ref.id is None else str(ref.id)
    found = [row for row_id, row in _last_returned(rows(ref.entity)).items() if wanted in {None, row_id}]
    if not found:
        return InvalidBlock(reason="no tool returned such rows")
    items = [{column: row[column] for column in COLUMNS[ref.entity] if column in row} for row in found[:MAX_ITEMS]]
    return BlockPart(block_type=BlockType.ENTITY_REF, data={"entity": ref.entity.value, "items": items})


def _last_returned(rows: Sequence[Row]) -> dict[str, Row]:
    """Each row once, by id, with the last known value of each column, in the order of their last appearance."""
    known: dict[str, Row] = {}
    for row in rows:
        row_id = row.get("id")
        if row_id is not None:
            key = str(row_id)
            known[key] = {**known.pop(key, {}), **row}
    return known


def _first_reason(error: ValidationError) -> str:
    """The field and the kind of the first mistake. Deeper paths and messages may hold words of the model."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    field = str(first["loc"][0]) if first["loc"] else "rows"
    return f"{field}: {first['type']}"


def _values_of(source: str) -> dict[str, object]:
    """The fields of the object ``source``, whose grammar is known to be right.

    Strings are decoded as the reader's text is: a backslash that begins no escape is text, line breaks are allowed, a
    lone surrogate is U+FFFD. Raises ``ValueError`` for a number that is not finite or too long.
    """
    values: dict[str, object] = _DECODER.decode(_ESCAPE.sub(_escaped, source) if "\\" in source else source)
    if not _HALF_ESCAPED.search(source):
        return values
    whole: dict[str, object] = json.loads(joined_surrogates(json.dumps(values, ensure_ascii=False)))
    return whole


def _escaped(found: re.Match[str]) -> str:
    return r"\\" if found[0] == "\\" else found[0]


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError("a number is not finite")
    return value


_DECODER = json.JSONDecoder(strict=False, parse_float=_finite, parse_constant=_finite)
