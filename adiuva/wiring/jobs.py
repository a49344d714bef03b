"""Running slow tools: over the broker if there is one, otherwise in the server process."""

import asyncio
from dataclasses import dataclass
from functools import cache
from uuid import UUID

from django.conf import settings

from accounts.database import in_database
from accounts.errors import AccountGone
from accounts.models import User
from accounts.timezones import utc_now, zone_named
from adiuva.wiring.observation import Observation
from agents.engine.run import RunDependencies
from agents.jobs.dispatch import JobDispatch, LateApprovals, UserLocale
from agents.jobs.memory import MemoryQueue
from agents.jobs.queue import QueueClient
from agents.jobs.rabbitmq import RabbitQueue
from agents.jobs.running import JobDependencies
from agents.jobs.worker import ToolWorker
from agents.prompts.refresher import PromptRefresher
from chat.cluster.devices import JobDevices
from chat.cluster.node import ClusterNode
from chat.devices.connections import ConnectionManager
from chat.devices.jobs import JobNotifier


@cache
def broker() -> RabbitQueue:
    """The broker's client of this process."""
    return RabbitQueue(settings.AMQP_URL, prefix=settings.AMQP_PREFIX)


async def _user_locale(user_id: UUID) -> UserLocale:
    return await in_database(_locale_of, user_id)


def _locale_of(user_id: UUID) -> UserLocale:
    user = User.objects.filter(id=user_id).first()
    if user is None:
        raise AccountGone
    return UserLocale(language=user.language, timezone=zone_named(user.timezone))


def dispatch() -> JobDispatch:
    """The queue of jobs."""
    queue: QueueClient = broker() if settings.AMQP_URL else MemoryQueue()
    return JobDispatch(queue=queue, clock=utc_now)


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerFactory:
    """Makes workers with the dependencies of this process."""

    run: RunDependencies
    connections: ConnectionManager
    cluster: ClusterNode

    def worker(self, jobs: JobDispatch, *, slots: int) -> ToolWorker:
        """A worker that reaches devices through this process."""
        dependencies = JobDependencies(
            run=self.run,
            devices=JobDevices(connections=self.connections, presence=self.cluster.presence),
            on_progress=jobs.announce,
        )
        return ToolWorker(dependencies=dependencies, dispatch=jobs, slots=slots)

    def notifier(self) -> JobNotifier:
        """The notifier of devices, with a worker of its own if there is no broker."""
        jobs = dispatch()
        worker = None if settings.AMQP_URL else self.worker(jobs, slots=settings.TOOL_WORKER_SLOTS)
        notifier = JobNotifier(
            dispatch=jobs,
            connections=self.connections,
            announce=self.cluster.announce_job,
            worker=worker,
            adopt_orphans=self.run.approvals.adopt_orphans,
        )
        self.cluster.on_job = notifier.show_soon
        late = LateApprovals(dispatch=jobs, locale=_user_locale)
        self.run.approvals.on_orphaned_answer = late.adopt
        return notifier


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerProcess:
    """A process with nothing but a worker."""

    worker: ToolWorker
    jobs: JobDispatch
    cluster: ClusterNode
    observation: Observation
    prompts: PromptRefresher

    async def run(self) -> None:
        self.prompts.begin()
        await asyncio.gather(self.prompts.known(), self.cluster.known())
        try:
            await self.worker.run()
        finally:
            await self.prompts.aclose()
            await self.cluster.aclose()
            await self.jobs.queue.aclose()
            await self.observation.aclose()

    def stop(self) -> None:
        self.worker.stop()
