"""One run of the assistant: what its tools asked of the device, and what came back."""

import asyncio
from collections.abc import Sequence
from functools import partial

from agents.calls import CHANGES, CallAction, Change, ClientAnswer, ClientCall, Exchange, Row, Table, change_of
from agents.errors import ClientSilent, ToolFailed
from agents.tools.client import ClientExecutor, OnLate


class Run:
    """Stands between a run's tools and the device, and keeps the raw answers (``tool_results``).

    Reads may be outstanding together; writes go one by one. A change whose outcome is unknown is not sent a second
    time in the same run.
    """

    def __init__(self, client: ClientExecutor) -> None:
        self._client = client
        self._writing = asyncio.Lock()
        self._unknown: set[str] = set()
        self.tool_results: list[Exchange] = []

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
        self.tool_results.append(Exchange(call=call, answer=answer))
        return answer

    def _late(self, call: ClientCall, on_late: OnLate, answer: ClientAnswer) -> None:
        self.tool_results.append(Exchange(call=call, answer=answer))
        on_late(answer)

    @property
    def changes(self) -> list[Change]:
        """What this run changed on the device, in order."""
        return [change for exchange in self.tool_results if (change := change_of(exchange)) is not None]

    def rows(self, table: Table) -> Sequence[Row]:
        """The rows of ``table`` that the device returned, each id once, in the order last returned.

        A row that was deleted since is not among them.
        """
        found: dict[str, Row] = {}
        for exchange in self.tool_results:
            if exchange.call.table is not table:
                continue
            if exchange.call.action is CallAction.DELETE:
                found.pop(str((exchange.call.data or {}).get("id")), None)
            for row in _rows_of(exchange.answer):
                _put_last(found, row)
        return list(found.values())


def _rows_of(answer: ClientAnswer) -> Sequence[Row]:
    return answer.rows if answer.row is None else (*answer.rows, answer.row)


def _put_last(found: dict[str, Row], row: Row) -> None:
    row_id = row.get("id")
    if isinstance(row_id, str):
        found.pop(row_id, None)
        found[row_id] = row
