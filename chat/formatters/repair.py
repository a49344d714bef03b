"""What models mean: their JSON made readable, and the fields of a block by their right names and in their right form.

Only what is clear is repaired. Pure.
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
"""The checkpoint with an id or a title."""

_ESCAPE: Final = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')
_HALF_ESCAPED: Final = re.compile(r"\\u[dD][89a-fA-F]")
_STRING: Final = r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)'
"""One that has no end goes as far as the text: from each quote in it the end would be looked for again."""
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


def values_of(source: str) -> JsonValue:
    """The value of ``source``, JSON whose grammar is known to be right.

    A backslash that begins no escape is text, line breaks are allowed, a lone surrogate is U+FFFD. Raises
    ``ValueError`` for a number that is not finite or too long.
    """
    escaped = _ESCAPE.sub(lambda found: r"\\" if found[0] == "\\" else found[0], source) if "\\" in source else source
    values: JsonValue = _DECODER.decode(escaped)
    if not _HALF_ESCAPED.search(source):
        return values
    whole: JsonValue = json.loads(joined_surrogates(json.dumps(values, ensure_ascii=False)))
    return whole


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError("a number is not finite")
    return value


_DECODER: Final = json.JSONDecoder(strict=False, parse_float=_finite, parse_constant=_finite)


def mended(source: str) -> JsonValue:
    """The value of ``source``, which may be cut off, have commas too many or be written as in Python.

    None if it cannot be read.
    """
    closing = _missing(source)
    if closing is None:
        return None
    for end in ("", closing):
        cut = _DANGLING.sub("", source) + end if end else source
        for whole in (cut, _TRAILING_COMMA.sub(lambda found: found[1] or "", cut), _PYTHON.sub(_as_json, cut)):
            try:
                return values_of(whole)
            except (ValueError, RecursionError):
                continue
    return None


def _as_json(found: re.Match[str]) -> str:
    """A text or a word of Python as JSON has it."""
    if found["word"]:
        return {"True": "true", "False": "false"}.get(found["word"], "null")
    return found[0] if found["text"] is None else json.dumps(found["text"].replace("\\'", "'"), ensure_ascii=False)


def _missing(source: str) -> str | None:
    """What closes the brackets and the text that are open at the end; None if they are too many."""
    open_: list[str] = []
    last = ""
    for token in _TOKEN.finditer(source):
        last = token[0]
        if last in "{[":
            open_.append("}" if last == "{" else "]")
        elif last in "}]" and open_:
            open_.pop()
        if len(open_) > MAX_DEPTH:
            return None
    cut_text = last[:1] == '"' and source.endswith(last) and (len(last) == 1 or last[-1] != '"')
    return '"' * cut_text + "".join(reversed(open_))


def meant_type(fields: Fields) -> str:
    """The type of the block that ``fields`` are meant as, even if they do not say it. Else what they say, or empty."""
    said = fields.get("type")
    if isinstance(said, str):
        plain = said.lower().replace("-", "_").replace(" ", "_")
        if plain in _TYPE_OF:
            return _TYPE_OF[plain]
        if plain in _ENTITIES:
            return "entity_ref"
        return "chart" if plain.removesuffix("chart").strip("_") in _CHARTS else said
    if fields.keys() & {"chartType", "chart_type"}:
        return "chart"
    if {"headers", "rows"} <= fields.keys() or {"columns", "rows"} <= fields.keys():
        return "table"
    if "entity" in fields:
        return "entity_ref"
    return "timeline" if isinstance(fields.get("checkpoints"), list) else ""


def meant_fields(kind: str, fields: Fields, *, timezone: ZoneInfo, find: FindRow) -> Fields:
    """``fields`` as a block of this type has them. Fields that cannot be repaired stay as they are."""
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
    said = next((fields[key] for key in ("chartType", "chart_type", "kind", "type") if key in fields), "")
    plain = re.sub(r"[^a-z]", "", str(said).lower()).removesuffix("chart") or "bar"
    data = _points(next((fields[key] for key in _CHART_DATA if fields.get(key)), fields.get("data")), fields)
    known = fields.get("config")
    title = fields.get("title") or fields.get("name") or fields.get("label") or ""
    return {
        "chartType": _CHARTS.get(plain, said),
        "title": title,
        "data": data,
        "config": _config(known if isinstance(known, dict) else {}, data),
    }


def _points(data: JsonValue, fields: Fields) -> JsonValue:
    """``[{"name": …, "value": …}]`` of ``{"Garden": 3}``, ``[["Garden", 3]]`` or ``[3]`` with labels."""
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
    for number, point in enumerate(data):
        if isinstance(point, list) and len(point) == 2:
            points.append({"name": point[0], "value": _number(point[1])})
        elif isinstance(point, int | float) and not isinstance(point, bool):
            points.append({"name": str(names[number]) if number < len(names) else str(number + 1), "value": point})
        elif isinstance(point, dict):
            points.append({key: _number(value) if key != "name" else value for key, value in point.items()})
        else:
            points.append(point)
    return points


def _number(value: JsonValue) -> JsonValue:
    """The number that a text is; models quote them."""
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,15}(?:\.\d{1,15})?%?", value):
        return float(value.rstrip("%")) if "." in value else int(value.rstrip("%"))
    return value


def _config(config: Mapping[str, JsonValue], data: JsonValue) -> JsonValue:
    """A label and a colour for each series: those that were given, and those that ``data`` has besides."""
    points = [point for point in data if isinstance(point, dict)] if isinstance(data, list) else []
    numeric = {
        key: None
        for point in points
        for key, value in point.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    whole: dict[str, JsonValue] = {}
    for number, key in enumerate(config or numeric):
        given = config.get(key)
        label = given if isinstance(given, str) else given.get("label") if isinstance(given, dict) else None
        color = given.get("color") if isinstance(given, dict) else None
        whole[key] = {
            "label": label if isinstance(label, str) else key[:1].upper() + key[1:].replace("_", " "),
            "color": color if isinstance(color, str) else _COLORS[number % len(_COLORS)],
        }
    return whole


def _table(fields: Fields) -> Fields:
    headers = next((fields[key] for key in ("headers", "columns", "header") if key in fields), None)
    rows = next((fields[key] for key in ("rows", "data", "items", "body") if isinstance(fields.get(key), list)), None)
    if rows is None and not headers:
        return fields
    records = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    if records:
        keys = _names(headers) or list(dict.fromkeys(key for record in records for key in record))
        found: list[JsonValue] = [
            [row.get(key) for key in keys] if isinstance(row, dict) else row for row in _list(rows)
        ]
        headers, rows = list(keys), found
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
    """The names in a list of headers, which models also write as objects."""
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
    return in_line(cell) if isinstance(cell, dict | list) else cell


def _timeline(fields: Fields, timezone: ZoneInfo, find: FindRow) -> Fields:
    keys = ("checkpoints", "items", "milestones", "events", "data", "ids")
    listed = next((fields[key] for key in keys if isinstance(fields.get(key), list)), None)
    if listed is None:
        return fields
    return {**fields, "checkpoints": [_milestone(item, timezone, find) for item in _list(listed)]}


def _milestone(item: JsonValue, timezone: ZoneInfo, find: FindRow) -> JsonValue:
    """A checkpoint of the user's as their device has it, by its id or title; else what the model wrote."""
    said: Fields = item if isinstance(item, dict) else {"id": item}
    title = next((said[key] for key in ("title", "name", "label") if isinstance(said.get(key), str)), None)
    row = next((row for key in (said.get("id"), title) if key is not None and (row := find(str(key)))), None)
    if row is not None:
        return {key: row.get(key) for key in ("id", "title", "date")}  # type: ignore[misc] # rows are JSON
    date = next((said[key] for key in ("date", "dueDate", "due", "when") if key in said), None)
    return {**said, "id": str(said.get("id", title)), "title": title, "date": to_milliseconds(date, timezone)}


