"""The state changes of jobs: one worker runs a job at a time, it ends once, and its report is delivered once.

Each change is one conditional update: of two concurrent ones, the second finds no row to update. A sweep finds the jobs
on which no process works: their message was lost, their worker died, or their device does not come back. Several
processes may sweep at the same time.
"""

import json
import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Case, F, Min, Value, When
from django.db.models.functions import Coalesce, Now
from pydantic import ValidationError

from accounts.encryption import encrypted_columns
from accounts.errors import EncryptionError
from accounts.keys.vault import open_vault
from accounts.locks import lock_user
from agents.errors import JobError, JobOver, TooManyJobs, UnknownJob
from agents.jobs.endings import Ending, end, end_with, give_up, readable_reports, vault_of
from agents.jobs.models import JobState, ToolJob, ToolJobQuerySet
from agents.jobs.records import (
    ClaimedJob,
    JobReport,
    JobStatus,
    NewJob,
    SweepResult,
    arguments_in,
    asked_in,
    asked_text,
    status_of,
)
from agents.permissions.approvals.repository import take
from agents.requests import MAX_NAME_CHARS, RequestOrigin, storable

logger = logging.getLogger(__name__)

ATTEMPTS: Final = 3
"""How many runs of a job may fail, or die."""
AGAIN: Final[Mapping[str, object]] = {
    "state": JobState.QUEUED,
    "claimed_by": "",
    "lease_until": None,
    "waiting_since": None,
    "queued_at": Now(),
    "published_at": None,
}
"""The columns of a job that is queued again."""
MAX_WAIT: Final = timedelta(hours=24)
"""How long a job waits for approval; and how long after its device was first away it may wait for the device."""
PUBLISH_WITHIN: Final = timedelta(seconds=10)
"""How long the creator of a job has to publish it."""
MESSAGE_LASTS: Final = timedelta(minutes=5)
"""A job that is queued for longer is published again: its message may be lost, and a second message does no harm."""
_AT_ONCE: Final = 500
"""How many jobs of a kind one sweep handles; the next sweep handles the others."""


def create(
    origin: RequestOrigin, new: NewJob, *, now: datetime, approved: bool = True, most: int | None = None
) -> JobStatus:
    """Return the job of this call: the one that the request has already created, or a new one. It is queued if it is
    ``approved``; otherwise it waits for approval.

    Raises ``TooManyJobs`` for a new job if ``most`` other jobs of the user have not ended, and what ``open_vault``
    raises.
    """
    with transaction.atomic():
        # Locked: two simultaneous calls must create only one job, and the key must not change meanwhile.
        lock_user(origin.user_id)
        vault = open_vault(origin.user_id)
        # Sorted, so that the same arguments in another order are the same text.
        arguments = json.dumps(dict(new.arguments), sort_keys=True)
        row = ToolJob(
            id=uuid4(),
            user_id=origin.user_id,
            request_id=storable(origin.request_id),
            session_id=storable(origin.session_id),
            device_id=origin.device_id,
            program=storable(origin.program)[:MAX_NAME_CHARS],
            tool=new.tool,
            label=new.label,
            call_key=vault.digest("job call", json.dumps([new.tool, arguments])),
            state=JobState.QUEUED if approved else JobState.WAITING_APPROVAL,
            waiting_since=None if approved else now,
            queued_at=now if approved else None,
            created_at=now,
        )
        known = ToolJob.objects.for_user(row.user_id).filter(request_id=row.request_id, call_key=row.call_key).first()
        if known is not None:
            return status_of(known)
        if most is not None and ToolJob.objects.for_user(row.user_id).under_way().count() >= most:
            raise TooManyJobs(most)
        row.arguments_encrypted = vault.seal(row, "arguments_encrypted", arguments)
        row.asked_encrypted = vault.seal(row, "asked_encrypted", asked_text(new.asked))
        row.save(force_insert=True)
        return status_of(row)


def approve(user_id: UUID, job_id: UUID) -> bool:
    """Queue a job that waits for the user's approval. Returns False if there is no such job, or it does not wait."""
    waiting = ToolJob.objects.for_user(user_id).filter(id=job_id, state=JobState.WAITING_APPROVAL)
    return waiting.update(**AGAIN) == 1


