"""How tools reach the tables on the user's device: through the executor in the current context.

Tools do not know whether it uses the device's own socket, a link to another process, or memory. A run of the assistant
has a ``RecordingClient``, which keeps the device's answers.
"""

import asyncio
import json
import uuid
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, ClassVar, Final, Protocol, TypeAlias, TypeVar
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from agents.calls import (
    CHANGES,
    AnsweredCall,
    CallAction,
    Change,
    ClientAnswer,
    ClientCall,
    Row,
    Rows,
    Table,
    changes_of,
)
from agents.errors import ClientAbsent, ClientError, ClientSilent, ModelRetry, ToolFailed
from agents.provenance import is_foreign
from agents.tools.arguments import moment_ms
from agents.tools.routes import Route
from agents.tools.rows import NOUNS, LineContext, ToolResult, list_rows, tell_row, text, title_of, told_ids
from agents.tools.spec import Risk, ToolSpec

T = TypeVar("T")

OnLate: TypeAlias = Callable[[ClientAnswer], None]


class ClientExecutor(Protocol):
    """Runs calls in the client's database."""

    def supports(self, action: CallAction) -> bool:
        """Whether the client supports ``action``. Every client supports all except ``page_details`` and ``undo``."""

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        """The client's answer to ``call``.

        ``on_late`` is called with an answer that arrives after the time-out. Raises ``ClientRefused`` (the client
        answered with an error, or in the wrong shape for the action), ``ClientSilent`` (no answer in time; a write may
        have happened) or ``ClientAbsent`` (it was never sent).
        """


@dataclass(eq=False, slots=True)
class _Lent:
    """The executor of a block, until the block ends.

    Contexts outlive turns: a connection to Redis or to a model keeps the context in which it was opened. Because the
    executor is removed from this object, such a context does not keep the rows that it has read.
    """

    executor: ClientExecutor | None


_lent: ContextVar[_Lent] = ContextVar("client_executor", default=_Lent(None))  # noqa: B039 - it stays empty


@contextmanager
def using_client(executor: ClientExecutor) -> Iterator[None]:
    """In the block, tools reach the client through ``executor``."""
    lent = _Lent(executor)
    token = _lent.set(lent)
    try:
        yield
    finally:
        _lent.reset(token)
        lent.executor = None


def client_supports(action: CallAction) -> bool:
    """Whether the user's device supports ``action``; False without a device."""
    executor = _lent.get().executor
    return executor is not None and executor.supports(action)


async def execute_on_client(
    action: CallAction,
    table: Table | None = None,
    data: Row | None = None,
    *,
    filters: Row | None = None,
    vector: Sequence[float] | None = None,
    limit: int | None = None,
    count: bool = False,
) -> ClientAnswer:
    """Run one call on the user's device. Raises as ``ClientExecutor.execute``."""
    executor = _lent.get().executor
    if executor is None:
        raise ClientAbsent
    call = ClientCall(
        id=str(uuid.uuid4()),
        action=action,
        table=table,
        data=data,
        filters=filters,
        vector=None if vector is None else tuple(vector),
        limit=limit,
        count=count,
    )
    return await executor.execute(call, on_late=lambda _answer: None)


async def together(*work: Coroutine[Any, Any, T]) -> list[T]:
    """The results of ``work``, run concurrently, in order. The first failure cancels the others and is raised."""
    if len(work) == 1:  # needs no task of its own
        return [await work[0]]
    try:
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(one) for one in work]
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return [task.result() for task in running]


SELECT_LIMIT: Final = 500
NOTHING_GIVEN: Final = "Nothing was given that should change."
"""The beginning of the result of a change without a value."""


def filled(**values: JsonValue) -> dict[str, JsonValue]:
    """The values without None and empty texts, which models send for “not given”."""
    return {name: value for name, value in values.items() if value not in (None, "")}


async def select(table: Table, limit: int = SELECT_LIMIT, /, **filters: JsonValue) -> ClientAnswer:
    """The rows of ``table`` that match ``filters``, without empty ones; at most ``limit``."""
    return await execute_on_client(CallAction.SELECT, table, filters=filled(**filters), limit=limit, count=True)


async def insert(table: Table, **columns: JsonValue) -> Row:
    """Insert a row, without empty columns. Returns it as the client created it."""
    return (await execute_on_client(CallAction.INSERT, table, filled(**columns))).row or {}


async def update(table: Table, row_id: str, updates: dict[str, JsonValue]) -> Row:
    """Change a row's columns (None clears one). Raises ``ModelRetry`` if nothing is given or there is no such row."""
    if not updates:
        raise ModelRetry(f"{NOTHING_GIVEN} Say which column of the {NOUNS[table]} gets which value.")
    answer = await execute_on_client(CallAction.UPDATE, table, {"id": row_id, "updates": updates})
    if answer.row is None:
        raise _missing(table, row_id)
    return answer.row


