"""JSON that fits a schema: what a router or a summary asks for."""

from collections.abc import Mapping, Sequence

from agents.offline.commands import (
    Command,
    Entity,
    ListComments,
    ReviewWeek,
    SearchNotes,
    Target,
    WhatNext,
)
from agents.offline.spelling import one_line

_SUMMARY_CHARACTERS = 200
_DEEPEST = 8
_DOMAINS = {Entity.COMMENT: Entity.TASK}


def fitting_value(schema: Mapping[str, object], message: str, command: Command, *, depth: int = 0) -> object:
    """A value that fits ``schema``.

    Of an enum, the value that names what ``command`` is about, else the last; for a text, the beginning of
    ``message``; for the rest, the plainest value of the type.
    """
    if "const" in schema:
        return schema["const"]
    choices = schema.get("enum")
    if isinstance(choices, Sequence) and choices:
        return _chosen(choices, _domain(command))
    match _type(schema):
        case "object":
            return _object(schema, message, command, depth)
        case "string":
            return _text(schema, message)
        case "integer" | "number":
            minimum = schema.get("minimum", 0)
            return minimum if isinstance(minimum, int | float) else 0
        case "boolean":
            return False
        case "array":
            return []
        case _:
            return None


def _type(schema: Mapping[str, object]) -> object:
    declared = schema.get("type")
    if isinstance(declared, Sequence) and not isinstance(declared, str):
        return declared[0] if declared else None
    return declared or ("object" if "properties" in schema else None)


def _object(schema: Mapping[str, object], message: str, command: Command, depth: int) -> dict[str, object]:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or depth > _DEEPEST:
        return {}
    return {
        str(name): fitting_value(part, message, command, depth=depth + 1)
        for name, part in properties.items()
        if isinstance(part, Mapping)
    }


def _chosen(choices: Sequence[object], domain: Entity | None) -> object:
    named = [choice for choice in choices if domain and isinstance(choice, str) and domain in choice.casefold()]
    return named[0] if named else choices[-1]


def _text(schema: Mapping[str, object], message: str) -> str:
    longest = schema.get("maxLength", _SUMMARY_CHARACTERS)
    limit = min(longest, _SUMMARY_CHARACTERS) if isinstance(longest, int) else _SUMMARY_CHARACTERS
    return one_line(message[: 10 * _SUMMARY_CHARACTERS])[:limit]


def _domain(command: Command) -> Entity | None:
    """The kind of thing that ``command`` is about."""
    match command:
        case WhatNext() | ListComments() | ReviewWeek():
            return Entity.TASK
        case SearchNotes():
            return Entity.NOTE
    target = getattr(command, "target", None)
    entity = target.entity if isinstance(target, Target) else getattr(command, "entity", None)
    return _DOMAINS.get(entity, entity) if isinstance(entity, Entity) else None