def adopt(approval_id: UUID, origin: RequestOrigin, new: NewJob, *, now: datetime) -> JobStatus | None:
    """Use the approval and create the job that runs what it allows; None if the approval has been used already.

    In one transaction, so that no approval is used without a job. Raises what ``create`` raises.
    """
    with transaction.atomic():
        # The user is locked first, as everywhere that both are locked.
        lock_user(origin.user_id)
        if not take(approval_id, now=now):
            return None
        job = create(origin, new, now=now, approved=False)
        # Separately, because the job may have existed already, and waited for approval.
        approve(origin.user_id, job.id)
        return job


def published(job_ids: Iterable[UUID], *, now: datetime) -> None:
    """Record that a message about each of these jobs was published, for those that are still queued."""
    ToolJob.objects.filter(id__in=list(job_ids), state=JobState.QUEUED).update(published_at=now)


def claim(job_id: UUID, owner: str, *, now: datetime, lease: timedelta) -> ClaimedJob | None:
    """Claim the job in order to run it. None if another run holds it, if it has ended or waits, or if it cannot be
    read; in the last case it fails.

    ``owner`` names this run, not its worker: a worker that lost a job and claims it again is a new owner. A job whose
    lease has expired may be claimed.
    """
    with transaction.atomic():
        vault = vault_of(job_id)
        free = ToolJob.objects.filter(id=job_id).claimable(now, attempts=ATTEMPTS)
        if isinstance(vault, JobState):
            end(free, vault, now=now)
            return None
        taken = free.update(
            state=JobState.RUNNING,
            claimed_by=owner,
            lease_until=now + lease,
            attempts=F("attempts") + 1,
            started_at=Coalesce("started_at", Value(now)),
            queued_at=Case(When(state=JobState.QUEUED, then=F("queued_at"))),
        )
        if not taken:
            return None
        row = ToolJob.objects.get(id=job_id)
        try:
            arguments, asked = arguments_in(row, vault), asked_in(row, vault)
        except (EncryptionError, ValidationError) as error:
            # Not the error itself, because a validation error quotes the text.
            logger.warning("job %s fails, because it cannot be read: %s", job_id, type(error).__name__)
            give_up(_held(job_id, owner), job_id, Ending.UNREADABLE, now=now)
            return None
        return ClaimedJob(
            status=status_of(row),
            arguments=arguments,
            asked=asked,
            attempt=row.attempts,
            program=row.program,
            queued_at=row.queued_at,
        )


def renew(job_id: UUID, owner: str, *, now: datetime, lease: timedelta) -> bool:
    """Renew the lease from ``now`` on. Returns False if the job is lost or is to be cancelled: then the run must stop.

    An expired lease can be renewed until another worker claims the job.
    """
    return _held(job_id, owner).filter(cancel_requested_at=None).update(lease_until=now + lease) == 1


def progress(job_id: UUID, owner: str, *, fraction: float | None, label: str) -> bool:
    """Record the progress (0 to 1) and the label of the current step. Returns False if the job is lost."""
    return _held(job_id, owner).update(fraction=fraction, label=label) == 1


def cancel_if_asked(job_id: UUID, owner: str, *, now: datetime) -> bool:
    """End the job as cancelled if the user has asked for that. Returns whether it did: then the run must stop."""
    return end(_held(job_id, owner).filter(cancel_requested_at__isnull=False), JobState.CANCELLED, now=now)


def keep_waiting(job_id: UUID, owner: str, *, now: datetime) -> JobState | None:
    """Let the job wait for its device; the run does not count as an attempt. If the user asked to cancel it, it is
    cancelled.

    Returns the new state; None if the job was lost. A device that came back just before does not say hello again, so
    the caller must look for it afterwards.
    """
    with transaction.atomic():
        held = _held(job_id, owner).filter(cancel_requested_at=None)
        waiting = {**AGAIN, "state": JobState.WAITING_DEVICE, "waiting_since": now, "queued_at": None}
        away = Coalesce("first_away_at", Value(now))
        if held.update(first_away_at=away, attempts=F("attempts") - 1, **waiting):
            return JobState.WAITING_DEVICE
        return JobState.CANCELLED if cancel_if_asked(job_id, owner, now=now) else None


def hand_back(job_id: UUID, owner: str, *, now: datetime) -> JobState | None:
    """Queue the job again, because its worker stops before it has ended; the run does not count as an attempt.

    Returns the new state; None if the job was lost. If the user asked to cancel it, it is cancelled.
    """
    with transaction.atomic():
        held = _held(job_id, owner).filter(cancel_requested_at=None)
        if held.update(**AGAIN, attempts=F("attempts") - 1):
            return JobState.QUEUED
        return JobState.CANCELLED if cancel_if_asked(job_id, owner, now=now) else None


