"""Habits, as their owner sees and corrects them. ``patterns.py`` finds them. Synchronous."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone as clock

from accounts.keys import UserKey, keyed_index
from accounts.vault import Vault, open_vault, vault_for_writing
from memory.errors import NotRemembered, Unfit, UnreadableRow
from memory.limits import MAX_PATTERN_CHARS, fitting
from memory.models import MemoryProactive
from memory.paging import Mark, Page, page_of
from memory.sealing import opened, sealed

_PURPOSE: Final = "memory habit"


class Source(StrEnum):
    """Who has said a habit in words. Mining leaves alone what its owner has."""

    MINED = "mined"
    OWNER = "owner"


@dataclass(frozen=True, kw_only=True, slots=True)
class HabitEntry:
    """A habit in words, and how sure of it the memory is (0 to 1). One that cannot be opened has no words."""

    id: UUID
    pattern: str
    confidence: float
    source: str
    created_at: datetime
    updated_at: datetime
    unreadable: bool = False


def habit_index(key: UserKey, basis: str) -> str:
    """What stands in the database for what recurs (hex)."""
    return keyed_index(key, _PURPOSE, basis)


def list_habits(user_id: UUID, *, after: Mark | None, limit: int) -> Page[HabitEntry]:
    """Habits, newest first."""
    vault = open_vault(user_id)
    found, mark = page_of(MemoryProactive.objects.for_user(user_id).kept(), "created_at", after=after, limit=limit)
    return Page(items=[habit_entry(vault, row) for row in found], after=mark)


@transaction.atomic
def edit_habit(
    user_id: UUID, row_id: UUID, *, pattern: str | None = None, confidence: float | None = None
) -> HabitEntry:
    """Correct what is given; mining leaves the habit alone from then on.

    Raises ``NotRemembered``, ``Unfit`` and ``UnreadableRow``.
    """
    vault = vault_for_writing(user_id)
    row = MemoryProactive.objects.for_user(user_id).kept().select_for_update().filter(id=row_id).first()
    if row is None:
        raise NotRemembered
    opened(vault, row, "pattern_encrypted")  # what cannot be opened is not overwritten
    if pattern is not None:
        words = fitting(pattern, what="pattern", limit=MAX_PATTERN_CHARS)
        row.pattern_encrypted = sealed(vault, row, "pattern_encrypted", words)
    if confidence is not None:
        if not 0 <= confidence <= 1:
            raise Unfit("The confidence lies between 0 and 1.")
        row.confidence = confidence
    row.source, row.updated_at = Source.OWNER, clock.now()
    row.save()
    return habit_entry(vault, row)


def delete_habit(user_id: UUID, row_id: UUID) -> bool:
    """Drop a habit; whether there was one. It does not come back while what it was found in goes on."""
    dropped = MemoryProactive.objects.for_user(user_id).kept().filter(id=row_id)
    return bool(dropped.update(pattern_encrypted="", confidence=0.0, dismissed_at=clock.now()))


def habit_entry(vault: Vault, row: MemoryProactive) -> HabitEntry:
    """The row in words, or marked as one that cannot be opened."""
    try:
        pattern, unreadable = opened(vault, row, "pattern_encrypted"), False
    except UnreadableRow:
        pattern, unreadable = "", True
    return HabitEntry(
        id=row.id,
        pattern=pattern,
        confidence=row.confidence,
        source=row.source,
        created_at=row.created_at,
        updated_at=row.updated_at,
        unreadable=unreadable,
    )
