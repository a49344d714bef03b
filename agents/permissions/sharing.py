"""What a user never shares with a model, and the one filter between the device and everything that reads from it."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Final, Protocol
from uuid import UUID, uuid4

from django.db import Error, transaction
from pydantic import JsonValue

from accounts.cipher import Place
from accounts.database import in_database
from accounts.errors import AccountError
from accounts.keys.vault import Vault, open_vault
from accounts.locks import lock_user
from agents.calls import CallAction, ClientAnswer, ClientCall, Row, Table
from agents.errors import ClientRefused, Withheld
from agents.permissions.models import SharingMarks
from agents.reading import Reader, ThreadReader
from agents.scopes import AnyScope, NoteScope, ProjectScope
from agents.tools.client import ClientExecutor, OnLate, together
from agents.tools.page_details import EVENTS, TABLES, table_of_event
from agents.tools.rows import text

_HAS_MARKS: Final = "SELECT 1 FROM agents_sharingmarks WHERE user_id = %s"
_WORDS: Final[Mapping[Table, str]] = {
    Table.TASKS: "tasks",
    Table.PROJECTS: "projects",
    Table.CHECKPOINTS: "checkpoints",
    Table.NOTES: "notes",
    Table.TASK_COMMENTS: "comments",
    Table.CLIENTS: "clients",
}
_SETTING: Final = "They have set it so; tell them when it matters, and do not look for another way to it."


@dataclass(frozen=True, kw_only=True, slots=True)
class Marks:
    """The marked tables, and the ids of the marked projects."""

    tables: frozenset[Table] = field(default_factory=frozenset)
    projects: frozenset[str] = field(default_factory=frozenset)

    def __bool__(self) -> bool:
        return bool(self.tables or self.projects)

    def check_tables(self, tables: Iterable[Table]) -> None:
        """Raises ``Withheld`` if one of them is marked."""
        marked = [_WORDS[table] for table in Table if table in self.tables and table in set(tables)]
        if marked:
            raise Withheld(f"The user never shares their {' and '.join(marked)}, so this was not read. {_SETTING}")

    def check_project(self, project_id: object) -> None:
        """Raises ``Withheld`` if it is marked."""
        if project_id in self.projects:
            raise Withheld(f"The user never shares this project, so this was not read. {_SETTING}")

    def shares(self, table: Table, row: Row) -> bool:
        """Whether ``row`` is in no marked project. False if its table has projects and the row does not say which.

        For a comment, ask about its task.
        """
        if not self.projects or table is Table.CLIENTS:
            return True
        column = "id" if table is Table.PROJECTS else "projectId"
        return column in row and row[column] not in self.projects

    def shares_page(self, scope: AnyScope | None) -> bool:
        """Whether a model may know the row whose page is ``scope``."""
        match scope:
            case ProjectScope():
                return Table.PROJECTS not in self.tables and scope.entityId not in self.projects
            case NoteScope():
                return Table.NOTES not in self.tables and scope.projectId not in self.projects
            case _:
                return True


class MarkStore(Protocol):
    """Looks up marks."""

    async def marks(self, user_id: UUID) -> Marks:
        """What the user never shares. Raises ``Withheld`` if that cannot be known."""


class NoMarks:
    """A ``MarkStore`` without marks."""

    async def marks(self, user_id: UUID) -> Marks:  # noqa: ARG002 - the port's
        return Marks()


class DatabaseMarks:
    """The ``MarkStore`` in the database. ``reader`` finds out whether there are any; a thread decrypts them."""

    def __init__(self, reader: Reader | None = None) -> None:
        self._reader: Reader = reader or ThreadReader()

    async def marks(self, user_id: UUID) -> Marks:
        try:
            if not await self._reader.rows(_HAS_MARKS, [user_id]):
                return Marks()
            return await in_database(marks_of, user_id)
        except (AccountError, Error):
            raise Withheld(
                "What the user never shares cannot be known right now, so nothing was read or changed."
            ) from None


def marks_of(user_id: UUID) -> Marks:
    """What the user never shares. One query if nothing is marked.

    Raises ``AccountGone`` or ``EncryptionError``; then nothing may be treated as shared.
    """
    row = SharingMarks.objects.for_user(user_id).first()
    return Marks() if row is None else marks_in(row, open_vault(user_id))


def replace_marks(user_id: UUID, marks: Marks) -> None:
    """Replace all of the user's marks. Raises as ``marks_of``."""
    with transaction.atomic():
        # The lock serializes concurrent changes and keeps the key from changing.
        lock_user(user_id)
        rows = SharingMarks.objects.for_user(user_id)
        if not marks:
            rows.delete()
            return
        row = rows.first() or SharingMarks(user_id=user_id)
        stored = json.dumps({"tables": sorted(marks.tables), "projects": sorted(marks.projects)})
        row.marks_encrypted = open_vault(user_id).encrypt(_place(row.id), stored)
        row.save()


