"""Answers: their text, the rows and tables below it, and how both are written.

An answer is written as the blocks of a home answer, one JSON object per line, or as plain text. The router and the
summarizer get JSON that fits their schema.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from agents.adapters.base import AnswerFormat
from agents.offline.commands import Command, FindNotes, ListComments, RowKind, Target, Wish
from agents.offline.reading import one_line
from agents.offline.rows import Record
from agents.offline.wording import Wording

_MAX_CARDS = 50
"""The maximum number of rows in the server's home answers (protocol.md, blocks of a home answer)."""
_COLOR = "#4f7cff"
_SUMMARY_CHARS = 200
_MAX_DEPTH = 8
_DOMAINS = {RowKind.COMMENT: RowKind.TASK}


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownCards:
    """Rows, one below the other.

    ``whole``: these are all rows of their kind that the tools returned. ``named``: the text already names them.
    """

    entity: RowKind
    rows: tuple[Record, ...]
    whole: bool = False
    named: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownTable:
    """A table. Every row has as many cells as there are headers."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownChart:
    """Counts by name. ``label`` names the counted rows."""

    chart_type: str
    title: str
    label: str
    counts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownTimeline:
    """Checkpoints, the earliest first. ``named``: the text already names them."""

    rows: tuple[Record, ...]
    named: bool = False


Shown: TypeAlias = ShownCards | ShownTable | ShownChart | ShownTimeline


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanAnswer:
    """The text, in the user's language, and the parts below it, in order.

    ``answers`` is whether the text answers the message. It does not if it only says what the assistant can do.
    """

    text: str
    shown: tuple[Shown, ...] = ()
    answers: bool = True

    def with_card(self, row: Record) -> "PlanAnswer":
        """The same text, which names ``row``, with the row below it."""
        return PlanAnswer(text=self.text, shown=(ShownCards(entity=row.entity, rows=(row,), named=True),))


def write(wording: Wording, answer: PlanAnswer, answer_format: AnswerFormat) -> str:
    """The whole text of ``answer``, without lone surrogates, which UTF-8 cannot encode."""
    if answer_format is AnswerFormat.TEXT:
        lines = [answer.text, *(_plain(wording, shown) for shown in answer.shown)]
    else:
        blocks = (block for shown in answer.shown for block in _blocks(wording, shown))
        text = {"type": "text", "content": answer.text}
        lines = [json.dumps(block, ensure_ascii=False) for block in (text, *blocks)]
    return "\n".join(filter(None, lines)).encode("utf-8", "replace").decode()


def fitting_value(schema: Mapping[str, object], message: str, command: Command, *, depth: int = 0) -> object:
    """A value that fits ``schema``.

    Of an enum, it is the value that names the command's kind of rows, or else the last. Of a string, it is the
    beginning of ``message``. Otherwise it is zero, false or empty.
    """
    if "const" in schema:
        return schema["const"]
    choices = schema.get("enum")
    if isinstance(choices, Sequence) and choices:
        domain = _domain(command)
        named = (choice for choice in choices if domain and isinstance(choice, str) and domain in choice.casefold())
        return next(named, choices[-1])
    match _type(schema):
        case "object":
            return _fitting_object(schema, message, command, depth)
        case "string":
            return _fitting_text(schema, message)
        case "integer" | "number":
            minimum = schema.get("minimum", 0)
            return minimum if isinstance(minimum, int | float) else 0
        case "boolean":
            return False
        case "array":
            return []
        case _:
            return None


def _blocks(wording: Wording, shown: Shown) -> Iterator[Mapping[str, object]]:
    match shown:
        case ShownCards(entity=entity, rows=rows, whole=whole):
            if whole:
                yield {"type": "entity_ref", "entity": entity}
            else:
                yield from ({"type": "entity_ref", "entity": entity, "id": row.id} for row in rows[:_MAX_CARDS])
        case ShownChart():
            yield {
                "type": "chart",
                "chartType": shown.chart_type,
                "title": shown.title,
                "data": [{"name": name, "value": value} for name, value in shown.counts],
                "config": {"value": {"label": shown.label, "color": _COLOR}},
            }
        case ShownTable(headers=headers, rows=cells):
            yield {"type": "table", "headers": headers, "rows": cells}
        case ShownTimeline(rows=rows):
            points = [
                {"id": row.id, "title": row.title, "date": round(wording.instant(row.moment).timestamp() * 1000)}
                for row in rows
                if row.moment
            ]
            yield {"type": "timeline", "checkpoints": points}
        case _:
            assert_never(shown)


def _plain(wording: Wording, shown: Shown) -> str:
    match shown:
        case ShownChart() | ShownCards(named=True) | ShownTimeline(named=True):
            # The text already contains it.
            return ""
        case ShownCards(rows=rows) | ShownTimeline(rows=rows):
            return wording.lines(rows)
        case ShownTable(headers=headers, rows=cells):
            return "\n".join(" | ".join(row) for row in (headers, *cells))
        case _:
            assert_never(shown)


def _type(schema: Mapping[str, object]) -> object:
    declared = schema.get("type")
    if isinstance(declared, Sequence) and not isinstance(declared, str):
        return declared[0] if declared else None
    return declared or ("object" if "properties" in schema else None)


def _fitting_object(schema: Mapping[str, object], message: str, command: Command, depth: int) -> dict[str, object]:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or depth > _MAX_DEPTH:
        return {}
    return {
        str(name): fitting_value(part, message, command, depth=depth + 1)
        for name, part in properties.items()
        if isinstance(part, Mapping)
    }


def _fitting_text(schema: Mapping[str, object], message: str) -> str:
    max_length = schema.get("maxLength")
    limit = min(max_length, _SUMMARY_CHARS) if isinstance(max_length, int) else _SUMMARY_CHARS
    return one_line(message[: 10 * _SUMMARY_CHARS])[:limit]


def _domain(command: Command) -> RowKind | None:
    """The kind of rows of ``command``."""
    match command:
        case Wish.WHAT_NEXT | ListComments() | Wish.WRITE_REVIEW:
            return RowKind.TASK
        case FindNotes():
            return RowKind.NOTE
    target = getattr(command, "target", None)
    entity = target.entity if isinstance(target, Target) else getattr(command, "entity", None)
    return _DOMAINS.get(entity, entity) if isinstance(entity, RowKind) else None
