"""The full answer of the home page: text and blocks."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from agents.adapters.base import AnswerFormat
from agents.calls import Table
from agents.client import ClientExecutor
from agents.prompts.names import PromptName
from agents.roster import ROSTER, AgentName
from agents.router import classify_intent
from chat.formatters.blocks import Entity
from chat.formatters.home import HomeFormatter
from chat.frames.client import HomeRequest
from chat.frames.vocabulary import TurnKind, TurnState
from chat.replay import FrameLog
from chat.turns.answering import Answering, log_invalid_block
from chat.turns.asking import Kit, Person, Question
from chat.turns.writer import TurnWriter

_TABLES: Final = {
    Entity.TASK: Table.TASKS,
    Entity.PROJECT: Table.PROJECTS,
    Entity.NOTE: Table.NOTES,
    Entity.CHECKPOINT: Table.CHECKPOINTS,
}


def _ignore(_: AgentName) -> None:
    return None


@dataclass(frozen=True, kw_only=True, slots=True)
class HomeTurn:
    """Writes the answer to one ``home_request``; ``on_agent`` is told who answers, before the first text."""

    kit: Kit
    person: Person
    client: ClientExecutor
    request: HomeRequest
    request_id: str
    on_agent: Callable[[AgentName], None] = _ignore

    async def __call__(self, log: FrameLog) -> None:
        writer = TurnWriter(log, self.request_id)
        answering = Answering(self.kit, self.person, self.client, writer)
        writer.start(TurnKind.HOME, session_id=self.request.session_id)
        async with answering.ending():
            writer.status(TurnState.THINKING)
            await answering.answer(await self._question(), self._formatter(answering))

    async def _question(self) -> Question:
        agent = await classify_intent(self.request.message, self.kit.adapter, language=self.person.language)
        self.on_agent(agent)
        return Question(
            message=self.request.message,
            agent=ROSTER[agent],
            prompt=PromptName.HOME_SYSTEM,
            answer_format=AnswerFormat.BLOCKS,
            history=self.request.conversation_history,
            session_id=self.request.session_id,
        )

    def _formatter(self, answering: Answering) -> HomeFormatter:
        return HomeFormatter(lambda entity: answering.run.rows(_TABLES[entity]), log_invalid_block)
