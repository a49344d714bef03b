"""What grows old: each kind of rows that is deleted so many days after the last that happened to them.

A kind is one table. Parts of rows, such as the steps of a job, are a kind of their own and stand before the whole.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Model, OuterRef, QuerySet, Subquery

from agents.dialogues.models import Dialogue
from agents.jobs.models import ToolJob, ToolJobStep
from agents.permissions.approvals.models import Approval
from agents.permissions.disclosures.entries import Disclosure
from agents.telemetry.models import TurnRecord, TurnTool


@dataclass(frozen=True, kw_only=True, slots=True)
class Kept:
    """For how many days rows are kept; 0: until their user is erased. ``jobs`` holds for approvals, too."""

    jobs: int
    disclosures: int
    turns: int
    dialogues: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """Rows of one table. ``old`` gives those that may go as of a moment, ``date`` is the column that says so.

    While a row has ``parts``, as seen from the row, it stays: whoever deleted it would have to wait for those who have
    locked them.
    """

    name: str
    days: Callable[[Kept], int]
    date: str
    old: Callable[[datetime], QuerySet[Model]]
    parts: QuerySet[Model] | None = None

    def due(self, moment: datetime) -> QuerySet[Model]:
        """Those of ``old`` that can go at once, the oldest first."""
        rows = self.old(moment)
        return (rows if self.parts is None else _without(rows, self.parts)).order_by(self.date)


def _without(rows: QuerySet[Model], others: QuerySet[Model]) -> QuerySet[Model]:
    """Those of ``rows`` for which there are no ``others``."""
    # Not EXISTS, for which the database may read the whole table of the others for each batch.
    alone: QuerySet[Model] = rows.alias(other=Subquery(others.values("pk")[:1])).filter(other=None)
    return alone


def _old_approvals(moment: datetime) -> QuerySet[Model]:
    # Nobody can answer one whose time is over, whether or not somebody has noted that it lapsed.
    of_request = ToolJob.objects.filter(user=OuterRef("user"), request_id=OuterRef("request_id"))
    return _without(Approval.objects.lapsed_before(moment), of_request.exclude(finished_at__lt=moment))


def _old_disclosures(moment: datetime) -> QuerySet[Model]:
    # A second run of a job looks for what the first has sent.
    return _without(Disclosure.objects.before(moment), ToolJob.objects.under_way().filter(id=OuterRef("job_id")))


KINDS: Final = (
    Kind(
        name="steps of jobs",
        days=lambda kept: kept.jobs,
        date="job__finished_at",
        old=lambda moment: ToolJobStep.objects.filter(job__finished_at__lt=moment),
    ),
    Kind(
        name="jobs",
        days=lambda kept: kept.jobs,
        date="finished_at",
        old=ToolJob.objects.over_before,
        parts=ToolJobStep.objects.filter(job=OuterRef("pk")),
    ),
    Kind(name="approvals", days=lambda kept: kept.jobs, date="expires_at", old=_old_approvals),
    Kind(name="disclosures", days=lambda kept: kept.disclosures, date="at", old=_old_disclosures),
    Kind(
        name="tools of turns",
        days=lambda kept: kept.turns,
        date="started_at",
        old=lambda moment: TurnTool.objects.filter(started_at__lt=moment),
    ),
    Kind(
        name="turns",
        days=lambda kept: kept.turns,
        date="started_at",
        old=TurnRecord.objects.before,
        parts=TurnTool.objects.filter(turn=OuterRef("pk")),
    ),
    Kind(
        name="conversations",
        days=lambda kept: kept.dialogues,
        date="updated_at",
        old=Dialogue.objects.silent_since,
    ),
)
