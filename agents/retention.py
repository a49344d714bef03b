"""The deletion of old rows, in short transactions that wait for no lock.

Each table whose rows are deleted some days after their last event has a rule. Parts of rows, such as the steps of a
job, have a rule of their own, before the rule of the whole. Locked rows are left for the next run. So any number of
processes can delete concurrently, and a killed process loses nothing.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Model, OuterRef, QuerySet, Subquery

from accounts.database import in_database
from accounts.idempotency import IdempotentAnswer
from accounts.progress import SILENT, Progress
from accounts.session_models import Device
from accounts.timezones import utc_now
from agents.dialogues.models import Dialogue
from agents.jobs.models import ToolJob, ToolJobStep
from agents.permissions.models import Approval, Disclosure
from agents.telemetry.models import TurnRecord, TurnTool
from memory.revisions import ForgottenRows

logger = logging.getLogger(__name__)

BATCH: Final = 1000
"""The maximum number of rows that one transaction deletes."""
FIRST_S: Final = 60.0
"""The delay before the first run, and before a retry after a database error."""
EVERY_S: Final = 6 * 3600.0
_PAUSE_S: Final = 0.1
"""The pause between two batches, in which other queries can run."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RetentionDays:
    """The number of days that rows are kept. 0: until their user is erased. ``jobs`` includes approvals."""

    jobs: int
    disclosures: int
    turns: int
    dialogues: int
    removed_devices: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RetentionRule:
    """The rule for one table: its rows are old ``days`` after the time in the column ``date``.

    A row is not old while rows of ``needed_by``, a subquery for the cutoff, need it. A row with ``parts`` is kept,
    because its deletion would wait for their locks. Both are subqueries with ``OuterRef``.
    """

    name: str
    model: type[Model]
    date: str
    days: Callable[[RetentionDays], int]
    needed_by: Callable[[datetime], QuerySet[Model]] | None = None
    parts: QuerySet[Model] | None = None

    def old(self, moment: datetime) -> QuerySet[Model]:
        """The rows that are old at the cutoff ``moment``."""
        rows = self.model._default_manager.filter(**{f"{self.date}__lt": moment})  # noqa: SLF001 - Django's public name
        return rows if self.needed_by is None else _without(rows, self.needed_by(moment))

    def due(self, moment: datetime) -> QuerySet[Model]:
        """The rows of ``old`` that can be deleted now, the oldest first."""
        rows = self.old(moment)
        return (rows if self.parts is None else _without(rows, self.parts)).order_by(self.date)


def _without(rows: QuerySet[Model], others: QuerySet[Model]) -> QuerySet[Model]:
    """The ``rows`` for which the subquery ``others`` finds none."""
    # Not EXISTS: with it, PostgreSQL may scan the whole table of the others for each batch.
    alone: QuerySet[Model] = rows.alias(other=Subquery(others.values("pk")[:1])).filter(other=None)
    return alone


RULES: Final = (
    RetentionRule(name="steps of jobs", model=ToolJobStep, date="job__finished_at", days=lambda kept: kept.jobs),
    RetentionRule(
        name="jobs",
        model=ToolJob,
        date="finished_at",
        days=lambda kept: kept.jobs,
        parts=ToolJobStep.objects.filter(job=OuterRef("pk")),
    ),
    RetentionRule(
        name="approvals",
        model=Approval,
        # An approval that has expired cannot be answered, even if its state is still pending.
        date="expires_at",
        days=lambda kept: kept.jobs,
        needed_by=lambda moment: ToolJob.objects.filter(
            user=OuterRef("user"), request_id=OuterRef("request_id")
        ).exclude(finished_at__lt=moment),
    ),
    RetentionRule(
        name="disclosures",
        model=Disclosure,
        date="at",
        days=lambda kept: kept.disclosures,
        # A later run of a job looks up the rows that an earlier run has sent.
        needed_by=lambda _moment: ToolJob.objects.under_way().filter(id=OuterRef("job_id")),
    ),
    RetentionRule(name="tools of turns", model=TurnTool, date="started_at", days=lambda kept: kept.turns),
    RetentionRule(
        name="turns",
        model=TurnRecord,
        date="started_at",
        days=lambda kept: kept.turns,
        parts=TurnTool.objects.filter(turn=OuterRef("pk")),
    ),
    RetentionRule(name="conversations", model=Dialogue, date="updated_at", days=lambda kept: kept.dialogues),
    # Also deletes their sign-ins, whose tokens have expired by then.
    RetentionRule(name="removed devices", model=Device, date="removed_at", days=lambda kept: kept.removed_devices),
    # An index that is older than the log reads all remaining rows instead.
    RetentionRule(name="log of forgotten rows", model=ForgottenRows, date="created_at", days=lambda _: 1),
    RetentionRule(name="answers by idempotency key", model=IdempotentAnswer, date="created_at", days=lambda _: 1),
    RetentionRule(name="staff sessions", model=Session, date="expire_date", days=lambda _: 1),
)


