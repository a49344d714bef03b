"""The types of all frames in ``docs/frames.md``: generated from the schema, in TypeScript's notation."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from chat.protocol.frames.vocabulary import RequestId

PAGE = Path(__file__).parents[3] / "docs" / "frames.md"
_BEGIN, _END = "```ts\n", "```\n"
_UUID = TypeAdapter(RequestId).json_schema()["pattern"]
_A_LINE = 6
"""The maximum number of union members on one line."""
_BOUNDS = {
    "maxLength": "at most {} characters",
    "minimum": "{} or more",
    "maximum": "{} or less",
    "maxItems": "at most {} of them",
}


def declarations(definitions: Mapping[str, Mapping[str, Any]]) -> str:
    """The type declarations, in the order of the definitions."""
    return "\n".join("\n".join(_declaration(name, schema)) + "\n" for name, schema in definitions.items())


def shown(page: str) -> str:
    """The declarations in ``page``."""
    return page.split(_BEGIN, 1)[1].split(_END, 1)[0]


def _declaration(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    if "properties" not in schema:
        members = _type(schema).split(" | ")
        yield f"type {name} = {' | '.join(members)};" if len(members) <= _A_LINE else _tall(name, members)
        return
    yield f"type {name} = {{"
    for field, inner in schema["properties"].items():
        optional = "" if field in schema.get("required", ()) else "?"
        notes = "; ".join(_notes(inner))
        yield f"  {field}{optional}: {_type(inner)};{notes and f'  // {notes}'}"
    yield "};"


def _tall(name: str, members: Sequence[str]) -> str:
    return "\n  | ".join((f"type {name} =", *members)) + ";"


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[1]
    if "const" in schema:
        return json.dumps(schema["const"])
    for union in ("enum", "anyOf", "oneOf"):
        if union in schema:
            members = schema[union]
            return " | ".join(json.dumps(member) if union == "enum" else _type(member) for member in members)
    match schema.get("type"):
        case "array":
            inner = _type(schema["items"])
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case "object":
            values = schema["additionalProperties"]
            return f"{{ [name: string]: {'unknown' if values is True else _type(values)} }}"
        case "integer":
            return "integer"
        case None:
            return "unknown"
        case other:
            return str(other)


def _notes(schema: Mapping[str, Any]) -> Iterator[str]:
    for part in (schema, *schema.get("anyOf", ())):
        if "pattern" in part:
            yield "a UUID" if part["pattern"] == _UUID else f"matches {part['pattern']}"
        if "minLength" in part:
            yield "not empty" if part["minLength"] == 1 else f"at least {part['minLength']} characters"
        yield from (words.format(part[bound]) for bound, words in _BOUNDS.items() if bound in part)
        if "description" in part:
            yield part["description"].rstrip(".")
    if schema.get("default") is not None:
        yield f"{json.dumps(schema['default'])} when absent"
