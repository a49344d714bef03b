"""Which implementation stands behind each port: chosen here, from settings, and passed in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from uuid import UUID

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.conf import settings

from accounts.attendance import SAID_EVERY
from accounts.socket_auth import authenticate_token
from accounts.socket_devices import device_arrived, device_left, devices_online, revoked_standings
from accounts.vault import Vault, open_vault
from adiuva.derived_keys import derived_key
from adiuva.health import NotReady
from adiuva.job_wiring import Workplace, Workshop, dispatch
from adiuva.loop_reading import LoopReader
from adiuva.prompt_wiring import prompt_keeper
from adiuva.trace_wiring import Observation, observation
from agents.adapters.base import ModelAdapter, ModelSize
from agents.adapters.blueprints import Blueprint
from agents.allowances import Quota
from agents.engine.remembering import UserRecollection
from agents.engine.summarizer import ModelSummarizer, PlainSummarizer
from agents.offline import OfflineAdapter
from agents.permissions.approvals.store import DatabaseApprovals
from agents.permissions.approvals.tool_approvals import ToolApprovalManager
from agents.permissions.disclosures.store import DatabaseDisclosures
from agents.permissions.quotas.keeper import QuotaKeeper
from agents.permissions.quotas.overrides import OverrideBook
from agents.permissions.sharing.store import DatabaseMarks
from agents.prompts.keeper import PromptKeeper
from agents.reading import Reader, ThreadReader
from agents.retention.background import Forgetting
from agents.retention.kinds import Kept
from agents.telemetry.observed_adapter import ObservedAdapter
from agents.tools.models import publish
from chat.cluster.commons import Commons, alone
from chat.cluster.neighbourhood import Neighbourhood
from chat.cluster.over_redis.commons import over_redis
from chat.cluster.over_redis.line import RedisLine
from chat.cluster.remote_links import RemoteCalls
from chat.devices.approvals import show_open_questions
from chat.devices.attendance import Attendance
from chat.devices.connections import ConnectionManager
from chat.devices.links import DeviceLink
from chat.errors import NeighboursAway
from chat.protocol.frames.server import EmbeddingInfo, Limits
from chat.rates import RequestRate
from chat.revocation import RevocationWatch
from chat.services import AssistantFacts, ChatServices, Timings
from chat.turns.asking import Kit
from chat.turns.factory import TurnFactory
from chat.turns.remembering import Remembering
from chat.turns.supervisor import TurnSupervisor
from memory.embedders.base import Embedder
from memory.embedders.hashing import HashingEmbedder
from memory.middleware import MemoryMiddleware
from memory.record import Summarizer


@dataclass(frozen=True, kw_only=True, slots=True)
class Parts:
    """What an application is made of. What works in the background does so from its first event on."""

    services: ChatServices
    memory: MemoryMiddleware | None
    observation: Observation = field(default_factory=Observation)
    prompts: PromptKeeper | None = None
    forgetting: Forgetting | None = None
    reader: LoopReader | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Models:
    """What asks models, or does without them. ``names`` are the models' own, where a size has one."""

    adapter: ModelAdapter
    embedder: Embedder
    summarizer: Summarizer
    names: Mapping[ModelSize, str] = field(default_factory=dict)
    blueprints: Sequence[Blueprint]
    """What other programs may talk with."""


def _models() -> _Models:
    """A real model's where a key or a base URL is set, else those that need none."""
    if settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL:
        return _real_models()
    return _Models(
        adapter=OfflineAdapter(),
        embedder=HashingEmbedder(),
        summarizer=PlainSummarizer(),
        blueprints=_added_models() if settings.MODELS else [],
    )


# The two below import the SDK where they use it: it takes 0.4 s, which a process that asks no model need not spend.


def _added_models() -> list[Blueprint]:
    from adiuva.model_wiring import blueprints

    return blueprints(None)


