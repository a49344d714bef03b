"""Where jobs are kept: the port, and the database behind it."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, Protocol
from uuid import UUID

from channels.db import database_sync_to_async

from agents.jobs import journal, rows
from agents.jobs.models import JobState
from agents.jobs.records import ClaimedJob, JobReport, JobStanding, NewJob, Swept
from agents.jobs.sweep import end_overdue, sweep
from agents.permissions.approvals.questions import Origin


class JobStore(Protocol):
    """What turns, workers, sockets and the sweep do to jobs. Of two steps that exclude each other one happens."""

    async def create(self, origin: Origin, new: NewJob, *, now: datetime) -> JobStanding:
        """As ``rows.create``, and raises what it raises."""

    async def adopt(self, approval_id: UUID, origin: Origin, new: NewJob, *, now: datetime) -> JobStanding | None:
        """As ``rows.adopt``, and raises what it raises."""

    async def published(self, job_ids: Iterable[UUID], *, now: datetime) -> None:
        """As ``rows.published``."""

    async def claim(self, job_id: UUID, owner: str, *, now: datetime, lease: timedelta) -> ClaimedJob | None:
        """As ``rows.claim``."""

    async def renew(self, job_id: UUID, owner: str, *, now: datetime, lease: timedelta) -> bool:
        """As ``rows.renew``."""

    async def progress(self, job_id: UUID, owner: str, *, fraction: float | None, label: str) -> bool:
        """As ``rows.progress``."""

    async def step(self, job_id: UUID, owner: str, name: str, content: str, *, now: datetime) -> str:
        """As ``journal.step``, and raises what it raises."""

    async def steps(self, job_id: UUID) -> Mapping[str, str]:
        """As ``journal.steps``, and raises what it raises."""

    async def cancel_if_asked(self, job_id: UUID, owner: str, *, now: datetime) -> bool:
        """As ``rows.cancel_if_asked``."""

    async def keep_waiting(self, job_id: UUID, owner: str, *, now: datetime) -> JobState | None:
        """As ``rows.keep_waiting``."""

    async def device_back(self, user_id: UUID, device_id: str) -> Sequence[UUID]:
        """As ``rows.device_back``."""

    async def retry_or_fail(self, job_id: UUID, owner: str, reason: str, *, now: datetime) -> JobState | None:
        """As ``rows.retry_or_fail``."""

    async def finish(self, job_id: UUID, owner: str, response: str, *, now: datetime) -> JobState | None:
        """As ``rows.finish``."""

    async def fail(self, job_id: UUID, owner: str, reason: str, *, now: datetime) -> JobState | None:
        """As ``rows.fail``."""

    async def under_way(self, user_id: UUID, request_id: str) -> Sequence[UUID]:
        """As ``rows.under_way``."""

    async def request_cancel(self, user_id: UUID, job_id: UUID, *, now: datetime) -> JobStanding:
        """As ``rows.request_cancel``, and raises what it raises."""

    async def look(self, job_id: UUID) -> JobReport | None:
        """As ``rows.look``."""

    async def undelivered(self, user_id: UUID, device_id: str) -> Sequence[JobReport]:
        """As ``rows.undelivered``."""

    async def delivered(self, user_id: UUID, job_id: UUID, *, now: datetime) -> bool:
        """As ``rows.delivered``."""

    async def sweep(self, *, now: datetime) -> Swept:
        """As ``sweep``."""

    async def end_overdue(self, *, now: datetime) -> Sequence[JobStanding]:
        """As ``sweep.end_overdue``."""


# Not thread-sensitive: otherwise one slow query would stall every turn of the process.
_create: Final = database_sync_to_async(rows.create, thread_sensitive=False)
_adopt: Final = database_sync_to_async(rows.adopt, thread_sensitive=False)
_published: Final = database_sync_to_async(rows.published, thread_sensitive=False)
_claim: Final = database_sync_to_async(rows.claim, thread_sensitive=False)
_renew: Final = database_sync_to_async(rows.renew, thread_sensitive=False)
_progress: Final = database_sync_to_async(rows.progress, thread_sensitive=False)
_step: Final = database_sync_to_async(journal.step, thread_sensitive=False)
_steps: Final = database_sync_to_async(journal.steps, thread_sensitive=False)
_cancel_if_asked: Final = database_sync_to_async(rows.cancel_if_asked, thread_sensitive=False)
_keep_waiting: Final = database_sync_to_async(rows.keep_waiting, thread_sensitive=False)
_device_back: Final = database_sync_to_async(rows.device_back, thread_sensitive=False)
_retry_or_fail: Final = database_sync_to_async(rows.retry_or_fail, thread_sensitive=False)
_finish: Final = database_sync_to_async(rows.finish, thread_sensitive=False)
_fail: Final = database_sync_to_async(rows.fail, thread_sensitive=False)
_under_way: Final = database_sync_to_async(rows.under_way, thread_sensitive=False)
_request_cancel: Final = database_sync_to_async(rows.request_cancel, thread_sensitive=False)
_look: Final = database_sync_to_async(rows.look, thread_sensitive=False)
_undelivered: Final = database_sync_to_async(rows.undelivered, thread_sensitive=False)
_delivered: Final = database_sync_to_async(rows.delivered, thread_sensitive=False)
_sweep: Final = database_sync_to_async(sweep, thread_sensitive=False)
_end_overdue: Final = database_sync_to_async(end_overdue, thread_sensitive=False)


class DatabaseJobs:
    """The ``JobStore`` in the database: each step is one crossing from the event loop."""

    async def create(self, origin: Origin, new: NewJob, *, now: datetime) -> JobStanding:
        made: JobStanding = await _create(origin, new, now=now)
        return made

    async def adopt(self, approval_id: UUID, origin: Origin, new: NewJob, *, now: datetime) -> JobStanding | None:
        made: JobStanding | None = await _adopt(approval_id, origin, new, now=now)
        return made

    async def published(self, job_ids: Iterable[UUID], *, now: datetime) -> None:
        await _published(job_ids, now=now)

    async def claim(self, job_id: UUID, owner: str, *, now: datetime, lease: timedelta) -> ClaimedJob | None:
        claimed: ClaimedJob | None = await _claim(job_id, owner, now=now, lease=lease)
        return claimed

    async def renew(self, job_id: UUID, owner: str, *, now: datetime, lease: timedelta) -> bool:
        held: bool = await _renew(job_id, owner, now=now, lease=lease)
        return held

    async def progress(self, job_id: UUID, owner: str, *, fraction: float | None, label: str) -> bool:
        held: bool = await _progress(job_id, owner, fraction=fraction, label=label)
        return held

    async def step(self, job_id: UUID, owner: str, name: str, content: str, *, now: datetime) -> str:
        written: str = await _step(job_id, owner, name, content, now=now)
        return written

    async def steps(self, job_id: UUID) -> Mapping[str, str]:
        written: Mapping[str, str] = await _steps(job_id)
        return written

    async def cancel_if_asked(self, job_id: UUID, owner: str, *, now: datetime) -> bool:
        cancelled: bool = await _cancel_if_asked(job_id, owner, now=now)
        return cancelled

    async def keep_waiting(self, job_id: UUID, owner: str, *, now: datetime) -> JobState | None:
        state: JobState | None = await _keep_waiting(job_id, owner, now=now)
        return state

    async def device_back(self, user_id: UUID, device_id: str) -> Sequence[UUID]:
        queued: Sequence[UUID] = await _device_back(user_id, device_id)
        return queued

    async def retry_or_fail(self, job_id: UUID, owner: str, reason: str, *, now: datetime) -> JobState | None:
        state: JobState | None = await _retry_or_fail(job_id, owner, reason, now=now)
        return state

    async def finish(self, job_id: UUID, owner: str, response: str, *, now: datetime) -> JobState | None:
        state: JobState | None = await _finish(job_id, owner, response, now=now)
        return state

    async def fail(self, job_id: UUID, owner: str, reason: str, *, now: datetime) -> JobState | None:
        state: JobState | None = await _fail(job_id, owner, reason, now=now)
        return state

    async def under_way(self, user_id: UUID, request_id: str) -> Sequence[UUID]:
        found: Sequence[UUID] = await _under_way(user_id, request_id)
        return found

    async def request_cancel(self, user_id: UUID, job_id: UUID, *, now: datetime) -> JobStanding:
        standing: JobStanding = await _request_cancel(user_id, job_id, now=now)
        return standing

    async def look(self, job_id: UUID) -> JobReport | None:
        report: JobReport | None = await _look(job_id)
        return report

    async def undelivered(self, user_id: UUID, device_id: str) -> Sequence[JobReport]:
        reports: Sequence[JobReport] = await _undelivered(user_id, device_id)
        return reports

    async def delivered(self, user_id: UUID, job_id: UUID, *, now: datetime) -> bool:
        news: bool = await _delivered(user_id, job_id, now=now)
        return news

    async def sweep(self, *, now: datetime) -> Swept:
        swept: Swept = await _sweep(now=now)
        return swept

    async def end_overdue(self, *, now: datetime) -> Sequence[JobStanding]:
        ended: Sequence[JobStanding] = await _end_overdue(now=now)
        return ended
