"""Calls into the client's database, and their answers, as values (protocol: “Calls into the client's database”)."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from pydantic import JsonValue

Row: TypeAlias = Mapping[str, JsonValue]

MAX_ROWS = 500
"""The maximum number of rows that are kept of an answer. Further rows are only counted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rows:
    """Rows, and the number of further rows. With ``uncounted``, there may be more than that."""

    rows: tuple[Row, ...] = ()
    omitted: int = 0
    uncounted: bool = False


NamedRows: TypeAlias = Mapping[str, Rows]
"""The rows in each named part of a text."""


class CallAction(StrEnum):
    """What a call does in the client's database."""

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
    """The tables in the client's database."""

    TASKS = "tasks"
    PROJECTS = "projects"
    CHECKPOINTS = "checkpoints"
    NOTES = "notes"
    TASK_COMMENTS = "taskComments"
    CLIENTS = "clients"


CHANGES = frozenset({CallAction.INSERT, CallAction.UPDATE, CallAction.DELETE})
"""The writes that must not be repeated. The others can be."""
WRITES = CHANGES | {CallAction.VECTOR_UPSERT, CallAction.UNDO}


@dataclass(frozen=True, kw_only=True, slots=True)
class ClientCall:
    """One call. Only a repetition of the call has the same ``id``.

    With ``count``, a client that supports it also returns how many rows match the filters of a select. ``by`` is the
    agent, tool or program that makes the call. ``request_id`` is the request that the call serves, if another request
    sends it.
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
        """A hex digest that is the same for all calls with the same effect. It does not depend on their ids."""
        effect = [self.action, self.table, self.data, self.filters]
        return hashlib.sha256(json.dumps(effect, sort_keys=True).encode()).hexdigest()


class UndoEffect(StrEnum):
    """The effect of an undo on a row."""

    RESTORED = "restored"
    """The row had been deleted."""
    REMOVED = "removed"
    """The row had been inserted."""
    REVERTED = "reverted"


@dataclass(frozen=True, kw_only=True, slots=True)
class UndoneRow:
    """A row that an undo has changed. ``before`` is None if the undo restored it, ``after`` if it removed it."""

    table: Table
    id: str
    effect: UndoEffect
    before: Row | None
    after: Row | None

    @property
    def row(self) -> Row:
        """The present row, or the removed one."""
        return self.after or self.before or {}


@dataclass(frozen=True, kw_only=True, slots=True)
class UndoConflict:
    """A row that an undo has left unchanged, because the row, or one that refers to it, was changed since."""

    table: Table
    id: str
    now: Row | None
    would_be: Row | None

    @property
    def row(self) -> Row:
        """The present row, or the one that the undo would have restored."""
        return self.now or self.would_be or {}


@dataclass(frozen=True, kw_only=True, slots=True)
class ClientAnswer:
    """The client's answer, already validated: the fields for the call's action are set.

    ``rows`` has at most ``MAX_ROWS``, or the call's limit if that is higher; ``omitted`` counts the rest. ``unsent``
    counts the matching rows beyond the limit; with ``uncounted``, their number is unknown. ``results`` are vector hits
    ``{id, content, score}``, the nearest first. ``row`` is None if the client has no such row. ``undone`` and
    ``conflicts`` are the outcome of an undo.
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
        """Whether ``rows`` may lack rows that match."""
        return bool(self.omitted or self.unsent) or self.uncounted

    @property
    def selected(self) -> Rows:
        """The rows of a select, and how many more match its filters."""
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
    """The changes that the client made for the call."""
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
