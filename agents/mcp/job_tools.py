"""``get_job`` and ``cancel_job``, for the jobs that calls of programs have started.

A program cannot read the jobs of the user's own conversations, because these may contain what is never shared.
"""

import asyncio
import time
from collections.abc import Collection
from typing import Final
from uuid import UUID

from django.utils import timezone as clock

from accounts.database import in_database
from accounts.encryption import encrypted_columns
from accounts.keys.vault import open_vault
from agents.errors import JobOver, ModelRetry, ToolFailed, UnknownJob
from agents.jobs.endings import VAULT_ERRORS, report_in
from agents.jobs.models import OVER, JobState, ToolJob, ToolJobQuerySet
from agents.jobs.records import JobReport, JobStatus, status_of
from agents.jobs.service import request_cancel
from agents.mcp.under_way import current_call, described
from agents.tools.routes import Route
from agents.tools.rows import ToolResult
from agents.tools.spec import Agent, Risk, ToolSpec

MAX_WAIT_S: Final = 55
"""Many clients give up a request after a minute."""
_LOOK_EVERY_S: Final = 1.0
_NO_SUCH: Final = "There is no such job of a program: job_id is the id that the call answered with."

_WORDS: Final = {
    JobState.QUEUED: "waits in the queue",
    JobState.RUNNING: "is running",
    JobState.WAITING_APPROVAL: "waits for the user's approval, which they give in the app",
    JobState.WAITING_DEVICE: "waits for the user's device",
    JobState.CANCELLED: "was cancelled",
}


class _JobTool(ToolSpec, abstract=True):
    agent = Agent.PROGRAMS
    group = "jobs"

    job_id: UUID = Route.prompt("As the call that began it answered.")
    user_id: UUID = Route.context(init=False)

    async def _status(self) -> JobStatus:
        """The job's status, which becomes part of the result. Raises ``ModelRetry`` if the program may not read it."""
        status = (await in_database(statuses, self.user_id, [self.job_id])).get(self.job_id)
        if status is None or not current_call.get().may_read(status.tool):
            raise ModelRetry(_NO_SUCH)
        current_call.get().job = described(status)
        return status


class GetJob(_JobTool):
    """Look up a job that a call has begun: its state and, once it is done, its result."""

    risk = Risk.READ
    label = "Looking up a job"

    wait_s: int = Route.prompt(f"Seconds to wait for its end, 0 to {MAX_WAIT_S}.", default=0)

    async def execute(self) -> ToolResult:
        call, until = current_call.get(), time.monotonic() + min(max(self.wait_s, 0), MAX_WAIT_S)
        status = await self._status()
        while status.state not in OVER and time.monotonic() < until:
            await call.report(status.fraction or 0.0, 1.0, status.label)
            await asyncio.sleep(_LOOK_EVERY_S)
            status = await self._status()
        report = await in_database(_report, self.user_id, self.job_id)
        if report is None:
            raise ToolFailed("The server cannot open the texts of this job.")
        call.job = {**described(report.status), "response": report.response, "failure": report.failure}
        call.job_id = report.status.id
        return ToolResult(text=_told(report), foreign=True)


class CancelJob(_JobTool):
    """Stop a job that a call has begun. What it has done by then stays done."""

    risk = Risk.WRITE
    label = "Cancelling a job"

    async def execute(self) -> ToolResult:
        await self._status()
        try:
            status = await in_database(request_cancel, self.user_id, self.job_id, now=clock.now())
        except UnknownJob:
            raise ModelRetry(_NO_SUCH) from None
        except JobOver as over:
            raise ToolFailed(str(over)) from None
        current_call.get().job = described(status)
        stopped = status.state is JobState.CANCELLED
        return ToolResult(
            text="Cancelled: nothing more is done." if stopped else "It is asked to stop, and may be done first."
        )


def _of_programs(user_id: UUID) -> ToolJobQuerySet:
    return ToolJob.objects.for_user(user_id).exclude(program="")


def statuses(user_id: UUID, job_ids: Collection[UUID]) -> dict[UUID, JobStatus]:
    """The status of those of these jobs that programs have started, by id. One query."""
    jobs = _of_programs(user_id).filter(id__in=job_ids)
    return {row.id: status_of(row) for row in jobs.defer(*encrypted_columns(ToolJob))}


def _report(user_id: UUID, job_id: UUID) -> JobReport | None:
    row = _of_programs(user_id).filter(id=job_id).first()
    try:
        return None if row is None else report_in(row, open_vault(user_id))
    except VAULT_ERRORS:
        return None


def _told(report: JobReport) -> str:
    status = report.status
    if status.state in (JobState.DONE, JobState.DELIVERED):
        return report.response or "It is done."
    if status.state is JobState.FAILED:
        return f"The job has failed: {report.failure}"
    done = "" if status.fraction is None else f" ({round(status.fraction * 100)} % done)"
    return f"The job {_WORDS[status.state]}{done}."
