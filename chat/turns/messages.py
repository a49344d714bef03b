"""The turns that recall and record: those of the home page, of a popup, and of the older chat."""

import json
from typing import Final

from agents.adapters.base import AnswerFormat
from agents.engine.roster import ROSTER, AgentName
from agents.prompts.names import PromptName
from agents.requests import RequestKind
from agents.scopes import PopupScope, PopupScopeType
from chat.protocol.frames.client import ChatRequest, HomeRequest, PopupRequest
from chat.protocol.frames.vocabulary import Domain, TurnKind, TurnState
from chat.turns.answering import TurnWork
from chat.turns.frame_log import FrameLog, LegacyWriter, TurnWriter
from chat.turns.question import Question

_MAX_CONTEXT: Final = 8000
_DOMAINS: Final = {
    AgentName.TASK_AGENT: Domain.TASKS,
    AgentName.PROJECT_AGENT: Domain.PROJECTS,
    AgentName.CHECKPOINT_AGENT: Domain.CHECKPOINTS,
    AgentName.NOTE_AGENT: Domain.NOTES,
}
_AGENTS: Final = {domain: agent for agent, domain in _DOMAINS.items()}


class HomeTurn(TurnWork[HomeRequest]):
    """Answers a ``home_request``: text and blocks."""

    kind = RequestKind.HOME
    agent = AgentName.GENERAL_AGENT
    """The agent that answers, once it is chosen."""

    @property
    def session_id(self) -> str:
        return self.request.session_id or ""

    async def __call__(self, log: FrameLog) -> None:
        request, writer = self.request, TurnWriter(log, self.request_id)
        writer.start(TurnKind.HOME, session_id=request.session_id)
        async with self.answering(writer) as answering:
            writer.status(TurnState.THINKING)
            history = request.conversation_history
            self.agent, remembered = await answering.prepare(request.message, history=history)
            question = Question(
                message=request.message,
                images=request.images,
                agent=ROSTER[self.agent],
                prompt=PromptName.HOME_SYSTEM,
                answer_format=AnswerFormat.BLOCKS,
                remembered=remembered,
                history=history,
                session_id=request.session_id,
            )
            await answering.answer(question)
            await answering.record(request.message, session_id=request.session_id)


class PopupTurn(TurnWork[PopupRequest]):
    """Answers a ``popup_request`` with a short text. Its first frame names the domain."""

    kind = RequestKind.POPUP

    async def __call__(self, log: FrameLog) -> None:
        request, writer = self.request, TurnWriter(log, self.request_id)

        def name_domain(agent: AgentName) -> None:
            # The frame must have one domain. For an agent of several, it is that of the popup.
            writer.domain(_DOMAINS.get(agent) or _domain_of(request.scope))

        async with self.answering(writer) as answering:
            agent, remembered = await answering.prepare(
                request.message, otherwise=_AGENTS[_domain_of(request.scope)], on_agent=name_domain
            )
            question = Question(
                message=request.message,
                images=request.images,
                agent=ROSTER[agent],
                prompt=PromptName.POPUP_SYSTEM,
                answer_format=AnswerFormat.TEXT,
                remembered=remembered,
                scope=request.scope,
                scope_words=in_words(request.scope),
                scope_sentence=f"The popup was opened on: {in_words(request.scope)}.",
            )
            await answering.answer(question)
            await answering.record(request.message)


def in_words(scope: PopupScope) -> str:
    """The scope in words, such as ``the task with the id 3f2…`` or ``the list of tasks``."""
    if scope.id is not None:
        return f"the {scope.type} with the id {scope.id}"
    return "the timeline" if scope.type is PopupScopeType.TIMELINE else f"the list of {_domain_of(scope)}"


def _domain_of(scope: PopupScope) -> Domain:
    is_timeline = scope.type is PopupScopeType.TIMELINE
    return Domain.CHECKPOINTS if is_timeline else Domain(f"{scope.type.rstrip('s')}s")


class LegacyTurn(TurnWork[ChatRequest]):
    """Answers a ``chat_request`` of the older chat with ``text_chunk`` frames and one ``final``."""

    kind = RequestKind.CHAT

    async def __call__(self, log: FrameLog) -> None:
        message = self.request.message
        async with self.answering(LegacyWriter(log, self.request_id)) as answering:
            agent, remembered = await answering.prepare(message)
            state = json.dumps(self.request.context or {}, ensure_ascii=False)[:_MAX_CONTEXT]
            question = Question(
                message=message,
                agent=ROSTER[agent],
                prompt=PromptName.CHAT_SYSTEM,
                answer_format=AnswerFormat.TEXT,
                remembered=remembered,
                scope_words=state,
                scope_sentence=f"What the application says of its own state: {state}" if self.request.context else "",
            )
            await answering.answer(question)
            await answering.record(message)
