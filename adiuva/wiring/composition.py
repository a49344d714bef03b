"""The composition of a process: the implementation of each port, chosen from settings and passed in."""

from dataclasses import dataclass, field
from functools import cache, partial
from uuid import UUID

from channels.layers import get_channel_layer
from django.conf import settings

from accounts.auth.devices import SAID_EVERY
from accounts.auth.sockets import authenticate_token, device_arrived, device_left, devices_online, revoked_grants
from accounts.database import in_database
from accounts.keys.vault import Vault, open_vault
from adiuva.database.loop_reads import LoopReader
from adiuva.secret_keys import derived_key
from adiuva.wiring.jobs import WorkerFactory, WorkerProcess, dispatch
from adiuva.wiring.models import Models, has_model, models
from adiuva.wiring.observation import Observation, observation
from adiuva.wiring.prompts import prompt_refresher
from agents.allowances import Quota
from agents.engine.run import RunDependencies, UserRecollection
from agents.offline import OfflineAdapter
from agents.permissions.approvals.policies import read_policies
from agents.permissions.approvals.service import ApprovalService
from agents.permissions.disclosures.repository import DatabaseDisclosures
from agents.permissions.quotas.service import OverrideCache, QuotaService
from agents.permissions.sharing.filter import DatabaseMarks
from agents.prompts.refresher import PromptRefresher
from agents.reading import Reader, ThreadReader
from agents.retention.rules import RetentionDays
from agents.retention.sweeper import RetentionSweeper
from agents.telemetry.turns import ObservedAdapter
from agents.tools.models import publish
from chat.cluster.node import ClusterNode
from chat.cluster.ports import ClusterPorts, redis_ports, single_process_ports
from chat.cluster.redis_connection import RedisConnection
from chat.cluster.remote_calls import RemoteCalls
from chat.devices.approvals import show_open_questions
from chat.devices.connections import ConnectionManager, OnlineReporter
from chat.devices.links import DeviceLink
from chat.protocol.frames.codec import FrameLimits
from chat.protocol.frames.server import EmbeddingInfo, Limits
from chat.revocation import RevocationWatch
from chat.services import AssistantFacts, ChatServices, Timings
from chat.turns.answering import TurnDependencies
from chat.turns.supervisor import RequestRate, TurnSupervisor
from memory.embedders.hashing import HashingEmbedder
from memory.service import MemoryService, UserMemory


@dataclass(frozen=True, kw_only=True, slots=True)
class Parts:
    """The parts of an application. Background parts start with its first event."""

    services: ChatServices
    memory: MemoryService | None
    observation: Observation = field(default_factory=Observation)
    prompts: PromptRefresher | None = None
    retention: RetentionSweeper | None = None
    reader: LoopReader | None = None


def _memory(models: Models) -> MemoryService | None:
    """The memory; None if the installation has turned it off."""
    if not settings.MEMORY:
        return None
    budget_s = settings.EMBEDDING_BUDGET_MS / 1000
    return MemoryService(embedder=models.embedder, summarizer=models.summarizer, budget_s=budget_s)


def parts() -> Parts:
    """The parts of a server process."""
    chosen = models()
    publish(chosen.blueprints)
    memory = _memory(chosen)
    watching = observation()
    reader = LoopReader()
    services = _chat_services(_run_dependencies(chosen, reader, watching), memory)
    return Parts(
        services=services,
        memory=memory,
        observation=watching,
        prompts=prompt_refresher(),
        retention=RetentionSweeper(retention_days()),
        reader=reader,
    )


def retention_days() -> RetentionDays:
    """For how many days ended jobs, turns and other records are kept."""
    return RetentionDays(
        jobs=settings.KEEP_JOBS_DAYS,
        disclosures=settings.KEEP_DISCLOSURES_DAYS,
        turns=settings.KEEP_TURNS_DAYS,
        dialogues=settings.KEEP_DIALOGUES_DAYS,
    )


def _run_dependencies(models: Models, reader: Reader, watching: Observation) -> RunDependencies:
    def recollection(user_id: UUID) -> UserRecollection:
        return UserRecollection(UserMemory(user_id=user_id, embedder=models.embedder))

    return RunDependencies(
        # Summaries are not observed: they are written after their turn has ended.
        adapter=ObservedAdapter(models.adapter, models.names),
        embedder=models.embedder,
        approvals=ApprovalService(policies=partial(read_policies, reader=reader), alone=not settings.REDIS_URL),
        recollection=recollection if settings.MEMORY else None,
        disclosures=DatabaseDisclosures(on_server={OfflineAdapter.name, HashingEmbedder.name}),
        marks=DatabaseMarks(reader),
        quotas=_quotas(watching),
        observers=watching.observers,
    )


