"""The composition of a process: the implementation of each port, chosen from settings and passed in."""

from dataclasses import dataclass, field
from functools import cache, partial
from uuid import UUID

from channels.layers import get_channel_layer
from django.conf import settings

from accounts.auth.devices import (
    REPORT_EVERY,
    authenticate_token,
    device_arrived,
    device_left,
    id_of_device,
    note_online,
)
from accounts.auth.tokens import revoked, subject_of
from accounts.database import in_database
from accounts.keys.vault import Vault, open_vault
from accounts.statements import Statements, ThreadStatements
from adiuva.database import embedded
from adiuva.database.availability import DatabaseMonitor
from adiuva.database.loop_statements import LoopStatements, connection_parameters
from adiuva.database.notices import NoticeChannel
from adiuva.database.pool import drop_pool
from adiuva.metrics import metrics
from adiuva.secret_keys import derived_key
from adiuva.wiring.jobs import WorkerProcess, dispatch, job_notifier, tool_worker
from adiuva.wiring.models import Models, models, prompt_refresher
from adiuva.wiring.observation import Observation, observation
from adiuva.wiring.worker_page import WorkerPage
from agents.adapters.catalogue import ModelCatalogue
from agents.allowances import Quota
from agents.engine.run import RunDependencies, UserRecollection
from agents.jobs.service import needed_devices
from agents.offline import OfflineAdapter
from agents.permissions.approvals.service import ApprovalService
from agents.permissions.disclosures import DatabaseDisclosures
from agents.permissions.quotas import OverrideCache, QuotaService
from agents.permissions.rules import CHANNEL, RuleCache
from agents.prompts.refresher import PromptRefresher
from agents.prompts.tryout import TRY_OUT
from agents.retention import RetentionDays, RetentionSweeper
from agents.tools.models import publish
from chat.cluster.images import RedisImages
from chat.cluster.node import ClusterNode, ClusterPorts, redis_ports, single_process_ports
from chat.cluster.redis_connection import RedisConnection, VaultCache
from chat.cluster.remote_calls import RemoteCalls
from chat.devices.approvals import question_handler, show_open_questions
from chat.devices.arrivals import Arrivals
from chat.devices.connections import ConnectionManager, OnlineReporter
from chat.protocol.frames.codec import FrameLimits
from chat.protocol.frames.server import Limits, ModelInfo
from chat.rates import RequestRate, SocketLimits, SocketRates
from chat.revocation import RevocationWatch
from chat.services import AssistantFacts, ChatServices, Timings
from chat.turns.dependencies import TurnDependencies
from chat.turns.images import ImageStore, MemoryImages
from chat.turns.supervisor import TurnSupervisor
from memory.embedders.hashing import HashingEmbedder
from memory.index_cache import IndexCache
from memory.service import MemoryService, UserMemory


@dataclass(frozen=True, kw_only=True, slots=True)
class Parts:
    """The parts of an application. Background parts start with its first event."""

    services: ChatServices
    memory: MemoryService | None
    models: Models | None = None
    observation: Observation = field(default_factory=Observation)
    prompts: PromptRefresher | None = None
    retention: RetentionSweeper | None = None
    statements: LoopStatements | None = None
    notices: NoticeChannel | None = None
    monitor: DatabaseMonitor | None = None


def parts() -> Parts:
    """The parts of a server process."""
    chosen = models()
    publish(chosen.blueprints)
    # The offline assistant reads no prompt: with it there is nothing to try out.
    TRY_OUT.adapter = chosen.adapter if chosen.catalogue.offered else None
    statements = LoopStatements(on_wait=metrics.statement_waited)
    memory = None
    if settings.MEMORY:
        indexes = IndexCache(max_bytes=settings.MEMORY_INDEX_MIB * 2**20, away_s=60.0 * settings.MEMORY_AWAY_MINUTES)
        metrics.count_indexes(lambda: indexes.size, lambda: indexes.evictions)
        memory = MemoryService(
            embedder=chosen.embedder,
            summarizer=chosen.summarizer,
            reader=chosen.reader,
            statements=statements,
            indexes=indexes,
            budget_s=settings.EMBEDDING_BUDGET_MS / 1000,
            tokens=settings.MEMORY_TOKENS,
        )
    watching = observation()
    run = _run_dependencies(chosen, statements, watching, memory)
    services = _chat_services(run, memory, statements)
    return Parts(
        services=services,
        memory=memory,
        models=chosen,
        observation=watching,
        prompts=prompt_refresher(),
        retention=RetentionSweeper(retention_days()),
        statements=statements,
        notices=NoticeChannel(CHANNEL, run.rules),
        monitor=database_monitor(),
    )