def _real_models() -> _Models:
    from adiuva.model_wiring import blueprints
    from agents.adapters.openai import OpenAIAdapter, openai_client
    from memory.embedders.openai import OpenAIEmbedder

    client = openai_client(
        api_key=settings.OPENAI_API_KEY, base_url=settings.OPENAI_BASE_URL, stall_s=settings.OPENAI_STALL_S
    )
    sizes = {ModelSize.LARGE: settings.OPENAI_MODEL, ModelSize.SMALL: settings.OPENAI_SMALL_MODEL}
    adapter = OpenAIAdapter(client, sizes)
    embedder = OpenAIEmbedder(client, settings.OPENAI_EMBEDDING_MODEL)
    return _Models(
        adapter=adapter,
        embedder=embedder,
        summarizer=ModelSummarizer(adapter),
        blueprints=blueprints(client),
        names=sizes,
    )


def embedder() -> Embedder:
    """What makes vectors, for commands that need nothing else."""
    return _models().embedder


def _memory(models: _Models) -> MemoryMiddleware | None:
    """The memory; None for an installation that has turned it off."""
    if not settings.MEMORY:
        return None
    budget_s = settings.EMBEDDING_BUDGET_MS / 1000
    return MemoryMiddleware(embedder=models.embedder, summarizer=models.summarizer, budget_s=budget_s)


def parts() -> Parts:
    """Everything that the application of a process is made of."""
    models = _models()
    publish(models.blueprints)
    memory = _memory(models)
    watching = observation()
    reader = LoopReader()
    services = _chat_services(_kit(models, memory, reader), watching)
    return Parts(
        services=services,
        memory=memory,
        observation=watching,
        prompts=prompt_keeper(),
        forgetting=Forgetting(kept()),
        reader=reader,
    )


def kept() -> Kept:
    """For how long what has ended is kept."""
    return Kept(
        jobs=settings.KEEP_JOBS_DAYS,
        disclosures=settings.KEEP_DISCLOSURES_DAYS,
        turns=settings.KEEP_TURNS_DAYS,
        dialogues=settings.KEEP_DIALOGUES_DAYS,
    )


def _kit(models: _Models, memory: MemoryMiddleware | None, reader: Reader) -> Kit:
    kit = Kit(
        # Summaries do not go by way of it: they are written when their turn is over, and belong to none.
        adapter=ObservedAdapter(models.adapter, models.names),
        embedder=models.embedder,
        approvals=ToolApprovalManager(store=DatabaseApprovals(reader), alone=not settings.REDIS_URL),
        disclosures=DatabaseDisclosures(on_server={OfflineAdapter.name, HashingEmbedder.name}),
        marks=DatabaseMarks(reader),
    )
    if memory is None:
        return kit

    def recollection(user_id: UUID) -> UserRecollection:
        return UserRecollection(user_id=user_id, embedder=models.embedder)

    remembering = Remembering(memory=memory, recollection=recollection)
    return replace(kit, memory=remembering)


def commons() -> Commons:
    """What this process has in common with others: with a ``REDIS_URL`` it lies in Redis, else there are no others."""
    if not settings.REDIS_URL:
        return alone()
    layer = get_channel_layer()
    if layer is None:
        raise TypeError("settings.CHANNEL_LAYERS has no default layer")
    return over_redis(redis_line(), layer=layer, open_vault=_opened_vault)


async def _opened_vault(user_id: UUID) -> Vault:
    # Not thread-sensitive: otherwise one slow query would stall every socket of the process.
    vault: Vault = await database_sync_to_async(open_vault, thread_sensitive=False)(user_id)
    return vault


@cache
def redis_line() -> RedisLine:
    """This process's one line to Redis."""
    return RedisLine(settings.REDIS_URL, prefix=settings.REDIS_PREFIX)


async def check_redis() -> None:
    """Raises ``NotReady`` while Redis is away."""
    try:
        await redis_line().ping()
    except NeighboursAway:
        raise NotReady("cannot be reached") from None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Exchange:
    """What reaches the devices of this process, and of others."""

    connections: ConnectionManager
    supervisor: TurnSupervisor
    revocation: RevocationWatch
    neighbours: Neighbourhood


