"""The filter between the device and everything that reads from it. It hides the rows that the user never shares.

A hidden row is treated like an id that the device does not know, and every limit applies to the remaining rows. So no
answer depends on a hidden row. That a table is marked is no secret: the answer says so, and nothing is read.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID, uuid4

from agents.calls import CHANGES, MAX_ROWS, CallAction, ClientAnswer, ClientCall, Row, Table
from agents.errors import ClientRefused, ModelRetry, Withheld
from agents.permissions.sharing import Marks, MarkStore
from agents.tools.client import ClientExecutor, OnLate, together
from agents.tools.rows import NOUNS, text

_GROWTH: Final = 4
"""The factor by which the limit grows if too few rows of an answer are shared."""
MAX_FETCHED: Final = 32_000
"""The maximum number of rows that are requested, including hidden rows."""
_MAX_CONCURRENT_READS: Final = 50
_FILTERED_READS: Final = frozenset({CallAction.GET, CallAction.SELECT, CallAction.VECTOR_SEARCH})
_NO_SNAPSHOT: Final = "The page is read table by table, because a part of it may not be shared."


@dataclass(frozen=True, kw_only=True, slots=True)
class HiddenRow:
    """A row that exists on the device and that the user never shares."""

    table: Table
    row: Row


class SharingFilter:
    """The ``ClientExecutor`` whose answers can be sent to a model, in one turn or one run of a job.

    Each call uses the present marks. ``device`` bypasses the filter, for previews that only the user sees.
    """

    def __init__(self, device: ClientExecutor, store: MarkStore, user_id: UUID) -> None:
        self.device = device
        self._store = store
        self._user_id = user_id
        self._marks: Marks | None = None
        self._allowed: str | None = None
        self._written: dict[str, Row] = {}
        """Complete rows, by id, of whose answers only a part was returned."""
        self.changed = False
        """Whether the marks have changed since they were first read."""
        self.withheld = False
        """Whether a table, or a row that was requested by its id, was withheld."""

    async def marks(self) -> Marks:
        """The user's marks. Raises ``Withheld`` if they cannot be read."""
        before, self._marks = self._marks, await self._store.marks(self._user_id)
        self.changed |= before not in (None, self._marks)
        return self._marks

    def supports(self, action: CallAction) -> bool:
        """As ``ClientExecutor.supports``.

        The device shortens a page snapshot before it can be filtered. So a snapshot is used only if nothing is marked.
        """
        is_unmarked = self._marks is not None and not self._marks
        return (is_unmarked or action is not CallAction.PAGE_DETAILS) and self.device.supports(action)

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        """As ``ClientExecutor.execute``. Also raises ``Withheld`` for a marked table.

        Raises ``ModelRetry`` for a change that refers to a project or task that is unknown or hidden.
        """
        marks = await self.marks()
        if not marks:
            return await self.device.execute(call, on_late=on_late)
        if call.action in CHANGES:
            return await self._change(call, marks, on_late)
        if call.action is CallAction.VECTOR_UPSERT:
            return await self.device.execute(self._with_project(call), on_late=on_late)
        if call.action is CallAction.UNDO:
            return await self._undo(call, marks)
        return await self._read(call, marks)

    async def check(self, call: ClientCall) -> None:
        """Raise the errors of ``execute`` for a change, without sending it to the device."""
        marks = await self.marks()
        for table, row_id in _references(call):
            marks.check_table(table, "changed")
            if not await self._knows(table, row_id, marks):
                raise ModelRetry(f"There is no such {NOUNS[table]}. Look the right id up first.")
        if (target := _target(call)) is not None:
            marks.check_table(target[0], "changed")

    async def hidden_in(self, call: ClientCall) -> Sequence[HiddenRow]:
        """The hidden rows that the change ``call`` concerns."""
        marks = await self.marks()
        named = [*_references(call), *([target] if (target := _target(call)) is not None else [])]
        rows = [HiddenRow(table=table, row=row) for table, row_id in named if (row := await self._row(table, row_id))]
        return [each for each in rows if not await self._is_shared(each.table, each.row, marks)]

    def allow(self, call: ClientCall) -> None:
        """Allow this change of hidden rows once. The user has approved it."""
        self._allowed = call.fingerprint()

    async def _change(self, call: ClientCall, marks: Marks, on_late: OnLate) -> ClientAnswer:
        is_allowed, self._allowed = self._allowed == call.fingerprint(), None
        if not is_allowed:
            await self.check(call)
            target = _target(call)
            if target is not None and marks.projects and await self._hides(*target, marks):
                return await self._as_unknown(call)

        def filtered(answer: ClientAnswer) -> ClientAnswer:
            return self._filtered(call, answer, marks, was_hidden=is_allowed)

        return filtered(await self.device.execute(call, on_late=lambda late: on_late(filtered(late))))

    def _filtered(self, call: ClientCall, answer: ClientAnswer, marks: Marks, *, was_hidden: bool) -> ClientAnswer:
        """``answer``. Of a row that is not shared, only its id and the call's own values, without its project."""
        row, table, data = answer.row, call.table, call.data or {}
        if row is None or table is None:
            return answer
        # The task of a comment was checked before.
        is_shared = not was_hidden and (table is Table.TASK_COMMENTS or marks.shares(table, row))
        if is_shared and marks.shares_table(table):
            return answer
        self._written[text(row, "id")] = row
        updates = data.get("updates") if call.action is CallAction.UPDATE else data
        values = dict(updates) if isinstance(updates, dict) else {}
        if not is_shared:
            values.pop("projectId", None)
        return replace(answer, row={**values, "id": row.get("id")})

    def _with_project(self, call: ClientCall) -> ClientCall:
        """``call`` with the project of its note, which was withheld from the tool."""
        data = call.data or {}
        row = self._written.get(text(data, "id"))
        return call if row is None else replace(call, data={**data, "projectId": row.get("projectId")})

    async def _undo(self, call: ClientCall, marks: Marks) -> ClientAnswer:
        """The outcome of an undo, for shared rows only. A late answer is ignored, because its rows must be checked."""
        answer = await self.device.execute(call, on_late=_ignore)
        shared = await self._shared_part(answer, marks)
        if not answer.conflicts or shared.conflicts:
            return shared
        # All conflicts are in hidden rows.
        partial = replace(call, id=str(uuid4()), data={**(call.data or {}), "partial": True})
        return await self._shared_part(await self.device.execute(partial, on_late=_ignore), marks)

    async def _shared_part(self, answer: ClientAnswer, marks: Marks) -> ClientAnswer:
        undone = [each for each in answer.undone if await self._all_shared(each.table, marks, each.before, each.after)]
        conflicts = [
            each for each in answer.conflicts if await self._all_shared(each.table, marks, each.now, each.would_be)
        ]
        return replace(answer, undone=tuple(undone), conflicts=tuple(conflicts))

    async def _all_shared(self, table: Table, marks: Marks, *rows: Row | None) -> bool:
        return all([row is None or await self._is_shared(table, row, marks) for row in rows])

    async def _read(self, call: ClientCall, marks: Marks) -> ClientAnswer:
        if call.table is None or call.action not in _FILTERED_READS:
            raise Withheld(_NO_SNAPSHOT)
        try:
            marks.check_table(call.table)
        except Withheld:
            self.withheld = True
            raise
        if not marks.projects or call.table is Table.CLIENTS:
            return await self.device.execute(call, on_late=_ignore)
        if call.action is CallAction.GET:
            return await self._get(call, call.table, marks)
        return await self._list(call, call.table, marks)

    async def _get(self, call: ClientCall, table: Table, marks: Marks) -> ClientAnswer:
        try:
            answer = await self.device.execute(call, on_late=_ignore)
        except ClientRefused:
            # The reason may be the row itself: it may be too large, for example.
            return await self._as_unknown(call)
        if answer.row is None or await self._is_shared(table, answer.row, marks):
            return answer
        self.withheld = True
        return ClientAnswer()

    async def _list(self, call: ClientCall, table: Table, marks: Marks) -> ClientAnswer:
        """The first shared rows, up to the limit of the call. More rows are requested until there are enough."""
        wanted = call.limit or MAX_ROWS
        answer, limit = await self._first(call, wanted)
        first = answer
        is_unlimited, owners = False, dict[str, bool]()
        while True:
            rows = await self._shared(call, table, answer, marks, owners)
            received = len(answer.rows) + len(answer.results) + answer.omitted
            # A client that ignores limits returns all rows at once, of which the link keeps only the first.
            is_unlimited = is_unlimited or received > limit
            if not answer.omitted and (is_unlimited or received < limit or len(rows) >= wanted):
                break
            limit = received if is_unlimited else limit * _GROWTH
            if limit > MAX_FETCHED:
                break
            try:
                answer = await self._again(call, limit)
            except ClientRefused:  # more does not fit into one answer
                break
        if is_unlimited:
            return _answer(call, rows[:MAX_ROWS], omitted=max(0, len(rows) - MAX_ROWS))
        if len(rows) < wanted or call.action is not CallAction.SELECT:
            return _answer(call, rows[:wanted])
        count = None if first.uncounted else await self._shared_count(call, table, first, marks)
        kept = ClientAnswer(rows=tuple(rows[:wanted]))
        return replace(kept, uncounted=True) if count is None else replace(kept, unsent=max(0, count - wanted))

    async def _shared_count(self, call: ClientCall, table: Table, answer: ClientAnswer, marks: Marks) -> int | None:
        """The number of shared rows that match the filters, out of those that ``answer`` counts; None if unknown.

        The hidden rows are counted and subtracted, so the number depends only on shared rows.
        """
        if table not in _IN_PROJECTS:
            return None
        filters = call.filters or {}
        if "projectId" in filters:  # a shared project, since its rows are shared
            return _count(answer)
        hidden = [
            replace(call, id=str(uuid4()), filters={**filters, "projectId": project}, limit=1)
            for project in sorted(marks.projects)
        ]
        answers = await together(*(self.device.execute(each, on_late=_ignore) for each in hidden))
        return _count(answer) - sum(map(_count, answers))

    async def _first(self, call: ClientCall, wanted: int) -> tuple[ClientAnswer, int]:
        """An answer and its limit, which is lower than ``wanted`` if that many rows do not fit into one answer."""
        limit = wanted
        try:
            return await self.device.execute(call, on_late=_ignore), limit
        except ClientRefused as refusal:
            while call.action is CallAction.SELECT and (limit := limit // _GROWTH):
                try:
                    return await self._again(call, limit), limit
                except ClientRefused:
                    pass
            raise refusal from None

    async def _again(self, call: ClientCall, limit: int) -> ClientAnswer:
        return await self.device.execute(replace(call, id=str(uuid4()), limit=limit), on_late=_ignore)

    async def _as_unknown(self, call: ClientCall) -> ClientAnswer:
        """The device's answer to ``call`` with an unknown id in place of the call's id."""
        unknown = str(uuid4())
        data = {**(call.data or {}), "id": unknown}
        try:
            return await self.device.execute(replace(call, id=str(uuid4()), data=data), on_late=_ignore)
        except ClientRefused as error:
            raise ClientRefused(str(error).replace(unknown, text(call.data or {}, "id"))) from None

    async def _shared(
        self, call: ClientCall, table: Table, answer: ClientAnswer, marks: Marks, owners: dict[str, bool]
    ) -> Sequence[Row]:
        """The shared rows of ``answer``. Reads the owners of rows that do not contain their project."""
        rows = (*answer.rows, *answer.results)
        if table is Table.TASK_COMMENTS:
            return await self._owned(rows, Table.TASKS, "taskId", marks, owners)
        if call.action is CallAction.VECTOR_SEARCH:
            return await self._owned(rows, table, "id", marks, owners)
        return [row for row in rows if marks.shares(table, row)]

    async def _owned(
        self, rows: Sequence[Row], table: Table, column: str, marks: Marks, owners: dict[str, bool]
    ) -> Sequence[Row]:
        """The ``rows`` whose owner, the row of ``table`` with the id in ``column``, is shared.

        ``owners`` maps the ids of owners that were read to whether they are shared. It is extended.
        """
        ids = sorted({text(row, column) for row in rows} - {"", *owners})
        for start in range(0, len(ids), _MAX_CONCURRENT_READS):
            batch = ids[start : start + _MAX_CONCURRENT_READS]
            shared = await together(*(self._knows(table, row_id, marks) for row_id in batch))
            owners.update(zip(batch, shared, strict=True))
        return [row for row in rows if owners.get(text(row, column))]

    async def _is_shared(self, table: Table, row: Row, marks: Marks) -> bool:
        if not marks.shares_table(table):
            return False
        if table is Table.TASK_COMMENTS and marks.projects:
            return await self._knows(Table.TASKS, text(row, "taskId"), marks)
        return marks.shares(table, row)

    async def _knows(self, table: Table, row_id: str, marks: Marks) -> bool:
        row = await self._row(table, row_id)
        return row is not None and await self._is_shared(table, row, marks)

    async def _hides(self, table: Table, row_id: str, marks: Marks) -> bool:
        """Whether the row exists and is not shared, or the device refuses to return it."""
        try:
            row = await self._get_row(table, row_id)
        except ClientRefused:
            return True
        return row is not None and not await self._is_shared(table, row, marks)

    async def _row(self, table: Table, row_id: str) -> Row | None:
        try:
            return await self._get_row(table, row_id)
        except ClientRefused:
            return None

    async def _get_row(self, table: Table, row_id: str) -> Row | None:
        call = ClientCall(id=str(uuid4()), action=CallAction.GET, table=table, data={"id": row_id})
        return (await self.device.execute(call, on_late=_ignore)).row


def _ignore(_: ClientAnswer) -> None:
    """Ignore a late answer to a read."""


def _count(answer: ClientAnswer) -> int:
    return len(answer.rows) + answer.omitted + answer.unsent


def _answer(call: ClientCall, rows: Sequence[Row], *, omitted: int = 0) -> ClientAnswer:
    if call.action is CallAction.SELECT:
        return ClientAnswer(rows=tuple(rows), omitted=omitted)
    return ClientAnswer(results=tuple(rows), omitted=omitted)


_IN_PROJECTS: Final = frozenset({Table.TASKS, Table.CHECKPOINTS, Table.NOTES})
"""The tables whose rows contain their project, so that a device can count the rows of a project."""
_REFERENCES: Final = {"projectId": Table.PROJECTS, "taskId": Table.TASKS}


def _references(call: ClientCall) -> list[tuple[Table, str]]:
    """The rows to which the change would make its row refer."""
    data = call.data or {}
    values = data.get("updates") if call.action is CallAction.UPDATE else data
    if call.action is CallAction.DELETE or not isinstance(values, dict):
        return []
    named = ((table, values.get(column)) for column, table in _REFERENCES.items())
    return [(table, row_id) for table, row_id in named if isinstance(row_id, str) and row_id]


def _target(call: ClientCall) -> tuple[Table, str] | None:
    """The existing row that the call would change."""
    row_id = (call.data or {}).get("id")
    if call.action is CallAction.INSERT or call.table is None or not isinstance(row_id, str):
        return None
    return call.table, row_id