def database_monitor() -> DatabaseMonitor:
    """What watches whether the database answers this process."""
    return DatabaseMonitor(connection_parameters, database_gone, away_after_s=settings.DATABASE_AWAY_S)


def database_gone() -> None:
    """End what waits for the database, and start it again if it is the embedded one and was killed."""
    drop_pool()
    if not settings.DATABASE_URL:
        embedded.start_again(settings.DATA_DIR)


def retention_days() -> RetentionDays:
    """For how many days ended jobs, turns and other records are kept."""
    return RetentionDays(
        jobs=settings.KEEP_JOBS_DAYS,
        disclosures=settings.KEEP_DISCLOSURES_DAYS,
        turns=settings.KEEP_TURNS_DAYS,
        dialogues=settings.KEEP_DIALOGUES_DAYS,
        removed_devices=settings.KEEP_REMOVED_DEVICES_DAYS,
    )


def _run_dependencies(
    models: Models, statements: Statements, watching: Observation, memory: MemoryService | None = None
) -> RunDependencies:
    """Without a ``memory``, as in a worker, tools find exchanges without an index of their words."""
    rules = RuleCache(statements)

    def recollection(user_id: UUID) -> UserRecollection:
        of_user = UserMemory(user_id=user_id, embedder=models.embedder) if memory is None else memory.of(user_id)
        return UserRecollection(of_user)

    return RunDependencies(
        adapter=models.adapter,
        models=models.catalogue,
        embedder=models.embedder,
        approvals=ApprovalService(policies=rules.policies, alone=not settings.REDIS_URL),
        recollection=recollection if settings.MEMORY else None,
        disclosures=DatabaseDisclosures(
            on_server={OfflineAdapter.name, HashingEmbedder.name}, rules=rules, statements=statements
        ),
        marks=rules,
        rules=rules,
        quotas=QuotaService(
            installation=Quota(turns=settings.DAILY_TURNS, tokens=settings.DAILY_TOKENS),
            overrides=OverrideCache(),
            unwritten=watching.recorder.waiting,
        ),
        observers=watching.observers,
    )


def cluster_ports() -> ClusterPorts:
    """What the processes of a server share: in Redis if ``REDIS_URL`` is set; otherwise there is one process."""
    conversation_s = settings.CONVERSATION_MINUTES * 60
    if not settings.REDIS_URL:
        return single_process_ports(conversation_s=conversation_s)
    layer = get_channel_layer()
    if layer is None:
        raise TypeError("settings.CHANNEL_LAYERS has no default layer")
    return redis_ports(
        redis_connection(),
        layer=layer,
        open_vault=_open_vault,
        conversation_s=conversation_s,
    )


def image_store() -> ImageStore:
    """Where images wait for the requests that name them: in Redis if ``REDIS_URL`` is set, else in this process."""
    if settings.REDIS_URL:
        return RedisImages(redis=redis_connection(), vaults=VaultCache(_open_vault))
    return MemoryImages(open_vault=_open_vault, max_bytes=settings.IMAGE_CACHE_BYTES)


