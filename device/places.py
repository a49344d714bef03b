"""The page of the application that the user is on, as the sidebar's requests describe it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from device.errors import UsageError
from device.selecting import folded
from device.store import Store
from device.tables import NOUNS, Row, TableName, title_of
from device.wording import one_line

_LISTS: Final = {"tasks": "tasks", "timeline": "timeline", "projects": "projects-list", "notes": "notes-list"}
_ROWS: Final = {"project": TableName.PROJECTS, "note": TableName.NOTES}
PLACES: Final = (*_LISTS, *(f"{kind} NAME" for kind in _ROWS))
"""What a place is called."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A list, or the page of one row."""

    kind: str
    row_id: str | None = None


def read_place(store: Store, words: str) -> Place:
    """The place that ``tasks`` or ``project Website`` means. Raises ``UsageError``."""
    kind, _, name = words.partition(" ")
    if kind in _LISTS and not name:
        return Place(kind=kind)
    if kind in _ROWS and name.strip():
        return Place(kind=kind, row_id=str(find_row(store, _ROWS[kind], name.strip())["id"]))
    raise UsageError(f"Write /page PLACE, with PLACE one of {', '.join(PLACES)}, or /page off.")


def scope_of(store: Store, place: Place) -> dict[str, JsonValue]:
    """What a request says of the place, as it is now. Raises ``UsageError`` when its row is gone."""
    if place.row_id is None:
        return {"page": _LISTS[place.kind], "entityType": None}
    return _SCOPES[place.kind](store, _row(store, place))


def place_words(store: Store, place: Place) -> str:
    """``the list of tasks`` or ``the project “Website”``. Raises as ``scope_of``."""
    if place.row_id is None:
        return "the timeline" if place.kind == "timeline" else f"the list of {place.kind}"
    return f"the {place.kind} “{one_line(title_of(_row(store, place)))}”"


def find_row(store: Store, table: TableName, name: str) -> Row:
    """The row with that id or title, else the only one whose title holds ``name``. Raises ``UsageError``."""
    rows = store.select(table, {"includeArchived": True})
    wanted = folded(name) or ""
    tests: tuple[Callable[[Row], bool], ...] = (
        lambda row: row["id"] == name,
        lambda row: folded(title_of(row)) == wanted,
        lambda row: wanted in (folded(title_of(row)) or ""),
    )
    matches = ([row for row in rows if test(row)] for test in tests)
    found = next((rows for rows in matches if rows), [])
    if not found:
        raise UsageError(f"There is no {NOUNS[table]} called {name}.")
    if len(found) > 1:
        raise UsageError(f"{len(found)} {NOUNS[table]}s could be meant by {name}: write the whole title, or the id.")
    return found[0]


def _row(store: Store, place: Place) -> Row:
    row = store.get(_ROWS[place.kind], place.row_id or "")
    if row is None:
        raise UsageError(f"The {place.kind} is gone: /page off leaves its page.")
    return row


def _project(store: Store, row: Row) -> dict[str, JsonValue]:
    mine: Row = {"projectId": row["id"]}
    parts = {"tasks": TableName.TASKS, "notes": TableName.NOTES, "milestones": TableName.CHECKPOINTS}
    return {
        "page": "project",
        "entityType": "project",
        "entityId": row["id"],
        "entityName": title_of(row),
        "counts": {name: len(store.select(table, mine)) for name, table in parts.items()},
    }


def _note(_store: Store, row: Row) -> dict[str, JsonValue]:
    return {
        "page": "note",
        "entityType": "note",
        "entityId": row["id"],
        "entityName": title_of(row),
        "projectId": row["projectId"],
        "charCount": len(str(row["content"] or "")),
    }


_SCOPES: Final[Mapping[str, Callable[[Store, Row], dict[str, JsonValue]]]] = {"project": _project, "note": _note}
