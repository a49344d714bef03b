"""Finds jobs without an owner: lost messages, dead workers, devices that do not come back.

Several processes may sweep at the same time.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from accounts.encryption import encrypted_columns
from agents.jobs.endings import Ending, end, give_up
from agents.jobs.models import JobState, ToolJob, ToolJobQuerySet
from agents.jobs.records import JobStatus, SweepResult
from agents.jobs.reports import status_of
from agents.jobs.service import AGAIN, ATTEMPTS

LONGEST_WAIT: Final = timedelta(hours=24)
"""How long a job waits to be approved, or from when its device was first away to when it must have gone on for good."""
PUBLISH_WITHIN: Final = timedelta(seconds=10)
"""How long the creator of a job has to publish it."""
MESSAGE_LASTS: Final = timedelta(minutes=5)
"""A job queued for longer is published again: its message may be lost, and a second one does no harm."""
_AT_ONCE: Final = 500
"""The rest is for the next sweep."""


def sweep(*, now: datetime) -> SweepResult:
    """End what is overdue, and find what is to be published again. A few short transactions."""
    ToolJob.objects.lapsed(now).filter(attempts__lt=ATTEMPTS, cancel_requested_at=None).update(**AGAIN)
    ended = end_overdue(now=now)
    unpublished = ToolJob.objects.unpublished(made_before=now - PUBLISH_WITHIN, published_before=now - MESSAGE_LASTS)
    publish = tuple(unpublished.order_by("created_at", "id").values_list("id", flat=True)[:_AT_ONCE])
    return SweepResult(publish=publish, ended=ended)


def end_overdue(*, now: datetime) -> tuple[JobStatus, ...]:
    """End what is overdue: jobs claimed too often, to be cancelled, or waiting too long. Returns the ended ones."""
    return tuple(status for jobs, ending in _overdue(now) for status in _ended(jobs, ending, now=now))


def _overdue(now: datetime) -> Iterator[tuple[ToolJobQuerySet, Ending | None]]:
    """What is to end, and why it failed; None where it is cancelled."""
    lapsed, overdue = ToolJob.objects.lapsed(now), now - LONGEST_WAIT
    yield lapsed.filter(cancel_requested_at__isnull=False), None
    yield lapsed.filter(attempts__gte=ATTEMPTS), Ending.INTERRUPTED
    yield ToolJob.objects.away_since(overdue), Ending.DEVICE_AWAY
    yield ToolJob.objects.unapproved_since(overdue), Ending.NOT_APPROVED


def _ended(jobs: ToolJobQuerySet, ending: Ending | None, *, now: datetime) -> Iterator[JobStatus]:
    # One by one, so that no transaction holds the rows of two users.
    for job_id in list(jobs.values_list("id", flat=True)[:_AT_ONCE]):
        job = jobs.filter(id=job_id)
        with transaction.atomic():
            over = end(job, JobState.CANCELLED, now=now) if ending is None else give_up(job, job_id, ending, now=now)
        if over and (row := ToolJob.objects.filter(id=job_id).defer(*encrypted_columns(ToolJob)).first()):
            yield status_of(row)
