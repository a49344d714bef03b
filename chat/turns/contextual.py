"""The sidebar's answer, anchored to the page in front of the user."""

from collections.abc import Sequence
from dataclasses import dataclass

from agents.adapters.base import AnswerFormat
from agents.client import ClientExecutor
from agents.glances import glance
from agents.prompts.names import PromptName
from agents.roster import SIDEBAR
from agents.scope_block import render_scope_block
from agents.scopes import View
from chat.buffers import SessionBuffer
from chat.formatters.parts import Part, TextPart
from chat.formatters.popup import PopupFormatter
from chat.frames.client import ContextualRequest, HistoryMessage
from chat.frames.vocabulary import TurnKind, TurnState
from chat.replay import FrameLog
from chat.turns.answering import Answering, log_invalid_block
from chat.turns.asking import Kit, Person, Question
from chat.turns.writer import TurnWriter


class _HeardWriter(TurnWriter):
    """Keeps what it writes, for the session to remember."""

    def __init__(self, log: FrameLog, request_id: str) -> None:
        super().__init__(log, request_id)
        self._said: list[str] = []

    @property
    def said(self) -> str:
        return "".join(self._said)

    def part(self, part: Part) -> None:
        if isinstance(part, TextPart):
            self._said.append(part.text)
        super().part(part)


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextualTurn:
    """Writes the answer to one ``contextual_request``, after those of its session that arrived before it.

    ``arrival`` is the number that the session gave the request.
    """

    kit: Kit
    person: Person
    client: ClientExecutor
    request: ContextualRequest
    request_id: str
    session: SessionBuffer
    arrival: int

    async def __call__(self, log: FrameLog) -> None:
        writer = _HeardWriter(log, self.request_id)
        answering = Answering(self.kit, self.person, self.client, writer)
        writer.start(TurnKind.CONTEXTUAL, session_id=self.request.session_id)
        async with answering.ending():
            if self.session.busy:
                writer.status(TurnState.QUEUED)
            async with self.session.turn():
                writer.status(TurnState.THINKING)
                await self._answer(answering, writer)

    async def _answer(self, answering: Answering, writer: _HeardWriter) -> None:
        moved = self.session.moved(self.request.scope, self.arrival)
        said = self.session.messages if self.request.history is None else self.request.history
        try:
            await run_contextual_stream(answering, self.request, [*said, *moved], self.kit, self.person)
        finally:
            # Of a turn that is stopped, what the user has seen of it is remembered, too.
            self.session.keep(*moved, *self._exchange(writer.said))

    def _exchange(self, answer: str) -> list[HistoryMessage]:
        if not answer.strip():
            return []
        return [
            HistoryMessage(role="user", content=self.request.message),
            HistoryMessage(role="assistant", content=answer),
        ]


async def run_contextual_stream(
    answering: Answering, request: ContextualRequest, history: Sequence[HistoryMessage], kit: Kit, person: Person
) -> None:
    """Look at the page on the device, and write what the sidebar's agent answers. Raises ``ModelError``."""
    scope = request.scope
    with answering.on_device():
        seen = await glance(scope, today=kit.clock().astimezone(person.timezone).date(), timezone=person.timezone)
    view = View(scope=scope, words=render_scope_block(scope, seen, person.timezone))
    question = Question(
        message=request.message,
        agent=SIDEBAR,
        prompt=PromptName.CONTEXTUAL_SYSTEM,
        answer_format=AnswerFormat.TEXT,
        history=history,
        session_id=request.session_id,
        scope=scope,
        scope_words=view.words,
        view=view,
    )
    await answering.answer(question, PopupFormatter(log_invalid_block))
