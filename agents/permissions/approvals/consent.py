"""Whether a tool may run now: by the user's policies, for other reasons to ask, and by what the user answers."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, assert_never

from agents.errors import ClientSilent, ToolFailed
from agents.permissions.approvals.models import ApprovalState, Decision
from agents.permissions.approvals.policies import Policies
from agents.permissions.approvals.previews import Effect, effect_of
from agents.permissions.approvals.questions import Origin, Preview, Question, Standing, Wish
from agents.permissions.approvals.reasons import ReasonToAsk
from agents.permissions.approvals.refusals import Refusal
from agents.permissions.approvals.summaries import summary_of
from agents.permissions.approvals.tool_approvals import Asker, Reach, ToolApprovalManager
from agents.tools.client import ClientExecutor
from agents.tools.context import CallContext
from agents.tools.spec.tool import Risk, ToolSpec

MAX_QUESTIONS: Final = 3
"""How often a call is asked about when its row changes each time."""


class Gate(Protocol):
    """What a tool passes before it runs."""

    async def admit(self, tool: ToolSpec, context: CallContext, *, on_waiting: Callable[[], None]) -> None:
        """Return when ``tool`` may run, at once; ``on_waiting`` is called when a person has to be waited for.

        Raises ``ToolFailed`` when it may not, what the tool raises before its first change, and as a read of the
        client does. Nothing has been changed then.
        """


class OnAsking(Protocol):
    """Is told when a tool waits for the user, and when it does no longer."""

    def __call__(self, tool: ToolSpec, *, waiting: bool) -> None: ...


def _tell_nobody(tool: ToolSpec, *, waiting: bool) -> None:  # noqa: ARG001
    return None


class Unattended:
    """The ``Gate`` where nobody can be asked and nobody has decided anything: the defaults hold."""

    async def admit(self, tool: ToolSpec, context: CallContext, *, on_waiting: Callable[[], None]) -> None:  # noqa: ARG002
        if Policies().decision(tool.tool_name, tool.risk) is not Decision.AUTO:
            raise ToolFailed(_CANNOT_ASK)


@dataclass(kw_only=True)
class TurnConsent:
    """The ``Gate`` of one turn. ``client`` reads the rows that are shown."""

    manager: ToolApprovalManager
    asker: Asker
    client: ClientExecutor
    request_id: str
    reasons: Sequence[ReasonToAsk] = ()
    on_asking: OnAsking = _tell_nobody
    _policies: Policies | None = field(default=None, init=False)

    async def admit(self, tool: ToolSpec, context: CallContext, *, on_waiting: Callable[[], None]) -> None:
        decision = (await self._decided(tool, context)).decision(tool.tool_name, tool.risk)
        if decision is Decision.DENY:
            raise ToolFailed(f"{Refusal.DENIED} Tell the user, who may change it in the settings.")
        reasons = [said for reason in self.reasons if (said := await reason(tool, context)) is not None]
        if decision is Decision.ASK or reasons:
            await self._ask(tool, context, reasons, on_waiting)

    async def _decided(self, tool: ToolSpec, context: CallContext) -> Policies:
        # What changes something goes by the decisions of this moment; reads, of which there are many, by the turn's.
        if self._policies is None or tool.risk is not Risk.READ:
            self._policies = await self.manager.policies(context.user_id)
        return self._policies

    async def _ask(
        self, tool: ToolSpec, context: CallContext, reasons: Sequence[str], on_waiting: Callable[[], None]
    ) -> None:
        """Return once the user has approved what the tool would do, to the row as it is now. Raises as ``admit``."""
        reach = self.asker.reach()
        if reach is Reach.CANNOT:
            raise ToolFailed(" ".join([_CANNOT_ASK, *reasons]))
        wish = await self._wish(tool, context, reasons)
        for _ in range(MAX_QUESTIONS):
            question = await self.manager.open_question(self._origin(context), wish)
            async with self.manager.asking(question):
                _refuse_unless_approved(await self._settled(tool, question, reach, on_waiting))
                async with self.manager.using(question):
                    asked, wish = wish, await self._wish_again(question, tool, context, reasons)
                if wish.plan == asked.plan:
                    if await self.manager.take(question):
                        return
                    raise ToolFailed(_TAKEN)
                # The answer was for another row than there is now.
                await self.manager.withdraw(question)
        raise ToolFailed(_RESTLESS)

    async def _settled(
        self, tool: ToolSpec, question: Question, reach: Reach, on_waiting: Callable[[], None]
    ) -> Standing:
        # Before it is shown: a device that goes at once and comes back is to be asked again.
        standing = await self.manager.standing(question, waiting=reach is Reach.ASKS)
        if standing.state is not ApprovalState.PENDING or reach is not Reach.ASKS:
            return standing
        on_waiting()
        self.asker.show(question)
        self.on_asking(tool, waiting=True)
        standing = await self.manager.settled(question)
        self.on_asking(tool, waiting=False)
        return standing

    async def _wish_again(
        self, question: Question, tool: ToolSpec, context: CallContext, reasons: Sequence[str]
    ) -> Wish:
        try:
            return await self._wish(tool, context, reasons)
        except BaseException:
            await self.manager.withdraw(question)
            raise

    async def _wish(self, tool: ToolSpec, context: CallContext, reasons: Sequence[str]) -> Wish:
        try:
            effect = await effect_of(tool, self.client)
        except ClientSilent:
            raise ToolFailed(_SILENT) from None
        summary = summary_of(tool.tool_name, effect, language=context.language)
        return Wish(
            tool=tool.tool_name,
            risk=tool.risk,
            arguments=tool.arguments,
            summary=" ".join([summary, *reasons]),
            preview=None if effect is None else effect.preview,
            plan=_plan(tool, effect),
        )

    def _origin(self, context: CallContext) -> Origin:
        return Origin(
            user_id=context.user_id,
            request_id=self.request_id,
            session_id=context.session_id or "",
            device_id=self.asker.device_id,
        )


def _plan(tool: ToolSpec, effect: Effect | None) -> str:
    preview = Preview(before=None, after=None) if effect is None else effect.preview
    said = [tool.tool_name, tool.arguments, preview.before, preview.after]
    return json.dumps(said, sort_keys=True, default=dict)


def _refuse_unless_approved(standing: Standing) -> None:
    match standing.state:
        case ApprovalState.APPROVED:
            return
        case ApprovalState.REFUSED:
            why = f" The user's words: {json.dumps(standing.reason, ensure_ascii=False)}." if standing.reason else ""
            raise ToolFailed(f"{Refusal.REFUSED}{why} Do not try it again unless the user asks for it.")
        case ApprovalState.PENDING:
            raise ToolFailed(
                f"{Refusal.PENDING} It waits as approval {standing.id}: tell the user to look at what waits for an "
                "answer, and do not call the tool again."
            )
        case ApprovalState.EXPIRED:
            raise ToolFailed(f"{Refusal.UNANSWERED} Tell the user, who may ask for it again.")
        case ApprovalState.CANCELLED:
            raise ToolFailed("The question to the user was withdrawn, so nothing was changed.")
        case _:
            assert_never(standing.state)


_CANNOT_ASK: Final = f"{Refusal.CANNOT_ASK} Tell the user, who can do it in the app."
_TAKEN: Final = "The user's approval was used already. Look at what there is now before you do anything else."
_RESTLESS: Final = (
    "The row changed each time after the user had approved, so nothing was changed. Tell the user to try again later."
)
_SILENT: Final = (
    "The user's device did not answer in time, so the user could not be asked and nothing was changed. Tell the user."
)