async def find(table: Table, row_id: str) -> ClientAnswer:
    """The answer with the row of this id, or without a row if there is none."""
    return await execute_on_client(CallAction.GET, table, {"id": row_id})


async def get(table: Table, row_id: str) -> Row:
    """The row of this id. Raises ``ModelRetry`` if there is none."""
    row = (await find(table, row_id)).row
    if row is None:
        raise _missing(table, row_id)
    return row


async def delete(table: Table, row_id: str) -> ToolResult:
    """Delete a row, and say so, with its title if that was read before. Raises ``ModelRetry`` if there is none."""
    executor = _lent.get().executor
    row = executor.row(table, row_id) if isinstance(executor, RecordingClient) else None
    answer = await execute_on_client(CallAction.DELETE, table, {"id": row_id})
    if not answer.deleted:
        raise _missing(table, row_id)
    title = title_of(row) if row else ""
    named = f" {json.dumps(title, ensure_ascii=False)}" if title else ""
    return ToolResult(text=f"Deleted the {NOUNS[table]}{named} [id {row_id}].", rows={table: Rows()})


def _missing(table: Table, row_id: str) -> ModelRetry:
    return ModelRetry(f"There is no {NOUNS[table]} with the id {row_id}. Look the right id up first.")


async def lines_of(rows: Sequence[Row], now: datetime, timezone: ZoneInfo) -> LineContext:
    """The context of the lines of ``rows``. Does not raise."""
    today = now.astimezone(timezone).date()
    clients = await _names(rows, "clientId", Table.CLIENTS)
    return LineContext(timezone=timezone, today=today, projects=await project_names(rows), clients=clients)


async def project_names(rows: Sequence[Row]) -> Mapping[str, str]:
    """The names of the projects of ``rows``, by their ids, as far as the device returns them. Does not raise."""
    return await _names(rows, "projectId", Table.PROJECTS, includeArchived=True)


async def _names(rows: Sequence[Row], column: str, table: Table, **filters: JsonValue) -> Mapping[str, str]:
    """The names of the rows of ``table`` to which ``column`` refers, by their ids."""
    executor, wanted = _lent.get().executor, {text(row, column) for row in rows} - {""}
    if not wanted:
        return {}
    read = [executor.row(table, row_id) for row_id in wanted] if isinstance(executor, RecordingClient) else []
    # The rows of a page may include the project itself.
    names = {text(row, "id"): text(row, "name") for row in (*rows, *filter(None, read))}
    if wanted - names.keys():
        # A failure must not hide a change that was made before.
        with suppress(ClientError):
            answer = await select(table, **filters)
            names = {text(row, "id"): text(row, "name") for row in answer.rows}
    return {row_id: names[row_id] for row_id in wanted & names.keys()}


class RowTool(ToolSpec, abstract=True):
    """A tool for the rows of one table, ``changes``, even if it only reads them."""

    changes: ClassVar[Table]

    timezone: ZoneInfo = Route.context(init=False)
    now: Callable[[], datetime] = Route.context(init=False)

    @property
    def today(self) -> date:
        """The user's day."""
        return self.now().astimezone(self.timezone).date()

    def moment(self, said: str) -> int:
        """As ``moment_ms``, for the user's day."""
        return moment_ms(said, self.today, self.timezone)

    async def lines(self, rows: Sequence[Row]) -> LineContext:
        """As ``lines_of``."""
        return await lines_of(rows, self.now(), self.timezone)

    async def list_rows(self, **filters: JsonValue) -> ToolResult:
        """The rows that ``select`` finds, as a listing."""
        answer = await select(self.changes, **filters)
        return list_rows(self.changes, answer, await self.lines(answer.rows))

    async def tell_row(self, done: str, row: Row) -> ToolResult:
        """A sentence with what was ``done`` to the row."""
        return tell_row(done, self.changes, row, await self.lines([row]))

    async def insert_row(self, done: str = "Created", /, **columns: JsonValue) -> ToolResult:
        """Insert a row and say so, with ``done`` as the verb."""
        return await self.tell_row(done, await insert(self.changes, **columns))

    async def update_row(self, row_id: str, updates: dict[str, JsonValue]) -> ToolResult:
        """Change a row and say so. Raises as ``update``."""
        return await self.tell_row("Updated", await update(self.changes, row_id, updates))


class DeleteTool(RowTool, abstract=True):
    """Deletes the row whose id is the one argument."""

    risk = Risk.DESTRUCTIVE

    async def execute(self) -> ToolResult:
        [row_id] = self.arguments.values()
        return await delete(self.changes, str(row_id))