def cutoffs(days: RetentionDays, *, now: datetime) -> Iterator[tuple[RetentionRule, datetime]]:
    """Each rule that deletes rows, and the time before which rows are old."""
    for rule in RULES:
        if limit := rule.days(days):
            yield rule, now - timedelta(days=limit)


def count_old(days: RetentionDays, *, now: datetime) -> dict[str, int]:
    """The number of rows that ``delete_old`` would delete, by rule."""
    return {rule.name: rule.old(moment).count() for rule, moment in cutoffs(days, now=now)}


def delete_old(
    days: RetentionDays, *, now: datetime, batch: int = BATCH, progress: Progress = SILENT
) -> dict[str, int]:
    """Delete old rows; return their number by rule. Must not run inside a transaction."""
    progress.expect(sum(count_old(days, now=now).values()))
    deleted = {}
    for rule, moment in cutoffs(days, now=now):
        deleted[rule.name] = 0
        while count := delete_batch(rule, moment, batch=batch):
            deleted[rule.name] += count
            progress.advance(count)
    return deleted


@transaction.atomic(durable=True)
def delete_batch(rule: RetentionRule, moment: datetime, *, batch: int = BATCH) -> int:
    """Delete at most ``batch`` rows of a rule that are older than ``moment``, the oldest first; return their number."""
    locked = rule.due(moment).select_for_update(skip_locked=True, of=("self",))
    ids: list[UUID | int | str] = list(locked.values_list("pk", flat=True)[:batch])
    if ids:
        rule.model._default_manager.filter(pk__in=ids).only("pk").delete()  # noqa: SLF001 - Django's public name
    return len(ids)


def listed(counts: Mapping[str, int]) -> str:
    """The counts as text, such as "jobs 2, turns 1,000". Zeros are omitted."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)


class RetentionSweeper:
    """Deletes old rows ``first_s`` after ``begin``, and then every ``every_s`` seconds."""

    def __init__(
        self,
        days: RetentionDays,
        *,
        first_s: float = FIRST_S,
        every_s: float = EVERY_S,
        pause_s: float = _PAUSE_S,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._days = days
        self._first_s, self._every_s, self._pause_s = first_s, every_s, pause_s
        self._clock = clock
        self._task: asyncio.Task[None] | None = None
        self._failing = False

    def begin(self) -> None:
        """Start; idempotent."""
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._repeat(), name="deleting old rows")

    async def aclose(self) -> None:
        """Stop. A batch in progress is committed or, if the process ends first, rolled back."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def sweep(self) -> None:
        """Delete old rows once. Raises database errors."""
        deleted: dict[str, int] = {}
        try:
            for rule, moment in cutoffs(self._days, now=self._clock()):
                while count := await in_database(delete_batch, rule, moment):
                    deleted[rule.name] = deleted.get(rule.name, 0) + count
                    await asyncio.sleep(self._pause_s)
        finally:
            if deleted:
                logger.info("what was old has been deleted: %s", listed(deleted))

    async def _repeat(self) -> None:
        await asyncio.sleep(self._first_s)
        while True:
            try:
                await self.sweep()
                self._failing = False
            except Exception:  # the boundary of a task that outlives database failures
                if not self._failing:
                    logger.exception("deleting what is old failed; it is tried again")
                self._failing = True
            await asyncio.sleep(self._first_s if self._failing else self._every_s)