def cluster_ports() -> ClusterPorts:
    """What the processes of a server share: in Redis if ``REDIS_URL`` is set; otherwise there is one process."""
    if not settings.REDIS_URL:
        return single_process_ports()
    layer = get_channel_layer()
    if layer is None:
        raise TypeError("settings.CHANNEL_LAYERS has no default layer")
    return redis_ports(redis_connection(), layer=layer, open_vault=_opened_vault)


async def _opened_vault(user_id: UUID) -> Vault:
    return await in_database(open_vault, user_id)


@cache
def redis_connection() -> RedisConnection:
    """The Redis connections of this process."""
    return RedisConnection(settings.REDIS_URL, prefix=settings.REDIS_PREFIX)


@dataclass(frozen=True, kw_only=True, slots=True)
class _DeviceServices:
    """What reaches the devices of this process and of others."""

    connections: ConnectionManager
    supervisor: TurnSupervisor
    revocation: RevocationWatch
    cluster: ClusterNode


def _device_services(run: RunDependencies, timings: Timings) -> _DeviceServices:
    ports = cluster_ports()
    calls = RemoteCalls(presence=ports.presence, calls=ports.calls, bus=ports.bus)
    supervisor = TurnSupervisor(max_running=settings.MAX_CONCURRENT_REQUESTS)
    connections = ConnectionManager(
        make_link=lambda device: DeviceLink(
            timeout_s=settings.CLIENT_CALL_TIMEOUT_S, forwarder=calls.link(device) if ports.shared else None
        )
    )
    revocation = RevocationWatch(ask=revoked_grants, supervisor=supervisor, every_s=timings.revocation_s)
    cluster = ClusterNode(
        ports,
        calls=calls,
        connections=connections,
        supervisor=supervisor,
        revocation=revocation,
        show_questions=partial(show_open_questions, run.approvals),
        secret=derived_key(settings.SECRET_KEY, purpose="fingerprints of requests"),
    )
    return _DeviceServices(connections=connections, supervisor=supervisor, revocation=revocation, cluster=cluster)


def _assistant() -> AssistantFacts:
    if not has_model():
        return AssistantFacts()
    return AssistantFacts(model=settings.OPENAI_MODEL, offline=False)


def _chat_services(run: RunDependencies, memory: MemoryService | None) -> ChatServices:
    """The services that the sockets of this process share."""
    timings = Timings()
    devices = _device_services(run, timings)
    jobs = WorkerFactory(run=run, connections=devices.connections, cluster=devices.cluster).notifier()
    return ChatServices(
        authenticate=authenticate_token,
        device_arrived=device_arrived,
        device_left=device_left,
        revocation=devices.revocation,
        connections=devices.connections,
        supervisor=devices.supervisor,
        cluster=devices.cluster,
        turns=TurnDependencies(run=run, jobs=jobs, memory=memory),
        jobs=jobs,
        online_reporter=OnlineReporter(
            connections=devices.connections, store=devices_online, every_s=SAID_EVERY.total_seconds()
        ),
        embedding=EmbeddingInfo(model=run.embedder.name, dimensions=run.embedder.dimensions),
        rate=RequestRate(per_minute=settings.REQUESTS_PER_MINUTE),
        frame_limits=FrameLimits(request_values=settings.MAX_REQUEST_VALUES, answer_values=settings.MAX_ANSWER_VALUES),
        limits=Limits(
            max_frame_bytes=settings.MAX_FRAME_BYTES, max_concurrent_requests=settings.MAX_CONCURRENT_REQUESTS
        ),
        allowed_origins=frozenset(settings.ALLOWED_ORIGINS),
        hosts=settings.ALLOWED_HOSTS,
        assistant=_assistant(),
        timings=timings,
    )


def _quotas(watching: Observation) -> QuotaService:
    """The daily quotas. Without a recorder, turns count only while they run."""
    installation = Quota(turns=settings.DAILY_TURNS, tokens=settings.DAILY_TOKENS)
    if watching.recorder is None:
        return QuotaService(installation=installation, overrides=OverrideCache())
    return QuotaService(installation=installation, overrides=OverrideCache(), unwritten=watching.recorder.waiting)


def worker_process(*, slots: int) -> WorkerProcess:
    """A process that runs jobs and has no sockets."""
    chosen = models()
    # A call of such a model that was approved too late for its request runs as a job.
    publish(chosen.blueprints)
    watching = observation()
    run = _run_dependencies(chosen, ThreadReader(), watching)
    devices = _device_services(run, Timings())
    jobs = dispatch()
    factory = WorkerFactory(run=run, connections=devices.connections, cluster=devices.cluster)
    return WorkerProcess(
        worker=factory.worker(jobs, slots=slots),
        jobs=jobs,
        cluster=devices.cluster,
        observation=watching,
        prompts=prompt_refresher(),
    )
