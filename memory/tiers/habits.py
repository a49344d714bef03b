"""Habits, as their owner sees and corrects them. ``memory.patterns`` finds them. Synchronous."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone as clock

from accounts.cipher import UserKey, keyed_index
from accounts.keys.vault import Vault, open_vault, vault_for_writing
from memory.errors import InvalidMemory, MemoryNotFound
from memory.models import MAX_PATTERN_CHARS, Cursor, MemoryProactive, Page, fitting, opened, opened_or_none

_PURPOSE: Final = "memory habit"


class Source(StrEnum):
    """Who worded a habit. Mining does not change a habit that its owner has worded."""

    MINED = "mined"
    OWNER = "owner"


@dataclass(frozen=True, kw_only=True, slots=True)
class HabitEntry:
    """A habit in words, and its confidence (0 to 1). If the row cannot be decrypted, ``pattern`` is empty."""

    id: UUID
    pattern: str
    confidence: float
    source: str
    created_at: datetime
    updated_at: datetime
    unreadable: bool = False


def habit_index(key: UserKey, basis: str) -> str:
    """The HMAC (hex) that finds the habit with this basis."""
    return keyed_index(key, _PURPOSE, basis)


def list_habits(user_id: UUID, *, after: Cursor | None, limit: int) -> Page[HabitEntry]:
    """Habits, newest first."""
    vault = open_vault(user_id)
    found, cursor = MemoryProactive.objects.for_user(user_id).kept().page("created_at", after=after, limit=limit)
    return Page(items=[_entry(vault, row) for row in found], after=cursor)


@transaction.atomic
def edit_habit(
    user_id: UUID, row_id: UUID, *, pattern: str | None = None, confidence: float | None = None
) -> HabitEntry:
    """Change what is given. Mining leaves the habit alone from then on.

    Raises ``MemoryNotFound``, ``InvalidMemory`` and ``UnreadableRow``.
    """
    vault = vault_for_writing(user_id)
    row = MemoryProactive.objects.for_user(user_id).kept().select_for_update().filter(id=row_id).first()
    if row is None:
        raise MemoryNotFound
    opened(vault, row, "pattern_encrypted")  # a row that cannot be decrypted is not overwritten
    if pattern is not None:
        words = fitting(pattern, what="pattern", limit=MAX_PATTERN_CHARS)
        row.pattern_encrypted = vault.seal(row, "pattern_encrypted", words)
    if confidence is not None:
        if not 0 <= confidence <= 1:
            raise InvalidMemory("The confidence must be between 0 and 1.")
        row.confidence = confidence
    row.source, row.updated_at = Source.OWNER, clock.now()
    row.save()
    return _entry(vault, row)


def delete_habit(user_id: UUID, row_id: UUID) -> bool:
    """Dismiss a habit, so that mining does not find it again. Return whether there was one."""
    dismissed = MemoryProactive.objects.for_user(user_id).kept().filter(id=row_id)
    return bool(dismissed.update(pattern_encrypted="", confidence=0.0, dismissed_at=clock.now()))


def _entry(vault: Vault, row: MemoryProactive) -> HabitEntry:
    pattern = opened_or_none(vault, row, "pattern_encrypted")
    return HabitEntry(
        id=row.id,
        pattern=pattern or "",
        confidence=row.confidence,
        source=row.source,
        created_at=row.created_at,
        updated_at=row.updated_at,
        unreadable=pattern is None,
    )
