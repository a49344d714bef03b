"""The setup of a run, which turns, jobs and MCP calls share.

A run is set up in a fixed order, so that no caller can omit a part. ``running`` begins with the observers and the
ledger of disclosures, and puts the models and the embedder behind the ledger. ``AgentRun.on`` adds the device behind
the sharing filter. ``DeviceRun.executor`` adds the tools behind quota and consent.
"""

import logging
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from uuid import UUID
from zoneinfo import ZoneInfo

from accounts.errors import AccountError
from accounts.timezones import utc_now
from agents.adapters.base import Message, ModelAdapter
from agents.adapters.catalogue import ModelCatalogue, OfferedModel
from agents.calls import CallAction, ClientCall
from agents.dialogues.service import UserDialogues
from agents.engine.executor import StartJob, ToolExecutor
from agents.engine.fallback import FallbackAdapter
from agents.engine.gathering import GatheringAdapter
from agents.engine.references import RowResolver
from agents.engine.short_ids import ShortIdAdapter, ShortIds
from agents.errors import ModelRetry, ToolFailed
from agents.permissions.approvals.boundaries import ReasonToAsk
from agents.permissions.approvals.consent import OnAsking, TurnConsent, ignore_asking
from agents.permissions.approvals.judging import Judge
from agents.permissions.approvals.passages import Reading
from agents.permissions.approvals.repository import Preview
from agents.permissions.approvals.service import ApprovalService, Asker, NoAsker
from agents.permissions.disclosures import (
    DisclosureStore,
    Ledger,
    LedgeredAdapter,
    LedgeredEmbedder,
    NoDisclosures,
    Occasion,
)
from agents.permissions.quotas import QuotaService
from agents.permissions.rules import RuleCache, RulesBefore
from agents.permissions.sharing import MarkStore, NoMarks
from agents.permissions.withholding import SharingFilter
from agents.requests import RequestKind, RequestOrigin
from agents.scopes import AnyScope, viewed_row
from agents.telemetry.turns import Observers, TurnOrigin, TurnSource
from agents.tools.client import ClientExecutor, RecordingClient, using_client
from agents.tools.context import CallContext, Episode, Fact, Preference, Recollection, Work
from agents.tools.spec import Agent, Execution, ToolSpec
from memory.errors import InvalidMemory, MemoryOff, UnreadableRow
from memory.index import Embedder
from memory.outdated import marked_since
from memory.service import UserMemory

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunDependencies:
    """What a process provides to its runs.

    ``adapter`` answers if there are no ``models`` to choose from. ``recollection`` returns a user's memory; it is None
    if the memory is turned off. The default ``disclosures`` record nothing, and the default ``marks`` withhold nothing.
    ``rules`` caches policies, marks and keys. ``clock`` returns aware times.
    """

    adapter: ModelAdapter
    embedder: Embedder
    approvals: ApprovalService
    recollection: Callable[[UUID], Recollection] | None = None
    disclosures: DisclosureStore = field(default_factory=NoDisclosures)
    marks: MarkStore = field(default_factory=NoMarks)
    rules: RuleCache = field(default_factory=RuleCache)
    quotas: QuotaService = field(default_factory=QuotaService)
    models: ModelCatalogue = field(default_factory=ModelCatalogue)
    observers: Observers = field(default_factory=Observers)
    clock: Callable[[], datetime] = utc_now


@dataclass(frozen=True, kw_only=True, slots=True)
class Requester:
    """The user for whom a run works. ``asker`` asks them before a tool runs."""

    user_id: UUID
    timezone: ZoneInfo
    language: str
    asker: Asker = field(default_factory=NoAsker)
    device_id: str = ""
    """The device that the run's tools use."""
    source: TurnSource = TurnSource.SOCKET
    program: str = ""
    """The name of the program that calls over MCP, as in the ledger."""
    rules: RulesBefore | None = field(default=None, repr=False)
    """The rules that were read when the request arrived, if any."""


@contextmanager
def running(
    dependencies: RunDependencies,
    requester: Requester,
    *,
    request_id: str,
    kind: RequestKind,
    job_id: UUID | None = None,
    model: str | None = None,
    session_id: str = "",
) -> Iterator["AgentRun"]:
    """The block is a run. The observers get its record when the block ends; log lines contain its request and user.

    ``model`` is the chosen model, None the default. ``session_id`` is only for the observers. Raises ``UnknownModel``.
    """
    turn = TurnOrigin(
        user_id=requester.user_id, request_id=request_id, kind=kind, source=requester.source, session_id=session_id
    )
    origin = RequestOrigin(
        user_id=requester.user_id,
        request_id=request_id,
        device_id=requester.device_id,
        program=requester.program,
    )
    with dependencies.observers.watching(turn), dependencies.rules.run(requester.user_id, requester.rules):
        yield AgentRun(dependencies, requester, Occasion(origin=origin, source=kind, job_id=job_id), model=model)


