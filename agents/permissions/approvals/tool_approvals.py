"""Questions to the user that turns wait for: asked, answered from wherever the user is, and heard.

A question is a row, so it outlives its socket and its process, and an answer may come to any process. A turn that waits
hears of an answer that came here at once, and of any other as soon as it looks at the row again.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final, Protocol, TypeAlias
from uuid import UUID

from agents.errors import ApprovalSettled
from agents.permissions.approvals.models import ApprovalState
from agents.permissions.approvals.policies import Policies
from agents.permissions.approvals.questions import Answer, Answered, Origin, Question, Standing, Wish
from agents.permissions.approvals.store import ApprovalStore

logger = logging.getLogger(__name__)

LIFETIME_S: Final = 300.0
"""How long a question waits for an answer."""
LOOK_EVERY_S: Final = 2.0
_MISSED_LOOKS: Final = 5
"""A turn that has missed as many is gone."""


class Reach(StrEnum):
    """How the person behind a turn can be asked."""

    ASKS = "asks"
    """The client shows the question, and the turn waits."""
    LATER = "later"
    """The turn does not wait: the question stays open, to be answered by REST."""
    CANNOT = "cannot"
    """The client cannot show questions."""


class Asker(Protocol):
    """Puts questions to the person whom a turn answers."""

    @property
    def device_id(self) -> str:
        """The device that is asked; empty when it is none in particular."""

    def reach(self) -> Reach:
        """How the person can be asked at this moment."""

    def show(self, question: Question) -> None:
        """Show ``question``; a device that is away is shown it when it is back."""


class NobodyToAsk:
    """The ``Asker`` where there is no client."""

    device_id = ""

    def reach(self) -> Reach:
        return Reach.CANNOT

    def show(self, question: Question) -> None:
        """Nobody sees it."""


class AskedLater:
    """The ``Asker`` of requests that do not wait, as those of REST: the question stays open."""

    device_id = ""

    def reach(self) -> Reach:
        return Reach.LATER

    def show(self, question: Question) -> None:
        """It is found in the list of approvals."""


class TurnFate(StrEnum):
    """What an answer meets."""

    WAITING = "waiting"
    """The turn that asked, as far as is known: it goes on. If it has died, ``adopt_orphans`` finds what it left."""
    GONE = "gone"
    """Nobody: the turn did not wait, or has ended."""
    QUEUED = "queued"
    """No turn, but a job, by which the tool runs now."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Heard:
    """An answer that was taken, and what it met."""

    answered: Answered
    turn: TurnFate


