"""Repairs the JSON of models: its syntax, and the names and the form of a block's fields.

Only errors with a single plausible meaning are repaired. Pure.
"""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from chat.formatters.json_stream import MAX_DEPTH, TEXT, joined_surrogates

Fields: TypeAlias = Mapping[str, JsonValue]
FindRow: TypeAlias = Callable[[str], Mapping[str, object] | None]
"""Returns the checkpoint with an id or a title."""

_ESCAPE: Final = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')
_SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_STRING: Final = r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)'
"""A string without an end matches up to the end of the text. Otherwise, each quote in it would begin another search."""
_TRAILING_COMMA: Final = re.compile(rf"({_STRING})|,\s*(?=[}}\]])", re.DOTALL)
_PYTHON: Final = re.compile(
    rf"""{_STRING}|'(?P<text>(?:[^'\\]|\\.)*+)'|'(?:[^'\\]|\\.)*+\\?\Z|\b(?P<word>True|False|None)\b""", re.DOTALL
)
_TOKEN: Final = re.compile(rf"{_STRING}|[{{}}\[\]]", re.DOTALL)
_DANGLING: Final = re.compile(r"(?<![,:\s])[,:\s]++\Z")
_TYPES: Final = {
    "chart": ("chart", "charts", "graph", "plot", "diagram"),
    "table": ("table", "tables", "grid", "datatable"),
    "timeline": ("timeline", "timelines", "milestones", "checkpoints", "roadmap"),
    "entity_ref": ("entity_ref", "entity_refs", "entityref", "entity", "entities", "card", "cards"),
}
_TYPE_OF: Final = {alias: name for name, aliases in _TYPES.items() for alias in aliases}
_ENTITIES: Final = {
    alias: name
    for name in ("task", "project", "note", "checkpoint")
    for alias in (name, f"{name}s", f"{name}_list", f"{name}_card", f"{name}_ref")
} | {"todo": "task", "todos": "task", "milestone": "checkpoint"}
_CHARTS: Final = {name: name for name in ("area", "bar", "line", "pie", "radar", "radial")} | {
    "bars": "bar", "column": "bar", "columns": "bar", "histogram": "bar", "horizontalbar": "bar", "stackedbar": "bar",
    "lines": "line", "spline": "line", "scatter": "line", "donut": "pie", "doughnut": "pie", "circle": "pie",
    "spider": "radar", "gauge": "radial", "radialbar": "radial",
}  # fmt: skip
_COLORS: Final = ("#4f7cff", "#2e9e6b", "#d9822b", "#9b5de5", "#d64550", "#00a3a3")
_CHART_DATA: Final = ("data", "values", "points", "items", "series")
_SECONDS: Final = range(946_684_800, 4_102_444_800)
"""The years 2000 to 2099 in seconds. As milliseconds, they would all be in early 1970."""


def _decoded(source: str) -> JsonValue:
    """The value of the JSON ``source``.

    A backslash that begins no escape is text, line breaks in strings are allowed, and a lone surrogate becomes U+FFFD.
    Raises ``ValueError``, also for a number that is infinite or too long, and ``RecursionError``.
    """
    escaped = _ESCAPE.sub(lambda match: r"\\" if match[0] == "\\" else match[0], source) if "\\" in source else source
    value: JsonValue = _DECODER.decode(escaped)
    if not _SURROGATE_ESCAPE.search(source):
        return value
    joined: JsonValue = json.loads(joined_surrogates(json.dumps(value, ensure_ascii=False)))
    return joined


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError("a number is not finite")
    return value


_DECODER: Final = json.JSONDecoder(strict=False, parse_float=_finite, parse_constant=_finite)


def repaired_value(source: str) -> JsonValue:
    """The value of ``source``: JSON that may be cut off, have superfluous commas, or be written like Python.

    None if it cannot be read.
    """
    closing = _missing_end(source)
    if closing is None:
        return None
    for end in ("", closing):
        closed = _DANGLING.sub("", source) + end if end else source
        without_commas = _TRAILING_COMMA.sub(lambda match: match[1] or "", closed)
        for attempt in (closed, without_commas, _PYTHON.sub(_as_json, closed)):
            try:
                return _decoded(attempt)
            except (ValueError, RecursionError):
                continue
    return None


