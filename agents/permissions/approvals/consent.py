"""Whether a tool may run now: the user's policies, further reasons to ask, and the user's answer."""

import json
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Final, Protocol
from uuid import UUID, uuid4

from accounts.translations import gettext_noop, translations
from agents.adapters.base import Message
from agents.calls import ClientCall
from agents.errors import ClientSilent, ToolFailed
from agents.permissions.approvals.boundaries import ReasonToAsk
from agents.permissions.approvals.change_report import undo_call
from agents.permissions.approvals.consent_table import CallKind, Verdict
from agents.permissions.approvals.judging import Judge, Judged, lasting_texts
from agents.permissions.approvals.naming import is_named
from agents.permissions.approvals.passages import Reading
from agents.permissions.approvals.policies import Policies
from agents.permissions.approvals.previews import (
    effect_of,
    former_title_notice,
    lasting_summary,
    replacement_notice,
    summary_of,
)
from agents.permissions.approvals.refusals import CANNOT_ASK, Refusal, refuse_if_denied, refuse_unless_approved
from agents.permissions.approvals.repository import ApprovalStatus, Preview, ProposedCall, Question
from agents.permissions.approvals.service import ApprovalService, Asker, Reach
from agents.permissions.approvals.sources import program_notice, source_notice
from agents.permissions.models import ApprovalState, Decision
from agents.permissions.withholding import SharingFilter
from agents.provenance import Provenance
from agents.requests import RequestOrigin
from agents.tools.client import ClientExecutor
from agents.tools.context import CallContext
from agents.tools.spec import ToolSpec

logger = logging.getLogger(__name__)

MAX_QUESTIONS: Final = 3
"""The maximum number of questions about one call if its row changes each time."""
MAX_REFUSED: Final = 3
"""The number of refusals that end the questions of a request: a model may try the same in other words each time."""
_NEVER_SHARED: Final = gettext_noop("It concerns something that you never share with the assistant.")


class Gate(Protocol):
    """Decides about each tool call before it runs."""

    @property
    def asks(self) -> bool:
        """Whether a user can be asked now, while a call waits."""

    def follow(self, conversation: Sequence[Message]) -> None:
        """Decide by ``conversation``, which is sent to the model, and grows. It contains a reply before its calls."""

    def together(self, tools: Sequence[ToolSpec], context: CallContext) -> AbstractAsyncContextManager[None]:
        """A block that admits ``tools``, the calls of one reply. The user is asked about them at the same time."""

    async def check(self, tool: ToolSpec, context: CallContext) -> None:
        """Raise ``ToolFailed`` if ``tool`` must not run in any case. Called before anything is read for it."""

    async def admit(self, tool: ToolSpec, context: CallContext, *, on_waiting: Callable[[], None]) -> Preview | None:
        """Return when ``tool`` can run. ``on_waiting`` is called before waiting for the user.

        Returns the preview that the user was shown, if they were asked and the tool changes a row.

        Raises ``ToolFailed`` if the tool must not run, and the errors of the tool before its first change and of reads
        of the client. Nothing has been changed then.
        """


class OnAsking(Protocol):
    """Called when a tool begins to wait for the user, and when the wait ends."""

    def __call__(self, tool: ToolSpec, *, waiting: bool) -> None: ...


def ignore_asking(tool: ToolSpec, *, waiting: bool) -> None:
    """The ``OnAsking`` that does nothing."""


class Unattended:
    """The ``Gate`` without a user who can be asked or has policies. The default policies apply."""

    asks: Final = False

    def follow(self, conversation: Sequence[Message]) -> None:
        """Does nothing."""

    @asynccontextmanager
    async def together(self, tools: Sequence[ToolSpec], context: CallContext) -> AsyncIterator[None]:  # noqa: ARG002
        yield

    async def check(self, tool: ToolSpec, context: CallContext) -> None:  # noqa: ARG002
        if Policies().decision(tool.tool_name, tool.risk) is not Decision.AUTO:
            raise ToolFailed(CANNOT_ASK)

    async def admit(
        self,
        tool: ToolSpec,
        context: CallContext,
        *,
        on_waiting: Callable[[], None],  # noqa: ARG002
    ) -> Preview | None:
        await self.check(tool, context)
        return None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Decided:
    """Whether the user must be asked about a call, and why. ``client`` reads the row for the preview.

    ``hidden`` is the change, if it concerns rows that are never shared.
    """

    asks: bool
    tool: ToolSpec
    context: CallContext
    judged: Judged
    client: ClientExecutor
    reasons: Sequence[str] = ()
    hidden: ClientCall | None = None