def marks_in(row: SharingMarks, vault: Vault) -> Marks:
    """Raises ``EncryptionError``."""
    stored: Mapping[str, Sequence[str]] = json.loads(vault.decrypt(_place(row.id), row.marks_encrypted))
    return Marks(tables=frozenset(Table(name) for name in stored["tables"]), projects=frozenset(stored["projects"]))


def _place(row_id: UUID) -> Place:
    return Place(table="agents_sharingmarks", column="marks_encrypted", row_id=row_id)


_ON_PAGE: Final[Mapping[str, frozenset[Table]]] = {
    "project": frozenset(Table) - {Table.CLIENTS},
    "task": frozenset({Table.TASKS, Table.PROJECTS, Table.TASK_COMMENTS}),
    "note": frozenset({Table.NOTES}),
    "tasks_all": frozenset({Table.TASKS}),
    "projects_all": frozenset({Table.PROJECTS}),
    "timeline_all": frozenset({Table.TASKS, Table.CHECKPOINTS}),
}
"""The tables in a page's snapshot; a page that is not listed counts as all tables."""


@dataclass(frozen=True, slots=True)
class WithheldRows:
    """The rows that were withheld, each counted once."""

    rows: set[tuple[Table, str]] = field(default_factory=set)

    def told(self, said: str) -> str:
        """``said``, followed by a line that says how many rows are left out of it."""
        if not self.rows:
            return said
        rows = "1 row is" if len(self.rows) == 1 else f"{len(self.rows)} rows are"
        left_out = f"[{rows} left out: the user never shares them.]"
        return f"{said}\n{left_out}" if said else left_out


_withheld: ContextVar[WithheldRows | None] = ContextVar("withheld_count", default=None)


@contextmanager
def counting() -> Iterator[WithheldRows]:
    """Counts the rows withheld from reads inside the block, including those of tasks started there."""
    withheld = WithheldRows()
    token = _withheld.set(withheld)
    try:
        yield withheld
    finally:
        _withheld.reset(token)


class SharingFilter:
    """The ``ClientExecutor`` for everything whose answers may go to a model, in one turn or one run of a job.

    The first call looks up the marks. Reads of marked tables and projects are refused with a sentence; rows of marked
    projects are left out of other reads and counted. Changes pass, because the model itself wrote the values; for a
    marked row they return only those values.
    """

    def __init__(self, client: ClientExecutor, store: MarkStore, user_id: UUID) -> None:
        self._client = client
        self._store = store
        self._user_id = user_id
        self._marks: Marks | None = None
        self.refused = False
        """Whether a read was refused."""

    async def marks(self) -> Marks:
        """What the user never shares. Raises ``Withheld`` if that cannot be known."""
        if self._marks is None:
            self._marks = await self._store.marks(self._user_id)
        return self._marks

    def supports(self, action: CallAction) -> bool:
        return self._client.supports(action)

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        """As ``ClientExecutor.execute``; raises ``Withheld`` for a read of what is marked."""
        marks = await self.marks()
        if not marks:
            return await self._client.execute(call, on_late=on_late)
        if call.is_write:
            return _without_echo(call, await self._client.execute(call, on_late=on_late), marks)
        try:
            _check(call, marks)
            return await self._shared(call, await self._client.execute(call, on_late=on_late), marks)
        except Withheld:
            self.refused = True
            raise

    async def _shared(self, call: ClientCall, answer: ClientAnswer, marks: Marks) -> ClientAnswer:
        """``answer`` without what is marked."""
        if not marks.projects:
            return answer
        if call.action is CallAction.PAGE_DETAILS:
            return answer if answer.row is None else replace(answer, row=_page(answer.row, marks))
        if call.table is None:
            return answer
        if answer.row is not None and not await self._kept(call, [answer.row], marks):
            marks.check_project(_project_in(call.table, answer.row))
            raise Withheld("It cannot be known whether the user shares this row, so it was not read.")
        return replace(
            answer,
            rows=_left(call.table, answer.rows, await self._kept(call, answer.rows, marks)),
            results=_left(call.table, answer.results, await self._kept(call, answer.results, marks)),
        )

    async def _kept(self, call: ClientCall, rows: Sequence[Row], marks: Marks) -> Sequence[Row]:
        """Those of ``rows`` that are shared. Reads the owners of rows that have a project only through another row."""
        table = call.table
        if table is None or not rows:
            return ()
        column = "id"
        if table is Table.TASK_COMMENTS:
            table, column = Table.TASKS, "taskId"
        elif call.action is not CallAction.VECTOR_SEARCH:
            return [row for row in rows if marks.shares(table, row)]
        ids = sorted({text(row, column) for row in rows} - {""})
        owners = zip(ids, await together(*(self._owner(table, row_id) for row_id in ids)), strict=True)
        shared = {row_id for row_id, owner in owners if owner is not None and marks.shares(table, owner)}
        return [row for row in rows if text(row, column) in shared]

    async def _owner(self, table: Table, row_id: str) -> Row | None:
        call = ClientCall(id=str(uuid4()), action=CallAction.GET, table=table, data={"id": row_id})
        try:
            return (await self._client.execute(call, on_late=lambda _: None)).row
        except ClientRefused:
            return None


