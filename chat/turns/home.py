"""The full answer of the home page: text and blocks."""

from collections.abc import Callable

from agents.adapters.base import AnswerFormat
from agents.engine.roster import ROSTER, AgentName
from agents.engine.run import Requester
from agents.prompts.names import PromptName
from agents.requests import RequestKind
from agents.tools.client import ClientExecutor
from chat.protocol.frames.client import HomeRequest
from chat.protocol.frames.vocabulary import TurnKind, TurnState
from chat.turns.answering import Question, TurnDependencies, TurnWork
from chat.turns.frame_log import FrameLog, TurnWriter


class HomeTurn(TurnWork[HomeRequest]):
    """Answers a ``home_request``; ``on_agent`` hears which agent answers, before the first text."""

    kind = RequestKind.HOME

    def __init__(
        self,
        dependencies: TurnDependencies,
        requester: Requester,
        client: ClientExecutor,
        request: HomeRequest,
        request_id: str,
        *,
        on_agent: Callable[[AgentName], None] | None = None,
    ) -> None:
        super().__init__(dependencies, requester, client, request, request_id)
        self._on_agent = on_agent

    async def __call__(self, log: FrameLog) -> None:
        request, writer = self.request, TurnWriter(log, self.request_id)
        writer.start(TurnKind.HOME, session_id=request.session_id)
        async with self.answering(writer) as answering:
            writer.status(TurnState.THINKING)
            prepared = await answering.prepare(request.message, on_agent=self._on_agent)
            question = Question(
                message=request.message,
                agent=ROSTER[prepared.agent],
                prompt=PromptName.HOME_SYSTEM,
                answer_format=AnswerFormat.BLOCKS,
                remembered=prepared.remembered,
                history=request.conversation_history,
                session_id=request.session_id,
            )
            await answering.answer(question, answering.block_formatter())
            await answering.record(request.message, session_id=request.session_id)
