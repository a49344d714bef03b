"""How long rows are kept: a rule for each table whose rows are deleted some days after their last event.

Parts of rows, such as the steps of a job, have a rule of their own, before that of the whole.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Model, OuterRef, QuerySet, Subquery

from agents.dialogues.models import Dialogue
from agents.jobs.models import ToolJob, ToolJobStep
from agents.permissions.approvals.models import Approval
from agents.permissions.disclosures.models import Disclosure
from agents.telemetry.models import TurnRecord, TurnTool


@dataclass(frozen=True, kw_only=True, slots=True)
class RetentionDays:
    """For how many days rows are kept; 0: until their user is erased. ``jobs`` includes approvals."""

    jobs: int
    disclosures: int
    turns: int
    dialogues: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RetentionRule:
    """The rule for one table. ``old`` returns the rows that are older than a moment by the column ``date``.

    A row with ``parts`` (a subquery with ``OuterRef``) is kept, because its deletion would wait for their locks.
    """

    name: str
    days: Callable[[RetentionDays], int]
    date: str
    old: Callable[[datetime], QuerySet[Model]]
    parts: QuerySet[Model] | None = None

    def due(self, moment: datetime) -> QuerySet[Model]:
        """Those of ``old`` that can be deleted now, the oldest first."""
        rows = self.old(moment)
        return (rows if self.parts is None else _without(rows, self.parts)).order_by(self.date)


def _without(rows: QuerySet[Model], others: QuerySet[Model]) -> QuerySet[Model]:
    """Those of ``rows`` without ``others``."""
    # Not EXISTS: PostgreSQL may then scan the whole table of the others for each batch.
    alone: QuerySet[Model] = rows.alias(other=Subquery(others.values("pk")[:1])).filter(other=None)
    return alone


def _old_approvals(moment: datetime) -> QuerySet[Model]:
    # An approval whose time is over cannot be answered, even if its state is still pending.
    of_request = ToolJob.objects.filter(user=OuterRef("user"), request_id=OuterRef("request_id"))
    return _without(Approval.objects.lapsed_before(moment), of_request.exclude(finished_at__lt=moment))


def _old_disclosures(moment: datetime) -> QuerySet[Model]:
    # A later run of a job looks up what an earlier run has sent.
    return _without(Disclosure.objects.before(moment), ToolJob.objects.under_way().filter(id=OuterRef("job_id")))


RULES: Final = (
    RetentionRule(
        name="steps of jobs",
        days=lambda kept: kept.jobs,
        date="job__finished_at",
        old=lambda moment: ToolJobStep.objects.filter(job__finished_at__lt=moment),
    ),
    RetentionRule(
        name="jobs",
        days=lambda kept: kept.jobs,
        date="finished_at",
        old=ToolJob.objects.over_before,
        parts=ToolJobStep.objects.filter(job=OuterRef("pk")),
    ),
    RetentionRule(name="approvals", days=lambda kept: kept.jobs, date="expires_at", old=_old_approvals),
    RetentionRule(name="disclosures", days=lambda kept: kept.disclosures, date="at", old=_old_disclosures),
    RetentionRule(
        name="tools of turns",
        days=lambda kept: kept.turns,
        date="started_at",
        old=lambda moment: TurnTool.objects.filter(started_at__lt=moment),
    ),
    RetentionRule(
        name="turns",
        days=lambda kept: kept.turns,
        date="started_at",
        old=TurnRecord.objects.before,
        parts=TurnTool.objects.filter(turn=OuterRef("pk")),
    ),
    RetentionRule(
        name="conversations",
        days=lambda kept: kept.dialogues,
        date="updated_at",
        old=Dialogue.objects.silent_since,
    ),
)
