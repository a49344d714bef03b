"""Slow tool runs as their devices get to know of them: what moved on is told, what ended until it is acknowledged."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from agents.errors import JobError
from agents.jobs.dispatch import JobDispatch
from agents.jobs.messages import ToolResult
from agents.jobs.models import JobState
from agents.jobs.queue import Delivery, settled
from agents.jobs.records import JobReport, JobStanding, NewJob
from agents.jobs.worker import ToolWorker
from agents.permissions.approvals.questions import Origin
from chat.devices.connections import Connection, ConnectionManager, DeviceKey
from chat.protocol.frames import server
from chat.protocol.frames.server import ErrorInfo
from chat.protocol.frames.vocabulary import Capability, ErrorCode
from chat.protocol.frames.vocabulary import JobState as FrameState
from chat.tasks import OwnedTasks

logger = logging.getLogger(__name__)

REPEAT_EVERY_S: Final = 30.0
OVERDUE_EVERY_S: Final = 60.0
"""How often a process without a worker ends what is overdue."""
ADOPT_EVERY_S: Final = 5.0
"""How often a process looks for approvals that have lost their turn."""
_AWAY_S: Final = 2.0
"""The pause after the database could not be reached."""


def job_update(standing: JobStanding, report: JobReport | None = None) -> server.JobUpdate:
    """The frame that says where a job stands, and with a ``report`` what came of it."""
    failure = None if report is None else report.failure
    return server.JobUpdate(
        job_id=str(standing.id),
        request_id=standing.request_id,
        session_id=standing.session_id or None,
        state=FrameState(standing.state.value),
        fraction=standing.fraction,
        label=standing.label or None,
        response=None if report is None else report.response,
        error=None if failure is None else ErrorInfo(code=ErrorCode.INTERNAL_ERROR, message=failure, retryable=True),
    )


def _nowhere(_: DeviceKey, __: UUID) -> None:
    return None


async def _no_orphans() -> None:
    return None


@dataclass(kw_only=True, eq=False)
class JobDesk:
    """The jobs of the devices that are connected to this process.

    ``elsewhere`` has the process that holds a device's socket look at a job. ``worker`` runs beside the sockets where
    there is none in a process of its own. ``adopt_orphans`` makes jobs of what was approved while its turn died.
    """

    dispatch: JobDispatch
    connections: ConnectionManager
    elsewhere: Callable[[DeviceKey, UUID], None] = _nowhere
    worker: ToolWorker | None = None
    adopt_orphans: Callable[[], Coroutine[Any, Any, None]] = _no_orphans
    repeat_every_s: float = REPEAT_EVERY_S
    overdue_every_s: float = OVERDUE_EVERY_S
    adopt_every_s: float = ADOPT_EVERY_S
    _tasks: OwnedTasks = field(default_factory=OwnedTasks, init=False)
    _begun: bool = field(default=False, init=False)
    _working: asyncio.Task[None] | None = field(default=None, init=False)

    def begin(self) -> None:
        """Listen to the queue from now on; saying so again changes nothing."""
        if not self._begun:
            self._begun = True
            self._tasks.start(self._listen(), name="listening to jobs")
            if self.worker is not None:
                self._working = self._tasks.start(self.worker.run(), name="running jobs")
            else:
                self._tasks.start(self._end_overdue(), name="ending overdue jobs")
            self._tasks.start(self._repeat(), name="telling again how jobs ended")
            self._tasks.start(self._adopt(), name="adopting approvals that have lost their turn")

    async def drain(self, within_s: float) -> None:
        """Let the jobs that run here end, and take no more; what takes longer is gone on with by another worker."""
        if self.worker is not None and self._working is not None:
            self.worker.stop()
            await asyncio.wait({self._working}, timeout=within_s)

    async def aclose(self) -> None:
        await self._tasks.aclose()
        await self.dispatch.queue.aclose()

    async def start(self, origin: Origin, new: NewJob) -> JobStanding:
        """The job of this call, on its way, of which its device is told. Raises as ``agents.jobs.rows.create``."""
        standing = await self.dispatch.start(origin, new)
        self._tell_here(standing, None)
        return standing

    def arrived(self, connection: Connection) -> None:
        """A device is here: what waited for it goes on, and what has ended is told."""
        self._tasks.start(self._arrived(connection), name="jobs of a device that has come")

    async def acknowledged(self, user_id: UUID, job_id: UUID) -> None:
        """The user's device has the result."""
        await self.dispatch.store.delivered(user_id, job_id, now=self.dispatch.clock())

    async def cancel(self, user_id: UUID, request_id: str) -> bool:
        """Cancel the jobs of a request; whether any of them had not ended. One that runs stops within seconds."""
        cancelled = False
        for job_id in await self.dispatch.store.under_way(user_id, request_id):
            with suppress(JobError):  # it has ended meanwhile
                await self.dispatch.store.request_cancel(user_id, job_id, now=self.dispatch.clock())
                cancelled = True
                await self.show(job_id)
        return cancelled

    async def show(self, job_id: UUID) -> None:
        """Tell the job's device where it stands, if it is on this process; else have it told elsewhere."""
        untold = await self._show_here(job_id)
        if untold is not None:
            self.elsewhere((untold.user_id, untold.device_id), job_id)

    def show_soon(self, job_id: UUID) -> None:
        """As ``show``, for another process that asks for it."""
        self._tasks.start(self._tell_soon(job_id), name="telling of a job")

    async def _tell_soon(self, job_id: UUID) -> None:
        await self._show_here(job_id)

    async def _show_here(self, job_id: UUID) -> JobStanding | None:
        """Where the job stands, if its device is not on this process to be told."""
        report = await self.dispatch.store.look(job_id)
        if report is None or self._tell_here(report.standing, report):
            return None
        return report.standing

    def _tell_here(self, standing: JobStanding, report: JobReport | None) -> bool:
        connection = self._connection(standing)
        if connection is None:
            return False
        if standing.state is not JobState.DELIVERED:
            connection.socket.tell(job_update(standing, report))
        return True

    def _connection(self, standing: JobStanding) -> Connection | None:
        """The socket of the job's device; of a job that names none, that of the device used last."""
        device: DeviceKey | None = (standing.user_id, standing.device_id)
        if not standing.device_id:
            device = self.connections.latest(standing.user_id)
        return None if device is None else self.connections.connection(device)

    async def _arrived(self, connection: Connection) -> None:
        await self.dispatch.device_back(*connection.device)
        await self._tell_ended(connection)

    async def _tell_ended(self, connection: Connection) -> None:
        for report in await self.dispatch.store.undelivered(*connection.device):
            connection.socket.tell(job_update(report.standing, report))

    async def _listen(self) -> None:
        async with self.dispatch.queue.consume(ToolResult, slots=1) as deliveries:
            async for delivery in deliveries:
                await self._take(delivery)

    async def _take(self, delivery: Delivery[ToolResult]) -> None:
        try:
            await self.show(delivery.message.job_id)
        except Exception:  # whatever keeps the database away: the message stays in the queue
            logger.exception("job %s could not be told of", delivery.message.job_id)
            await asyncio.sleep(_AWAY_S)
            await settled(delivery.requeue())
        else:
            await settled(delivery.ack())

    async def _repeat(self) -> None:
        while True:
            await asyncio.sleep(self.repeat_every_s)
            for connection in self.connections.all():
                if Capability.JOB_ACK in connection.attachment.capabilities:
                    await self._or_later(self._tell_ended(connection))

    async def _end_overdue(self) -> None:
        # Workers do it as well, but perhaps none is up. What is to run again is left to them: nobody else would run it.
        while True:
            await asyncio.sleep(self.overdue_every_s)
            await self._or_later(self._overdue_told())

    async def _adopt(self) -> None:
        while True:
            await asyncio.sleep(self.adopt_every_s)
            await self._or_later(self.adopt_orphans())

    async def _overdue_told(self) -> None:
        for standing in await self.dispatch.store.end_overdue(now=self.dispatch.clock()):
            await self._or_later(self.show(standing.id))

    async def _or_later(self, telling: Coroutine[Any, Any, None]) -> None:
        try:
            await telling
        except Exception:  # the boundary of a task that must go on
            logger.exception("looking after jobs failed; it is tried again")