class AgentRun:
    """One turn, job or MCP call. What its ``adapter`` and ``embedder`` are sent is recorded in the ledger first."""

    def __init__(
        self, dependencies: RunDependencies, requester: Requester, occasion: Occasion, *, model: str | None = None
    ) -> None:
        self.dependencies = dependencies
        self.requester = requester
        self.origin = occasion.origin
        self.request_id = occasion.origin.request_id
        self.ledger = Ledger(occasion, dependencies.disclosures)
        self.short_ids = ShortIds()
        """The short ids of rows for its model. Those of a conversation are restored into it."""
        self._choice = dependencies.models.choice(model)
        self.adapter = self._adapter()
        self.embedder = LedgeredEmbedder(embedder=dependencies.embedder, ledger=self.ledger)

    def _adapter(self) -> ModelAdapter:
        if not self._choice:
            return self._ledgered(self.dependencies.adapter)
        return FallbackAdapter(models=self._choice, reached_by=self._ledgered, changed=lambda: self.ledger.has_changes)

    def _ledgered(self, adapter: ModelAdapter) -> ModelAdapter:
        # The ledger knows rows by their ids, so it reads each message before they are shortened.
        gathering = GatheringAdapter(adapter)
        shortening = ShortIdAdapter(adapter=gathering, short_ids=self.short_ids, tables=self.ledger.tables)
        return LedgeredAdapter(adapter=shortening, ledger=self.ledger)

    @property
    def model(self) -> OfferedModel | None:
        """The chosen model; None if there is no choice."""
        return self._choice[0] if self._choice else None

    @property
    def replacement(self) -> str | None:
        """The name of the model that answers instead of the chosen one, if that is away."""
        adapter = self.adapter
        found = adapter.model if isinstance(adapter, FallbackAdapter) else None
        return None if found is None or found is self.model else found.name

    def now(self) -> datetime:
        """The present time in the requester's time zone."""
        return self.dependencies.clock().astimezone(self.requester.timezone)

    def on(self, client: ClientExecutor, *, by: str = "") -> "DeviceRun":
        """This run with a device to read and write. ``by`` names who writes, for the user."""
        return DeviceRun(self, client, by=by)

    def context(
        self,
        *,
        session_id: str | None = None,
        scope: AnyScope | None = None,
        work: Work | None = None,
        last_change: Callable[[], str | None] | None = None,
    ) -> CallContext:
        """The context of the run's tools."""
        requester, recollection = self.requester, self.dependencies.recollection
        return CallContext(
            user_id=requester.user_id,
            timezone=requester.timezone,
            language=requester.language,
            now=self.now,
            embedder=self.embedder,
            memory=None if recollection is None else recollection(requester.user_id),
            session_id=session_id,
            scope=scope,
            work=work,
            dialogues=UserDialogues(user_id=requester.user_id),
            program=requester.program,
            last_change=last_change,
        )


class DeviceRun:
    """A run with a device. ``results`` has the device's answers, from which the sharing filter has withheld rows."""

    def __init__(self, run: AgentRun, client: ClientExecutor, *, by: str = "") -> None:
        self._run = run
        self.sharing = SharingFilter(client, run.dependencies.marks, run.requester.user_id)
        self.results = RecordingClient(self.sharing, by=by, request_id=run.request_id)
        self.unreported: list[ClientCall] = []
        """The changes of rows that the user's message did not name, in order, including failed ones."""
        self.replaced: dict[str, str] = {}
        """The former values of preferences that were replaced without asking, by key."""
        self.acted: list[str] = []
        """The names of the tools that have, or may have, changed something, begun a job or asked the user."""
        self.reading = Reading()
        run.ledger.follow(self.results)

    @property
    def can_undo(self) -> bool:
        """Whether the device can undo changes."""
        return self.results.supports(CallAction.UNDO)

    @property
    def deleted(self) -> list[str]:
        """The ids of the rows that the run's tools have deleted."""
        return [change.id for change in self.results.changes if change.action is CallAction.DELETE]

    async def forget_deleted(self) -> None:
        """Forget the facts about rows that the run's tools have deleted. A failure is only logged."""
        recollection = self._run.dependencies.recollection
        if recollection is None or not self.deleted:
            return
        try:
            await recollection(self._run.requester.user_id).forget_rows(self.deleted)
        except Exception as error:  # noqa: BLE001 - the rows are gone, and turns ask the device before they tell facts
            logger.warning("facts about deleted rows are not forgotten: %s", type(error).__name__)

    def active(self) -> AbstractContextManager[None]:
        """Calls to the client inside the block go to this run's device."""
        return using_client(self.results)

    def executor(
        self,
        tools: Sequence[type[ToolSpec]],
        context: CallContext,
        *,
        said: str = "",
        reasons: Sequence[ReasonToAsk] = (),
        on_asking: OnAsking = ignore_asking,
        start_job: StartJob | None = None,
        found: Collection[type[ToolSpec]] = (),
    ) -> ToolExecutor:
        """``tools`` behind quota and consent. ``said`` is what the user wrote in this request.

        ``found`` are those that the model must search for. Without ``start_job``, queued tools are refused.
        """
        dependencies, requester = self._run.dependencies, self._run.requester
        judge = Judge(
            sharing=self.sharing,
            results=self.results,
            said=said,
            by_program=requester.source is TurnSource.MCP,
            tables=self._run.ledger.tables,
            can_undo=lambda: self.can_undo,
        )
        consent = TurnConsent(
            approvals=dependencies.approvals,
            asker=requester.asker,
            judge=judge,
            request_id=self._run.request_id,
            reasons=reasons,
            on_asking=on_asking,
            on_waited=partial(dependencies.rules.expire, requester.user_id),
            unreported=self.unreported,
            replaced=self.replaced,
            acted=self.acted,
            reading=self.reading,
        )
        resolver = RowResolver(
            short_ids=self._run.short_ids,
            results=self.results,
            sharing=self.sharing,
            timezone=requester.timezone,
            now=self._run.now,
            viewed=viewed_row(context.scope),
            said=said,
        )
        gate = _Gate(consent, dependencies.quotas, by_program=judge.by_program)
        return ToolExecutor(
            tools,
            context,
            gate=gate,
            start_job=start_job,
            name_rows=resolver.name_rows,
            found=found,
            tells_foreign=self.results.tells_foreign,
            acted=self.acted,
        )


