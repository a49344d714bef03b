"""The latest turns, for staff to read: when, how long, with what, how they ended, and not a word of what was said."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from channels.db import database_sync_to_async

from accounts.models import User
from agents.errors import ToolFailed
from agents.names import storable
from agents.telemetry.models import TurnRecord, TurnTool
from agents.tools.dates import to_iso

SEE_TURNS: Final = "agents.view_turnrecord"
MAX_TURNS: Final = 100
_REFUSED: Final = "Only staff who may see turn records may read this. Tell the user."


@dataclass(frozen=True, kw_only=True, slots=True)
class RecentTurns:
    """The ``LocalService`` that tells ``limit`` turns of all users, the newest first, to ``user_id``, one of the staff.

    With ``request_id`` those of one request: the turn, and the runs of the job that it began.
    """

    request_id: str | None
    limit: int
    user_id: UUID
    timezone: ZoneInfo

    async def execute(self) -> str:
        """Raises ``ToolFailed`` for everybody else."""
        # Not thread-sensitive: otherwise one slow query would stall every turn of the process.
        found: Sequence[TurnRecord] = await database_sync_to_async(self._found, thread_sensitive=False)()
        if not found:
            return "Found no turns."
        count = "1 turn" if len(found) == 1 else f"{len(found)} turns"
        return "\n".join([f"Found {count}, the newest first:", *(f"- {self._line(turn)}" for turn in found)])

    def _found(self) -> Sequence[TurnRecord]:
        # As in the admin, and of this moment: whoever called may have been staff when the call began.
        staff = User.objects.filter(id=self.user_id, is_active=True, is_staff=True).first()
        if staff is None or not staff.has_perm(SEE_TURNS):
            raise ToolFailed(_REFUSED)
        turns = TurnRecord.objects.all()
        if self.request_id is not None:
            turns = turns.filter(request_id=storable(self.request_id))
        return list(turns.prefetch_related("tools").order_by("-started_at")[: max(1, min(self.limit, MAX_TURNS))])

    def _line(self, turn: TurnRecord) -> str:
        at = to_iso(round(turn.started_at.timestamp() * 1000), self.timezone)
        # A client made the id up: as a JSON string it cannot end where it does not.
        return f"{at} {turn.kind}: {', '.join(_facts(turn))}; request {json.dumps(turn.request_id, ensure_ascii=False)}"


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
    yield from map(_tool, sorted(turn.tools.all(), key=lambda tool: tool.tool))


def _tool(tool: TurnTool) -> str:
    failed = f", {tool.failures} failed" if tool.failures else ""
    return f"{tool.tool} ({tool.calls}×{failed}, {tool.duration_ms} ms)"
