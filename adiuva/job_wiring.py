"""What runs slow tools: over the broker where there is one, else beside the sockets of this process."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from uuid import UUID

from channels.db import database_sync_to_async
from django.conf import settings

from accounts.errors import AccountGone
from accounts.models import User
from accounts.timezones import zone_named
from adiuva.health import NotReady
from adiuva.trace_wiring import Observation
from agents.jobs.dispatch import JobDispatch
from agents.jobs.memory import MemoryQueue
from agents.jobs.orphans import Orphans, Voice
from agents.jobs.queue import QueueClient
from agents.jobs.rabbitmq import RabbitQueue
from agents.jobs.running import JobKit
from agents.jobs.store import DatabaseJobs
from agents.jobs.worker import ToolWorker
from agents.prompts.keeper import PromptKeeper
from agents.telemetry.watching import Observers
from chat.cluster.job_devices import LinkedDevices
from chat.cluster.neighbourhood import Neighbourhood
from chat.devices.connections import ConnectionManager
from chat.devices.jobs import JobDesk
from chat.turns.asking import Kit


@cache
def broker() -> RabbitQueue:
    """This process's one access to the broker."""
    return RabbitQueue(settings.AMQP_URL, prefix=settings.AMQP_PREFIX)


async def check_broker() -> None:
    """Raises ``NotReady`` while the broker is away."""
    if not await broker().ready():
        raise NotReady("cannot be reached")


def _utc_now() -> datetime:
    return datetime.now(UTC)


async def _voice(user_id: UUID) -> Voice:
    # Not thread-sensitive: otherwise one slow query would stall every socket of the process.
    voice: Voice = await database_sync_to_async(_voice_of, thread_sensitive=False)(user_id)
    return voice


def _voice_of(user_id: UUID) -> Voice:
    user = User.objects.filter(id=user_id).first()
    if user is None:
        raise AccountGone
    return Voice(language=user.language, timezone=zone_named(user.timezone))


def dispatch() -> JobDispatch:
    """How jobs get to their workers."""
    queue: QueueClient = broker() if settings.AMQP_URL else MemoryQueue()
    return JobDispatch(store=DatabaseJobs(), queue=queue, clock=_utc_now)


@dataclass(frozen=True, kw_only=True, slots=True)
class Workshop:
    """All that workers need of a process."""

    kit: Kit
    connections: ConnectionManager
    neighbours: Neighbourhood
    observers: Observers

    def worker(self, jobs: JobDispatch, *, slots: int) -> ToolWorker:
        """A worker that reaches devices as this process does."""
        kit = JobKit(
            store=jobs.store,
            devices=LinkedDevices(connections=self.connections, arrivals=self.neighbours.arrivals),
            adapter=self.kit.adapter,
            embedder=self.kit.embedder,
            recollection=None if self.kit.memory is None else self.kit.memory.recollection,
            on_progress=jobs.announce,
            clock=jobs.clock,
            observers=self.observers,
            disclosures=self.kit.disclosures,
            marks=self.kit.marks,
        )
        return ToolWorker(kit=kit, dispatch=jobs, slots=slots)

    def desk(self) -> JobDesk:
        """What tells devices of their jobs; with a worker beside it where there is no broker."""
        jobs = dispatch()
        worker = None if settings.AMQP_URL else self.worker(jobs, slots=settings.TOOL_WORKER_SLOTS)
        desk = JobDesk(
            dispatch=jobs,
            connections=self.connections,
            elsewhere=self.neighbours.tell_of_job,
            worker=worker,
            adopt_orphans=self.kit.approvals.adopt_orphans,
        )
        self.neighbours.on_job = desk.show_soon
        orphans = Orphans(approvals=self.kit.approvals.store, dispatch=jobs, voice=_voice)
        self.kit.approvals.on_orphaned_answer = orphans.adopt
        return desk


@dataclass(frozen=True, kw_only=True, slots=True)
class Workplace:
    """A worker in a process of its own, and how it reaches devices."""

    worker: ToolWorker
    jobs: JobDispatch
    neighbours: Neighbourhood
    observation: Observation
    prompts: PromptKeeper

    async def run(self) -> None:
        """As ``ToolWorker.run``."""
        self.prompts.begin()
        await asyncio.gather(self.prompts.known(), self.neighbours.known())
        try:
            await self.worker.run()
        finally:
            await self.prompts.aclose()
            await self.neighbours.aclose()
            await self.jobs.queue.aclose()
            await self.observation.aclose()

    def stop(self) -> None:
        """As ``ToolWorker.stop``."""
        self.worker.stop()
