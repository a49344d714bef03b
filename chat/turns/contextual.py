"""The sidebar's answer, anchored to the page in front of the user."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from agents.adapters.base import AnswerFormat
from agents.engine.roster import SIDEBAR
from agents.engine.run import Requester
from agents.engine.viewed_page import glance, view_of, withheld_page_words
from agents.errors import Withheld
from agents.permissions.disclosures.ledger import Ledger
from agents.permissions.sharing.filter import Marks
from agents.prompts.names import PromptName
from agents.requests import RequestKind
from agents.scopes import PageScope, View
from agents.tools.client import ClientExecutor
from chat.formatters.blocks import Part, TextPart
from chat.formatters.formatter import PopupFormatter
from chat.protocol.frames.client import ContextualRequest, HistoryMessage
from chat.protocol.frames.vocabulary import TurnKind, TurnState
from chat.turns.answering import Answering, Question, TurnDependencies, TurnWork, log_invalid_block
from chat.turns.frame_log import FrameLog, TurnWriter
from chat.turns.sessions import SessionBuffer, SessionKey, ViewedPage


class _RecordingWriter(TurnWriter):
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


class ContextualTurn(TurnWork[ContextualRequest]):
    """Answers a ``contextual_request``, after those of its session that arrived before it."""

    kind = RequestKind.CONTEXTUAL

    def __init__(
        self,
        dependencies: TurnDependencies,
        requester: Requester,
        client: ClientExecutor,
        request: ContextualRequest,
        request_id: str,
    ) -> None:
        super().__init__(dependencies, requester, client, request, request_id)
        self._session = sidebar_session(dependencies, requester, request.session_id)
        self._arrival = self._session.arrive()

    async def __call__(self, log: FrameLog) -> None:
        writer = _RecordingWriter(log, self.request_id)
        writer.start(TurnKind.CONTEXTUAL, session_id=self.request.session_id)
        async with self.answering(writer) as answering:
            if self._session.busy:
                writer.status(TurnState.QUEUED)
            async with self._session.turn():
                writer.status(TurnState.THINKING)
                await self._answer(answering, writer)

    async def _answer(self, answering: Answering, writer: _RecordingWriter) -> None:
        pages = await _SharedPages.of(answering)
        moved = self._session.moved(self.request.scope, self._arrival, words=pages.words)
        said = self._session.messages if self.request.history is None else self.request.history
        try:
            await self._ask(answering, pages, [*said, *moved])
        finally:
            # A turn that is stopped is remembered as far as the user has seen it.
            self._session.keep(*moved, *self._exchange(writer.said))

    async def _ask(self, answering: Answering, pages: "_SharedPages", history: Sequence[HistoryMessage]) -> None:
        """Look at the page on the device, and write what the sidebar's agent answers. Raises ``ModelError``."""
        scope, timezone = self.request.scope, self.requester.timezone
        if pages.shares(scope):
            with answering.device.active():
                seen = await glance(scope, today=answering.run.now().date(), timezone=timezone)
            pages.ledger.view(scope)
            view = view_of(scope, seen, timezone)
        else:
            view = View(scope=None, words=f"The user is looking at {withheld_page_words(scope)}.")
        question = Question(
            message=self.request.message,
            agent=SIDEBAR,
            prompt=PromptName.CONTEXTUAL_SYSTEM,
            answer_format=AnswerFormat.TEXT,
            history=history,
            session_id=self.request.session_id,
            scope=scope,
            scope_words=view.words,
            view=view,
        )
        await answering.answer(question, PopupFormatter(log_invalid_block))

    def _exchange(self, answer: str) -> list[HistoryMessage]:
        if not answer.strip():
            return []
        return [
            HistoryMessage(role="user", content=self.request.message),
            HistoryMessage(role="assistant", content=answer),
        ]


def sidebar_session(dependencies: TurnDependencies, requester: Requester, session_id: str) -> SessionBuffer:
    """What the requester's sidebar session of that name has said lately."""
    return dependencies.sessions.open(SessionKey(user_id=requester.user_id, session_id=session_id))


@dataclass(frozen=True, kw_only=True, slots=True)
class _SharedPages:
    """Names pages to the model of one turn: a page that the user never shares is not named, others are disclosed."""

    marks: Marks | None
    ledger: Ledger

    @classmethod
    async def of(cls, answering: Answering) -> Self:
        try:
            marks = await answering.device.sharing.marks()
        except Withheld:
            marks = None
        return cls(marks=marks, ledger=answering.run.ledger)

    def shares(self, scope: PageScope) -> bool:
        return self.marks is not None and self.marks.shares_page(scope)

    def words(self, viewed_page: ViewedPage) -> str:
        if not self.shares(viewed_page.scope):
            return withheld_page_words(viewed_page.scope)
        self.ledger.view(viewed_page.scope)
        return viewed_page.words
