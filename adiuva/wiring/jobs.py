"""Running slow tools: over the broker if there is one, otherwise in the server process."""

import asyncio
from dataclasses import dataclass
from functools import cache, partial
from uuid import UUID

from django.conf import settings

from accounts.database import in_database
from accounts.errors import AccountGone
from accounts.models import User
from accounts.timezones import utc_now, zone_named
from adiuva.database.availability import DatabaseMonitor
from adiuva.metrics import metrics
from adiuva.wiring.models import Models
from adiuva.wiring.observation import Observation
from adiuva.wiring.worker_page import WorkerPage
from agents.engine.run import RunDependencies
from agents.jobs.dispatch import JobDispatch, LateApprovals, UserLocale
from agents.jobs.memory import MemoryQueue
from agents.jobs.queue import QueueClient
from agents.jobs.rabbitmq import RabbitQueue
from agents.jobs.running import JobDependencies
from agents.jobs.worker import ToolWorker
from agents.prompts.refresher import PromptRefresher
from chat.cluster.devices import RemoteDevices
from chat.cluster.node import ClusterNode
from chat.devices.connections import ConnectionManager
from chat.devices.jobs import JobNotifier
from chat.turns.foreign_marks import mark_job


@cache
def broker() -> RabbitQueue:
    """The broker's client of this process."""
    return RabbitQueue(settings.AMQP_URL, prefix=settings.AMQP_PREFIX)


def _locale_of(user_id: UUID) -> UserLocale:
    user = User.objects.filter(id=user_id).first()
    if user is None:
        raise AccountGone
    return UserLocale(language=user.language, timezone=zone_named(user.timezone))


def dispatch() -> JobDispatch:
    """The queue of jobs."""
    queue: QueueClient = broker() if settings.AMQP_URL else MemoryQueue()
    return JobDispatch(queue=queue, clock=utc_now, on_wait=metrics.oldest_job, most_jobs=settings.MAX_JOBS)


def tool_worker(
    run: RunDependencies, jobs: JobDispatch, *, connections: ConnectionManager, cluster: ClusterNode, slots: int
) -> ToolWorker:
    """A worker that reaches devices through this process."""
    dependencies = JobDependencies(
        run=run,
        devices=RemoteDevices(connections=connections, presence=cluster.presence),
        on_progress=jobs.announce,
        mark_foreign=partial(mark_job, cluster.ports.foreign_marks),
        on_start=metrics.job_started,
    )
    return ToolWorker(dependencies=dependencies, dispatch=jobs, slots=slots)


def job_notifier(run: RunDependencies, *, connections: ConnectionManager, cluster: ClusterNode) -> JobNotifier:
    """The notifier of devices, with a worker of its own if there is no broker."""
    jobs = dispatch()
    worker = None
    if not settings.AMQP_URL:
        slots = settings.TOOL_WORKER_SLOTS
        worker = tool_worker(run, jobs, connections=connections, cluster=cluster, slots=slots)
    notifier = JobNotifier(
        dispatch=jobs,
        connections=connections,
        announce=cluster.announce_job,
        worker=worker,
        adopt_orphans=run.approvals.adopt_orphans,
    )
    cluster.on_job = notifier.show_soon
    late = LateApprovals(dispatch=jobs, locale=lambda user: in_database(_locale_of, user))
    run.approvals.on_orphaned_answer = late.adopt
    return notifier


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerProcess:
    """A process with nothing but a worker."""

    models: Models
    worker: ToolWorker
    jobs: JobDispatch
    cluster: ClusterNode
    observation: Observation
    prompts: PromptRefresher
    page: WorkerPage
    monitor: DatabaseMonitor

    async def run(self) -> None:
        """Work until ``stop``. Raises ``PortTaken`` if the worker's page cannot be served."""
        self.page.begin()
        self.monitor.begin()
        self.prompts.begin()
        await asyncio.gather(self.prompts.known(), self.cluster.joined())
        try:
            await self.worker.run()
        finally:
            await self.page.aclose()
            await self.prompts.aclose()
            await self.cluster.aclose()
            await self.jobs.queue.aclose()
            await self.observation.aclose()
            await self.models.aclose()
            await self.monitor.aclose()

    def stop(self) -> None:
        self.worker.stop()
