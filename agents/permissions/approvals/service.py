"""Questions to users that turns wait for: opened, answered from any device or by REST, and awaited.

A question is a row, so it outlives its socket and its process, and any process can receive the answer. A waiting turn
learns of an answer in its own process immediately, and of other answers when it next polls the row.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, Protocol, TypeAlias
from uuid import UUID

from accounts.database import in_database
from accounts.timezones import utc_now
from agents.permissions.approvals import repository
from agents.permissions.approvals.policies import Policies, read_policies
from agents.permissions.approvals.repository import Answer, Answered, ApprovalStatus, ProposedCall, Question
from agents.permissions.models import ApprovalState
from agents.requests import RequestOrigin

logger = logging.getLogger(__name__)

LIFETIME_S: Final = 300.0
"""The time in which a question can be answered."""
POLL_S: Final = 2.0
_MISSED_POLLS: Final = 5
"""A turn that has missed this many polls is considered dead."""


class Reach(StrEnum):
    """How a turn can ask its user."""

    ASKS = "asks"
    """The client shows the question, and the turn waits."""
    LATER = "later"
    """The turn does not wait. The question stays open, and can be answered over REST."""
    CANNOT = "cannot"
    """The client cannot show questions."""


class Asker(Protocol):
    """Shows questions to a turn's user."""

    @property
    def device_id(self) -> str:
        """The ``Device.id`` of the device that asks; empty if there is no particular one."""

    def reach(self) -> Reach:
        """How the user can be asked now."""

    def show(self, question: Question) -> None:
        """Show ``question``. A device that is not connected shows it when it is back."""


class NoAsker:
    """The ``Asker`` without a client."""

    device_id = ""

    def reach(self) -> Reach:
        return Reach.CANNOT

    def show(self, question: Question) -> None:
        """Does nothing."""


class AskedLater(NoAsker):
    """The ``Asker`` of requests that do not wait, such as those over REST. The list of approvals shows the question."""

    def reach(self) -> Reach:
        return Reach.LATER


