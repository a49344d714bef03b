"""A worker runs jobs from the queue, each in its own slot, until it is stopped."""

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final
from uuid import UUID

from accounts.database import DATABASE_ERRORS, cause_of, in_database
from agents.jobs import service
from agents.jobs.dispatch import JobDispatch
from agents.jobs.models import JobState
from agents.jobs.queue import Delivery, ToolExecution, settled
from agents.jobs.records import ClaimedJob, JobStatus
from agents.jobs.running import JobDependencies, Outcome, RunResult, run_job

logger = logging.getLogger(__name__)

LEASE_S: Final = 9.0
"""How long a lease lasts. A dead worker is noticed after that; one that stalls for less keeps its job."""
BEAT_S: Final = 2.0
"""How often the lease is renewed, and the run learns of a cancellation."""
SWEEP_EVERY_S: Final = 3.0
HAND_BACK_S: Final = 5.0
"""How long a stopped worker may take to hand its jobs back."""
_AWAY_S: Final = 2.0
"""The pause before the database is tried again."""


@dataclass(kw_only=True, eq=False)
class ToolWorker:
    """Runs up to ``slots`` jobs at a time. Before a retry it waits ``pause_s``, and twice as long each further time."""

    dependencies: JobDependencies
    dispatch: JobDispatch
    slots: int = 1
    lease_s: float = LEASE_S
    beat_s: float = BEAT_S
    sweep_every_s: float = SWEEP_EVERY_S
    pause_s: float = 2.0
    name: str = field(default_factory=lambda: uuid.uuid4().hex)
    _stopping: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    async def run(self) -> None:
        """Run jobs until ``stop`` is called, and let those that run then end. If cancelled, hand them back."""
        async with asyncio.TaskGroup() as group:
            sweeping = group.create_task(self._sweep())
            async with asyncio.TaskGroup() as slots:
                for _ in range(self.slots):
                    slots.create_task(self._slot())
            sweeping.cancel()

    def stop(self) -> None:
        """Take no more jobs."""
        self._stopping.set()

    async def _sweep(self) -> None:
        while True:
            try:
                await self.dispatch.sweep()
            except DATABASE_ERRORS as error:
                logger.warning("looking after jobs waits for the database: %s", cause_of(error))
                # Workers whose leases expired while the database was unreachable get time to renew them.
                await asyncio.sleep(2 * self.beat_s)
            except Exception:  # the boundary of a task that must keep running
                logger.exception("looking after jobs failed; it is tried again")
            await asyncio.sleep(self.sweep_every_s)

    async def _slot(self) -> None:
        async with self.dispatch.queue.consume(ToolExecution, slots=1) as deliveries:
            while (delivery := await self._next(deliveries)) is not None:
                await self._take(delivery)

    async def _next(self, deliveries: AsyncIterator[Delivery[ToolExecution]]) -> Delivery[ToolExecution] | None:
        """The next delivery; None once the worker stops or the queue is closed."""
        coming = asyncio.ensure_future(anext(deliveries, None))
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait({coming, stopping}, return_when=asyncio.FIRST_COMPLETED)
            # A delivery that came nevertheless goes to another consumer when the slot's block ends.
            return None if self._stopping.is_set() else await coming
        finally:
            for waiting in (coming, stopping):
                waiting.cancel()
            with suppress(asyncio.CancelledError):
                await coming

    async def _take(self, delivery: Delivery[ToolExecution]) -> None:
        owner = f"{self.name} {uuid.uuid4().hex}"
        try:
            job = await self._claimed_in_time(delivery.message.job_id, owner)
        except Exception as error:  # the boundary of a job: the message stays in the queue
            if not isinstance(error, DATABASE_ERRORS):
                logger.exception("job %s could not be claimed", delivery.message.job_id)
                await asyncio.sleep(_AWAY_S)
            await settled(delivery.requeue())
            return
        try:
            # Acknowledged at once, because brokers limit how long that may take. From now on the lease holds the job.
            await settled(delivery.ack())
            if job is None:
                return
            if job.queued_at is not None:
                waited = self.dependencies.run.clock() - job.queued_at
                self.dependencies.on_start(max(0.0, waited.total_seconds()))
            await self.dispatch.announce(job.status)
            await self._close(job, owner, await self._run(job, owner))
        except asyncio.CancelledError:
            await self._hand_back(delivery.message.job_id, owner)
            raise
        except Exception:  # the boundary of a job: its lease expires, and it is run again
            logger.exception("the end of job %s could not be stored", delivery.message.job_id)

    async def _claimed_in_time(self, job_id: UUID, owner: str) -> ClaimedJob | None:
        """As ``_claimed``, but waits while the database is unreachable: a message that is requeued too often is lost.

        Raises ``DATABASE_ERRORS`` once the worker stops.
        """
        while True:
            try:
                return await self._claimed(job_id, owner)
            except DATABASE_ERRORS as error:
                logger.warning("job %s cannot be claimed yet: %s", job_id, cause_of(error))
                with suppress(TimeoutError):
                    async with asyncio.timeout(_AWAY_S):
                        await self._stopping.wait()
                if self._stopping.is_set():
                    raise

    async def _claimed(self, job_id: UUID, owner: str) -> ClaimedJob | None:
        now, lease = self.dependencies.run.clock(), timedelta(seconds=self.lease_s)
        claiming = asyncio.ensure_future(in_database(service.claim, job_id, owner, now=now, lease=lease))
        try:
            return await asyncio.shield(claiming)
        except asyncio.CancelledError:
            # The thread keeps running, and may claim the job.
            await asyncio.wait({claiming}, timeout=HAND_BACK_S)
            await self._hand_back(job_id, owner)
            raise

    async def _hand_back(self, job_id: UUID, owner: str) -> None:
        """Let another worker run the job at once. If this fails, it runs when the lease has expired."""
        try:
            async with asyncio.timeout(HAND_BACK_S):
                state = await in_database(service.hand_back, job_id, owner, now=self.dependencies.run.clock())
                if state is JobState.QUEUED:
                    await self.dispatch.publish([job_id])
        except Exception:  # the boundary of a job
            logger.exception("job %s could not be handed back", job_id)

    async def _run(self, job: ClaimedJob, owner: str) -> RunResult:
        run = asyncio.ensure_future(run_job(self.dependencies, job, owner))
        hold = asyncio.ensure_future(self._hold(job.status, owner))
        try:
            await asyncio.wait({run, hold}, return_when=asyncio.FIRST_COMPLETED)
            # The hold ends first if the job is lost or cancelled.
            return run.result() if run.done() else RunResult(outcome=Outcome.LOST)
        finally:
            for task in (run, hold):
                task.cancel()
            await asyncio.gather(run, hold, return_exceptions=True)

    async def _hold(self, status: JobStatus, owner: str) -> None:
        """Renew the lease until the job is lost, or the user asks to cancel it."""
        lease = timedelta(seconds=self.lease_s)
        while True:
            await asyncio.sleep(self.beat_s)
            try:
                now = self.dependencies.run.clock()
                held = await in_database(service.renew, status.id, owner, now=now, lease=lease)
                if not held and await in_database(service.cancel_if_asked, status.id, owner, now=now):
                    await self.dispatch.announce(status)
            except Exception:  # the database is unreachable: the lease lasts for several attempts
                logger.exception("the lease of job %s could not be renewed; it is tried again", status.id)
                held = True
            if not held:
                return

    async def _close(self, job: ClaimedJob, owner: str, ran: RunResult) -> None:
        """Store how the run ended. Waits while the database is unreachable, so that no answer is lost."""
        while True:
            try:
                await self._closed(job, owner, ran)
            except DATABASE_ERRORS as error:
                logger.warning("the end of job %s cannot be stored yet: %s", job.status.id, cause_of(error))
                await asyncio.sleep(_AWAY_S)
            else:
                return

    async def _closed(self, job: ClaimedJob, owner: str, ran: RunResult) -> None:
        status, now = job.status, self.dependencies.run.clock
        match ran.outcome:
            case Outcome.ANSWERED:
                await in_database(service.finish, status.id, owner, ran.text, now=now())
            case Outcome.AWAY:
                state = await in_database(service.keep_waiting, status.id, owner, now=now())
                # It may have come back since the last call, and does not say hello again.
                device, devices = (status.user_id, status.device_id), self.dependencies.devices
                if state is JobState.WAITING_DEVICE and await devices.connected(*device):
                    await self.dispatch.device_back(*device)
            case Outcome.FAILED:
                if job.attempt < service.ATTEMPTS:
                    await asyncio.sleep(self.pause_s * 2 ** (job.attempt - 1))
                state = await in_database(service.retry_or_fail, status.id, owner, ran.text, now=now())
                if state is JobState.QUEUED:
                    await self.dispatch.publish([status.id])
            case Outcome.HOPELESS:
                await in_database(service.fail, status.id, owner, ran.text, now=now())
            case Outcome.LOST:
                return
        await self.dispatch.announce(status)
