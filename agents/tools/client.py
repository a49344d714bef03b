"""How tools reach the tables on the user's device: through the executor that the current context holds.

The executor may be the device's own socket, a link to another process, or an in-memory one; tools cannot tell. That of
a run is a ``RecordingClient``, which keeps what the device answered.
"""

import asyncio
import uuid
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextvars import ContextVar, Token
from functools import partial
from typing import Any, Final, NoReturn, Protocol, TypeAlias, TypeVar

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
    change_of,
)
from agents.errors import ClientAbsent, ClientSilent, ModelRetry, ToolFailed
from agents.tools.rows import NOUNS, ToolResult

T = TypeVar("T")

OnLate: TypeAlias = Callable[[ClientAnswer], None]


class ClientExecutor(Protocol):
    """Runs calls in the client's database."""

    def supports(self, action: CallAction) -> bool:
        """Whether the client does ``action``. Every client does all actions but ``page_details``."""

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        """The client's answer to ``call``.

        ``on_late`` is called with an answer that comes after this has given up. Raises ``ClientRefused`` (the client
        answered with an error, or not in the shape that belongs to the action), ``ClientSilent`` (no answer in time;
        a write may have happened) or ``ClientAbsent`` (it was never sent).
        """


_executor: ContextVar[ClientExecutor | None] = ContextVar("client_executor", default=None)


def set_client_executor(executor: ClientExecutor) -> Token[ClientExecutor | None]:
    """Make ``executor`` the one that this context's tools use; pass the token to ``clear_client_executor``."""
    return _executor.set(executor)


def clear_client_executor(token: Token[ClientExecutor | None]) -> None:
    """Undo ``set_client_executor``."""
    _executor.reset(token)


def _ignore(_: ClientAnswer) -> None:
    return None


def client_supports(action: CallAction) -> bool:
    """Whether the user's device does ``action``; False without a device."""
    executor = _executor.get()
    return executor is not None and executor.supports(action)


async def execute_on_client(
    action: CallAction,
    table: Table | None = None,
    data: Row | None = None,
    *,
    filters: Row | None = None,
    vector: Sequence[float] | None = None,
    limit: int | None = None,
) -> ClientAnswer:
    """Run one call on the user's device. Raises as ``ClientExecutor.execute`` does."""
    executor = _executor.get()
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
    )
    return await executor.execute(call, on_late=_ignore)


async def together(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results of ``work``, run concurrently, in order. The first failure cancels the others and is raised."""
    try:
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(one) for one in work]
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return [task.result() for task in running]


SELECT_LIMIT: Final = 500


def filled(**values: JsonValue) -> dict[str, JsonValue]:
    """The values without None and empty text, which models send for "not given"."""
    return {name: value for name, value in values.items() if value not in (None, "")}


async def select(table: Table, **filters: JsonValue) -> ClientAnswer:
    """The rows of ``table`` where ``filters``, absent ones left out; at most ``SELECT_LIMIT``."""
    return await execute_on_client(CallAction.SELECT, table, filters=filled(**filters), limit=SELECT_LIMIT)


async def insert(table: Table, **columns: JsonValue) -> Row:
    """Insert a row without its absent columns; returns it as the client made it."""
    answer = await execute_on_client(CallAction.INSERT, table, filled(**columns))
    return answer.row or {}


async def update(table: Table, row_id: str, updates: dict[str, JsonValue]) -> Row:
    """Change a row's columns (None clears). Raises ``ModelRetry`` when nothing is given or there is no such row."""
    if not updates:
        one = NOUNS[table]
        raise ModelRetry(f"Nothing was given that should change. Say which column of the {one} gets which value.")
    answer = await execute_on_client(CallAction.UPDATE, table, {"id": row_id, "updates": updates})
    return _found(table, answer.row, row_id)


async def get(table: Table, row_id: str) -> Row:
    """One row by id. Raises ``ModelRetry`` when there is none."""
    answer = await execute_on_client(CallAction.GET, table, {"id": row_id})
    return _found(table, answer.row, row_id)


async def delete(table: Table, row_id: str) -> ToolResult:
    """Delete a row and say so. Raises ``ModelRetry`` when there is none."""
    answer = await execute_on_client(CallAction.DELETE, table, {"id": row_id})
    if not answer.deleted:
        _missing(table, row_id)
    return ToolResult(text=f"Deleted the {NOUNS[table]} [id {row_id}].", rows={table: Rows()})


def _found(table: Table, row: Row | None, row_id: str) -> Row:
    if row is None:
        _missing(table, row_id)
    return row


def _missing(table: Table, row_id: str) -> NoReturn:
    raise ModelRetry(f"There is no {NOUNS[table]} with the id {row_id}. Look the right id up first.")


class RecordingClient:
    """The ``ClientExecutor`` of one run of the assistant: it keeps what the device answered in ``tool_results``.

    Reads may be outstanding together; writes are sent one by one. A change whose outcome is unknown is not sent again
    in the same run.
    """

    def __init__(self, client: ClientExecutor) -> None:
        self._client = client
        self._writing = asyncio.Lock()
        self._unknown: set[str] = set()
        self.tool_results: list[AnsweredCall] = []

    def supports(self, action: CallAction) -> bool:
        return self._client.supports(action)

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        """As ``ClientExecutor.execute``; raises ``ToolFailed`` for a change whose twin's outcome is unknown."""
        if not call.is_write:
            return await self._recorded(call, on_late)
        async with self._writing:
            return await self._write(call, on_late)

    async def _write(self, call: ClientCall, on_late: OnLate) -> ClientAnswer:
        fingerprint = call.fingerprint()
        if fingerprint in self._unknown:
            raise ToolFailed(
                "This very change was sent before and the device did not answer, so its outcome is unknown. "
                "It is not sent again: tell the user to check."
            )
        try:
            return await self._recorded(call, on_late)
        except ClientSilent:
            if call.action in CHANGES:
                self._unknown.add(fingerprint)
            raise

    async def _recorded(self, call: ClientCall, on_late: OnLate) -> ClientAnswer:
        answer = await self._client.execute(call, on_late=partial(self._late, call, on_late))
        self.tool_results.append(AnsweredCall(call=call, answer=answer))
        return answer

    def _late(self, call: ClientCall, on_late: OnLate, answer: ClientAnswer) -> None:
        self.tool_results.append(AnsweredCall(call=call, answer=answer))
        on_late(answer)

    @property
    def changes(self) -> list[Change]:
        """What this run changed on the device, in order."""
        return [change for answered in self.tool_results if (change := change_of(answered)) is not None]

    def rows(self, table: Table) -> Sequence[Row]:
        """The rows of ``table`` that the device returned, each id once, in the order last returned.

        A row that was deleted since is not among them.
        """
        found: dict[str, Row] = {}
        for answered in self.tool_results:
            if answered.call.table is not table:
                continue
            if answered.call.action is CallAction.DELETE:
                found.pop(str((answered.call.data or {}).get("id")), None)
            for row in _rows_of(answered.answer):
                _put_last(found, row)
        return list(found.values())


def _rows_of(answer: ClientAnswer) -> Sequence[Row]:
    return answer.rows if answer.row is None else (*answer.rows, answer.row)


def _put_last(found: dict[str, Row], row: Row) -> None:
    row_id = row.get("id")
    if isinstance(row_id, str):
        found.pop(row_id, None)
        found[row_id] = row
