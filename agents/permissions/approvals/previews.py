"""What a tool would do: it runs up to its first change, which is not made."""

from dataclasses import dataclass

from agents.calls import CHANGES, CallAction, ClientAnswer, ClientCall, Table
from agents.permissions.approvals.repository import Preview
from agents.tools.client import ClientExecutor, OnLate, clear_client_executor, get, set_client_executor
from agents.tools.spec import Risk, ToolSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class Effect:
    """A tool's first change: the action, the table, and the row before and after."""

    action: CallAction
    table: Table
    preview: Preview


class _WouldChange(Exception):
    """The tool reached its first change."""

    def __init__(self, call: ClientCall) -> None:
        super().__init__()
        self.call = call


@dataclass(frozen=True, kw_only=True, slots=True)
class _Trial:
    """Passes reads on, and raises ``_WouldChange`` for the first write."""

    client: ClientExecutor

    def supports(self, action: CallAction) -> bool:
        return self.client.supports(action)

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        if call.is_write:
            raise _WouldChange(call)
        return await self.client.execute(call, on_late=on_late)


async def effect_of(tool: ToolSpec, client: ClientExecutor) -> Effect | None:
    """The first change of ``tool``; None if it makes none, or not in a table.

    Changes nothing. Raises what the tool raises before its first change, ``ModelRetry`` if there is no such row, and as
    ``ClientExecutor.execute``.
    """
    if tool.changes is None or tool.risk is Risk.READ:
        return None
    token = set_client_executor(_Trial(client=client))
    try:
        call = await _first_change(tool)
        if call is None or call.action not in CHANGES or call.table is None:
            return None
        return Effect(action=call.action, table=call.table, preview=await _preview(call, call.table))
    finally:
        clear_client_executor(token)


async def _first_change(tool: ToolSpec) -> ClientCall | None:
    try:
        await tool.execute()
    except _WouldChange as change:
        return change.call
    return None


async def _preview(call: ClientCall, table: Table) -> Preview:
    data = dict(call.data or {})
    if call.action is CallAction.INSERT:
        return Preview(before=None, after=data)
    row = await get(table, str(data.get("id")))
    if call.action is CallAction.DELETE:
        return Preview(before=row, after=None)
    updates = data.get("updates")
    return Preview(before=row, after={**row, **(updates if isinstance(updates, dict) else {})})
