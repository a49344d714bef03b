"""Calls into the client's database and their answers, as values (protocol: "Calls into the client's database")."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

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


class Table(StrEnum):
    """The tables that live on the client."""

    TASKS = "tasks"
    PROJECTS = "projects"
    CHECKPOINTS = "checkpoints"
    NOTES = "notes"
    TASK_COMMENTS = "taskComments"
    CLIENTS = "clients"


WRITES = frozenset({CallAction.INSERT, CallAction.UPDATE, CallAction.DELETE, CallAction.VECTOR_UPSERT})
CHANGES = WRITES - {CallAction.VECTOR_UPSERT}
"""The writes whose effect depends on how often they happen; an upsert may be repeated."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ClientCall:
    """One call. ``id`` is the same when the call is repeated, and different for a second call.

    With ``count`` a client that can also says how many rows fit the filters of a select.
    """

    id: str
    action: CallAction
    table: Table | None = None
    data: Row | None = None
    filters: Row | None = None
    vector: tuple[float, ...] | None = None
    limit: int | None = None
    count: bool = False

    @property
    def is_write(self) -> bool:
        return self.action in WRITES

    def fingerprint(self) -> str:
        """A hex digest that is equal for calls that do the same, without regard to their ids."""
        what = [self.action, self.table, self.data, self.filters]
        return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, kw_only=True, slots=True)
class ClientAnswer:
    """What the client answered, already validated: the field that belongs to the call's action is set.

    ``rows`` holds at most ``MAX_ROWS``, or the call's limit if that is higher; ``omitted`` counts those beyond.
    ``unsent`` counts the rows that fit but are beyond the limit; with ``uncounted`` that is not known.
    ``results`` are vector hits ``{id, content, score}``, nearest first. ``row`` is None when there was none.
    """

    row: Row | None = None
    rows: tuple[Row, ...] = ()
    results: tuple[Row, ...] = ()
    deleted: bool = False
    omitted: int = 0
    unsent: int = 0
    uncounted: bool = False

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


def change_of(answered: AnsweredCall) -> Change | None:
    """The change that the call made, if any."""
    call, answer = answered.call, answered.answer
    if call.action not in CHANGES or call.table is None:
        return None
    if call.action is CallAction.DELETE:
        changed = (call.data or {}).get("id") if answer.deleted else None
    else:
        changed = answer.row.get("id") if answer.row is not None else None
    return Change(action=call.action, table=call.table, id=changed) if isinstance(changed, str) else None