@dataclass(frozen=True, slots=True)
class _Gate:
    """The ``Gate`` of a run. Besides consent, it checks the quota for tools that ask a model, and for jobs of programs:
    a turn's own quota was checked when it began, but calls over MCP are not turns.
    """

    consent: TurnConsent
    quotas: QuotaService
    by_program: bool

    @property
    def asks(self) -> bool:
        return self.consent.asks

    def follow(self, conversation: Sequence[Message]) -> None:
        self.consent.follow(conversation)

    def together(self, tools: Sequence[ToolSpec], context: CallContext) -> AbstractAsyncContextManager[None]:
        return self.consent.together(tools, context)

    async def check(self, tool: ToolSpec, context: CallContext) -> None:
        """As ``Gate.check``."""
        await self.consent.check(tool, context)

    async def admit(self, tool: ToolSpec, context: CallContext, *, on_waiting: Callable[[], None]) -> Preview | None:
        """As ``Gate.admit``; also raises ``QuotaExceeded``."""
        if tool.agent is Agent.MODELS or (self.by_program and tool.execution is Execution.QUEUED):
            # Before the user is asked, so that nothing they have approved is refused.
            await self.quotas.check_tokens(context.user_id)
        return await self.consent.admit(tool, context, on_waiting=on_waiting)


@dataclass(frozen=True, slots=True)
class UserRecollection:
    """The memory of one user."""

    memory: UserMemory

    async def remember(self, key: str, value: str) -> None:
        with _worded_for_model():
            await self.memory.remember(key, value)

    async def preferences(self) -> Sequence[Preference]:
        with _worded_for_model():
            return [Preference(key=each.key, value=each.value) for each in await self.memory.preferences()]

    async def facts(self, query: str, *, limit: int) -> Sequence[Fact]:
        with _worded_for_model():
            found = await self.memory.facts(query, limit=limit)
            return [
                Fact(id=str(each.id), content=marked_since(each.content, each.outdated_at), score=each.score)
                for each in found
            ]

    async def forget(self, key: str) -> bool:
        with _worded_for_model():
            return await self.memory.forget(key)

    async def forget_rows(self, entity_ids: Sequence[str]) -> None:
        with _worded_for_model():
            await self.memory.forget_rows(entity_ids)

    async def episodes(self, query: str, *, since: datetime | None, limit: int) -> Sequence[Episode]:
        with _worded_for_model():
            found = await self.memory.episodes(query, since=since, limit=limit)
            return [
                Episode(id=str(each.id), summary=marked_since(each.summary, each.outdated_at), at=each.created_at)
                for each in found
            ]


@contextmanager
def _worded_for_model() -> Iterator[None]:
    """In the block, errors of the memory become errors of a tool, which the model is told."""
    try:
        yield
    except InvalidMemory as error:
        raise ModelRetry(str(error)) from None
    except MemoryOff:
        raise ToolFailed(
            "The user has turned memory off: nothing is remembered, and nothing can be recalled."
        ) from None
    except UnreadableRow:
        raise ToolFailed(
            "What is remembered under this key cannot be decrypted, so it is not replaced. Tell the user."
        ) from None
    except AccountError as error:
        raise ToolFailed(f"The memory cannot be used right now. {error}") from None
