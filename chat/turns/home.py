"""The full answer of the home page: text and blocks."""

from collections.abc import Callable
from dataclasses import dataclass

from agents.adapters.base import AnswerFormat
from agents.engine.roster import ROSTER, AgentName
from agents.kinds import RequestKind
from agents.prompts.names import PromptName
from agents.tools.client import ClientExecutor
from chat.protocol.frames.client import HomeRequest
from chat.protocol.frames.vocabulary import TurnKind, TurnState
from chat.turns.answering import Answering
from chat.turns.asking import Kit, Person, Question
from chat.turns.cards import block_formatter
from chat.turns.preparing import Prepared, prepare
from chat.turns.replay import FrameLog
from chat.turns.writer import TurnWriter


@dataclass(frozen=True, kw_only=True, slots=True)
class HomeTurn:
    """Writes the answer to one ``home_request``; ``on_agent`` is told who answers, before the first text."""

    kit: Kit
    person: Person
    client: ClientExecutor
    request: HomeRequest
    request_id: str
    on_agent: Callable[[AgentName], None] | None = None

    async def __call__(self, log: FrameLog) -> None:
        writer = TurnWriter(log, self.request_id)
        answering = Answering(self.kit, self.person, self.client, writer, source=RequestKind.HOME)
        writer.start(TurnKind.HOME, session_id=self.request.session_id)
        async with answering.ending():
            writer.status(TurnState.THINKING)
            prepared = await prepare(self.kit, self.person, self.request.message, on_agent=self.on_agent)
            await answering.answer(self._question(prepared), block_formatter(answering))
            await answering.record(self.request.message, session_id=self.request.session_id)

    def _question(self, prepared: Prepared) -> Question:
        return Question(
            message=self.request.message,
            agent=ROSTER[prepared.agent],
            prompt=PromptName.HOME_SYSTEM,
            answer_format=AnswerFormat.BLOCKS,
            remembered=prepared.remembered,
            history=self.request.conversation_history,
            session_id=self.request.session_id,
        )
