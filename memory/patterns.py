"""Mining a user's episodes for habits: new ones are stored, known ones get a new confidence. Synchronous.

Habits that their owner has reworded are not changed. Those that the owner has deleted are not found again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from django.db import transaction
from django.utils import timezone as clock

from accounts.keys.vault import Vault, open_vault, vault_for_writing
from accounts.models import User
from memory.facts import lock_facts
from memory.mining import Basis, Recurring, Seen, aged, recurring
from memory.models import MemoryEpisodic, MemoryProactive, Source, memory_is_on, opened, readable
from memory.revisions import MemoryRevision
from memory.tiers import habit_index

WINDOW: Final = timedelta(weeks=12)
"""How far back episodes are read."""
MAX_READ: Final = 5_000
"""How many episodes are read at most, newest first."""
MAX_HABITS: Final = 30
"""How many habits a run finds for a user at most. They are the most confident ones."""
DROPPED_BELOW: Final = 0.1
"""The confidence below which a habit is dropped."""
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Mined:
    """How many habits a run has found, confirmed, aged and dropped, or would have in a dry run."""

    found: int = 0
    confirmed: int = 0
    aged: int = 0
    dropped: int = 0

    def __add__(self, other: "Mined") -> "Mined":
        return Mined(
            found=self.found + other.found,
            confirmed=self.confirmed + other.confirmed,
            aged=self.aged + other.aged,
            dropped=self.dropped + other.dropped,
        )


def mine(user_id: UUID, *, now: datetime | None = None, dry_run: bool = False) -> Mined:
    """Find the habits in a user's episodes, and store them unless it is a dry run.

    Does nothing if the user is gone, has turned the memory off, or has something forgotten meanwhile. Raises as
    ``open_vault``.
    """
    now = now or clock.now()
    user = User.objects.filter(id=user_id, memory_enabled=True).only("timezone", "language").first()
    if user is None:
        return Mined()
    zone, forgotten = ZoneInfo(user.timezone), _forgotten(user_id)
    found = recurring(_seen(user_id, now, zone), now.astimezone(zone).date())[:MAX_HABITS]
    with transaction.atomic():
        vault = vault_for_writing(user_id)
        lock_facts(user_id)
        # What was read may have been forgotten since, or the memory turned off.
        if _forgotten(user_id) != forgotten or not memory_is_on(user_id):
            return Mined()
        writing = _Writing(user_id=user_id, vault=vault, language=user.language, now=now)
        mined = writing.write(found)
        if dry_run:
            transaction.set_rollback(True)
    return mined


def _forgotten(user_id: UUID) -> int:
    """The number of the last change that deleted something."""
    return MemoryRevision.objects.filter(user_id=user_id).values_list("forgotten", flat=True).first() or 0


def _seen(user_id: UUID, now: datetime, zone: ZoneInfo) -> list[Seen]:
    vault = open_vault(user_id)
    rows = MemoryEpisodic.objects.for_user(user_id).newest_first().filter(created_at__gte=now - WINDOW)
    read = rows.only("summary_encrypted", "created_at")[:MAX_READ]
    return list(
        readable(
            read, lambda row: Seen(text=opened(vault, row, "summary_encrypted"), at=row.created_at.astimezone(zone))
        )
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Writing:
    """Stores the habits of one user, in one transaction."""

    user_id: UUID
    vault: Vault
    language: str
    now: datetime

    def write(self, found: Sequence[Recurring]) -> Mined:
        # Rows that cannot be decrypted stay as they are.
        rows = MemoryProactive.objects.for_user(self.user_id).select_for_update().order_by("id")
        unshown = list(readable(rows, lambda row: (row, Basis.from_text(opened(self.vault, row, "basis_encrypted")))))
        new = confirmed = 0
        for habit in found:
            # The very same habit is preferred to one that only means the same.
            alike = [known for known in unshown if known[1].means(habit.basis)]
            match = min(alike, key=lambda known: known[1] != habit.basis, default=None)
            if match is None:
                new += self._insert(habit)
                continue
            unshown.remove(match)
            confirmed += self._confirm(match[0], habit)
        old, dropped = self._age(unshown)
        return Mined(found=new, confirmed=confirmed, aged=old, dropped=dropped)

    def _insert(self, habit: Recurring) -> bool:
        """Store a new habit. Returns False if there is one with this basis, which then could not be decrypted."""
        basis = habit.basis.as_text()
        index = habit_index(self.vault.key, basis)
        if MemoryProactive.objects.for_user(self.user_id).filter(pattern_index=index).exists():
            return False
        row = MemoryProactive(
            id=uuid4(),
            user_id=self.user_id,
            pattern_index=index,
            confidence=habit.confidence,
            source=Source.MINED,
            created_at=self.now,
            updated_at=self.now,
        )
        row.basis_encrypted = self.vault.seal(row, "basis_encrypted", basis)
        row.pattern_encrypted = self.vault.seal(row, "pattern_encrypted", habit.basis.sentence(self.language))
        row.save(force_insert=True)
        return True

    def _confirm(self, row: MemoryProactive, habit: Recurring) -> bool:
        """Set the new confidence, unless the owner has reworded or dismissed the habit. Returns whether it was set."""
        if row.source == Source.OWNER or row.dismissed_at is not None:
            return False
        row.confidence, row.updated_at = habit.confidence, self.now
        row.save(update_fields=["confidence", "updated_at"])
        return True

    def _age(self, unshown: Sequence[tuple[MemoryProactive, Basis]]) -> tuple[int, int]:
        """Age the habits that no episode shows any more. Returns how many are aged, and how many are dropped."""
        old = dropped = 0
        for row, basis in unshown:
            if row.source == Source.OWNER and row.dismissed_at is None:
                continue
            row.confidence = aged(row.confidence, basis.kind, days=max((self.now - row.updated_at) / _DAY, 0.0))
            if row.dismissed_at is not None or row.confidence < DROPPED_BELOW:
                row.delete()
                dropped += 1
                continue
            row.updated_at = self.now
            row.save(update_fields=["confidence", "updated_at"])
            old += 1
        return old, dropped