async def _open_vault(user_id: UUID) -> Vault:
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
        call_timeout_s=settings.CLIENT_CALL_TIMEOUT_S, forwarder=calls if ports.shared else None
    )
    revocation = RevocationWatch(
        ask=lambda grants: in_database(revoked, grants), supervisor=supervisor, every_s=timings.revocation_s
    )
    cluster = ClusterNode(
        ports=ports,
        calls=calls,
        connections=connections,
        supervisor=supervisor,
        revocation=revocation,
        show_questions=partial(show_open_questions, run.approvals),
        secret=derived_key(settings.SECRET_KEY, purpose="fingerprints of requests"),
        max_sockets=settings.MAX_SOCKETS,
    )
    return _DeviceServices(connections=connections, supervisor=supervisor, revocation=revocation, cluster=cluster)


def _chat_services(run: RunDependencies, memory: MemoryService | None, statements: Statements) -> ChatServices:
    """The services that the sockets of this process share."""
    timings = Timings()
    devices = _device_services(run, timings)
    jobs = job_notifier(run, connections=devices.connections, cluster=devices.cluster)
    return ChatServices(
        subject_of=subject_of,
        authenticate=partial(authenticate_token, statements=statements),
        device_arrived=partial(device_arrived, needed=needed_devices, statements=statements),
        device_called=lambda user_id, name: in_database(id_of_device, user_id, name),
        device_left=device_left,
        revocation=devices.revocation,
        connections=devices.connections,
        supervisor=devices.supervisor,
        cluster=devices.cluster,
        arrivals=Arrivals(
            connections=devices.connections, handlers=[question_handler(run.approvals), jobs.arrival_handler]
        ),
        turns=TurnDependencies(
            run=run,
            jobs=jobs,
            memory=memory,
            conversations=devices.cluster.ports.conversations,
            foreign_marks=devices.cluster.ports.foreign_marks,
            images=image_store(),
        ),
        jobs=jobs,
        online_reporter=OnlineReporter(
            connections=devices.connections,
            store=lambda names: in_database(note_online, names),
            every_s=REPORT_EVERY.total_seconds(),
        ),
        rate=RequestRate(per_minute=settings.REQUESTS_PER_MINUTE),
        socket_rates=SocketRates(_socket_limits()),
        frame_limits=FrameLimits(request_values=settings.MAX_REQUEST_VALUES, answer_values=settings.MAX_ANSWER_VALUES),
        limits=Limits(
            max_frame_bytes=settings.MAX_FRAME_BYTES, max_concurrent_requests=settings.MAX_CONCURRENT_REQUESTS
        ),
        allowed_origins=frozenset(settings.ALLOWED_ORIGINS),
        hosts=settings.ALLOWED_HOSTS,
        assistant=_assistant_facts(run.models),
        timings=timings,
    )


def _assistant_facts(models: ModelCatalogue) -> AssistantFacts:
    if not models.offered:
        return AssistantFacts()
    default = models.offered[0]
    infos = [
        ModelInfo(
            name=model.name,
            display_name=model.display_name,
            default=model is default,
            images=model.sees_images,
        )
        for model in models.offered
    ]
    return AssistantFacts(model=default.adapter.name, offline=False, models=infos)


def _socket_limits() -> SocketLimits:
    return SocketLimits(
        sockets=settings.MAX_SOCKETS,
        connections_per_minute=settings.CONNECTIONS_PER_MINUTE,
        frames_per_s=settings.SOCKET_FRAMES_PER_S,
        user_frames_per_s=settings.USER_FRAMES_PER_S,
        frame_time_percent=settings.FRAME_TIME_PERCENT,
        arriving=settings.MAX_ARRIVING,
    )


def worker_process(*, slots: int) -> WorkerProcess:
    """A process that runs jobs and has no sockets."""
    chosen = models()
    # A call of such a model that was approved too late for its request runs as a job.
    publish(chosen.blueprints)
    watching = observation()
    run = _run_dependencies(chosen, ThreadStatements(), watching)
    devices = _device_services(run, Timings())
    jobs = dispatch()
    return WorkerProcess(
        models=chosen,
        worker=tool_worker(run, jobs, connections=devices.connections, cluster=devices.cluster, slots=slots),
        jobs=jobs,
        cluster=devices.cluster,
        observation=watching,
        prompts=prompt_refresher(),
        page=WorkerPage(settings.WORKER_METRICS),
        monitor=database_monitor(),
    )
