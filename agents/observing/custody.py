"""Turns and quotas in custody: what of them their user takes along."""

from typing import Final, cast

from django.db.models import Model

from accounts.custody import Exported, PlainTable
from agents.observing.models import TurnRecord
from agents.quotas.models import UserQuota


def _exported(row: Model) -> Exported:
    turn = cast("TurnRecord", row)
    return {
        "id": str(turn.id),
        "request_id": turn.request_id,
        "kind": turn.kind,
        "source": turn.source,
        "agent": turn.agent,
        "model": turn.model,
        "started_at": turn.started_at.isoformat(),
        "duration_ms": turn.duration_ms,
        "first_text_ms": turn.first_text_ms,
        "model_requests": turn.model_requests,
        "input_tokens": turn.input_tokens,
        "output_tokens": turn.output_tokens,
        "tool_calls": turn.tool_calls,
        "tool_failures": turn.tool_failures,
        "outcome": turn.outcome,
        "error_code": turn.error_code,
    }


def _quota(row: Model) -> Exported:
    quota = cast("UserQuota", row)
    return {"turns": quota.turns, "tokens": quota.tokens, "updated_at": quota.updated_at.isoformat()}


# The tools of a turn go with it, and say no more to its user than its own numbers do.
PLAIN_TABLES: Final = (
    PlainTable(model=TurnRecord, rows_of=TurnRecord.objects.for_user, export=_exported),
    PlainTable(model=UserQuota, rows_of=UserQuota.objects.for_user, export=_quota),
)