def _exchange(kit: Kit, timings: Timings) -> _Exchange:
    shared = commons()
    calls = RemoteCalls(presence=shared.presence, mailbox=shared.mailbox, hints=shared.hints)
    supervisor = TurnSupervisor(max_running=settings.MAX_CONCURRENT_REQUESTS)
    connections = ConnectionManager(
        make_link=lambda device: DeviceLink(
            timeout_s=settings.CLIENT_CALL_TIMEOUT_S, elsewhere=calls.link(device) if shared.shared else None
        )
    )
    revocation = RevocationWatch(ask=revoked_standings, supervisor=supervisor, every_s=timings.revocation_s)
    neighbours = Neighbourhood(
        shared,
        calls=calls,
        connections=connections,
        supervisor=supervisor,
        revocation=revocation,
        show_questions=partial(show_open_questions, kit.approvals),
        secret=derived_key(settings.SECRET_KEY, purpose="fingerprints of requests"),
    )
    return _Exchange(connections=connections, supervisor=supervisor, revocation=revocation, neighbours=neighbours)


def _assistant() -> AssistantFacts:
    if not (settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL):
        return AssistantFacts()
    return AssistantFacts(model=settings.OPENAI_MODEL, offline=False)


def _chat_services(kit: Kit, watching: Observation) -> ChatServices:
    """What the sockets of this process share."""
    timings = Timings()
    exchange = _exchange(kit, timings)
    jobs = Workshop(
        kit=kit, connections=exchange.connections, neighbours=exchange.neighbours, observers=watching.observers
    ).desk()
    return ChatServices(
        authenticate=authenticate_token,
        device_arrived=device_arrived,
        device_left=device_left,
        revocation=exchange.revocation,
        connections=exchange.connections,
        supervisor=exchange.supervisor,
        neighbours=exchange.neighbours,
        turns=TurnFactory(kit=replace(kit, jobs=jobs)),
        jobs=jobs,
        attendance=Attendance(
            connections=exchange.connections, note=devices_online, every_s=SAID_EVERY.total_seconds()
        ),
        embedding=EmbeddingInfo(model=kit.embedder.name, dimensions=kit.embedder.dimensions),
        rate=RequestRate(per_minute=settings.REQUESTS_PER_MINUTE),
        limits=Limits(
            max_frame_bytes=settings.MAX_FRAME_BYTES, max_concurrent_requests=settings.MAX_CONCURRENT_REQUESTS
        ),
        allowed_origins=frozenset(settings.ALLOWED_ORIGINS),
        hosts=settings.ALLOWED_HOSTS,
        assistant=_assistant(),
        timings=timings,
        observers=watching.observers,
        quotas=_quotas(watching),
    )


def _quotas(watching: Observation) -> QuotaKeeper:
    """What users may use in a day. Turns that nobody writes down count only while they run."""
    installation = Quota(turns=settings.DAILY_TURNS, tokens=settings.DAILY_TOKENS)
    if watching.recorder is None:
        return QuotaKeeper(installation=installation, overrides=OverrideBook())
    return QuotaKeeper(installation=installation, overrides=OverrideBook(), unwritten=watching.recorder.waiting)


def workplace(*, slots: int) -> Workplace:
    """A process that runs jobs and has no sockets."""
    models = _models()
    # What a user let a program ask one of them, and approved too late for an answer, runs as a job.
    publish(models.blueprints)
    kit = _kit(models, _memory(models), ThreadReader())
    exchange = _exchange(kit, Timings())
    jobs = dispatch()
    watching = observation()
    workshop = Workshop(
        kit=kit,
        connections=exchange.connections,
        neighbours=exchange.neighbours,
        observers=watching.observers,
    )
    return Workplace(
        worker=workshop.worker(jobs, slots=slots),
        jobs=jobs,
        neighbours=exchange.neighbours,
        observation=watching,
        prompts=prompt_keeper(),
    )
