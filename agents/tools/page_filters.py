"""A page's own filters as filters of ``select``: checked, and what does not fit is left out. Pure."""

from collections.abc import Callable, Mapping
from typing import Final

from pydantic import JsonValue

from agents.calls import Table


def _text(value: JsonValue) -> bool:
    return isinstance(value, str) and value != ""


def _moment(value: JsonValue) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _flag(value: JsonValue) -> bool:
    return isinstance(value, bool)


def _one_of(*values: str) -> Callable[[JsonValue], bool]:
    return lambda value: isinstance(value, str) and value in values


_DATES: Final = {"dueDateFrom": _moment, "dueDateTo": _moment}
_FITTING: Final[Mapping[Table, Mapping[str, Callable[[JsonValue], bool]]]] = {
    Table.TASKS: {
        "projectId": _text,
        "status": _one_of("todo", "in_progress", "done"),
        "search": _text,
        "orderBy": _text,
        **_DATES,
    },
    Table.CHECKPOINTS: {"projectId": _text, "search": _text, **_DATES},
    Table.PROJECTS: {
        "clientId": _text,
        "status": _one_of("active", "archived"),
        "search": _text,
        "orderBy": _text,
        "includeArchived": _flag,
    },
    Table.NOTES: {"projectId": _text, "search": _text},
}


def fitting(table: Table, filters: Mapping[str, JsonValue] | None) -> dict[str, JsonValue]:
    """Those of a page's filters that ``select`` knows for ``table``."""
    known = _FITTING[table]
    return {name: value for name, value in (filters or {}).items() if name in known and known[name](value)}