def device_back(user_id: UUID, device_id: str) -> list[UUID]:
    """Queue the jobs that waited for this device. Returns those to publish, the longest waiting first."""
    with transaction.atomic():
        waiting = ToolJob.objects.for_user(user_id).waiting_for(device_id).order_by("waiting_since", "id")
        ids = list(waiting.select_for_update(no_key=True).values_list("id", flat=True))
        ToolJob.objects.filter(id__in=ids).update(**AGAIN)
        return ids


def retry_or_fail(job_id: UUID, owner: str, reason: str, *, now: datetime) -> JobState | None:
    """Queue the job again after a failed run; after the last attempt, end it as failed. The user reads ``reason``.

    Returns the new state; None if the job was lost. If the user asked to cancel it, it is cancelled.
    """
    with transaction.atomic():
        again = _held(job_id, owner).filter(attempts__lt=ATTEMPTS, cancel_requested_at=None)
        if again.update(**AGAIN):
            return JobState.QUEUED
        if cancel_if_asked(job_id, owner, now=now):
            return JobState.CANCELLED
        return fail(job_id, owner, reason, now=now)


def finish(job_id: UUID, owner: str, response: str, *, now: datetime) -> JobState | None:
    """End the job as done, even if the user asked to cancel it: that came too late.

    Returns the new state: failed if the user's key cannot be opened, cancelled if the user is gone; None if the job
    was lost.
    """
    return end_with(_held(job_id, owner), job_id, JobState.DONE, response, now=now)


def fail(job_id: UUID, owner: str, reason: str, *, now: datetime) -> JobState | None:
    """End the job as failed. The user reads ``reason``. Returns the same as ``finish``."""
    return end_with(_held(job_id, owner), job_id, JobState.FAILED, reason, now=now)


def under_way(user_id: UUID, request_id: str) -> list[UUID]:
    """The jobs of a request that have not ended."""
    jobs = ToolJob.objects.for_user(user_id).filter(request_id=request_id).under_way()
    return list(jobs.values_list("id", flat=True))


def needed_devices(user_id: UUID) -> set[str]:
    """The user's devices on which jobs run that have not ended."""
    return set(ToolJob.objects.for_user(user_id).under_way().values_list("device_id", flat=True))


def request_cancel(user_id: UUID, job_id: UUID, *, now: datetime) -> JobStatus:
    """Cancel the job and return its status. A running job is asked to stop, and may finish before it does.

    Raises ``UnknownJob``, or ``JobOver`` if it has ended in another way.
    """
    with transaction.atomic():
        # Locked: otherwise a job that starts or stops running meanwhile could be missed by both updates.
        jobs, row = _locked(user_id, job_id)
        if row.state in (JobState.DONE, JobState.FAILED, JobState.DELIVERED):
            raise JobOver(row.state)
        if row.state == JobState.RUNNING:
            jobs.filter(cancel_requested_at=None).update(cancel_requested_at=now)
        elif row.state != JobState.CANCELLED:
            end(jobs, JobState.CANCELLED, now=now, cancel_requested_at=now)
        return status_of(jobs.defer(*encrypted_columns(ToolJob)).get())


def retry(user_id: UUID, job_id: UUID) -> JobStatus:
    """Queue a failed job again with all its attempts. The next sweep publishes it.

    The steps in its journal are not repeated. Raises ``AccountGone``, ``UnknownJob``, ``JobOver``, and ``JobError`` if
    ``may_retry`` is false.
    """
    with transaction.atomic():
        # Otherwise a key rotation could write the failure back meanwhile.
        lock_user(user_id)
        jobs, row = _locked(user_id, job_id)
        if row.state in (JobState.DONE, JobState.CANCELLED, JobState.DELIVERED):
            raise JobOver(row.state)
        if not may_retry(row):
            raise JobError
        first = {"attempts": 0, "fraction": None, "first_away_at": None, "cancel_requested_at": None}
        jobs.update(**AGAIN, **first, failure_encrypted="", finished_at=None)
        return status_of(jobs.defer(*encrypted_columns(ToolJob)).get())


def may_retry(job: ToolJob) -> bool:
    """Whether the job has failed after a run had started, and no device has shown the failure yet.

    A job that never ran may never have been approved; and a device that has shown a job's end is done with it.
    """
    return job.state == JobState.FAILED and job.started_at is not None and job.delivered_at is None


