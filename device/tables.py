"""The client's tables, as the protocol lists them: which columns there are, and what each may hold."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from pydantic import JsonValue

from device.errors import CallRefused

Row: TypeAlias = Mapping[str, JsonValue]

_FARTHEST: Final = 2**63 - 1  # SQLite's largest integer
_SHOWN_CHARACTERS: Final = 60


class TableName(StrEnum):
    """The six tables."""

    TASKS = "tasks"
    PROJECTS = "projects"
    CHECKPOINTS = "checkpoints"
    NOTES = "notes"
    TASK_COMMENTS = "taskComments"
    CLIENTS = "clients"


class Kind(StrEnum):
    """What a column holds."""

    TEXT = "text"
    NAMES = "a JSON array of names, as a string"
    MILLISECONDS = "a whole number of milliseconds"
    FLAG = "0 or 1"


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """One column. ``required``: never null nor empty; ``default``: what an insert without it gets, then never null."""

    name: str
    kind: Kind = Kind.TEXT
    required: bool = False
    default: str | int | None = None
    choices: tuple[str, ...] = ()
    made_here: bool = False
    """Only the device itself sets it."""

    @property
    def is_nullable(self) -> bool:
        return not self.required and self.default is None

    def checked(self, value: JsonValue) -> str | int | None:
        """``value``, when this column may hold it. Raises ``CallRefused``."""
        if value is None:
            if not self.is_nullable:
                raise CallRefused(f"{self.name} must not be null.")
            return None
        if self.kind in {Kind.MILLISECONDS, Kind.FLAG}:
            return self._checked_number(value)
        return self._checked_text(value)

    def _checked_number(self, value: JsonValue) -> int:
        # True is an int to Python.
        fits = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _FARTHEST
        if not fits or (self.kind is Kind.FLAG and value not in (0, 1)):
            raise CallRefused(f"{self.name} must be {self.kind}, not {shown(value)}.")
        assert isinstance(value, int)  # noqa: S101 - for the type checker: it has just been found out
        return value

    def _checked_text(self, value: JsonValue) -> str:
        text = valid_text(value, self.name)
        if self.choices and text not in self.choices:
            raise CallRefused(f"{self.name} must be one of {', '.join(self.choices)}, not {shown(value)}.")
        if self.required and not text.strip():
            raise CallRefused(f"{self.name} must not be empty.")
        if self.kind is Kind.NAMES and not _is_list_of_names(text):
            raise CallRefused(f"{self.name} must be {self.kind}, not {shown(value)}.")
        return text


def valid_text(value: JsonValue, name: str) -> str:
    """``value``, when it is text that can be stored. Raises ``CallRefused``, which calls it ``name``."""
    if not isinstance(value, str):
        raise CallRefused(f"{name} must be text, not {shown(value)}.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise CallRefused(f"{name} holds half a surrogate pair, which is no character.") from None
    return value


def shown(value: object) -> str:
    """``value`` as an error quotes it: short, and printable everywhere."""
    text = json.dumps(value, default=str)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"


def _is_list_of_names(text: str) -> bool:
    try:
        names = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(names, list) and all(isinstance(name, str) for name in names)


_ID: Final = Column(name="id", required=True, made_here=True)
_CREATED: Final = Column(name="createdAt", kind=Kind.MILLISECONDS, required=True, made_here=True)
_UPDATED: Final = Column(name="updatedAt", kind=Kind.MILLISECONDS, required=True, made_here=True)
_TITLE: Final = Column(name="title", required=True)
_NAME: Final = Column(name="name", required=True)
_PROJECT: Final = Column(name="projectId")
_SUGGESTED: Final = Column(name="isAiSuggested", kind=Kind.FLAG, default=0)
_APPROVED: Final = Column(name="isApproved", kind=Kind.FLAG, default=1)

TABLES: Final[Mapping[TableName, tuple[Column, ...]]] = {
    TableName.TASKS: (
        _ID,
        _PROJECT,
        _TITLE,
        Column(name="description"),
        Column(name="status", default="todo", choices=("todo", "in_progress", "done")),
        Column(name="priority", default="medium", choices=("high", "medium", "low")),
        Column(name="assignee", kind=Kind.NAMES),
        Column(name="dueDate", kind=Kind.MILLISECONDS),
        _SUGGESTED,
        _APPROVED,
        _CREATED,
    ),
    TableName.PROJECTS: (
        _ID,
        Column(name="clientId"),
        _NAME,
        Column(name="status", default="active", choices=("active", "archived")),
        Column(name="aiSummary"),
        _CREATED,
    ),
    TableName.CHECKPOINTS: (
        _ID,
        Column(name="projectId", required=True),
        _TITLE,
        Column(name="date", kind=Kind.MILLISECONDS, required=True),
        _SUGGESTED,
        _APPROVED,
        _CREATED,
    ),
    TableName.NOTES: (_ID, _PROJECT, _TITLE, Column(name="content", default=""), _CREATED, _UPDATED),
    TableName.TASK_COMMENTS: (
        _ID,
        Column(name="taskId", required=True),
        Column(name="author", required=True),
        Column(name="content", required=True),
        _CREATED,
    ),
    TableName.CLIENTS: (_ID, Column(name="parentId"), _NAME, Column(name="industry"), _CREATED),
}

REFERENCES: Final[Mapping[TableName, tuple[str, TableName]]] = {
    TableName.TASKS: ("projectId", TableName.PROJECTS),
    TableName.PROJECTS: ("clientId", TableName.CLIENTS),
    TableName.CHECKPOINTS: ("projectId", TableName.PROJECTS),
    TableName.NOTES: ("projectId", TableName.PROJECTS),
    TableName.TASK_COMMENTS: ("taskId", TableName.TASKS),
    TableName.CLIENTS: ("parentId", TableName.CLIENTS),
}
"""The column of each table that has the id of another row, and that row's table."""


