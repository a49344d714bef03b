"""Rows that wait for something a model has to make: claimed, and tried again later when it fails. Synchronous.

``next_attempt_at`` is when a row may be claimed again, so what a killed process had claimed is found by a later sweep.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, TypeAlias
from uuid import UUID

from django.db import transaction
from django.utils import timezone as clock

from memory.models import AssociativeQuerySet, EpisodicQuerySet, MemoryAssociative, MemoryEpisodic

LEASE: Final = timedelta(minutes=2)
"""How long a claim holds: longer than an attempt may take."""
RETRIES: Final = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360, 720))
"""When the next attempt follows a failed one."""

Waiting: TypeAlias = EpisodicQuerySet | AssociativeQuerySet


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """A row that the claimer alone works on, until the lease is over."""

    user_id: UUID
    row_id: UUID


@transaction.atomic
def claim(waiting: Waiting, *, limit: int) -> Sequence[Claim]:
    """Rows whose time has come, the longest waiting first, whoever else claims at the same time.

    Those of users who have turned the memory off stay where they are.
    """
    now = clock.now()
    due = waiting.filter(next_attempt_at__lte=now, user__memory_enabled=True).order_by("next_attempt_at")
    rows: Sequence[MemoryEpisodic | MemoryAssociative] = list(
        due.select_for_update(skip_locked=True, of=("self",)).only("id", "user_id", "attempts")[:limit]
    )
    for row in rows:
        row.attempts, row.next_attempt_at = row.attempts + 1, now + LEASE
        row.save(update_fields=["attempts", "next_attempt_at"])
    return [Claim(user_id=row.user_id, row_id=row.id) for row in rows]


def put_off(row: MemoryEpisodic | MemoryAssociative) -> bool:
    """After a failed attempt at a locked row: set the next one. Whether there is one; else the claim runs out."""
    if row.attempts > len(RETRIES):
        return False
    row.next_attempt_at = clock.now() + RETRIES[max(row.attempts, 1) - 1]
    row.save(update_fields=["next_attempt_at"])
    return True
