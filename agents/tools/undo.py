"""``undo_changes``: the device, which keeps a journal, undoes what the assistant or a program has changed there."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from agents.calls import CallAction, ClientAnswer, NamedRows, Row, Rows, Table, UndoEffect
from agents.errors import ModelRetry, ToolFailed
from agents.tools.client import execute_on_client, lines_of
from agents.tools.routes import Route
from agents.tools.rows import LINES, NOUNS, LineContext, ToolResult, day_range
from agents.tools.spec import Agent, Risk, ToolSpec

NOTHING_TO_UNDO: Final = "There is nothing to undo."
NOTHING_UNDONE: Final = "Nothing was undone."
_REQUEST: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_DONE: Final = {
    UndoEffect.RESTORED: "Restored",
    UndoEffect.REMOVED: "Removed again",
    UndoEffect.REVERTED: "As before",
}
_MAX_TOLD: Final = 50


class UndoChanges(ToolSpec):
    """Undo what you changed."""

    agent = Agent.ALL
    group = "undo"
    risk = Risk.WRITE
    overwrites = True
    label = "Undoing"

    what: str = Route.prompt("last, today, or a request's id.", default="last")
    partial: bool = Route.prompt("Leave out rows that were changed since.", default=False)
    timezone: ZoneInfo = Route.context(init=False)
    now: Callable[[], datetime] = Route.context(init=False)
    program: str = Route.context(init=False)
    last_change: Callable[[], str | None] | None = Route.context(init=False)

    @property
    def lasting_arguments(self) -> Mapping[str, JsonValue]:
        last = self.last_change() if self.last_change is not None else None
        if self.program or self.what.strip().lower() != "last" or last is None:
            return self.arguments
        return {**self.arguments, "what": last}

    async def execute(self) -> ToolResult:
        data: Row = {"what": self._named(), "partial": self.partial}
        answer = await execute_on_client(CallAction.UNDO, data=data)
        rows = [*(undone.row for undone in answer.undone), *(conflict.row for conflict in answer.conflicts)]
        lines = await lines_of(rows, self.now(), self.timezone)
        if not answer.undone and not answer.conflicts:
            raise ToolFailed(NOTHING_TO_UNDO)
        if not answer.undone:
            raise ToolFailed(f"{NOTHING_UNDONE} {_conflicts(answer, lines)}")
        left = f"\n{_conflicts(answer, lines)}" if answer.conflicts else ""
        return ToolResult(text=f"Undone:\n{_undone(answer, lines)}{left}", rows=_rows(answer))

    def _named(self) -> dict[str, JsonValue]:
        """The changes, as a call names them. Raises ``ModelRetry`` or ``ToolFailed``."""
        today, what = self.now().astimezone(self.timezone).date(), self.what.strip()
        match what.lower():
            case "last" if self.program:
                return {"by": self.program}
            case "today" if self.program:
                return {"by": self.program, "since": day_range(today, self.timezone)[0]}
            case "last":
                request_id = self.last_change() if self.last_change is not None else None
                if request_id is None:
                    raise ToolFailed(f"{NOTHING_TO_UNDO} Nothing was changed in this conversation.")
                return {"request": request_id}
            case "today":
                return {"day": today.isoformat()}
            case _ if _REQUEST.fullmatch(what) and not self.program:
                # As the client wrote it: the device compares it letter by letter.
                return {"request": what}
            case _:
                raise ModelRetry(f"what is last or today, not {self.what!r}.")


def _undone(answer: ClientAnswer, lines: LineContext) -> str:
    told = [f"- {_DONE[row.effect]}: {_line(row.table, row.row, lines)}" for row in answer.undone]
    return _bounded(told)


def _conflicts(answer: ClientAnswer, lines: LineContext) -> str:
    told = [f"- {_line(row.table, row.row, lines)}" for row in answer.conflicts]
    return (
        f"Left as they are, because of what was changed since:\n{_bounded(told)}\n"
        "Tell the user, who may want the rest undone without them (partial)."
    )


def _line(table: Table, row: Row, lines: LineContext) -> str:
    return f"the {NOUNS[table]} {LINES[table](row, lines)}"


def _bounded(told: Sequence[str]) -> str:
    more = [f"- and {len(told) - _MAX_TOLD} more"] if len(told) > _MAX_TOLD else []
    return "\n".join([*told[:_MAX_TOLD], *more])


def _rows(answer: ClientAnswer) -> NamedRows:
    """The rows that were undone: as they are now, or, if they are removed again, as they were."""
    rows: dict[Table, tuple[Row, ...]] = {}
    for undone in answer.undone[:_MAX_TOLD]:
        rows[undone.table] = (*rows.get(undone.table, ()), undone.row)
    return {table: Rows(rows=found) for table, found in rows.items()}