def _check(call: ClientCall, marks: Marks) -> None:
    """Raises ``Withheld`` for a read that names something marked."""
    data, filters = call.data or {}, call.filters or {}
    if call.action is CallAction.PAGE_DETAILS:
        page = str(data.get("entityType"))
        marks.check_tables(_ON_PAGE.get(page, frozenset(Table)))
        marks.check_project(data.get("entityId") if page == "project" else None)
    elif call.table is not None:
        marks.check_tables([call.table])
        marks.check_project(data.get("id") if call.table is Table.PROJECTS else None)
    marks.check_project(filters.get("projectId"))


def _page(snapshot: Row, marks: Marks) -> Row:
    """The snapshot without the rows of marked projects. Raises ``Withheld`` if the page shows a marked project."""
    kept: dict[str, JsonValue] = {}
    for part, value in snapshot.items():
        if isinstance(value, list):
            kept[part] = [row for row in value if isinstance(row, dict) and _is_shared(part, row, marks)]
        elif isinstance(value, dict) and part in TABLES:
            marks.check_project(_project_in(TABLES[part], value))
            if not marks.shares(TABLES[part], value):
                raise Withheld("It cannot be known whether the user shares this page, so it was not read.")
            kept[part] = value
        elif value is None:
            kept[part] = None
    return kept


def _is_shared(part: str, row: Row, marks: Marks) -> bool:
    if part == "comments":
        return True  # they belong to the row that the page shows
    table = table_of_event(row) if part == EVENTS else TABLES.get(part)
    if table is None:
        return False
    if marks.shares(table, row):
        return True
    _count(table, row)
    return False


def _left(table: Table, rows: Iterable[Row], kept: Sequence[Row]) -> tuple[Row, ...]:
    """``kept``; counts the others of ``rows``."""
    chosen = {id(row) for row in kept}
    for row in rows:
        if id(row) not in chosen:
            _count(table, row)
    return tuple(kept)


def _project_in(table: Table, row: Row) -> JsonValue:
    return row.get("id" if table is Table.PROJECTS else "projectId")


def _without_echo(call: ClientCall, answer: ClientAnswer, marks: Marks) -> ClientAnswer:
    """``answer``; a row that is not shared keeps only its id, its project and what the call itself wrote."""
    row, table, data = answer.row, call.table, call.data or {}
    if row is None or table is None:
        return answer
    updates = data.get("updates") if call.action is CallAction.UPDATE else data
    written = updates if isinstance(updates, dict) else {}
    if table is Table.TASK_COMMENTS:
        # Its task may be in a marked project.
        shared = not marks.projects
    else:
        # A row that moves may come from a marked project, which the answer no longer shows.
        moves = call.action is CallAction.UPDATE and "projectId" in written
        shared = marks.shares(table, row) and not (moves and marks.projects)
    if shared and table not in marks.tables:
        return answer
    ids = {name: row[name] for name in ("id", "projectId") if name in row}
    return replace(answer, row={**written, **ids})


def _count(table: Table, row: Row) -> None:
    withheld = _withheld.get()
    if withheld is not None:
        withheld.rows.add((table, text(row, "id")))
