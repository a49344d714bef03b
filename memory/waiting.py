"""Rows that wait for something to be made in the background, and the claims of those who make it.

``next_attempt_at`` is when a row may be claimed, so rows claimed by a process that was killed are found by a later
sweep.
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

LEASE: Final = timedelta(minutes=2)
"""How long a claim holds: longer than an attempt may take."""
RETRIES: Final = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360, 720))
"""The pauses between a failed attempt and the next one."""
_MAX_ATTEMPTS: Final = len(RETRIES) + 1
"""Further ones are not counted: the last has failed to end."""

Waiting: TypeAlias = EpisodicQuerySet | AssociativeQuerySet


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """A row that only the claimer works on, until its lease ends.

    ``exchange`` is known to who has just written the episode, at ``written_at`` (``time.monotonic``).
    """

    user_id: UUID
    row_id: UUID
    exchange: Exchange | None = field(default=None, repr=False, compare=False)
    written_at: float = field(default_factory=time.monotonic, repr=False, compare=False)


@transaction.atomic
def claim_due(waiting: Waiting, *, limit: int) -> Sequence[Claim]:
    """Claim the rows that are due, the longest waiting first. No two callers get the same row.

    Rows of users who have turned the memory off are left alone.
    """
    now = clock.now()
    due = waiting.filter(next_attempt_at__lte=now, user__memory_enabled=True).order_by("next_attempt_at")
    rows: Sequence[MemoryEpisodic | MemoryAssociative] = list(
        due.select_for_update(skip_locked=True, of=("self",)).only("id", "user_id", "attempts")[:limit]
    )
    for row in rows:
        # What fails for good without an end, as without the owner's key, is tried again after the longest pause.
        pause = LEASE if row.attempts < _MAX_ATTEMPTS else RETRIES[-1]
        row.attempts, row.next_attempt_at = min(row.attempts + 1, _MAX_ATTEMPTS), now + pause
        row.save(update_fields=["attempts", "next_attempt_at"])
    return [Claim(user_id=row.user_id, row_id=row.id) for row in rows]


class Pending(ABC):
    """Rows that wait for the same thing to be made."""

    name: ClassVar[str]
    """What is made, for the log."""

    @staticmethod
    @abstractmethod
    def rows() -> Waiting:
        """All rows that wait, due or not."""

    @abstractmethod
    async def make(self, claim: Claim) -> bool:
        """Make it. Return whether what comes after it is left to be made.

        Raises ``UnreadableRow`` if that can never succeed, and other errors if it may succeed later.
        """

    async def retry(self, claim: Claim) -> bool:
        """Set the next attempt, or do without it after the last one. Return whether that was the last."""
        if await in_database(_postpone, self.rows(), claim):
            return False
        await self.settle(claim)
        return True

    async def settle(self, claim: Claim) -> None:
        """Do without it, after the last attempt."""
        await self.give_up(claim)

    async def give_up(self, claim: Claim) -> bool:
        """Leave the row as it is and try no more. Nothing else can be made of it either."""
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
