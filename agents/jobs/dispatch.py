"""Messages about jobs on their way into the queue. What does not get there now is found by the sweep."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from agents.jobs.messages import ToolExecution, ToolResult
from agents.jobs.queue import QueueClient, QueueUnavailable
from agents.jobs.records import JobStanding, NewJob
from agents.jobs.store import JobStore
from agents.permissions.approvals.questions import Origin

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class JobDispatch:
    """Makes jobs, and says of them that they are to be run or have moved on. ``clock`` gives the aware time."""

    store: JobStore
    queue: QueueClient
    clock: Callable[[], datetime]

    async def start(self, origin: Origin, new: NewJob) -> JobStanding:
        """The job of this call, on its way to a worker. Raises as ``agents.jobs.rows.create``."""
        standing = await self.store.create(origin, new, now=self.clock())
        await self.publish([standing.id])
        return standing

    async def publish(self, job_ids: Iterable[UUID]) -> None:
        """Have these jobs run. Once the queue is away nothing more is tried: each would wait for it."""
        sent: list[UUID] = []
        for job_id in job_ids:
            if not await self._sent(ToolExecution(job_id=job_id)):
                break
            sent.append(job_id)
        if sent:
            await self.store.published(sent, now=self.clock())

    async def announce(self, standing: JobStanding) -> None:
        """Say that the job has moved on."""
        await self._sent(ToolResult(job_id=standing.id))

    async def device_back(self, user_id: UUID, device_id: str) -> None:
        """Have run what waited for this device."""
        await self.publish(await self.store.device_back(user_id, device_id))

    async def sweep(self) -> None:
        """Look after jobs that nobody looks after."""
        found = await self.store.sweep(now=self.clock())
        await self.publish(found.publish)
        for standing in found.ended:
            await self.announce(standing)

    async def _sent(self, message: ToolExecution | ToolResult) -> bool:
        try:
            await self.queue.publish(message)
        except QueueUnavailable as error:
            logger.warning("a message about job %s waits for the queue: %s", message.job_id, error)
            return False
        return True
