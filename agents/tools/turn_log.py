"""The latest turns, for staff to read over MCP: when, how long, with what, how they ended, but not what was said."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from accounts.database import in_database
from accounts.models import User
from agents.errors import ToolFailed
from agents.requests import storable
from agents.telemetry.models import TurnRecord
from agents.tools.routes import Route
from agents.tools.rows import ToolResult, to_iso
from agents.tools.spec import Agent, LocalService, Risk, ToolSpec

_SEE_TURNS: Final = "agents.view_turnrecord"
MAX_TURNS: Final = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class RecentTurns:
    """The ``LocalService`` of ``TurnLog``: the latest ``limit`` turns of all users, for ``user_id``, who must be staff.

    With ``request_id``, only those of one request: the turn, and the runs of the job that it started.
    """

    request_id: str | None
    limit: int
    user_id: UUID
    timezone: ZoneInfo

    async def execute(self) -> ToolResult:
        """Raises ``ToolFailed`` if the user may not see turns."""
        found = await in_database(self._found)
        if not found:
            return ToolResult(text="Found no turns.")
        count = "1 turn" if len(found) == 1 else f"{len(found)} turns"
        # The id comes from a client. As a JSON string it cannot pass for text of this list.
        lines = [
            f"- {to_iso(round(turn.started_at.timestamp() * 1000), self.timezone)} {turn.kind}: "
            f"{', '.join(_facts(turn))}; request {json.dumps(turn.request_id, ensure_ascii=False)}"
            for turn in found
        ]
        return ToolResult(text="\n".join([f"Found {count}, the newest first:", *lines]))

    def _found(self) -> Sequence[TurnRecord]:
        # Checked now: the caller may have lost the permission since the call began.
        staff = User.objects.filter(id=self.user_id, is_active=True, is_staff=True).first()
        if staff is None or not staff.has_perm(_SEE_TURNS):
            raise ToolFailed("Only staff who may see turn records may read this. Tell the user.")
        turns = TurnRecord.objects.all()
        if self.request_id is not None:
            turns = turns.filter(request_id=storable(self.request_id))
        return list(turns.prefetch_related("tools").order_by("-started_at")[: max(1, min(self.limit, MAX_TURNS))])


def _facts(turn: TurnRecord) -> Iterator[str]:
    yield f"{turn.outcome} ({turn.error_code})" if turn.error_code else turn.outcome
    yield f"{turn.duration_ms} ms"
    if turn.first_text_ms is not None:
        yield f"first text after {turn.first_text_ms} ms"
    if turn.agent:
        yield f"by {turn.agent}"
    if turn.model_requests:
        requests = "1 request" if turn.model_requests == 1 else f"{turn.model_requests} requests"
        yield f"{requests} to models with {turn.model or 'none'} last"
        yield f"{turn.input_tokens} tokens in and {turn.output_tokens} out"
    for tool in sorted(turn.tools.all(), key=lambda tool: tool.tool):
        failed = f", {tool.failures} failed" if tool.failures else ""
        yield f"{tool.tool} ({tool.calls}×{failed}, {tool.duration_ms} ms)"


class TurnLog(ToolSpec):
    """Look up the latest turns of the assistant, of all users: when, how long, which model and tools, how they ended.
    What was said is not kept.
    """

    agent = Agent.STAFF
    risk = Risk.READ
    label = "Looking up turns"
    staff_only = True
    service_cls: ClassVar[type[LocalService] | None] = RecentTurns

    request_id: str | None = Route.prompt("Only those of this request.", default=None)
    limit: int = Route.prompt("How many at most, 1 to 100.", default=20)
    user_id: UUID = Route.context(init=False)
    timezone: ZoneInfo = Route.context(init=False)