@dataclass(kw_only=True)
class TurnConsent:
    """The ``Gate`` of one turn.

    A row that is never shared is treated like one that does not exist, unless the user's own words name it: then they
    are always asked. ``on_waited`` is called after each wait for the user.
    """

    approvals: ApprovalService
    asker: Asker
    judge: Judge
    request_id: str
    reasons: Sequence[ReasonToAsk] = ()
    on_asking: OnAsking = ignore_asking
    on_waited: Callable[[], None] = lambda: None
    unreported: list[ClientCall] = field(default_factory=list)
    """The changes that were made and that the answer must report."""
    replaced: dict[str, str] = field(default_factory=dict, repr=False)
    """The former values of preferences that were replaced without asking, by key."""
    acted: list[str] = field(default_factory=list)
    """The names of the tools that the user was asked about are added here."""
    reading: Reading = field(default_factory=Reading, repr=False)
    _shown: set[UUID] = field(default_factory=set, init=False)
    _refused: set[UUID] = field(default_factory=set, init=False)
    _asked_together: set[str] = field(default_factory=set, init=False, repr=False)
    """The plans of the calls that are asked about together with others."""

    @property
    def asks(self) -> bool:
        return self.asker.reach() is Reach.ASKS

    @property
    def _has_refused_enough(self) -> bool:
        return len(self._refused) >= MAX_REFUSED

    @property
    def _sharing(self) -> SharingFilter:
        return self.judge.sharing

    def follow(self, conversation: Sequence[Message]) -> None:
        self.reading.follow(conversation)

    async def check(self, tool: ToolSpec, context: CallContext) -> None:
        await self._policies(tool, context)

    async def admit(self, tool: ToolSpec, context: CallContext, *, on_waiting: Callable[[], None]) -> Preview | None:
        decided, shown = await self._decide(tool, context), None
        if decided.asks:
            shown = await self._ask(decided, on_waiting)
        elif decided.judged.verdict is Verdict.TELL and (change := decided.judged.change or undo_call(tool)):
            self.unreported.append(change)
        elif decided.judged.replaced:
            self.replaced.setdefault(str(tool.arguments["key"]), decided.judged.replaced)
        if decided.hidden is not None:
            self._sharing.allow(decided.hidden)
        return shown

    @asynccontextmanager
    async def together(self, tools: Sequence[ToolSpec], context: CallContext) -> AsyncIterator[None]:
        questions: Sequence[Question] = ()
        if len(tools) > 1 and self.asks and not self._has_refused_enough:
            questions = await self._opened(await self._all_proposed(tools, context), self._origin(context))
        async with self.approvals.holding(questions):
            for question in questions:
                # A question that was answered before is not asked again.
                if (await self.approvals.status(question, waiting=True)).state is ApprovalState.PENDING:
                    self._show(question)
            yield

    async def _all_proposed(self, tools: Sequence[ToolSpec], context: CallContext) -> Sequence[ProposedCall]:
        """The calls that the user must be asked about. A call that fails is omitted: it fails again when it runs."""
        by_plan: dict[str, ProposedCall] = {}
        for tool in tools:
            try:
                decided = await self._decide(tool, context)
                if decided.asks:
                    proposed = await self._proposed(decided)
                    by_plan[proposed.plan] = proposed
            except Exception:  # noqa: BLE001 - the boundary of a call, which fails again when it runs
                logger.info("the call of %s is not asked about together with others", tool.tool_name)
        return list(by_plan.values())

    async def _opened(self, proposed: Sequence[ProposedCall], origin: RequestOrigin) -> Sequence[Question]:
        """A group of questions. None if there is only one call, which asks when it runs."""
        if len(proposed) < 2:
            return ()
        group = uuid4()
        self._asked_together.update(each.plan for each in proposed)
        return [await self.approvals.open_question(origin, replace(each, group=group)) for each in proposed]

    async def _decide(self, tool: ToolSpec, context: CallContext) -> _Decided:
        """Decide about a call. Raises as ``admit``."""
        policies = await self._policies(tool, context)
        judged = await self.judge.judge(tool, context, self.reading.so_far())
        reasons = [text for reason in self.reasons if (text := await reason(tool, context)) is not None]
        hidden = await self._hidden_change(judged.change, context)
        client: ClientExecutor = self._sharing
        if hidden is not None:
            client = self._sharing.device
            reasons.append(translations(context.language).gettext(_NEVER_SHARED))
        asks = must_ask(tool, judged, policies) or bool(reasons)
        return _Decided(
            asks=asks, tool=tool, context=context, judged=judged, client=client, reasons=reasons, hidden=hidden
        )

    async def _policies(self, tool: ToolSpec, context: CallContext) -> Policies:
        """The user's policies. Raises ``ToolFailed`` if they deny ``tool``, or if the user must but cannot be asked."""
        policies = await self.approvals.policies(context.user_id)
        decision = policies.decision(tool.tool_name, tool.risk)
        refuse_if_denied(decision)
        if decision is Decision.ASK and self.asker.reach() is Reach.CANNOT:
            raise ToolFailed(CANNOT_ASK)
        return policies

    async def _hidden_change(self, call: ClientCall | None, context: CallContext) -> ClientCall | None:
        """``call``, if it would change never-shared rows and the user's own words name each of them.

        Raises as ``admit`` if it concerns other rows that are never shared or do not exist.
        """
        if call is None or not await self._sharing.marks():
            return None
        hidden = await self._sharing.hidden_in(call)
        named = [each for each in hidden if is_named(each, message=self.judge.said, scope=context.scope)]
        if hidden and len(named) == len(hidden) and self.asker.reach() is not Reach.CANNOT:
            return call
        await self._sharing.check(call)
        return None

    async def _ask(self, asking: _Decided, on_waiting: Callable[[], None]) -> Preview | None:
        """Return once the user has approved the effect on the row as it is now. Returns and raises as ``admit``."""
        tool, reasons, reach = asking.tool, asking.reasons, self.asker.reach()
        if reach is Reach.CANNOT:
            # The reasons are for the user. They can name the viewed page, which the user may never share.
            shown = () if reasons and await self._sharing.marks() else reasons
            raise ToolFailed(" ".join([CANNOT_ASK, *shown]))
        proposed = await self._proposed(asking)
        if self._has_refused_enough and proposed.plan not in self._asked_together:
            raise ToolFailed(Refusal.NOT_ASKED)
        for _ in range(MAX_QUESTIONS):
            question = await self.approvals.open_question(self._origin(asking.context), proposed)
            self.acted.append(tool.tool_name)
            async with self.approvals.asking(question, request_id=self.request_id):
                status = await self._settled(tool, question, reach, on_waiting)
                if status.state is ApprovalState.REFUSED:
                    self._refused.add(question.id)
                refuse_unless_approved(status)
                async with self.approvals.using(question):
                    asked, proposed = proposed, await self._proposed(asking)
                if proposed.plan == asked.plan:
                    if await self.approvals.take(question):
                        return proposed.preview
                    raise ToolFailed(
                        "The user's approval was used already. Read the present state before you do anything else."
                    )
                # The row has changed since the user saw it.
                await self.approvals.withdraw(question)
        raise ToolFailed(
            "The row changed each time after the user had approved, so nothing was changed. Tell the user to try again "
            "later."
        )

    async def _settled(
        self, tool: ToolSpec, question: Question, reach: Reach, on_waiting: Callable[[], None]
    ) -> ApprovalStatus:
        # Recorded before it is shown, so that a device that disconnects at once is asked again when it is back.
        status = await self.approvals.status(question, waiting=reach is Reach.ASKS)
        if status.state is not ApprovalState.PENDING or reach is not Reach.ASKS:
            return status
        on_waiting()
        self._show(question)
        self.on_asking(tool, waiting=True)
        status = await self.approvals.settled(question)
        self.on_waited()
        self.on_asking(tool, waiting=False)
        return status

    def _show(self, question: Question) -> None:
        if question.id not in self._shown:
            self._shown.add(question.id)
            self.asker.show(question)

    async def _proposed(self, asking: _Decided) -> ProposedCall:
        tool, context = asking.tool, asking.context
        try:
            effect = await effect_of(tool, asking.client)
        except ClientSilent:
            raise ToolFailed(
                "The user's device did not answer in time, so the user could not be asked and nothing was changed. "
                "Tell the user."
            ) from None
        preview = None if effect is None else effect.preview
        summary = summary_of(tool.tool_name, effect, language=context.language, can_undo=self.judge.can_undo())
        if tool.outlives:
            texts = lasting_texts(tool, asking.judged.read)
            summary = lasting_summary(tool.tool_name, texts, language=context.language)
            if asking.judged.replaced:
                summary = f"{summary} {replacement_notice(asking.judged.replaced, language=context.language)}"
        rows = (None, None) if preview is None else (preview.before, preview.after)
        source = self.judge.source(asking.judged, tool, context, rows[0] or rows[1])
        origins = [] if source is None else [source_notice(source, language=context.language)]
        origins += [program_notice(context.program, language=context.language)] if self.judge.by_program else []
        former = self.judge.former_title(rows[0] or {})
        titles = [former_title_notice(former, language=context.language)] if former else []
        return ProposedCall(
            tool=tool.tool_name,
            risk=asking.judged.risk(tool),
            # With these the tool runs as a job, if the turn has ended before the answer.
            arguments=tool.lasting_arguments,
            summary=" ".join([summary, *titles, *asking.reasons, *origins]),
            preview=preview,
            source=source,
            plan=json.dumps([tool.tool_name, tool.arguments, *rows], sort_keys=True, default=dict),
        )

    def _origin(self, context: CallContext) -> RequestOrigin:
        return RequestOrigin(
            user_id=context.user_id,
            request_id=self.request_id,
            session_id=context.session_id or "",
            device_id=self.asker.device_id,
            program=context.program,
        )


def must_ask(tool: ToolSpec, judged: Judged, policies: Policies) -> bool:
    """Whether the user must be asked, by their policies or by the table of consent. Raises ``ToolFailed`` if denied.

    A decision about the tool overrides the table. A decision about its risk applies in addition to the table.
    """
    risk, foreign = judged.risk(tool), judged.read.provenance is Provenance.FOREIGN
    decided = policies.about(tool.tool_name, risk, after_foreign=foreign)
    if decided is None:
        decided = policies.risks[risk]
        # The user can allow all destructive calls, but not those after foreign text.
        by_table = foreign or judged.kind is not CallKind.IRREVERSIBLE
        if decided is Decision.AUTO and by_table and judged.verdict is Verdict.ASK:
            return True
    refuse_if_denied(decided)
    return decided is Decision.ASK