def to_milliseconds(date: JsonValue, timezone: ZoneInfo) -> JsonValue:
    """The milliseconds of an ISO date in ``timezone``, or of seconds; anything else as it is."""
    if isinstance(date, str):
        try:
            moment = datetime.fromisoformat(date.strip())
            moment = moment if moment.tzinfo else moment.replace(tzinfo=timezone)
            return round(moment.timestamp() * 1000)
        except (ValueError, OverflowError, OSError):
            return date
    return date * 1000 if isinstance(date, int) and date in _SECONDS else date


def _entity_ref(fields: Fields) -> Fields:
    said = fields.get("entity") or fields.get("entity_type") or fields.get("entityType") or fields.get("type")
    entity = _ENTITIES.get(str(said).lower().replace("-", "_"), said)
    row_id = next((fields[key] for key in ("id", "entity_id", "entityId") if fields.get(key) is not None), None)
    ids = fields.get("ids") if isinstance(fields.get("ids"), list) else None
    return {**fields, "entity": entity, "id": row_id, "ids": ids}


_TEXT_KEYS: Final = ("content", TEXT, "answer", "response", "message", "markdown", "output", "result", "reply", "value")
_TITLE_KEYS: Final = ("title", "name", "label", *_TEXT_KEYS)
_BESIDE_TEXT: Final = frozenset({"type", "role", "id", "status", "format", "language", "title", *_TEXT_KEYS})
_ID_KEYS: Final = re.compile(r"(?:.*[a-z_])?(?:Id|_id|ID)|id|uuid|createdAt|updatedAt|color|config")


def in_words(value: JsonValue) -> str:
    """JSON as markdown: the text that it is about, else a line for each item, without ids."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(f"- {line}" for item in value if (line := in_line(item)))
    if not isinstance(value, dict):
        return ""
    for key in _TEXT_KEYS:
        if value.get(key) and value.keys() <= _BESIDE_TEXT:
            return in_words(value[key])
    nested = [key for key, part in value.items() if isinstance(part, list) and part]
    if len(nested) == 1 and (listed := in_words(value[nested[0]])):
        rest = in_line({key: part for key, part in value.items() if key not in nested})
        return f"{rest}\n\n{listed}" if rest else listed
    return in_line(value)


def in_line(value: JsonValue) -> str:
    """JSON in one line, without ids: ``Buy milk (status: todo, priority: high)``."""
    return " ".join(", ".join(_told(value, depth=0)).split())


def _told(value: JsonValue, depth: int) -> Iterator[str]:
    if depth > MAX_DEPTH or value is None or value == "":
        return
    if isinstance(value, list):
        for item in value:
            yield from _told(item, depth + 1)
    elif isinstance(value, dict):
        title = next((value[key] for key in _TITLE_KEYS if isinstance(value.get(key), str)), "")
        facts = [
            f"{key}: {said}"
            for key, part in value.items()
            if key != "type" and part != title and not _ID_KEYS.fullmatch(key)
            if (said := ", ".join(_told(part, depth + 1)))
        ]
        yield f"{title} ({', '.join(facts)})" if title and facts else str(title) or ", ".join(facts)
    else:
        yield str(value).lower() if isinstance(value, bool) else str(value)