class TurnFate(StrEnum):
    """What happens after an answer."""

    WAITING = "waiting"
    """The turn that asked probably continues. If it has died, ``adopt_orphans`` finds its approval."""
    GONE = "gone"
    """Nothing happens: the turn did not wait, or has ended."""
    QUEUED = "queued"
    """The tool runs now, as a job."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerOutcome:
    """An accepted answer, and what happens after it."""

    answered: Answered
    turn: TurnFate


PolicyLookup: TypeAlias = Callable[[UUID], Awaitable[Policies]]
OnOrphanedAnswer: TypeAlias = Callable[[Answered], Awaitable[bool]]
"""Called with an approval whose turn has died. Can ``take`` it and run the tool. Returns whether it does."""


@contextmanager
def _despite_errors() -> Iterator[None]:
    try:
        yield
    except Exception:  # the boundary of a cancelled task, which must end as cancelled
        logger.exception("a question could not be cancelled; it will expire")


@dataclass(kw_only=True)
class ApprovalService:
    """Opens questions, accepts answers, and notifies the turns of this process that wait for them.

    Without ``on_orphaned_answer``, an approval whose turn has died runs nothing and expires. ``alone``: there is no
    other process, so a turn that does not wait in this one has died, even if it has polled just now.
    """

    policies: PolicyLookup = read_policies
    on_orphaned_answer: OnOrphanedAnswer | None = None
    alone: bool = False
    clock: Callable[[], datetime] = utc_now
    lifetime_s: float = LIFETIME_S
    poll_s: float = POLL_S
    _waiting: dict[UUID, asyncio.Event] = field(default_factory=dict, init=False)
    _stopping: bool = field(default=False, init=False)

    async def open_question(self, origin: RequestOrigin, call: ProposedCall) -> Question:
        """As ``repository.open_question``. If it is cancelled, it withdraws the question, if its request opened it."""
        lifetime = timedelta(seconds=self.lifetime_s)
        opening = asyncio.ensure_future(
            in_database(repository.open_question, origin, call, now=self.clock(), lifetime=lifetime)
        )
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            # The thread cannot be stopped: withdraw the question once it exists.
            with _despite_errors():
                await self._withdraw_own(await opening, origin.request_id)
            raise

    @asynccontextmanager
    async def asking(self, question: Question, *, request_id: str) -> AsyncIterator[None]:
        """A block in which a request waits for ``question`` and uses the answer.

        If the block is cancelled, the question is withdrawn, if the request opened it.
        """
        try:
            yield
        except asyncio.CancelledError:
            with _despite_errors():
                await self._withdraw_own(question, request_id)
            raise

    @asynccontextmanager
    async def using(self, question: Question) -> AsyncIterator[None]:
        """A block before ``take`` in which no process treats the approval as orphaned.

        If the block fails, the question is withdrawn.
        """
        try:
            async with self._present(question):
                yield
        except BaseException:
            await self.withdraw(question)
            raise

    async def status(self, question: Question, *, waiting: bool) -> ApprovalStatus:
        """The state of ``question``. ``waiting`` records that a turn waits for it."""
        return await in_database(repository.status, question.id, waiting_at=self.clock() if waiting else None)

    async def settled(self, question: Question) -> ApprovalStatus:
        """Wait until ``question`` is answered or expires. Returns its state."""
        with self._listening(question.id) as answered:
            while True:
                # Cleared before the query: an answer that arrives during the query is a reason to query again.
                answered.clear()
                status = await self.status(question, waiting=True)
                if status.state is not ApprovalState.PENDING:
                    return status
                left_s = (status.expires_at - self.clock()).total_seconds()
                if left_s <= 0:
                    return await in_database(repository.close, question.id, ApprovalState.EXPIRED)
                with suppress(TimeoutError):
                    async with asyncio.timeout(min(left_s, self.poll_s)):
                        await answered.wait()

    @asynccontextmanager
    async def holding(self, questions: Sequence[Question]) -> AsyncIterator[None]:
        """A block in which a turn will wait for ``questions``. Meanwhile no process treats them as orphaned.

        At the end of the block, questions that are open and approvals that are unused are withdrawn.
        """
        async with AsyncExitStack() as stack:
            for question in questions:
                stack.push_async_callback(self._withdraw_held, question)
                stack.enter_context(self._listening(question.id))
                await stack.enter_async_context(self._present(question))
            yield

    async def take(self, question: Question) -> bool:
        """As ``repository.take``."""
        return await in_database(repository.take, question.id, now=self.clock())

    async def withdraw(self, question: Question) -> None:
        """Cancel ``question``, so that no tool runs by it. While the process stops, the question stays open."""
        if not self._stopping:
            await in_database(repository.close, question.id, ApprovalState.CANCELLED)

    async def cancel(self, user_id: UUID, request_id: str) -> None:
        """Cancel the questions of a request that the user cancelled, even if its turn has died."""
        await in_database(repository.cancel, user_id, request_id)

    async def answer(self, user_id: UUID, approval_id: UUID, given: Answer) -> AnswerOutcome:
        """Accept a user's answer. Raises ``UnknownApproval`` and ``ApprovalSettled``."""
        try:
            answered = await in_database(repository.answer, user_id, approval_id, given, now=self.clock())
        finally:
            # Also if it was settled before: the waiting turn may not have read that yet.
            if (waiting := self._waiting.get(approval_id)) is not None:
                waiting.set()
        waits = answered.waited_at is not None and answered.waited_at >= self.clock() - self._presence
        if approval_id in self._waiting or (waits and not self.alone):
            return AnswerOutcome(answered=answered, turn=TurnFate.WAITING)
        adopt = self.on_orphaned_answer if answered.state is ApprovalState.APPROVED else None
        adopted = adopt is not None and await adopt(answered)
        return AnswerOutcome(answered=answered, turn=TurnFate.QUEUED if adopted else TurnFate.GONE)

    async def adopt_orphans(self) -> None:
        """Run the tools of approvals whose turn, or the process that accepted the answer, has died.

        Any number of processes can do this concurrently and repeatedly.
        """
        if self.on_orphaned_answer is None:
            return
        now = self.clock()
        for answered in await in_database(repository.orphaned, now=now, unseen_since=now - self._presence):
            try:
                await self.on_orphaned_answer(answered)
            except Exception:  # the boundary of one approval, which must not delay the others
                logger.exception("approval %s could not be run; it is tried again", answered.id)

    async def open_questions(self, user_id: UUID, device_id: str) -> Sequence[Question]:
        """The questions to show on a device that has reconnected.

        They include questions without a waiting turn only if ``on_orphaned_answer`` can run the tool.
        """
        now = self.clock()
        return await in_database(
            repository.open_questions, user_id, device_id, now=now, waited_since=self._waited_since(now)
        )

    def asked_devices(self, user_ids: Collection[UUID]) -> set[tuple[UUID, str]]:
        """The users among these, and their devices, with ``open_questions``. One query; call it in a thread."""
        now = self.clock()
        return repository.asked_devices(user_ids, now=now, waited_since=self._waited_since(now))

    def leave(self) -> None:
        """Note that the process stops. Turns that are cancelled from now on leave their questions open."""
        self._stopping = True

    def _waited_since(self, now: datetime) -> datetime | None:
        return now - self._presence if self.on_orphaned_answer is None else None

    @property
    def _presence(self) -> timedelta:
        return timedelta(seconds=self.poll_s * _MISSED_POLLS)

    async def _withdraw_own(self, question: Question, request_id: str) -> None:
        # Another request of the program may have opened it.
        if question.request_id == request_id:
            await self.withdraw(question)

    async def _withdraw_held(self, question: Question) -> None:
        with _despite_errors():
            await self.withdraw(question)

    @contextmanager
    def _listening(self, approval_id: UUID) -> Iterator[asyncio.Event]:
        """A block in which an answer that this process accepts sets the event."""
        known = self._waiting.get(approval_id)
        if known is not None:
            yield known
            return
        self._waiting[approval_id] = answered = asyncio.Event()
        try:
            yield answered
        finally:
            self._waiting.pop(approval_id, None)

    @asynccontextmanager
    async def _present(self, question: Question) -> AsyncIterator[None]:
        """A block during which the turn is recorded as waiting."""
        polling = asyncio.ensure_future(self._keep_present(question))
        try:
            yield
        finally:
            polling.cancel()
            await asyncio.gather(polling, return_exceptions=True)

    async def _keep_present(self, question: Question) -> None:
        while True:
            try:
                await self.status(question, waiting=True)
            except Exception:  # the boundary of a background task; the turn itself reports database failures
                logger.exception("a turn could not record that it is about to use approval %s", question.id)
            await asyncio.sleep(self.poll_s)
