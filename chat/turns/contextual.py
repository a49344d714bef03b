"""The sidebar's answer, anchored to the page in front of the user."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from agents.adapters.base import AnswerFormat
from agents.engine.glances import glance
from agents.engine.roster import SIDEBAR
from agents.engine.scope_block import render_scope_block, withheld_page_words
from agents.errors import Withheld
from agents.kinds import RequestKind
from agents.permissions.disclosures.ledger import Ledger
from agents.permissions.sharing.marks import Marks
from agents.prompts.names import PromptName
from agents.scopes import PageScope, View
from agents.tools.client import ClientExecutor
from chat.formatters.parts import Part, TextPart
from chat.formatters.popup import PopupFormatter
from chat.protocol.frames.client import ContextualRequest, HistoryMessage
from chat.protocol.frames.vocabulary import TurnKind, TurnState
from chat.turns.answering import Answering, log_invalid_block
from chat.turns.asking import Kit, Person, Question
from chat.turns.buffers import Place, SessionBuffer
from chat.turns.replay import FrameLog
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
        answering = Answering(self.kit, self.person, self.client, writer, source=RequestKind.CONTEXTUAL)
        writer.start(TurnKind.CONTEXTUAL, session_id=self.request.session_id)
        async with answering.ending():
            if self.session.busy:
                writer.status(TurnState.QUEUED)
            async with self.session.turn():
                writer.status(TurnState.THINKING)
                await self._answer(answering, writer)

    async def _answer(self, answering: Answering, writer: _HeardWriter) -> None:
        told = await _Told.on(answering)
        moved = self.session.moved(self.request.scope, self.arrival, words=told.words)
        said = self.session.messages if self.request.history is None else self.request.history
        try:
            await run_contextual_stream(answering, told, self.request, [*said, *moved], self.kit, self.person)
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


@dataclass(frozen=True, kw_only=True, slots=True)
class _Told:
    """How pages are told to the model of one turn: what the user never shares is not named, the rest is disclosed."""

    marks: Marks | None
    ledger: Ledger

    @classmethod
    async def on(cls, answering: Answering) -> Self:
        try:
            marks = await answering.withholding.marks()
        except Withheld:
            marks = None
        return cls(marks=marks, ledger=answering.ledger)

    def shares(self, scope: PageScope) -> bool:
        return self.marks is not None and self.marks.shares_page(scope)

    def words(self, place: Place) -> str:
        if not self.shares(place.scope):
            return withheld_page_words(place.scope)
        self.ledger.view(place.scope)
        return place.words


async def run_contextual_stream(
    answering: Answering,
    told: _Told,
    request: ContextualRequest,
    history: Sequence[HistoryMessage],
    kit: Kit,
    person: Person,
) -> None:
    """Look at the page on the device, and write what the sidebar's agent answers. Raises ``ModelError``."""
    scope, today = request.scope, kit.clock().astimezone(person.timezone).date()
    if told.shares(scope):
        with answering.on_device():
            seen = await glance(scope, today=today, timezone=person.timezone)
        told.ledger.view(scope)
        view = View(scope=scope, words=render_scope_block(scope, seen, person.timezone))
    else:
        view = View(scope=None, words=f"The user is looking at {withheld_page_words(scope)}.")
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
