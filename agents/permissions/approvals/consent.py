"""Whether a tool may run now: the user's policies, further reasons to ask, and the user's answer."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol, assert_never

from accounts.translations import gettext_noop, translations
from agents.calls import ClientCall
from agents.errors import ClientSilent, ToolFailed
from agents.permissions.approvals.boundaries import ReasonToAsk
from agents.permissions.approvals.naming import is_named
from agents.permissions.approvals.policies import Policies
from agents.permissions.approvals.previews import effect_of, first_change, summary_of
from agents.permissions.approvals.repository import ApprovalStatus, ProposedCall, Question
from agents.permissions.approvals.service import ApprovalService, Asker, Reach
from agents.permissions.models import ApprovalState, Decision
from agents.permissions.withholding import SharingFilter
from agents.requests import RequestOrigin
from agents.tools.client import ClientExecutor
from agents.tools.context import CallContext
from agents.tools.spec import Risk, ToolSpec

MAX_QUESTIONS: Final = 3
"""How often one call is asked about if its row changes each time."""


class Refusal(StrEnum):
    """Why a tool did not run: the first sentence of what the model reads. No value is a prefix of another."""

    REFUSED = "The user refused this, so nothing was changed."
    UNANSWERED = "The user did not answer in time, so nothing was changed."
    PENDING = "This needs the user's approval, which is still open, so nothing has been changed yet."
    CANNOT_ASK = "This needs the user's approval, and the user's client cannot ask for it, so nothing was changed."
    DENIED = "The user's settings do not allow this, so nothing was changed."


_NEVER_SHARED: Final = gettext_noop("It concerns something that you never share with the assistant.")
_CANNOT_ASK: Final = f"{Refusal.CANNOT_ASK} Tell the user, who can do it in the app."


def refusal_in(text: str) -> Refusal | None:
    """The refusal that ``text`` begins with, if any."""
    return next((refusal for refusal in Refusal if text.startswith(refusal.value)), None)


class Gate(Protocol):
    """Decides about each tool call before it runs."""

    async def check(self, tool: ToolSpec, context: CallContext) -> None:
        """Raise ``ToolFailed`` if ``tool`` may not run in any case; called before anything is read for it."""

    async def admit(self, tool: ToolSpec, context: CallContext, *, on_waiting: Callable[[], None]) -> None:
        """Return when ``tool`` may run; ``on_waiting`` is called before waiting for a user.

        Raises ``ToolFailed`` if it may not, what the tool raises before its first change, and as a read of the client
        does. Nothing has been changed then.
        """


class OnAsking(Protocol):
    """Called when a tool begins and ends to wait for the user."""

    def __call__(self, tool: ToolSpec, *, waiting: bool) -> None: ...


def ignore_asking(tool: ToolSpec, *, waiting: bool) -> None:
    """The ``OnAsking`` that does nothing."""


class Unattended:
    """The ``Gate`` where no user can be asked and none has policies: the defaults apply."""

    async def check(self, tool: ToolSpec, context: CallContext) -> None:  # noqa: ARG002
        if Policies().decision(tool.tool_name, tool.risk) is not Decision.AUTO:
            raise ToolFailed(_CANNOT_ASK)

    async def admit(self, tool: ToolSpec, context: CallContext, *, on_waiting: Callable[[], None]) -> None:  # noqa: ARG002
        await self.check(tool, context)


@dataclass(kw_only=True)
class TurnConsent:
    """The ``Gate`` of one turn. ``sharing`` reads the rows that the user is shown; ``said`` are the user's own words.

    A row that is never shared is like one that does not exist, unless the user's own words name it: then they are asked
    in any case. ``on_waited`` is called after each wait for the user.
    """

    approvals: ApprovalService
    asker: Asker
    sharing: SharingFilter
    request_id: str
    said: str = ""
    reasons: Sequence[ReasonToAsk] = ()
    on_asking: OnAsking = ignore_asking
    on_waited: Callable[[], None] = lambda: None

    async def check(self, tool: ToolSpec, context: CallContext) -> None:
        await self._decision(tool, context)

    async def admit(self, tool: ToolSpec, context: CallContext, *, on_waiting: Callable[[], None]) -> None:
        decision = await self._decision(tool, context)
        reasons = [said for reason in self.reasons if (said := await reason(tool, context)) is not None]
        hidden = await self._hidden_change(tool, context)
        if hidden is None:
            if decision is Decision.ASK or reasons:
                await self._ask(tool, context, reasons, on_waiting, client=self.sharing)
            return
        reasons.append(translations(context.language).gettext(_NEVER_SHARED))
        await self._ask(tool, context, reasons, on_waiting, client=self.sharing.device)
        self.sharing.allow(hidden)

    async def _decision(self, tool: ToolSpec, context: CallContext) -> Decision:
        """What the policies say, which is not that it may never run. Raises ``ToolFailed``."""
        policies = await self.approvals.policies(context.user_id)
        decision = policies.decision(tool.tool_name, tool.risk)
        if decision is Decision.DENY:
            raise ToolFailed(f"{Refusal.DENIED} Tell the user, who may change it in the settings.")
        if decision is Decision.ASK and self.asker.reach() is Reach.CANNOT:
            raise ToolFailed(_CANNOT_ASK)
        return decision

    async def _hidden_change(self, tool: ToolSpec, context: CallContext) -> ClientCall | None:
        """The change that ``tool`` would make to never-shared rows, if the user's own words name each of them.

        Raises as ``admit`` if it names other rows that are never shared or do not exist.
        """
        if tool.changes is None or tool.risk is Risk.READ or not await self.sharing.marks():
            return None
        call = await first_change(tool, self.sharing)
        if call is None:
            return None
        hidden = await self.sharing.hidden_in(call)
        named = [each for each in hidden if is_named(each, said=self.said, scope=context.scope)]
        if hidden and len(named) == len(hidden) and self.asker.reach() is not Reach.CANNOT:
            return call
        await self.sharing.check(call)
        return None

    async def _ask(
        self,
        tool: ToolSpec,
        context: CallContext,
        reasons: Sequence[str],
        on_waiting: Callable[[], None],
        *,
        client: ClientExecutor,
    ) -> None:
        """Return once the user has approved the effect on the row as it is now, as ``client`` reads it.

        Raises as ``admit``.
        """
        reach = self.asker.reach()
        if reach is Reach.CANNOT:
            # The reasons are for the user. They may name the page in front of them, which may not be shared.
            told = () if reasons and await self.sharing.marks() else reasons
            raise ToolFailed(" ".join([_CANNOT_ASK, *told]))
        proposed = await self._proposed(tool, context, reasons, client)
        for _ in range(MAX_QUESTIONS):
            question = await self.approvals.open_question(self._origin(context), proposed)
            async with self.approvals.asking(question):
                _refuse_unless_approved(await self._settled(tool, question, reach, on_waiting))
                async with self.approvals.using(question):
                    asked, proposed = proposed, await self._proposed(tool, context, reasons, client)
                if proposed.plan == asked.plan:
                    if await self.approvals.take(question):
                        return
                    raise ToolFailed(
                        "The user's approval was used already. Look at what there is now before you do anything else."
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
        # Recorded before it is shown: a device that disconnects at once and comes back is asked again.
        status = await self.approvals.status(question, waiting=reach is Reach.ASKS)
        if status.state is not ApprovalState.PENDING or reach is not Reach.ASKS:
            return status
        on_waiting()
        self.asker.show(question)
        self.on_asking(tool, waiting=True)
        status = await self.approvals.settled(question)
        self.on_waited()
        self.on_asking(tool, waiting=False)
        return status

    async def _proposed(
        self, tool: ToolSpec, context: CallContext, reasons: Sequence[str], client: ClientExecutor
    ) -> ProposedCall:
        try:
            effect = await effect_of(tool, client)
        except ClientSilent:
            raise ToolFailed(
                "The user's device did not answer in time, so the user could not be asked and nothing was changed. "
                "Tell the user."
            ) from None
        preview = None if effect is None else effect.preview
        summary = summary_of(tool.tool_name, effect, language=context.language)
        rows = (None, None) if preview is None else (preview.before, preview.after)
        return ProposedCall(
            tool=tool.tool_name,
            risk=tool.risk,
            arguments=tool.arguments,
            summary=" ".join([summary, *reasons]),
            preview=preview,
            plan=json.dumps([tool.tool_name, tool.arguments, *rows], sort_keys=True, default=dict),
        )

    def _origin(self, context: CallContext) -> RequestOrigin:
        return RequestOrigin(
            user_id=context.user_id,
            request_id=self.request_id,
            session_id=context.session_id or "",
            device_id=self.asker.device_id,
        )


def _refuse_unless_approved(status: ApprovalStatus) -> None:
    match status.state:
        case ApprovalState.APPROVED:
            return
        case ApprovalState.REFUSED:
            why = f" The user's words: {json.dumps(status.reason, ensure_ascii=False)}." if status.reason else ""
            raise ToolFailed(f"{Refusal.REFUSED}{why} Do not try it again unless the user asks for it.")
        case ApprovalState.PENDING:
            raise ToolFailed(
                f"{Refusal.PENDING} It waits as approval {status.id}: tell the user to look at what waits for an "
                "answer, and do not call the tool again."
            )
        case ApprovalState.EXPIRED:
            raise ToolFailed(f"{Refusal.UNANSWERED} Tell the user, who may ask for it again.")
        case ApprovalState.CANCELLED:
            raise ToolFailed("The question to the user was withdrawn, so nothing was changed.")
        case _:
            assert_never(status.state)
