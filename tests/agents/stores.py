"""The terminal's device at the port of tool calls: its own tables, filters and ledger, without a socket."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from agents.calls import CallAction, ClientAnswer, ClientCall, Table
from agents.errors import ClientAbsent, ClientRefused
from agents.tools.client import OnLate
from device.executor import Executor
from device.store import Store
from device.tables import TableName


@dataclass
class StoredClient:
    """A device for one run, with rows in a file.

    The writes of a run are numbered, as those of a job are, so a second run repeats the ids of the first one.
    The device is away after ``absent_after`` writes; ``refuses`` selects the calls that it refuses.
    """

    store: Store
    calls: list[ClientCall] = field(default_factory=list)
    absent_after: int | None = None
    refuses: Callable[[ClientCall], bool] = lambda _: False

    @property
    def writes(self) -> list[tuple[CallAction, Table | None, dict[str, Any]]]:
        return [(call.action, call.table, dict(call.data or {})) for call in self.calls if call.is_write]

    def rows(self, table: Table) -> list[dict[str, Any]]:
        return [dict(row) for row in self.store.select(TableName(table), {})]

    def add(self, table: Table, **columns: Any) -> str:
        """Insert a row and return its id."""
        return str(self.store.insert(TableName(table), columns)["id"])

    def supports(self, action: CallAction) -> bool:
        return action is not CallAction.PAGE_DETAILS

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        self.calls.append(call)
        if self.refuses(call):
            raise ClientRefused("not now.")
        frame: dict[str, Any] = {"id": call.id, "action": call.action.value, "table": call.table}
        frame |= {"data": call.data, "filters": call.filters, "limit": call.limit}
        if call.is_write:
            frame["id"] = f"00000000-0000-4000-8000-{len(self.writes):012}"
            if self.absent_after is not None and len(self.writes) > self.absent_after:
                raise ClientAbsent
        answer: Any = Executor(self.store).execute({name: value for name, value in frame.items() if value is not None})
        if "error" in answer:
            raise ClientRefused(answer["error"])
        return ClientAnswer(row=answer.get("row"), rows=tuple(answer.get("rows", ())))
