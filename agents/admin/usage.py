"""What users have used of late, in the list of users."""

from datetime import timedelta
from typing import Final

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone as clock

from accounts.admin.user_columns import USER_COLUMNS, UserColumn
from agents.permissions.quotas import NO_TURNS
from agents.telemetry.models import TurnRecord

DAYS: Final = 30
"""Usage is that of the last so many days."""


def _recent() -> QuerySet[TurnRecord, TurnRecord]:
    since = clock.now() - timedelta(days=DAYS)
    return TurnRecord.objects.since(since).filter(user=OuterRef("pk")).order_by()


def _turns() -> Coalesce:
    turns = Count("id", filter=~Q(kind__in=[kind.value for kind in NO_TURNS]))
    return Coalesce(Subquery(_recent().values("user").annotate(n=turns).values("n")), 0)


def _tokens() -> Coalesce:
    tokens = Sum(F("input_tokens") + F("output_tokens"))
    return Coalesce(Subquery(_recent().values("user").annotate(n=tokens).values("n")), 0)


def _grouped(number: int) -> str:
    return f"{int(number):,}"


USER_COLUMNS.extend(
    [
        UserColumn(
            name="turns_of_late",
            title=f"turns ({DAYS} d)",
            permission="agents.view_turnrecord",
            value=_turns,
            shown=_grouped,
        ),
        UserColumn(
            name="tokens_of_late",
            title=f"tokens ({DAYS} d)",
            permission="agents.view_turnrecord",
            value=_tokens,
            shown=_grouped,
        ),
    ]
)
