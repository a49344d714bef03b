"""The short text answer of a popup."""

from typing import Final

from agents.adapters.base import AnswerFormat
from agents.engine.roster import ROSTER, AgentName
from agents.prompts.names import PromptName
from agents.requests import RequestKind
from agents.scopes import PopupScope, PopupScopeType
from chat.formatters.formatter import PopupFormatter
from chat.protocol.frames.client import PopupRequest
from chat.protocol.frames.vocabulary import Domain
from chat.turns.answering import Question, TurnWork, log_invalid_block
from chat.turns.frame_log import FrameLog, TurnWriter

_DOMAINS: Final = {
    AgentName.TASK_AGENT: Domain.TASKS,
    AgentName.PROJECT_AGENT: Domain.PROJECTS,
    AgentName.CHECKPOINT_AGENT: Domain.CHECKPOINTS,
    AgentName.NOTE_AGENT: Domain.NOTES,
}
_SCOPE_AGENTS: Final = {
    PopupScopeType.TASK: AgentName.TASK_AGENT,
    PopupScopeType.TASKS: AgentName.TASK_AGENT,
    PopupScopeType.PROJECT: AgentName.PROJECT_AGENT,
    PopupScopeType.PROJECTS: AgentName.PROJECT_AGENT,
    PopupScopeType.CHECKPOINT: AgentName.CHECKPOINT_AGENT,
    PopupScopeType.CHECKPOINTS: AgentName.CHECKPOINT_AGENT,
    PopupScopeType.TIMELINE: AgentName.CHECKPOINT_AGENT,
    PopupScopeType.NOTE: AgentName.NOTE_AGENT,
    PopupScopeType.NOTES: AgentName.NOTE_AGENT,
}


class PopupTurn(TurnWork[PopupRequest]):
    """Answers a ``popup_request``; its first frame names the domain."""

    kind = RequestKind.POPUP

    async def __call__(self, log: FrameLog) -> None:
        request, writer = self.request, TurnWriter(log, self.request_id)
        async with self.answering(writer) as answering:
            prepared = await answering.prepare(
                request.message, on_agent=lambda agent: writer.domain(self._domain(agent))
            )
            question = Question(
                message=request.message,
                agent=ROSTER[prepared.agent],
                prompt=PromptName.POPUP_SYSTEM,
                answer_format=AnswerFormat.TEXT,
                remembered=prepared.remembered,
                scope=request.scope,
                scope_words=in_words(request.scope),
            )
            await answering.answer(question, PopupFormatter(log_invalid_block))
            await answering.record(request.message)

    def _domain(self, agent: AgentName) -> Domain:
        # An answer that spans domains still has to name one: the popup's own.
        return _DOMAINS.get(agent) or _DOMAINS[_SCOPE_AGENTS[self.request.scope.type]]


def in_words(scope: PopupScope) -> str:
    """``the task with the id 3f2…`` or ``the list of tasks``."""
    if scope.id is not None:
        return f"the {scope.type} with the id {scope.id}"
    return "the timeline" if scope.type is PopupScopeType.TIMELINE else f"the list of {scope.type.rstrip('s')}s"
