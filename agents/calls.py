"""Calls into the client's database and their answers, as values (protocol: "Calls into the client's database")."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from pydantic import JsonValue

Row: TypeAlias = Mapping[str, JsonValue]

MAX_ROWS = 500
"""How many rows of one answer are kept; the rest is only counted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rows:
    """Rows, and how many more there are; with ``uncounted`` there may be more than these."""

    rows: tuple[Row, ...] = ()
    omitted: int = 0
    uncounted: bool = False


NamedRows: TypeAlias = Mapping[str, Rows]
"""The rows behind a text, by the name of the part of the text that they are in."""


class CallAction(StrEnum):
    """What the client is asked to do in its database."""

    SELECT = "select"
    GET = "get"
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    VECTOR_UPSERT = "vector_upsert"
    VECTOR_SEARCH = "vector_search"
    PAGE_DETAILS = "page_details"
    UNDO = "undo"


class Table(StrEnum):
    """The tables that live on the client."""

    TASKS = "tasks"
    PROJECTS = "projects"
    CHECKPOINTS = "checkpoints"
    NOTES = "notes"
    TASK_COMMENTS = "taskComments"
    CLIENTS = "clients"


CHANGES = frozenset({CallAction.INSERT, CallAction.UPDATE, CallAction.DELETE})
"""The writes whose effect depends on how often they happen; the others may be repeated."""
WRITES = CHANGES | {CallAction.VECTOR_UPSERT, CallAction.UNDO}


@dataclass(frozen=True, kw_only=True, slots=True)
class ClientCall:
    """One call. ``id`` is the same when the call is repeated, and different for a second call.

    With ``count`` a client that can also says how many rows fit the filters of a select. ``by`` is the agent, tool or
    program that makes it, and ``request_id`` the request for which, if not the one that it is sent for.
    """

    id: str
    action: CallAction
    table: Table | None = None
    data: Row | None = None
    filters: Row | None = None
    vector: tuple[float, ...] | None = None
    limit: int | None = None
    count: bool = False
    by: str = ""
    request_id: str = ""

    @property
    def is_write(self) -> bool:
        return self.action in WRITES

    def fingerprint(self) -> str:
        """A hex digest that is equal for calls that do the same, without regard to their ids."""
        what = [self.action, self.table, self.data, self.filters]
        return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()


class UndoEffect(StrEnum):
    """What became of a row by an undo."""

    RESTORED = "restored"
    """It had been deleted."""
    REMOVED = "removed"
    """It had been inserted."""
    REVERTED = "reverted"


@dataclass(frozen=True, kw_only=True, slots=True)
class UndoneRow:
    """A row that an undo changed; None where there was, or is, no such row."""

    table: Table
    id: str
    effect: UndoEffect
    before: Row | None
    after: Row | None

    @property
    def row(self) -> Row:
        """The row, as it is or as it last was."""
        return self.after or self.before or {}


@dataclass(frozen=True, kw_only=True, slots=True)
class UndoConflict:
    """A row that an undo left as it is, because of what was changed since: in it, or in a row that points to it."""

    table: Table
    id: str
    now: Row | None
    would_be: Row | None

    @property
    def row(self) -> Row:
        """The row as it is, or as it would be."""
        return self.now or self.would_be or {}


@dataclass(frozen=True, kw_only=True, slots=True)
class ClientAnswer:
    """What the client answered, already validated: the field that belongs to the call's action is set.

    ``rows`` holds at most ``MAX_ROWS``, or the call's limit if that is higher; ``omitted`` counts those beyond.
    ``unsent`` counts the rows that fit but are beyond the limit; with ``uncounted`` that is not known.
    ``results`` are vector hits ``{id, content, score}``, nearest first. ``row`` is None when there was none.
    ``undone`` and ``conflicts`` are what came of an undo.
    """

    row: Row | None = None
    rows: tuple[Row, ...] = ()
    results: tuple[Row, ...] = ()
    deleted: bool = False
    omitted: int = 0
    unsent: int = 0
    uncounted: bool = False
    undone: tuple[UndoneRow, ...] = ()
    conflicts: tuple[UndoConflict, ...] = ()

    @property
    def is_cut(self) -> bool:
        """Whether more rows fit than ``rows``, or may."""
        return bool(self.omitted or self.unsent) or self.uncounted

    @property
    def selected(self) -> Rows:
        """The rows of a select, and how many more fit its filters."""
        return Rows(rows=self.rows, omitted=self.omitted + self.unsent, uncounted=self.uncounted)


@dataclass(frozen=True, kw_only=True, slots=True)
class AnsweredCall:
    """A call and its answer."""

    call: ClientCall
    answer: ClientAnswer


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """A row that the client inserted, updated or deleted."""

    action: CallAction
    table: Table
    id: str


_EFFECTS: Final = {
    UndoEffect.RESTORED: CallAction.INSERT,
    UndoEffect.REMOVED: CallAction.DELETE,
    UndoEffect.REVERTED: CallAction.UPDATE,
}


def changes_of(answered: AnsweredCall) -> list[Change]:
    """The changes that the call made."""
    undone = [Change(action=_EFFECTS[row.effect], table=row.table, id=row.id) for row in answered.answer.undone]
    change = _change_of(answered)
    return undone if change is None else [*undone, change]


def _change_of(answered: AnsweredCall) -> Change | None:
    call, answer = answered.call, answered.answer
    if call.action not in CHANGES or call.table is None:
        return None
    if call.action is CallAction.DELETE:
        changed = (call.data or {}).get("id") if answer.deleted else None
    else:
        changed = answer.row.get("id") if answer.row is not None else None
    return Change(action=call.action, table=call.table, id=changed) if isinstance(changed, str) else None