def _as_json(match: re.Match[str]) -> str:
    """A string or a word of Python, in JSON."""
    if match["word"]:
        return {"True": "true", "False": "false"}.get(match["word"], "null")
    return match[0] if match["text"] is None else json.dumps(match["text"].replace("\\'", "'"), ensure_ascii=False)


def _missing_end(source: str) -> str | None:
    """The characters that close an open string and open brackets; None if the brackets are nested too deeply."""
    closing: list[str] = []
    last = ""
    for token in _TOKEN.finditer(source):
        last = token[0]
        if last in "{[":
            closing.append("}" if last == "{" else "]")
        elif last in "}]" and closing:
            closing.pop()
        if len(closing) > MAX_DEPTH:
            return None
    is_string_open = last[:1] == '"' and source.endswith(last) and (len(last) == 1 or last[-1] != '"')
    return '"' * is_string_open + "".join(reversed(closing))


def intended_type(fields: Fields) -> str:
    """The type of block that ``fields`` describe, even without a ``type`` or with an alias of one.

    Otherwise their ``type`` as it is; empty if they have none.
    """
    given = fields.get("type")
    if isinstance(given, str):
        plain = given.lower().replace("-", "_").replace(" ", "_")
        if plain in _TYPE_OF:
            return _TYPE_OF[plain]
        if plain in _ENTITIES:
            return "entity_ref"
        return "chart" if plain.removesuffix("chart").strip("_") in _CHARTS else given
    if fields.keys() & {"chartType", "chart_type"}:
        return "chart"
    if {"headers", "rows"} <= fields.keys() or {"columns", "rows"} <= fields.keys():
        return "table"
    if "entity" in fields:
        return "entity_ref"
    return "timeline" if isinstance(fields.get("checkpoints"), list) else ""


def repaired_fields(kind: str, fields: Fields, *, timezone: ZoneInfo, find: FindRow) -> Fields:
    """``fields`` with the names and in the form of a block of this type. Fields that cannot be repaired are kept."""
    inner = fields.get("data")
    if kind != "chart" and isinstance(inner, dict):
        fields = {**fields, **inner}
    match kind:
        case "chart":
            return _chart(fields)
        case "table":
            return _table(fields)
        case "timeline":
            return _timeline(fields, timezone, find)
        case _:
            return _entity_ref(fields)


def _chart(fields: Fields) -> Fields:
    given = next((fields[key] for key in ("chartType", "chart_type", "kind", "type") if key in fields), "")
    plain = re.sub(r"[^a-z]", "", str(given).lower()).removesuffix("chart") or "bar"
    data = _points(next((fields[key] for key in _CHART_DATA if fields.get(key)), fields.get("data")), fields)
    config = fields.get("config")
    title = fields.get("title") or fields.get("name") or fields.get("label") or ""
    return {
        "chartType": _CHARTS.get(plain, given),
        "title": title,
        "data": data,
        "config": _config(config if isinstance(config, dict) else {}, data),
    }


def _points(data: JsonValue, fields: Fields) -> JsonValue:
    """``[{"name": …, "value": …}]`` from ``{"Garden": 3}``, ``[["Garden", 3]]``, or ``[3]`` with labels."""
    if isinstance(data, dict):
        labels, values = data.get("labels"), data.get("datasets") or data.get("values")
        if not (isinstance(labels, list) and isinstance(values, list)):
            return [{"name": name, "value": _number(value)} for name, value in data.items()]
        first = values[0] if values else None
        data = first.get("data") if isinstance(first, dict) else values
        fields = {"labels": labels}
    if not isinstance(data, list):
        return data
    labels = next((fields[key] for key in ("labels", "categories", "names") if isinstance(fields.get(key), list)), [])
    names = labels if isinstance(labels, list) else []
    points: list[JsonValue] = []
    for index, point in enumerate(data):
        if isinstance(point, list) and len(point) == 2:
            points.append({"name": point[0], "value": _number(point[1])})
        elif isinstance(point, int | float) and not isinstance(point, bool):
            points.append({"name": str(names[index]) if index < len(names) else str(index + 1), "value": point})
        elif isinstance(point, dict):
            points.append({key: _number(value) if key != "name" else value for key, value in point.items()})
        else:
            points.append(point)
    return points


