"""The short text answer of a popup."""

from dataclasses import dataclass
from typing import Final

from agents.adapters.base import AnswerFormat
from agents.engine.roster import ROSTER, AgentName
from agents.kinds import RequestKind
from agents.prompts.names import PromptName
from agents.scopes import PopupScope, PopupScopeType
from agents.tools.client import ClientExecutor
from chat.formatters.popup import PopupFormatter
from chat.protocol.frames.client import PopupRequest
from chat.protocol.frames.vocabulary import Domain
from chat.turns.answering import Answering, log_invalid_block
from chat.turns.asking import Kit, Person, Question
from chat.turns.preparing import Prepared, prepare
from chat.turns.replay import FrameLog
from chat.turns.writer import TurnWriter

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


@dataclass(frozen=True, kw_only=True, slots=True)
class PopupTurn:
    """Writes the answer to one ``popup_request``; its first frame names the domain."""

    kit: Kit
    person: Person
    client: ClientExecutor
    request: PopupRequest
    request_id: str

    async def __call__(self, log: FrameLog) -> None:
        writer = TurnWriter(log, self.request_id)
        answering = Answering(self.kit, self.person, self.client, writer, source=RequestKind.POPUP)
        async with answering.ending():
            prepared = await prepare(
                self.kit,
                self.person,
                self.request.message,
                on_agent=lambda agent: writer.domain(self._domain(agent)),
            )
            await answering.answer(self._question(prepared), PopupFormatter(log_invalid_block))
            await answering.record(self.request.message)

    def _domain(self, agent: AgentName) -> Domain:
        # What spans domains still has to name one: the popup's own.
        return _DOMAINS.get(agent) or _DOMAINS[_SCOPE_AGENTS[self.request.scope.type]]

    def _question(self, prepared: Prepared) -> Question:
        return Question(
            message=self.request.message,
            agent=ROSTER[prepared.agent],
            prompt=PromptName.POPUP_SYSTEM,
            answer_format=AnswerFormat.TEXT,
            remembered=prepared.remembered,
            scope=self.request.scope,
            scope_words=in_words(self.request.scope),
        )


def in_words(scope: PopupScope) -> str:
    """``the task with the id 3f2…`` or ``the list of tasks``."""
    if scope.id is not None:
        return f"the {scope.type} with the id {scope.id}"
    return "the timeline" if scope.type is PopupScopeType.TIMELINE else f"the list of {scope.type.rstrip('s')}s"
