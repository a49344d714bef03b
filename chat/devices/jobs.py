"""Sends devices the states of their jobs: each change once, and the result until the device acknowledges it."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from accounts.database import DATABASE_ERRORS, cause_of, in_database
from agents.errors import JobError
from agents.jobs import service
from agents.jobs.dispatch import JobDispatch
from agents.jobs.models import JobState
from agents.jobs.queue import Delivery, ToolResult, settled
from agents.jobs.records import JobReport, JobStatus, NewJob
from agents.jobs.worker import ToolWorker
from agents.requests import RequestOrigin
from chat.devices.arrivals import ArrivalHandler, connections_of
from chat.devices.connections import Connection, ConnectionManager
from chat.devices.links import DeviceKey
from chat.protocol.frames import server
from chat.protocol.frames.server import ErrorInfo
from chat.protocol.frames.vocabulary import Capability, ErrorCode
from chat.protocol.frames.vocabulary import JobState as FrameState
from chat.tasks import OwnedTasks

logger = logging.getLogger(__name__)

_ADOPT_EVERY_S: Final = 5.0
"""How often a process looks for approvals whose turn is gone, in seconds."""
_AWAY_S: Final = 2.0
"""The pause after the database could not be reached."""


def job_update(status: JobStatus, report: JobReport | None = None) -> server.JobUpdate:
    """The frame with a job's state, and with a ``report`` its result."""
    failure = None if report is None else report.failure
    return server.JobUpdate(
        job_id=str(status.id),
        request_id=status.request_id,
        session_id=status.session_id or None,
        state=FrameState(status.state.value),
        fraction=status.fraction,
        label=status.label or None,
        response=None if report is None else report.response,
        error=None if failure is None else ErrorInfo(code=ErrorCode.INTERNAL_ERROR, message=failure, retryable=True),
    )


