"""``structuredContent``: the rows and the job in a result's text, as values. Pure.

It contains nothing that is not in the text, because the ledger and the sharing filter check only the text.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from agents.adapters.reading import mended
from agents.calls import NamedRows, Row, Rows
from agents.tools.rows import assignees, number

ROWS_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "parts": {
            "type": "array",
            "description": "The rows of the text, by table or by the section that they are in.",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "rows": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "id": {"type": "string"},
                                "title": {"type": "string"},
                                "name": {"type": "string"},
                                "content": {"type": "string"},
                                "author": {"type": "string"},
                                "status": {"type": "string"},
                                "priority": {"type": "string"},
                                "assignees": {"type": "array", "items": {"type": "string"}},
                                "projectId": {"type": "string"},
                                "taskId": {"type": "string"},
                                "dueDate": {"type": "string", "format": "date-time"},
                                "date": {"type": "string", "format": "date-time"},
                                "createdAt": {"type": "string", "format": "date-time"},
                                "updatedAt": {"type": "string", "format": "date-time"},
                            },
                            "additionalProperties": False,
                        },
                    },
                    "omitted": {"type": "integer", "description": "How many more there are."},
                    "complete": {"type": "boolean", "description": "Whether the device counted all of them."},
                },
                "required": ["name", "rows", "omitted", "complete"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["parts"],
    "additionalProperties": False,
}
JOB_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "job": {
            "type": "object",
            "properties": {
                "id": {"type": "string", "format": "uuid"},
                "tool": {"type": "string"},
                "state": {"type": "string"},
                "label": {"type": "string"},
                "fraction": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
                "createdAt": {"type": "string", "format": "date-time"},
                "updatedAt": {"type": "string", "format": "date-time"},
                "response": {"type": ["string", "null"]},
                "failure": {"type": ["string", "null"]},
            },
            "required": ["id", "state"],
            "additionalProperties": False,
        }
    },
    "required": ["job"],
    "additionalProperties": False,
}
_NAMES: Final = ("id", "projectId", "taskId")
"""Ids. They are included only if the text has them as ids of rows: others may belong to rows that are never shared."""
_TEXTS: Final = ("title", "name", "content", "author")
_WORDS: Final = ("status", "priority")
_MOMENTS: Final = ("dueDate", "date", "createdAt", "updatedAt")


def told_rows(rows: NamedRows, text: str) -> NamedRows:
    """The ``rows`` that are in ``text``, with the columns that it shows."""
    return {name: _told(found, text) for name, found in rows.items()}


def _told(found: Rows, text: str) -> Rows:
    told = [dict(_told_columns(row, text)) for row in found.rows if _is_named(row.get("id"), text)]
    return replace(found, rows=tuple(told))


def _told_columns(row: Row, text: str) -> Iterator[tuple[str, JsonValue]]:
    """The columns that ``text`` shows, without lone surrogates."""
    for column in _NAMES:
        if isinstance(value := row.get(column), str) and _is_named(value, text):
            yield column, mended(value)
    for column in _TEXTS:
        if isinstance(value := row.get(column), str) and _is_told(value, text):
            yield column, mended(value)
    for column in _WORDS:
        if isinstance(value := row.get(column), str) and value and value.replace("_", " ") in text:
            yield column, mended(value)
    if named := [name for name in assignees(row) if name and name in text]:
        yield "assignee", mended(json.dumps(named, ensure_ascii=False))
    for column in _MOMENTS:
        if (moment := number(row, column)) is not None:
            yield column, moment


def parts_in(rows: NamedRows, timezone: ZoneInfo) -> dict[str, JsonValue]:
    """``told_rows`` as ``ROWS_SCHEMA`` describes them. Times are in ``timezone``."""
    return {"parts": [_part(str(name), found, timezone) for name, found in rows.items()]}


def _part(name: str, found: Rows, timezone: ZoneInfo) -> JsonValue:
    rows: list[JsonValue] = [dict(_values(row, timezone)) for row in found.rows]
    return {"name": mended(name), "rows": rows, "omitted": found.omitted, "complete": not found.uncounted}


def _values(row: Row, timezone: ZoneInfo) -> Iterator[tuple[str, JsonValue]]:
    for column, value in row.items():
        if column == "assignee":
            yield "assignees", list(assignees(row))
        elif column not in _MOMENTS:
            yield column, value
        elif (moment := _moment(number(row, column), timezone)) is not None:
            yield column, moment


def _is_named(value: JsonValue, text: str) -> bool:
    return isinstance(value, str) and f"[id {value}]" in text


def _is_told(value: str, text: str) -> bool:
    return bool(value) and (value in text or _inside(value) in text)


def _inside(value: str) -> str:
    """``value`` as a JSON string, without the quotes."""
    return json.dumps(value, ensure_ascii=False)[1:-1]


def _moment(milliseconds: int | None, timezone: ZoneInfo) -> str | None:
    if not milliseconds:
        return None
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).astimezone(timezone).isoformat()
    except (ValueError, OverflowError, OSError):
        return None
