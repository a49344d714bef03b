"""The one place where what a user never shares is held back: between the device and whatever reads from it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID, uuid4

from pydantic import JsonValue

from agents.calls import CallAction, ClientAnswer, ClientCall, Row, Table
from agents.errors import ClientRefused, Withheld
from agents.permissions.sharing.counting import withhold
from agents.permissions.sharing.marks import Marks
from agents.permissions.sharing.store import MarkStore
from agents.together import together
from agents.tools.client import ClientExecutor, OnLate
from agents.tools.page_rows import EVENTS, TABLES, table_of_event
from agents.tools.rows import text

_ON_PAGE: Final[Mapping[str, frozenset[Table]]] = {
    "project": frozenset(Table) - {Table.CLIENTS},
    "task": frozenset({Table.TASKS, Table.PROJECTS, Table.TASK_COMMENTS}),
    "note": frozenset({Table.NOTES}),
    "tasks_all": frozenset({Table.TASKS}),
    "projects_all": frozenset({Table.PROJECTS}),
    "timeline_all": frozenset({Table.TASKS, Table.CHECKPOINTS}),
}
"""The tables that a page's snapshot is made of. A page that is not named here counts as made of all."""
_PAGE_PARTS: Final = frozenset({"comments"})
"""Parts of a page whose rows belong to the row that the page is of."""


class Withholding:
    """The ``ClientExecutor`` of everything whose answers may go to a model: of one turn, or one run of a job.

    What is marked is looked up with the first call. Reads of marked tables and projects are refused in words; rows of
    marked projects are left out of other reads and counted. Changes go through: what the model wrote is the model's.
    Of a row that is marked they give back only that, and no other column.
    """

    def __init__(self, client: ClientExecutor, store: MarkStore, user_id: UUID) -> None:
        self._client = client
        self._store = store
        self._user_id = user_id
        self._marks: Marks | None = None
        self.refused = False
        """Whether a read was refused."""

    async def marks(self) -> Marks:
        """What the user never shares. Raises ``Withheld`` when it cannot be known."""
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
        rows, results = answer.rows, answer.results
        if answer.row is not None and not await self._kept(call, [answer.row], marks):
            marks.check_project(_project_in(call.table, answer.row))
            raise Withheld("It cannot be known whether the user shares this row, so it was not read.")
        return replace(
            answer,
            rows=_left(call.table, rows, await self._kept(call, rows, marks)),
            results=_left(call.table, results, await self._kept(call, results, marks)),
        )

    async def _kept(self, call: ClientCall, rows: Sequence[Row], marks: Marks) -> Sequence[Row]:
        """Those of the rows that are shared. What belongs to a project by another row has that row asked for."""
        table = call.table
        if table is None or not rows:
            return ()
        if table is Table.TASK_COMMENTS:
            return await self._by_owner(rows, Table.TASKS, "taskId", marks)
        if call.action is CallAction.VECTOR_SEARCH:
            return await self._by_owner(rows, table, "id", marks)
        return [row for row in rows if marks.shares(table, row)]

    async def _by_owner(self, rows: Sequence[Row], table: Table, column: str, marks: Marks) -> Sequence[Row]:
        """Those whose owner, the row of ``table`` that ``column`` names, is shared."""
        ids = sorted({text(row, column) for row in rows} - {""})
        owners = await together(self._owner(table, row_id) for row_id in ids)
        shared = {
            row_id
            for row_id, owner in zip(ids, owners, strict=True)
            if owner is not None and marks.shares(table, owner)
        }
        return [row for row in rows if text(row, column) in shared]

    async def _owner(self, table: Table, row_id: str) -> Row | None:
        call = ClientCall(id=str(uuid4()), action=CallAction.GET, table=table, data={"id": row_id})
        try:
            return (await self._client.execute(call, on_late=lambda _: None)).row
        except ClientRefused:
            return None


def _check(call: ClientCall, marks: Marks) -> None:
    """Raises ``Withheld`` for a read that is by itself one of something marked."""
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
    """The snapshot without the rows of marked projects. Raises ``Withheld`` when the page is of one."""
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
    if part in _PAGE_PARTS:
        return True
    table = table_of_event(row) if part == EVENTS else TABLES.get(part)
    if table is None:
        return False
    if marks.shares(table, row):
        return True
    withhold(table, row)
    return False


def _left(table: Table, rows: Iterable[Row], kept: Sequence[Row]) -> tuple[Row, ...]:
    """``kept``; the others of ``rows`` are counted."""
    chosen = {id(row) for row in kept}
    for row in rows:
        if id(row) not in chosen:
            withhold(table, row)
    return tuple(kept)


def _project_in(table: Table, row: Row) -> JsonValue:
    return row.get("id" if table is Table.PROJECTS else "projectId")


def _without_echo(call: ClientCall, answer: ClientAnswer, marks: Marks) -> ClientAnswer:
    """``answer``, and of a row that is not shared only what the call itself has written, its id and its project."""
    if answer.row is None or call.table is None or _may_be_echoed(call, call.table, answer.row, marks):
        return answer
    data = call.data or {}
    updates = data.get("updates") if call.action is CallAction.UPDATE else data
    written = updates if isinstance(updates, dict) else {}
    ids = {name: answer.row[name] for name in ("id", "projectId") if name in answer.row}
    return replace(answer, row={**written, **ids})


def _may_be_echoed(call: ClientCall, table: Table, row: Row, marks: Marks) -> bool:
    if table in marks.tables:
        return False
    if table is Table.TASK_COMMENTS:
        # Its task may be of a marked project; what was just written is enough to say.
        return not marks.projects
    updates = (call.data or {}).get("updates")
    # A row that moves may come from a marked project, and the answer no longer says so.
    moves = call.action is CallAction.UPDATE and isinstance(updates, dict) and "projectId" in updates
    return marks.shares(table, row) and not (moves and marks.projects)
