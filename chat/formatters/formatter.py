"""From a model's text, as it arrives, to the parts of an answer: text, and the blocks that travel whole.

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
from chat.formatters.reader import BlockReader, Piece, SkippedBlock, Unreadable, WholeBlock

_NAME = re.compile(r"[a-z][a-z_]{0,31}")
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


_TYPES = frozenset(BlockType)


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
        # The field and the kind of the first mistake. Deeper paths and messages may hold words of the model.
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        return InvalidBlock(reason=f"{first['loc'][0] if first['loc'] else 'rows'}: {first['type']}")
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
    # Each row once, by id, with the last known value of each column, in the order of their last appearance.
    known: dict[str, Row] = {}
    for row in rows(ref.entity):
        if row.get("id") is not None:
            row_id = str(row["id"])
            known[row_id] = {**known.pop(row_id, {}), **row}
    found = [row for row_id, row in known.items() if ref.id is None or row_id == str(ref.id)]
    if not found:
        return InvalidBlock(reason="no tool returned such rows")
    items = [{column: row[column] for column in COLUMNS[ref.entity] if column in row} for row in found[:MAX_ITEMS]]
    return BlockPart(block_type=BlockType.ENTITY_REF, data={"entity": ref.entity.value, "items": items})


def _values_of(source: str) -> dict[str, object]:
    """The fields of the object ``source``, whose grammar is known to be right.

    Strings are decoded as the reader's text is: a backslash that begins no escape is text, line breaks are allowed, a
    lone surrogate is U+FFFD. Raises ``ValueError`` for a number that is not finite or too long.
    """
    escaped = _ESCAPE.sub(lambda found: r"\\" if found[0] == "\\" else found[0], source) if "\\" in source else source
    values: dict[str, object] = _DECODER.decode(escaped)
    if not _HALF_ESCAPED.search(source):
        return values
    whole: dict[str, object] = json.loads(joined_surrogates(json.dumps(values, ensure_ascii=False)))
    return whole


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError("a number is not finite")
    return value


_DECODER = json.JSONDecoder(strict=False, parse_float=_finite, parse_constant=_finite)


class Formatter:
    """``on_invalid`` gets a sentence for the log about each block that is not shown: its type and the reason only.

    ``rows`` gives what the turn's tools have returned so far. Without it only text is shown, even if the model writes
    blocks.

    The joined text of the parts, and the order of the blocks in it, do not depend on how the model's text was cut.
    Nothing is inserted between two messages. If a message would show nothing because its JSON is broken, its source is
    shown.
    """

    def __init__(self, on_invalid: Callable[[str], None], *, rows: RowSource | None = None) -> None:
        self._on_invalid = on_invalid
        self._rows = rows
        self._reader = BlockReader()
        self._shown = False

    def feed(self, text: str) -> list[Part]:
        """The parts that ``text`` completes."""
        return self._parts(self._reader.feed(text))

    def end_message(self) -> list[Part]:
        """The last parts of one message. What is fed next begins a new one."""
        parts = self._parts(self._reader.end_message())
        self._shown = False
        return parts

    def _parts(self, pieces: Sequence[Piece]) -> list[Part]:
        return [part for piece in pieces if (part := self._part(piece))]

    def _part(self, piece: Piece) -> Part | None:
        part: Part | InvalidBlock | None
        match piece:
            case str():
                part = TextPart(text=piece)
            case WholeBlock():
                part = self._block(piece)
            case SkippedBlock():
                part = InvalidBlock(reason=piece.reason)
            case Unreadable():
                # The source is better than nothing at all.
                part = None if self._shown else TextPart(text=piece.source)
        if isinstance(part, InvalidBlock):
            name = piece.type if isinstance(piece, WholeBlock | SkippedBlock) else None
            # A type that is no plain name may be any text of the model.
            name = name if name and _NAME.fullmatch(name) else "nameless"
            self._on_invalid(f"Skipped a block ({name}): {part.reason}.")
            return None
        self._shown = self._shown or part is not None
        return part

    def _block(self, block: WholeBlock) -> BlockPart | InvalidBlock:
        if self._rows is None:
            return InvalidBlock(reason="a popup shows text only")
        if block.type not in _TYPES:
            return InvalidBlock(reason="there is no such type")
        return block_part(BlockType(block.type), block.source, self._rows)