def renamed_from(row_id: str, results: Sequence[AnsweredCall]) -> Row | None:
    """The row as it was before one of ``results`` changed its title; None if none did.

    If it was not read before, it has only its id.
    """
    renamed = next((at for at, each in enumerate(results) if _renames(each, row_id)), None)
    if renamed is None:
        return None
    read = (row for each in reversed(results[:renamed]) for _, row in _rows_in(each) if row.get("id") == row_id)
    return next(read, {"id": row_id})


def _renames(answered: AnsweredCall, row_id: str) -> bool:
    data = answered.call.data or {}
    updates = data.get("updates")
    is_update = (
        answered.call.action is CallAction.UPDATE and data.get("id") == row_id and answered.answer.row is not None
    )
    return is_update and isinstance(updates, Mapping) and not updates.keys().isdisjoint(("title", "name"))


def _rows_in(answered: AnsweredCall) -> Iterator[tuple[Table, Row]]:
    """The rows that exist according to the answer, with their tables."""
    table, answer = answered.call.table, answered.answer
    yield from ((undone.table, undone.after) for undone in answer.undone if undone.after is not None)
    if table is not None:
        yield from ((table, row) for row in (*answer.rows, answer.row or {}))


class RecordingClient:
    """The ``ClientExecutor`` of one run of the assistant. It keeps the device's answers in ``tool_results``.

    Reads may run concurrently; writes are sent one by one. A change whose outcome is unknown is not sent again in the
    same run. ``by`` names who writes, and ``request_id`` the request for which it does.
    """

    def __init__(self, client: ClientExecutor, *, by: str = "", request_id: str = "") -> None:
        self.by = by
        self._request_id = request_id
        self._client = client
        self._writing = asyncio.Lock()
        self._unknown: set[str] = set()
        self.tool_results: list[AnsweredCall] = []
        self._rows: dict[Table, dict[str, Row]] = {table: {} for table in Table}
        self._deleted: set[tuple[Table, str]] = set()
        self._foreign: set[str] = set()

    def tells_foreign(self, told: str) -> bool:
        """Whether ``told`` has the id of a foreign row, even as the project of another row, or in an error."""
        return bool(self._foreign) and bool(told_ids([told], self._foreign))

    def supports(self, action: CallAction) -> bool:
        return self._client.supports(action)

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        """As ``ClientExecutor.execute``. Raises ``ToolFailed`` for a change like one whose outcome is unknown."""
        if not call.is_write:
            return await self._recorded(call, on_late)
        call = replace(call, by=self.by, request_id=self._request_id)
        async with self._writing:
            if self._unknown and call.fingerprint() in self._unknown:
                raise ToolFailed(
                    "This very change was sent before and the device did not answer, so its outcome is unknown. "
                    "It is not sent again: tell the user to check."
                )
            try:
                return await self._recorded(call, on_late)
            except ClientSilent:
                if call.action in CHANGES:
                    self._unknown.add(call.fingerprint())
                raise

    async def _recorded(self, call: ClientCall, on_late: OnLate) -> ClientAnswer:
        def record_late(answer: ClientAnswer) -> None:
            self._record(call, answer)
            on_late(answer)

        answer = await self._client.execute(call, on_late=record_late)
        self._record(call, answer)
        return answer

    def _record(self, call: ClientCall, answer: ClientAnswer) -> None:
        answered = AnsweredCall(call=call, answer=answer)
        self.tool_results.append(answered)
        for change in changes_of(answered):
            if change.action is CallAction.DELETE:
                self._rows[change.table].pop(change.id, None)
                self._deleted.add((change.table, change.id))
        for table, row in _rows_in(answered):
            if isinstance(row_id := row.get("id"), str):
                self._rows[table].pop(row_id, None)  # so that it becomes the last one
                self._rows[table][row_id] = row
                self._deleted.discard((table, row_id))  # a row may be restored
        named = (*(each.row for each in answer.undone), *(each.row for each in answer.conflicts))
        rows = (*answer.rows, answer.row or {}, *named)
        self._foreign |= {str(row.get("id")) for row in rows if is_foreign(row)}

    @property
    def changes(self) -> list[Change]:
        """What this run changed on the device, in order."""
        return [change for answered in self.tool_results for change in changes_of(answered)]

    def rows(self, table: Table) -> Sequence[Row]:
        """The rows of ``table`` that the device has returned, each once, in the order in which they were last returned.

        Rows that were deleted since are omitted.
        """
        return list(self._rows[table].values())

    def row(self, table: Table, row_id: str) -> Row | None:
        """The row with this id among ``rows``."""
        return self._rows[table].get(row_id)

    def has_deleted(self, table: Table, row_id: str) -> bool:
        """Whether this run has deleted the row."""
        return (table, row_id) in self._deleted