NOUNS: Final[Mapping[str, str]] = {
    TableName.TASKS: "task",
    TableName.PROJECTS: "project",
    TableName.CHECKPOINTS: "checkpoint",
    TableName.NOTES: "note",
    TableName.TASK_COMMENTS: "comment",
    TableName.CLIENTS: "client",
}
"""What a row of each table is called."""


def table_named(name: str) -> TableName | None:
    """The table ``name``, in capitals or not."""
    return next((table for table in TableName if table.value.casefold() == name.casefold()), None)


def title_of(row: Row) -> str:
    """The title or name of a row, else its content; empty if it has none of them."""
    return str(row.get("title") or row.get("name") or row.get("content") or "")


def column_of(table: TableName, name: str) -> Column:
    """The column ``name`` of ``table``. Raises ``CallRefused`` if there is none."""
    for column in TABLES[table]:
        if column.name == name:
            return column
    raise CallRefused(f"{table} has no column {shown(name)}.")


def has_column(table: TableName, name: str) -> bool:
    return any(column.name == name for column in TABLES[table])


def checked_insert(table: TableName, given: Row) -> dict[str, str | int | None]:
    """All columns of a new row but those the device makes: the given ones, defaults, nulls. Raises ``CallRefused``."""
    _only_settable(table, given)
    return {
        column.name: column.checked(given[column.name]) if column.name in given else _absent(table, column)
        for column in TABLES[table]
        if not column.made_here
    }


def checked_updates(table: TableName, given: Row) -> dict[str, str | int | None]:
    """The columns that change. Raises ``CallRefused``, also when there are none."""
    _only_settable(table, given)
    if not given:
        raise CallRefused("updates must name at least one column.")
    return {name: column_of(table, name).checked(value) for name, value in given.items()}


def _only_settable(table: TableName, given: Row) -> None:
    for name in given:
        if column_of(table, name).made_here:
            raise CallRefused(f"{name} is made by the device and cannot be given.")


def _absent(table: TableName, column: Column) -> str | int | None:
    if column.required:
        raise CallRefused(f"{table} need a {column.name}.")
    return column.default
