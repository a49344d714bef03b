"""Where policies and approvals are kept: the port, and the database behind it."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, Protocol
from uuid import UUID

from channels.db import database_sync_to_async

from agents.permissions.approvals import rows
from agents.permissions.approvals.models import ApprovalState
from agents.permissions.approvals.policies import POLICIES_OF, Policies, policies_in
from agents.permissions.approvals.questions import Answer, Answered, Origin, Question, Standing, Wish
from agents.reading import Reader, ThreadReader


class ApprovalStore(Protocol):
    """What a turn, a socket and REST do to approvals. Of two steps that exclude each other one happens."""

    async def policies(self, user_id: UUID) -> Policies:
        """As ``policies_of``."""

    async def open_question(self, origin: Origin, wish: Wish, *, now: datetime, lifetime: timedelta) -> Question:
        """As ``rows.open_question``."""

    async def look(self, approval_id: UUID, *, waiting_at: datetime | None) -> Standing:
        """As ``rows.look``, and raises what it raises."""

    async def answer(self, user_id: UUID, approval_id: UUID, given: Answer, *, now: datetime) -> Answered:
        """As ``rows.answer``, and raises what it raises."""

    async def close(self, approval_id: UUID, state: ApprovalState) -> Standing:
        """As ``rows.close``, and raises what it raises."""

    async def cancel(self, user_id: UUID, request_id: str) -> int:
        """As ``rows.cancel``."""

    async def take(self, approval_id: UUID, *, now: datetime) -> bool:
        """As ``rows.take``."""

    async def orphaned(self, *, now: datetime, unseen_since: datetime) -> Sequence[Answered]:
        """As ``rows.orphaned``."""

    async def asked(self, approval_id: UUID) -> tuple[Origin, Question]:
        """As ``rows.asked``, and raises what it raises."""

    async def open_questions(
        self, user_id: UUID, device_id: str, *, now: datetime, waited_since: datetime | None
    ) -> Sequence[Question]:
        """As ``rows.open_questions``."""


# Not thread-sensitive: otherwise one slow query would stall every turn of the process.
_open_question: Final = database_sync_to_async(rows.open_question, thread_sensitive=False)
_look: Final = database_sync_to_async(rows.look, thread_sensitive=False)
_answer: Final = database_sync_to_async(rows.answer, thread_sensitive=False)
_close: Final = database_sync_to_async(rows.close, thread_sensitive=False)
_cancel: Final = database_sync_to_async(rows.cancel, thread_sensitive=False)
_orphaned: Final = database_sync_to_async(rows.orphaned, thread_sensitive=False)
_take: Final = database_sync_to_async(rows.take, thread_sensitive=False)
_asked: Final = database_sync_to_async(rows.asked, thread_sensitive=False)
_open_questions: Final = database_sync_to_async(rows.open_questions, thread_sensitive=False)


class DatabaseApprovals:
    """The ``ApprovalStore`` in the database: each step is one crossing from the event loop.

    Policies are read by ``reader``: every tool that changes something waits for them.
    """

    def __init__(self, reader: Reader | None = None) -> None:
        self._reader: Reader = reader or ThreadReader()

    async def policies(self, user_id: UUID) -> Policies:
        return policies_in(await self._reader.rows(POLICIES_OF, [user_id]))

    async def open_question(self, origin: Origin, wish: Wish, *, now: datetime, lifetime: timedelta) -> Question:
        question: Question = await _open_question(origin, wish, now=now, lifetime=lifetime)
        return question

    async def look(self, approval_id: UUID, *, waiting_at: datetime | None) -> Standing:
        standing: Standing = await _look(approval_id, waiting_at=waiting_at)
        return standing

    async def answer(self, user_id: UUID, approval_id: UUID, given: Answer, *, now: datetime) -> Answered:
        answered: Answered = await _answer(user_id, approval_id, given, now=now)
        return answered

    async def close(self, approval_id: UUID, state: ApprovalState) -> Standing:
        standing: Standing = await _close(approval_id, state)
        return standing

    async def cancel(self, user_id: UUID, request_id: str) -> int:
        cancelled: int = await _cancel(user_id, request_id)
        return cancelled

    async def orphaned(self, *, now: datetime, unseen_since: datetime) -> Sequence[Answered]:
        found: Sequence[Answered] = await _orphaned(now=now, unseen_since=unseen_since)
        return found

    async def take(self, approval_id: UUID, *, now: datetime) -> bool:
        taken: bool = await _take(approval_id, now=now)
        return taken

    async def asked(self, approval_id: UUID) -> tuple[Origin, Question]:
        found: tuple[Origin, Question] = await _asked(approval_id)
        return found

    async def open_questions(
        self, user_id: UUID, device_id: str, *, now: datetime, waited_since: datetime | None
    ) -> Sequence[Question]:
        found: Sequence[Question] = await _open_questions(user_id, device_id, now=now, waited_since=waited_since)
        return found
