"""How jobs reach the workers. The next sweep finds a job whose message the queue has not accepted."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID
from zoneinfo import ZoneInfo

from accounts.database import in_database
from accounts.errors import AccountGone, EncryptionError
from agents.errors import UnknownApproval
from agents.jobs import service
from agents.jobs.queue import QueueClient, QueueUnavailable, ToolExecution, ToolResult
from agents.jobs.records import Asked, JobStatus, NewJob
from agents.permissions.approvals.repository import Answered, Question, as_shown, asked
from agents.provenance import is_foreign
from agents.requests import RequestOrigin
from agents.tools.spec import registered_tools

logger = logging.getLogger(__name__)

MAX_JOBS: Final = 20
_CANCEL_S: Final = 5.0
"""How long it may take to cancel a job whose request was cancelled while the job was created."""


class JobStarter(Protocol):
    """Starts tools as jobs: a ``JobDispatch``, or a wrapper that also tells the device."""

    async def start(self, origin: RequestOrigin, new: NewJob) -> JobStatus:
        """Create and queue the job. Raises what ``agents.jobs.service.create`` raises."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JobDispatch:
    """Creates jobs and publishes messages about them. ``clock`` returns aware times.

    A user may have ``most_jobs`` that have not ended. Jobs of approvals that come after their request are not limited.
    Each sweep calls ``on_wait`` with the seconds that the oldest queued job has waited, 0 if there is none.
    """

    queue: QueueClient
    clock: Callable[[], datetime]
    on_wait: Callable[[float], None] = lambda _s: None
    most_jobs: int = MAX_JOBS

    async def start(self, origin: RequestOrigin, new: NewJob) -> JobStatus:
        """Create the job of this call and publish it. Raises what ``agents.jobs.service.create`` raises.

        If this is cancelled while it creates the job, the job is cancelled too.
        """
        creating = asyncio.ensure_future(
            in_database(service.create, origin, new, now=self.clock(), most=self.most_jobs)
        )
        try:
            status = await asyncio.shield(creating)
        except asyncio.CancelledError:
            # The thread keeps running, and the jobs of the request may have been cancelled before it creates this one.
            await self._cancel(creating)
            raise
        await self.publish([status.id])
        return status

    async def _cancel(self, creating: "asyncio.Future[JobStatus]") -> None:
        try:
            async with asyncio.timeout(_CANCEL_S):
                status = await creating
                await in_database(service.request_cancel, status.user_id, status.id, now=self.clock())
        except Exception as error:  # the boundary of a task that is cancelled  # noqa: BLE001
            logger.warning("a job of a cancelled request could not be cancelled: %s", type(error).__name__)

    async def publish(self, job_ids: Iterable[UUID]) -> None:
        """Publish these jobs. After a failure the sweep publishes the others, because each would wait for the queue."""
        sent: list[UUID] = []
        for job_id in job_ids:
            if not await self._sent(ToolExecution(job_id=job_id)):
                break
            sent.append(job_id)
        # A message that is lost with this process is not recorded, so that another process's sweep finds the job.
        if sent and self.queue.is_durable:
            await in_database(service.published, sent, now=self.clock())

    async def announce(self, status: JobStatus) -> None:
        """Publish that the job's state has changed."""
        await self._sent(ToolResult(job_id=status.id))

    async def device_back(self, user_id: UUID, device_id: str) -> None:
        """Publish the jobs that waited for this device."""
        await self.publish(await in_database(service.device_back, user_id, device_id))

    async def sweep(self) -> None:
        """Publish lost jobs again, and end overdue ones."""
        now = self.clock()
        found = await in_database(service.sweep, now=now)
        self.on_wait(0.0 if found.queued_since is None else max(0.0, (now - found.queued_since).total_seconds()))
        await self.publish(found.publish)
        for status in found.ended:
            await self.announce(status)

    async def _sent(self, message: ToolExecution | ToolResult) -> bool:
        try:
            await self.queue.publish(message)
        except QueueUnavailable as error:
            logger.warning("a message about job %s could not be published: %s", message.job_id, error)
            return False
        return True


def _may_be_foreign(origin: RequestOrigin, question: Question) -> bool:
    """Whether foreign text may be in the question: from a program, from a text that led to it, or from its row."""
    shown = question.preview
    rows = [] if shown is None else [row for row in (shown.before, shown.after) if row is not None]
    return bool(origin.program) or question.source is not None or any(map(is_foreign, rows))


@dataclass(frozen=True, kw_only=True, slots=True)
class UserLocale:
    """A user's language (an IETF tag) and time zone, for when no device sends them."""

    language: str
    timezone: ZoneInfo


@dataclass(frozen=True, kw_only=True, slots=True)
class LateApprovals:
    """Runs what a user approves after the request that asked has ended. ``locale`` reads the account's settings."""

    dispatch: JobDispatch
    locale: Callable[[UUID], Awaitable[UserLocale]]

    async def adopt(self, answered: Answered) -> bool:
        """Start the job. Returns False if the approval has been used already or cannot be read."""
        try:
            origin, question = await in_database(asked, answered.id)
            locale = await self.locale(answered.user_id)
            tool = registered_tools().get(question.tool)
            request = Asked(
                # Without the summary, which was written for the user and may name what no model has been sent.
                message="I approve this.",
                language=locale.language,
                timezone=locale.timezone,
                shown=as_shown(question.preview),
                foreign=_may_be_foreign(origin, question),
            )
            label = "" if tool is None else tool.label
            new = NewJob(tool=question.tool, label=label, arguments=question.arguments, asked=request)
            job = await in_database(service.adopt, answered.id, origin, new, now=self.dispatch.clock())
        except (AccountGone, EncryptionError, UnknownApproval):
            logger.warning("approval %s can no longer be used", answered.id)
            return False
        if job is not None:
            await self.dispatch.publish([job.id])
            await self.dispatch.announce(job)
        return job is not None