def _locked(user_id: UUID, job_id: UUID) -> tuple[ToolJobQuerySet, ToolJob]:
    """A query for the job alone, and its row without ciphertext, locked until the transaction ends.

    Raises ``UnknownJob``.
    """
    jobs = ToolJob.objects.for_user(user_id).filter(id=job_id)
    row = jobs.select_for_update(no_key=True).defer(*encrypted_columns(ToolJob)).first()
    if row is None:
        raise UnknownJob
    return jobs, row


def look(job_id: UUID) -> JobReport | None:
    """The job's current report; None if the job is gone or cannot be read."""
    return next(iter(readable_reports(list(ToolJob.objects.filter(id=job_id)))), None)


def undelivered(user_id: UUID, device_id: str) -> list[JobReport]:
    """The reports of this device's ended jobs that it has not confirmed, without those that cannot be read."""
    rows = ToolJob.objects.for_user(user_id).untold().filter(device_id__in=(device_id, ""))
    return readable_reports(list(rows.order_by("finished_at", "id")))


def undelivered_devices(user_ids: Collection[UUID]) -> set[tuple[UUID, str]]:
    """The devices of these users for which ``undelivered`` is not empty, as pairs of user and device, in one query.

    The device's id is empty for jobs of any device of the user.
    """
    return _devices_of(ToolJob.objects.untold(), user_ids)


def concerned_devices(user_ids: Collection[UUID]) -> set[tuple[UUID, str]]:
    """As ``undelivered_devices``, and also the devices for which ``device_back`` would queue jobs; one query."""
    return _devices_of(ToolJob.objects.of_arriving(), user_ids)


def _devices_of(jobs: ToolJobQuerySet, user_ids: Collection[UUID]) -> set[tuple[UUID, str]]:
    of_users = jobs.filter(user_id__in=user_ids)
    return set(of_users.order_by().values_list("user_id", "device_id").distinct())


def delivered(user_id: UUID, job_id: UUID, *, now: datetime) -> bool:
    """Record that the device knows how the job ended. Returns False if that was recorded already."""
    told = Case(When(state=JobState.DONE, then=Value(JobState.DELIVERED)), default=F("state"))
    untold = ToolJob.objects.for_user(user_id).untold().filter(id=job_id)
    return untold.update(state=told, delivered_at=now) == 1


def sweep(*, now: datetime) -> SweepResult:
    """End what is overdue, and find what is to be published again. A few short transactions."""
    ToolJob.objects.lapsed(now).filter(attempts__lt=ATTEMPTS, cancel_requested_at=None).update(**AGAIN)
    ended = end_overdue(now=now)
    unpublished = ToolJob.objects.unpublished(made_before=now - PUBLISH_WITHIN, published_before=now - MESSAGE_LASTS)
    publish = tuple(unpublished.order_by("created_at", "id").values_list("id", flat=True)[:_AT_ONCE])
    queued = ToolJob.objects.filter(state=JobState.QUEUED)
    oldest: datetime | None = queued.aggregate(oldest=Min("queued_at"))["oldest"]
    return SweepResult(publish=publish, ended=ended, queued_since=oldest)


def end_overdue(*, now: datetime) -> tuple[JobStatus, ...]:
    """End the jobs that no run holds and that are to be cancelled or have no attempt left, and those that have waited
    too long. Returns the jobs that it ended.
    """
    lapsed, overdue = ToolJob.objects.lapsed(now), now - MAX_WAIT
    unapproved = ToolJob.objects.filter(state=JobState.WAITING_APPROVAL, waiting_since__lte=overdue)
    # The jobs to end, and why they failed; None for those that are cancelled.
    to_end: Sequence[tuple[ToolJobQuerySet, Ending | None]] = (
        (lapsed.filter(cancel_requested_at__isnull=False), None),
        (lapsed.filter(attempts__gte=ATTEMPTS), Ending.INTERRUPTED),
        (ToolJob.objects.away_since(overdue), Ending.DEVICE_AWAY),
        (unapproved, Ending.NOT_APPROVED),
    )
    ended: list[JobStatus] = []
    for jobs, ending in to_end:
        # One by one, so that no transaction holds the rows of two users.
        for job_id in list(jobs.values_list("id", flat=True)[:_AT_ONCE]):
            job = jobs.filter(id=job_id)
            over = end(job, JobState.CANCELLED, now=now) if ending is None else give_up(job, job_id, ending, now=now)
            if over and (row := ToolJob.objects.filter(id=job_id).defer(*encrypted_columns(ToolJob)).first()):
                ended.append(status_of(row))
    return tuple(ended)


def _held(job_id: UUID, owner: str) -> ToolJobQuerySet:
    return ToolJob.objects.filter(id=job_id).held_by(owner)
