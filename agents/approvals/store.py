"""Where policies and approvals are kept: the port, and the database behind it."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, Protocol
from uuid import UUID

from channels.db import database_sync_to_async

from agents.approvals import rows
from agents.approvals.policies import Policies, policies_of
from agents.approvals.questions import Answer, Answered, Origin, Question, Standing, Wish
from agents.models import ApprovalState


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

    async def take(self, approval_id: UUID, *, now: datetime) -> bool:
        """As ``rows.take``."""

    async def asked(self, approval_id: UUID) -> tuple[Origin, Question]:
        """As ``rows.asked``, and raises what it raises."""

    async def open_questions(
        self, user_id: UUID, device_id: str, *, now: datetime, waited_since: datetime | None
    ) -> Sequence[Question]:
        """As ``rows.open_questions``."""


# Not thread-sensitive: otherwise one slow query would stall every turn of the process.
_policies: Final = database_sync_to_async(policies_of, thread_sensitive=False)
_open_question: Final = database_sync_to_async(rows.open_question, thread_sensitive=False)
_look: Final = database_sync_to_async(rows.look, thread_sensitive=False)
_answer: Final = database_sync_to_async(rows.answer, thread_sensitive=False)
_close: Final = database_sync_to_async(rows.close, thread_sensitive=False)
_take: Final = database_sync_to_async(rows.take, thread_sensitive=False)
_asked: Final = database_sync_to_async(rows.asked, thread_sensitive=False)
_open_questions: Final = database_sync_to_async(rows.open_questions, thread_sensitive=False)


class DatabaseApprovals:
    """The ``ApprovalStore`` in the database: each step is one crossing from the event loop."""

    async def policies(self, user_id: UUID) -> Policies:
        found: Policies = await _policies(user_id)
        return found

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
