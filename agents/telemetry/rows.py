"""Turns as rows."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import IntegrityError, transaction

from accounts.models import User
from agents.names import MAX_NAME_CHARS, MAX_TOOL_CHARS, storable
from agents.telemetry.models import MAX_CODE_CHARS, TurnRecord, TurnTool
from agents.telemetry.turns import ObservedTurn, ToolUse

_ATTEMPTS: Final = 3


def save_turns(turns: Sequence[ObservedTurn]) -> None:
    """Write the turns of all users that are still there. Again is no error: what is written stays as it is."""
    for attempt in range(_ATTEMPTS):
        try:
            _save(turns)
        except IntegrityError:
            # A user was erased between the look and the end of the transaction.
            if attempt == _ATTEMPTS - 1:
                raise
        else:
            return


@transaction.atomic(durable=True)
def _save(turns: Sequence[ObservedTurn]) -> None:
    written = set(TurnRecord.objects.filter(id__in=[turn.id for turn in turns]).values_list("id", flat=True))
    users = set(User.objects.filter(id__in={turn.origin.user_id for turn in turns}).values_list("id", flat=True))
    new = [turn for turn in turns if turn.origin.user_id in users and turn.id not in written]
    TurnRecord.objects.bulk_create([_record(turn) for turn in new])
    TurnTool.objects.bulk_create([row for turn in new for row in _tools(turn)])


def _record(turn: ObservedTurn) -> TurnRecord:
    origin, usage = turn.origin, turn.usage
    return TurnRecord(
        id=turn.id,
        user_id=origin.user_id,
        request_id=storable(origin.request_id)[:MAX_NAME_CHARS],
        kind=origin.kind.value,
        source=origin.source.value,
        agent=turn.agent[:MAX_TOOL_CHARS],
        model=turn.model[:MAX_NAME_CHARS],
        started_at=turn.started_at,
        duration_ms=_ms(turn.duration_s),
        first_text_ms=None if turn.first_text_s is None else _ms(turn.first_text_s),
        model_requests=len(turn.generations),
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        tool_calls=len(turn.tools),
        tool_failures=turn.failed_tools,
        outcome=turn.outcome.value,
        error_code=turn.error_code[:MAX_CODE_CHARS],
    )


def _tools(turn: ObservedTurn) -> Iterator[TurnTool]:
    uses: defaultdict[str, list[ToolUse]] = defaultdict(list)
    for use in turn.tools:
        uses[use.tool[:MAX_TOOL_CHARS]].append(use)
    for tool, some in uses.items():
        yield _tool(turn.id, turn.started_at, tool, some)


def _tool(turn_id: UUID, started_at: datetime, tool: str, uses: Sequence[ToolUse]) -> TurnTool:
    return TurnTool(
        turn_id=turn_id,
        started_at=started_at,
        tool=tool,
        calls=len(uses),
        failures=sum(not use.ok for use in uses),
        duration_ms=sum(_ms(use.ended_s - use.began_s) for use in uses),
    )


def _ms(seconds: float) -> int:
    return max(0, round(seconds * 1000))
