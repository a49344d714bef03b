"""The answer in the sidebar, about the page that the user views."""

from collections.abc import Container, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from agents.adapters.base import AnswerFormat
from agents.calls import Table
from agents.engine.roster import SIDEBAR
from agents.engine.run import Requester
from agents.engine.viewed_page import WITHHELD_PAGE, Glance, glance, view_of
from agents.errors import Withheld
from agents.permissions.disclosures import Ledger
from agents.permissions.sharing import Marks
from agents.prompts.names import PromptName
from agents.provenance import is_foreign
from agents.requests import RequestKind
from agents.scopes import PageScope, View
from agents.tools.rows import LineContext
from chat.protocol.frames.client import ContextualRequest, HistoryMessage
from chat.protocol.frames.vocabulary import TurnKind, TurnState
from chat.turns.answering import Answering, TurnWork
from chat.turns.dependencies import TurnDependencies
from chat.turns.frame_log import FrameLog, TurnWriter
from chat.turns.question import Question
from chat.turns.sessions import Navigation, SessionBuffer, SessionKey, ViewedPage


@dataclass(eq=False)
class ContextualTurn(TurnWork[ContextualRequest]):
    """Answers a ``contextual_request``, after the earlier ones of its session."""

    kind = RequestKind.CONTEXTUAL

    def __post_init__(self) -> None:
        self._session = sidebar_session(self.dependencies, self.requester, self.request.session_id)
        self._arrival = self._session.arrive()

    @property
    def session_id(self) -> str:
        return self.request.session_id

    def queued(self) -> AbstractContextManager[None]:
        return self._session.queued(self._arrival)

    async def __call__(self, log: FrameLog) -> None:
        writer = TurnWriter(log, self.request_id)
        writer.start(TurnKind.CONTEXTUAL, session_id=self.request.session_id)
        async with self.answering(writer) as answering:
            if not self._session.is_next(self._arrival):
                writer.status(TurnState.QUEUED)
            await self._session.turn(self._arrival)
            writer.status(TurnState.THINKING)
            await self._answer(answering)

    async def _answer(self, answering: Answering) -> None:
        try:
            marks = await answering.device.sharing.marks()
        except Withheld:
            marks = None
        pages = _SharedPages(marks=marks, ledger=answering.run.ledger)
        seen = await self._glance(answering, pages)
        named = seen.row is not None and not is_foreign(seen.row)
        moved = [
            # The provenance of other pages' names is unknown.
            Navigation(page=page, named=named and page.is_of(self.request.scope))
            for page in self._session.moved(self.request.scope, self._arrival)
        ]
        messages = self._session.messages if self.request.history is None else self.request.history
        try:
            await self._ask(answering, pages, seen, pages.history([*messages, *moved]))
        finally:
            # Also if the turn was stopped: the session keeps what the user has seen.
            self._session.keep(*moved)
            if answering.text.strip():
                self._session.keep(
                    HistoryMessage(role="user", content=self.request.message),
                    HistoryMessage(role="assistant", content=answering.text),
                )

    async def _glance(self, answering: Answering, pages: "_SharedPages") -> Glance:
        """The device's data of the viewed page; none if the user never shares it."""
        if not pages.shares(self.request.scope):
            return Glance()
        today = answering.run.now().date()
        with answering.device.active():
            return await glance(self.request.scope, today=today, timezone=self.requester.timezone)

    async def _ask(
        self, answering: Answering, pages: "_SharedPages", seen: Glance, history: Sequence[HistoryMessage]
    ) -> None:
        """Have the sidebar's agent answer. ``seen`` is the data of the page. Raises as ``Answering.answer``."""
        scope, timezone = self.request.scope, self.requester.timezone
        if pages.shares(scope):
            pages.ledger.add_viewed(scope)
            view = view_of(scope, seen, LineContext(timezone=timezone), without=pages.marked_tables)
        else:
            view = View(scope=None, words=f"The user is looking at {WITHHELD_PAGE}.")
        question = Question(
            message=self.request.message,
            images=self.request.images,
            agent=SIDEBAR,
            prompt=PromptName.CONTEXTUAL_SYSTEM,
            answer_format=AnswerFormat.TEXT,
            history=history,
            session_id=self.request.session_id,
            scope=scope,
            scope_words=view.words,
            scope_sentence=view.words,
            view=view,
        )
        await answering.answer(question)


def sidebar_session(dependencies: TurnDependencies, requester: Requester, session_id: str) -> SessionBuffer:
    """The requester's sidebar session with that id."""
    return dependencies.sessions.open(SessionKey(user_id=requester.user_id, session_id=session_id))


@dataclass(frozen=True, kw_only=True, slots=True)
class _SharedPages:
    """Describes pages to the model of one turn, and records that. Pages that the user never shares are not described.

    ``marks`` is None if the marks cannot be read. In that case no page is described.
    """

    marks: Marks | None
    ledger: Ledger

    def shares(self, scope: PageScope) -> bool:
        return self.marks is not None and self.marks.shares_page(scope)

    @property
    def marked_tables(self) -> Container[Table]:
        return frozenset(Table) if self.marks is None else self.marks.tables

    def history(self, messages: Iterable[HistoryMessage | Navigation]) -> list[HistoryMessage]:
        """``messages`` for the model. Pages are described again, because the marks may have changed since."""
        return [
            each.message(self._words(each.page, named=each.named)) if isinstance(each, Navigation) else each
            for each in messages
        ]

    def _words(self, viewed_page: ViewedPage, *, named: bool) -> str:
        marks = self.marks
        if marks is None or not self.shares(viewed_page.scope) or marks.has_project_in(viewed_page.filter_texts):
            return WITHHELD_PAGE
        self.ledger.add_viewed(viewed_page.scope)
        return viewed_page.words(without=frozenset(Table) if marks.tables else (), named=named)
