"""Rows that wait for background work, and how the work is claimed.

``next_attempt_at`` is when a row may be claimed, so that a later sweep finds the rows that a killed process had
claimed.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import ClassVar, Final, TypeAlias
from uuid import UUID

from django.db import transaction
from django.utils import timezone as clock

from accounts.database import in_database
from memory.exchange import Exchange
from memory.models import AssociativeQuerySet, EpisodicQuerySet, MemoryAssociative, MemoryEpisodic

LEASE: Final = timedelta(minutes=6)
"""How long a claim lasts, which is longer than an attempt may take."""
RETRIES: Final = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360, 720))
"""The pauses after each failed attempt."""
_MAX_ATTEMPTS: Final = len(RETRIES) + 1
"""Attempts beyond this are not counted. There are some if settling the row after the last one fails."""

Waiting: TypeAlias = EpisodicQuerySet | AssociativeQuerySet


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """A row that one worker has claimed, until the lease ends.

    ``exchange`` is set if the worker has just written the episode, at ``written_at`` (``time.monotonic``).
    """

    user_id: UUID
    row_id: UUID
    exchange: Exchange | None = field(default=None, repr=False, compare=False)
    written_at: float = field(default_factory=time.monotonic, repr=False, compare=False)


@transaction.atomic
def claim_due(waiting: Waiting, *, limit: int) -> Sequence[Claim]:
    """Claim the rows that are due, the longest waiting first. Two callers never get the same row.

    Rows of users who have turned the memory off are not claimed.
    """
    now = clock.now()
    due = waiting.filter(next_attempt_at__lte=now, user__memory_enabled=True).order_by("next_attempt_at")
    rows: Sequence[MemoryEpisodic | MemoryAssociative] = list(
        due.select_for_update(skip_locked=True, of=("self",)).only("id", "user_id", "attempts")[:limit]
    )
    for row in rows:
        # A row that keeps failing without being settled, as without the owner's key, waits for the longest pause.
        pause = LEASE if row.attempts < _MAX_ATTEMPTS else RETRIES[-1]
        row.attempts, row.next_attempt_at = min(row.attempts + 1, _MAX_ATTEMPTS), now + pause
        row.save(update_fields=["attempts", "next_attempt_at"])
    return [Claim(user_id=row.user_id, row_id=row.id) for row in rows]


class Pending(ABC):
    """The rows that wait for one kind of work."""

    name: ClassVar[str]
    """What the work makes, for the log."""

    @staticmethod
    @abstractmethod
    def rows() -> Waiting:
        """All waiting rows, due or not."""

    @abstractmethod
    async def make(self, claim: Claim) -> bool:
        """Do the work. Returns whether the next kind of work on the row is still to be done.

        Raises ``UnreadableRow`` if it can never succeed, and other errors if it may succeed later.
        """

    async def retry(self, claim: Claim) -> bool:
        """Schedule the next attempt, or settle the row after the last one. Returns whether that was the last."""
        if await in_database(_postpone, self.rows(), claim):
            return False
        await self.settle(claim)
        return True

    async def settle(self, claim: Claim) -> None:
        """Finish the row without the work, after the last attempt."""
        await self.give_up(claim)

    async def give_up(self, claim: Claim) -> bool:
        """Leave the row as it is, with no further attempt at any work on it."""
        rows = self.rows().for_user(claim.user_id).filter(id=claim.row_id)
        await in_database(rows.update, next_attempt_at=None)
        return False


@transaction.atomic
def _postpone(waiting: Waiting, claim: Claim) -> bool:
    row = waiting.for_user(claim.user_id).locked(claim.row_id)
    if row is None or row.attempts > len(RETRIES):
        return False
    row.next_attempt_at = clock.now() + RETRIES[max(row.attempts, 1) - 1]
    row.save(update_fields=["next_attempt_at"])
    return True