OnOrphanedAnswer: TypeAlias = Callable[[Answered], Awaitable[bool]]
"""Told of an approval whose turn is gone; it may ``take`` the approval and run the tool. Gives whether it does."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


@contextmanager
def _though_cancelled() -> Iterator[None]:
    try:
        yield
    except Exception:  # the boundary of a task that ends: nothing may keep it from ending as cancelled
        logger.exception("a question could not be cancelled; it lapses by itself")


@dataclass(kw_only=True)
class ToolApprovalManager:
    """The questions that turns of this process wait for, and the way to all others.

    Without ``on_orphaned_answer`` an approval whose turn is gone runs nothing and lapses with the question's time.
    ``alone``: there is no other process, so a turn that does not wait in this one is gone, however lately it waited.
    """

    store: ApprovalStore
    on_orphaned_answer: OnOrphanedAnswer | None = None
    alone: bool = False
    clock: Callable[[], datetime] = _utc_now
    lifetime_s: float = LIFETIME_S
    look_every_s: float = LOOK_EVERY_S
    _news: dict[UUID, asyncio.Event] = field(default_factory=dict, init=False)
    _leaving: bool = field(default=False, init=False)

    async def policies(self, user_id: UUID) -> Policies:
        """What the user has decided so far."""
        return await self.store.policies(user_id)

    async def open_question(self, origin: Origin, wish: Wish) -> Question:
        """The question of ``wish``: the one that its turn has asked before, or a new one."""
        lifetime = timedelta(seconds=self.lifetime_s)
        opening = asyncio.ensure_future(
            self.store.open_question(origin, wish, now=self.clock(), lifetime=lifetime),
        )
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            # The database goes on with what it has begun: the question is withdrawn once it is there.
            with _though_cancelled():
                await self.withdraw(await opening)
            raise

    @asynccontextmanager
    async def asking(self, question: Question) -> AsyncIterator[None]:
        """A turn's part in ``question``. Cancelled within, the turn withdraws it: nothing runs by a later answer."""
        try:
            yield
        except asyncio.CancelledError:
            with _though_cancelled():
                await self.withdraw(question)
            raise

    @asynccontextmanager
    async def using(self, question: Question) -> AsyncIterator[None]:
        """A turn is about to ``take`` the approval of ``question``: meanwhile nobody takes it for an orphan."""
        noting = asyncio.ensure_future(self._note_presence(question))
        try:
            yield
        finally:
            noting.cancel()
            await asyncio.gather(noting, return_exceptions=True)

    async def standing(self, question: Question, *, waiting: bool) -> Standing:
        """Where the question stands, and whether a turn is there to hear the answer."""
        return await self.store.look(question.id, waiting_at=self.clock() if waiting else None)

    async def settled(self, question: Question) -> Standing:
        """Where the question stands once it is answered or its time is over."""
        news = self._news.setdefault(question.id, asyncio.Event())
        try:
            return await self._wait(question, news)
        finally:
            self._news.pop(question.id, None)

    async def take(self, question: Question) -> bool:
        """Claim the approval of ``question`` to run its tool; whether it was there to be claimed."""
        return await self.store.take(question.id, now=self.clock())

    async def withdraw(self, question: Question) -> None:
        """Nothing will run by this question any more; when the process stops, whoever comes after it decides."""
        if not self._leaving:
            await self.store.close(question.id, ApprovalState.CANCELLED)

    async def cancel(self, user_id: UUID, request_id: str) -> None:
        """The user has cancelled the request: nothing runs by its questions, though its turn may have died."""
        await self.store.cancel(user_id, request_id)

    async def answer(self, user_id: UUID, approval_id: UUID, given: Answer) -> Heard:
        """Take a user's answer, wherever it comes from. Raises ``UnknownApproval`` and ``ApprovalSettled``."""
        try:
            answered = await self.store.answer(user_id, approval_id, given, now=self.clock())
        except ApprovalSettled:
            self._wake(approval_id)
            raise
        fate = self._fate(answered)
        self._wake(approval_id)
        adopt = self.on_orphaned_answer if fate is TurnFate.GONE else None
        if adopt is not None and answered.state is ApprovalState.APPROVED and await adopt(answered):
            fate = TurnFate.QUEUED
        return Heard(answered=answered, turn=fate)

    async def adopt_orphans(self) -> None:
        """Have run what was approved while its turn, or the process that took the answer, died unnoticed.

        Any number of processes may do so at the same time, again and again.
        """
        if self.on_orphaned_answer is None:
            return
        now = self.clock()
        for answered in await self.store.orphaned(now=now, unseen_since=now - self._presence):
            try:
                await self.on_orphaned_answer(answered)
            except Exception:  # the boundary of one of them: the others are not to wait for it
                logger.exception("approval %s could not be followed; it is tried again", answered.id)

    async def open_questions(self, user_id: UUID, device_id: str) -> Sequence[Question]:
        """What a device that is back is to be asked again.

        What no turn waits for is asked again only where somebody runs the tool without it.
        """
        now = self.clock()
        since = now - self._presence if self.on_orphaned_answer is None else None
        return await self.store.open_questions(user_id, device_id, now=now, waited_since=since)

    def leave(self) -> None:
        """The process stops: questions whose turns are cut off from now on stay open."""
        self._leaving = True

    @property
    def _presence(self) -> timedelta:
        return timedelta(seconds=self.look_every_s * _MISSED_LOOKS)

    async def _wait(self, question: Question, news: asyncio.Event) -> Standing:
        while True:
            # Before looking: news that come while the answer is on its way are a reason to look again.
            news.clear()
            standing = await self.standing(question, waiting=True)
            if standing.state is not ApprovalState.PENDING:
                return standing
            left_s = (standing.expires_at - self.clock()).total_seconds()
            if left_s <= 0:
                return await self.store.close(question.id, ApprovalState.EXPIRED)
            with suppress(TimeoutError):
                async with asyncio.timeout(min(left_s, self.look_every_s)):
                    await news.wait()

    async def _note_presence(self, question: Question) -> None:
        while True:
            try:
                await self.standing(question, waiting=True)
            except Exception:  # the boundary of a task beside the turn, which finds out by itself what is the matter
                logger.exception("a turn could not note that it is about to use approval %s", question.id)
            await asyncio.sleep(self.look_every_s)

    def _fate(self, answered: Answered) -> TurnFate:
        if answered.id in self._news:
            return TurnFate.WAITING
        waits = answered.waited_at is not None and answered.waited_at >= self.clock() - self._presence
        return TurnFate.WAITING if waits and not self.alone else TurnFate.GONE

    def _wake(self, approval_id: UUID) -> None:
        news = self._news.get(approval_id)
        if news is not None:
            news.set()