@dataclass(kw_only=True, eq=False)
class JobNotifier:
    """The jobs of the devices that are connected to this process.

    ``announce`` asks the process to which a device is connected to send it the state of a job. ``worker`` runs jobs in
    this process if there are no separate workers. ``adopt_orphans`` creates jobs for calls that were approved after the
    end of their turn.
    """

    dispatch: JobDispatch
    connections: ConnectionManager
    announce: Callable[[DeviceKey, UUID], None]
    worker: ToolWorker | None
    adopt_orphans: Callable[[], Coroutine[Any, Any, None]]
    repeat_every_s: float = 30.0
    overdue_every_s: float = 60.0
    """How often a process without a worker ends overdue jobs."""
    _tasks: OwnedTasks = field(default_factory=OwnedTasks, init=False)
    _begun: bool = field(default=False, init=False)
    _working: asyncio.Task[None] | None = field(default=None, init=False)

    def begin(self) -> None:
        """Listen to the queue from now on. Idempotent."""
        if self._begun:
            return
        self._begun = True
        self._tasks.start(self._listen(), name="listening to jobs")
        if self.worker is not None:
            self._working = self._tasks.start(self.worker.run(), name="running jobs")
        else:
            # Workers do this as well, but none may be running. Jobs to run again are left to them.
            self._repeat(self._end_overdue, every_s=self.overdue_every_s, name="ending overdue jobs")
        self._repeat(self._send_results_again, every_s=self.repeat_every_s, name="sending results of jobs again")
        self._repeat(self.adopt_orphans, every_s=_ADOPT_EVERY_S, name="adopting approvals that have lost their turn")

    async def drain(self, within_s: float) -> None:
        """Start no more jobs, and wait for those that run here. Another worker continues those that take longer."""
        if self.worker is not None and self._working is not None:
            self.worker.stop()
            await asyncio.wait({self._working}, timeout=within_s)

    async def aclose(self) -> None:
        await self._tasks.aclose()
        await self.dispatch.queue.aclose()

    async def start(self, origin: RequestOrigin, new: NewJob) -> JobStatus:
        """Start a job for this call, and send its device the state. Raises as ``agents.jobs.service.create``."""
        status = await self.dispatch.start(origin, new)
        self._send_here(status, None)
        return status

    @property
    def arrival_handler(self) -> ArrivalHandler:
        """When a device connects, jobs that waited for it continue, and it is sent the results of jobs that ended."""
        return ArrivalHandler(name="jobs", find=service.concerned_devices, handle=self._arrived)

    async def acknowledged(self, user_id: UUID, job_id: UUID) -> None:
        """The user's device has the result of the job."""
        await in_database(service.delivered, user_id, job_id, now=self.dispatch.clock())

    async def cancel(self, user_id: UUID, request_id: str) -> bool:
        """Cancel the jobs of a request. A running one stops within seconds. Returns whether any had not ended."""
        cancelled = False
        for job_id in await in_database(service.under_way, user_id, request_id):
            with suppress(JobError):  # it has ended meanwhile
                await in_database(service.request_cancel, user_id, job_id, now=self.dispatch.clock())
                cancelled = True
                await self.show(job_id)
        return cancelled

    async def show(self, job_id: UUID, *, elsewhere: bool = True) -> None:
        """Send the job's device its state. With ``elsewhere``, over another process if it is not connected here."""
        report = await in_database(service.look, job_id)
        if report is not None and not self._send_here(report.status, report) and elsewhere:
            self.announce((report.status.user_id, report.status.device_id), job_id)

    def show_soon(self, job_id: UUID) -> None:
        """As ``show``, without waiting, for a device of this process. Another process has asked for it."""
        self._tasks.start(self.show(job_id, elsewhere=False), name="sending the state of a job")

    def _send_here(self, status: JobStatus, report: JobReport | None) -> bool:
        """Send the state to the job's device, or to the one used last. Returns whether that is connected here."""
        user_id, device_id = status.user_id, status.device_id
        device = (user_id, device_id) if device_id else self.connections.latest(user_id)
        connection = None if device is None else self.connections.connection(device)
        if connection is not None and status.state is not JobState.DELIVERED:
            connection.socket.send_soon(job_update(status, report))
        return connection is not None

    async def _arrived(self, connection: Connection) -> None:
        await self.dispatch.device_back(*connection.device)
        await self._send_results(connection)

    async def _send_results(self, connection: Connection) -> None:
        for report in await in_database(service.undelivered, *connection.device):
            connection.socket.send_soon(job_update(report.status, report))

    async def _listen(self) -> None:
        async with self.dispatch.queue.consume(ToolResult, slots=1) as deliveries:
            async for delivery in deliveries:
                await self._take(delivery)

    async def _take(self, delivery: Delivery[ToolResult]) -> None:
        try:
            await self._show_eventually(delivery.message.job_id)
        except Exception:  # the boundary of a message, which stays in the queue
            logger.exception("the state of job %s could not be sent to its device", delivery.message.job_id)
            await asyncio.sleep(_AWAY_S)
            await settled(delivery.requeue())
        else:
            await settled(delivery.ack())

    async def _show_eventually(self, job_id: UUID) -> None:
        """As ``show``. Waits while the database is away, because a message that is requeued too often is lost."""
        while True:
            try:
                return await self.show(job_id)
            except DATABASE_ERRORS as error:
                logger.warning("the state of job %s cannot be sent to its device yet: %s", job_id, cause_of(error))
                await asyncio.sleep(_AWAY_S)

    def _repeat(self, work: Callable[[], Coroutine[Any, Any, None]], *, every_s: float, name: str) -> None:
        async def repeated() -> None:
            while True:
                await asyncio.sleep(every_s)
                await _logged(work())

        self._tasks.start(repeated(), name=name)

    async def _send_results_again(self) -> None:
        """Send results that were not acknowledged, one device after another. One query if there are none."""
        acknowledging = [each for each in self.connections.all() if Capability.JOB_ACK in each.attachment.capabilities]
        if not acknowledging:
            return
        devices = await in_database(service.undelivered_devices, {each.device[0] for each in acknowledging})
        for connection in connections_of(devices, acknowledging):
            await _logged(self._send_results(connection))

    async def _end_overdue(self) -> None:
        for status in await in_database(service.end_overdue, now=self.dispatch.clock()):
            await _logged(self.show(status.id))


async def _logged(work: Coroutine[Any, Any, None]) -> None:
    """Await ``work``. Failures are logged, because it is tried again."""
    try:
        await work
    except DATABASE_ERRORS as error:
        logger.warning("looking after jobs waits for the database: %s", cause_of(error))
    except Exception:  # the boundary of a task that must continue
        logger.exception("looking after jobs failed; it is tried again")
