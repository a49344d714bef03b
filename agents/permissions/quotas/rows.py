"""Quotas and what is used of them, as the database knows them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import Count, F, Q, Sum

from agents.allowances import QuotaOverride, Usage
from agents.kinds import RequestKind
from agents.permissions.quotas.models import UserQuota
from agents.telemetry.models import TurnRecord

NO_TURNS: Final = frozenset({RequestKind.JOB, RequestKind.MCP})
"""What is no turn of a conversation: of these only the tokens count."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CountedElsewhere:
    """What the rows may hold by now although it is counted already: whole turns by id, and turns under way.

    A turn under way has no id yet. Its row, should it end meanwhile, has its request id and began at ``since`` or
    later; an earlier one with the same request id is another.
    """

    ids: Collection[UUID] = ()
    request_ids: Collection[str] = ()
    since: datetime | None = None


def usage_written(user_id: UUID, *, since: datetime, elsewhere: CountedElsewhere) -> Usage:
    """What the user's turns used that began at ``since`` or later, in one query."""
    turns = ~Q(kind__in=[kind.value for kind in NO_TURNS])
    if elsewhere.request_ids and elsewhere.since is not None:
        turns &= ~Q(request_id__in=elsewhere.request_ids, started_at__gte=elsewhere.since)
    rows = TurnRecord.objects.for_user(user_id).since(since)
    if elsewhere.ids:
        rows = rows.exclude(id__in=elsewhere.ids)
    counted = rows.aggregate(
        turns=Count("id", filter=turns), tokens=Sum(F("input_tokens") + F("output_tokens"), default=0)
    )
    return Usage(turns=counted["turns"], tokens=int(counted["tokens"]))


def all_overrides() -> Mapping[UUID, QuotaOverride]:
    """What was decided, by user."""
    return {row.user_id: override_in(row) for row in UserQuota.objects.only("user_id", "turns", "tokens")}


def override_of(user_id: UUID) -> QuotaOverride:
    """What was decided of one user."""
    row = UserQuota.objects.for_user(user_id).first()
    return QuotaOverride() if row is None else override_in(row)


def override_in(row: UserQuota) -> QuotaOverride:
    return QuotaOverride(turns=row.turns, tokens=row.tokens)