def _number(value: JsonValue) -> JsonValue:
    """A number that the model has quoted; any other value as it is."""
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,15}(?:\.\d{1,15})?%?", value):
        return float(value.rstrip("%")) if "." in value else int(value.rstrip("%"))
    return value


def _config(config: Mapping[str, JsonValue], data: JsonValue) -> JsonValue:
    """A label and a colour for each series of ``config``, or without a ``config`` for each numeric key of ``data``."""
    points = [point for point in data if isinstance(point, dict)] if isinstance(data, list) else []
    numeric = {
        key: None
        for point in points
        for key, value in point.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    series: dict[str, JsonValue] = {}
    for index, key in enumerate(config or numeric):
        given = config.get(key)
        label = given if isinstance(given, str) else given.get("label") if isinstance(given, dict) else None
        color = given.get("color") if isinstance(given, dict) else None
        series[key] = {
            "label": label if isinstance(label, str) else key[:1].upper() + key[1:].replace("_", " "),
            "color": color if isinstance(color, str) else _COLORS[index % len(_COLORS)],
        }
    return series


def _table(fields: Fields) -> Fields:
    headers = next((fields[key] for key in ("headers", "columns", "header") if key in fields), None)
    rows = next((fields[key] for key in ("rows", "data", "items", "body") if isinstance(fields.get(key), list)), None)
    if rows is None and not headers:
        return fields
    records = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    if records:
        keys = _names(headers) or list(dict.fromkeys(key for record in records for key in record))
        lists: list[JsonValue] = [
            [row.get(key) for key in keys] if isinstance(row, dict) else row for row in _list(rows)
        ]
        headers, rows = list(keys), lists
    names = _names(headers)
    cells = [[_cell(cell) for cell in (row if isinstance(row, list) else [row])] for row in _list(rows)]
    width = max([len(names), *map(len, cells)])
    if rows is None or not isinstance(rows, list) or not width:
        return fields
    return {
        **fields,
        "headers": [*names, *[""] * (width - len(names))],
        "rows": [[*row, *[None] * (width - len(row))] for row in cells],
    }


def _names(headers: JsonValue) -> list[str]:
    """The texts of headers. Models also write them as objects."""
    named = (
        next((header[key] for key in ("label", "title", "name", "header", "key") if header.get(key)), "")
        if isinstance(header, dict)
        else header
        for header in _list(headers)
    )
    return ["" if name is None else str(name) for name in named]


def _list(value: JsonValue) -> Sequence[JsonValue]:
    return value if isinstance(value, list) else ()


def _cell(cell: JsonValue) -> JsonValue:
    return as_line(cell) if isinstance(cell, dict | list) else cell


_LISTED_ROW: Final = re.compile(
    r"""(?:[-*•]|\d+[.)])\s++(?P<title>"(?:[^"\\]|\\.)*+"|[^(\[\n]++).*?(?:\[id (?P<id>[^\]\s]+)\])?"""
)


def listed_rows(source: str) -> list[JsonValue] | None:
    """The ids, or else the titles, of the rows in a listing of a tool, which small models copy in place of JSON."""
    lines = [_LISTED_ROW.fullmatch(line.strip()) for line in source.splitlines() if line.strip()]
    rows = [line["id"] or line["title"].strip(' "*:') for line in lines if line is not None]
    return rows if rows and len(rows) == len(lines) else None


def _timeline(fields: Fields, timezone: ZoneInfo, find: FindRow) -> Fields:
    keys = ("checkpoints", "items", "milestones", "events", "data", "ids")
    listed = next((fields[key] for key in keys if isinstance(fields.get(key), list)), None)
    if listed is None:
        return fields
    return {**fields, "checkpoints": [_milestone(item, timezone, find) for item in _list(listed)]}


def _milestone(item: JsonValue, timezone: ZoneInfo, find: FindRow) -> JsonValue:
    """The user's checkpoint with the id or title of ``item``. If there is none, ``item`` itself, repaired."""
    written: Fields = item if isinstance(item, dict) else {"id": item}
    title = next((written[key] for key in ("title", "name", "label") if isinstance(written.get(key), str)), None)
    row = next((row for key in (written.get("id"), title) if key is not None and (row := find(str(key)))), None)
    if row is not None:
        return {key: row.get(key) for key in ("id", "title", "date")}  # type: ignore[misc] # rows are JSON
    date = next((written[key] for key in ("date", "dueDate", "due", "when") if key in written), None)
    return {**written, "id": str(written.get("id", title)), "title": title, "date": _milliseconds(date, timezone)}


def _milliseconds(date: JsonValue, timezone: ZoneInfo) -> JsonValue:
    """An ISO date in ``timezone``, or a number of seconds, as milliseconds since 1970; other values as they are."""
    if isinstance(date, str):
        try:
            moment = datetime.fromisoformat(date.strip())
            moment = moment if moment.tzinfo else moment.replace(tzinfo=timezone)
            return round(moment.timestamp() * 1000)
        except (ValueError, OverflowError, OSError):
            return date
    return date * 1000 if isinstance(date, int) and date in _SECONDS else date


def _entity_ref(fields: Fields) -> Fields:
    given = fields.get("entity") or fields.get("entity_type") or fields.get("entityType") or fields.get("type")
    entity = _ENTITIES.get(str(given).lower().replace("-", "_"), given)
    row_id = next((fields[key] for key in ("id", "entity_id", "entityId") if fields.get(key) is not None), None)
    ids = fields.get("ids") if isinstance(fields.get("ids"), list) else None
    return {**fields, "entity": entity, "id": row_id, "ids": ids}


_TEXT_KEYS: Final = ("content", TEXT, "answer", "response", "message", "markdown", "output", "result", "reply", "value")
_TITLE_KEYS: Final = ("title", "name", "label", *_TEXT_KEYS)
_BESIDE_TEXT: Final = frozenset({"type", "role", "id", "status", "format", "language", "title", *_TEXT_KEYS})
_ID_KEYS: Final = re.compile(r"(?:.*[a-z_])?(?:Id|_id|ID)|id|uuid|createdAt|updatedAt|color|config")


def as_markdown(value: JsonValue) -> str:
    """JSON as markdown without ids: its text if it is a wrapped text, otherwise a line for each item."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(f"- {line}" for item in value if (line := as_line(item)))
    if not isinstance(value, dict):
        return ""
    for key in _TEXT_KEYS:
        if value.get(key) and value.keys() <= _BESIDE_TEXT:
            return as_markdown(value[key])
    nested = [key for key, part in value.items() if isinstance(part, list) and part]
    if len(nested) == 1 and (items := as_markdown(value[nested[0]])):
        rest = as_line({key: part for key, part in value.items() if key not in nested})
        return f"{rest}\n\n{items}" if rest else items
    return as_line(value)


def as_line(value: JsonValue) -> str:
    """JSON in one line without ids: ``Buy milk (status: todo, priority: high)``."""
    return " ".join(", ".join(_texts(value, depth=0)).split())


def _texts(value: JsonValue, depth: int) -> Iterator[str]:
    if depth > MAX_DEPTH or value is None or value == "":
        return
    if isinstance(value, list):
        for item in value:
            yield from _texts(item, depth + 1)
    elif isinstance(value, dict):
        title = next((value[key] for key in _TITLE_KEYS if isinstance(value.get(key), str)), "")
        facts = [
            f"{key}: {text}"
            for key, part in value.items()
            if key != "type" and part != title and not _ID_KEYS.fullmatch(key)
            if (text := ", ".join(_texts(part, depth + 1)))
        ]
        yield f"{title} ({', '.join(facts)})" if title and facts else str(title) or ", ".join(facts)
    else:
        yield str(value).lower() if isinstance(value, bool) else str(value)
