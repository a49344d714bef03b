"""An in-memory fake of the user's device, at the port of tool calls."""

import itertools
from dataclasses import dataclass, field

from pydantic import JsonValue

from agents.calls import CHANGES, CallAction, ClientAnswer, ClientCall, Table
from agents.errors import ClientRefused
from agents.tools.client import OnLate

Row = dict[str, JsonValue]


@dataclass
class InMemoryClient:
    """Answers calls from plain rows and records every call; ``fail_with`` makes the next call raise."""

    rows: dict[Table, list[Row]] = field(default_factory=lambda: {table: [] for table in Table})
    vectors: dict[str, tuple[float, ...]] = field(default_factory=dict)
    calls: list[ClientCall] = field(default_factory=list)
    fail_with: Exception | None = None
    snapshots: bool = False
    """Whether it supports ``page_details``, which it answers with ``page``."""
    page: Row | None = None
    undo: ClientAnswer | None = None
    """What it answers an undo with, which it does not support without."""
    late: list[tuple[ClientCall, OnLate]] = field(default_factory=list)
    _ids: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    @property
    def last(self) -> ClientCall:
        return self.calls[-1]

    @property
    def last_change(self) -> ClientCall:
        return [call for call in self.calls if call.action in CHANGES][-1]

    def supports(self, action: CallAction) -> bool:
        optional = {CallAction.PAGE_DETAILS: self.snapshots, CallAction.UNDO: self.undo is not None}
        return optional.get(action, True)

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        self.calls.append(call)
        if self.fail_with is not None:
            self.late.append((call, on_late))
            error, self.fail_with = self.fail_with, None
            raise error
        return self.answer(call)

    def _whole(self, call: ClientCall) -> ClientAnswer:
        """The answer to a call that names no table."""
        if call.action is CallAction.PAGE_DETAILS:
            return ClientAnswer(row=self.page)
        if self.undo is None:
            raise ClientRefused("this device cannot undo changes.")
        return self.undo

    def answer(self, call: ClientCall) -> ClientAnswer:
        if call.action is CallAction.PAGE_DETAILS or call.action is CallAction.UNDO:
            return self._whole(call)
        assert call.table is not None
        rows = self.rows[call.table]
        data = dict(call.data or {})
        found = next((row for row in rows if row["id"] == data.get("id")), None)
        match call.action:
            case CallAction.SELECT:
                return ClientAnswer(rows=tuple(rows))
            case CallAction.GET:
                return ClientAnswer(row=found)
            case CallAction.INSERT:
                row: Row = {"id": f"new-{next(self._ids)}", "createdAt": 0, **data}
                rows.append(row)
                return ClientAnswer(row=row)
            case CallAction.UPDATE:
                if found is None:
                    return ClientAnswer()
                # A new row: earlier answers keep theirs.
                changed: Row = {**found, **data["updates"]}  # type: ignore[dict-item]
                rows[rows.index(found)] = changed
                return ClientAnswer(row=changed)
            case CallAction.DELETE:
                self.rows[call.table] = [row for row in rows if row is not found]
                return ClientAnswer(deleted=found is not None)
            case CallAction.VECTOR_UPSERT:
                assert call.vector is not None
                self.vectors[str(data["id"])] = call.vector
                return ClientAnswer()
            case CallAction.VECTOR_SEARCH:
                return ClientAnswer(
                    results=tuple({"id": row["id"], "content": row["content"], "score": 0.5} for row in rows)
                )
