"""Mining a user's episodes for habits: found ones are written, known ones are weighed anew. Synchronous.

What the owner has worded is left alone, and what the owner has deleted does not come back while it still recurs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from django.db import transaction
from django.utils import timezone as clock

from accounts.models import User
from accounts.vault import Vault, open_vault, vault_for_writing
from memory.habits import Source, habit_index
from memory.mining.basis import Basis
from memory.mining.phrasing import in_words
from memory.mining.recurring import Recurring, Seen, aged, recurring
from memory.models import MemoryEpisodic, MemoryProactive
from memory.sealing import opened, readable, sealed

WINDOW: Final = timedelta(weeks=12)
"""How far back episodes are read."""
MAX_READ: Final = 5_000
"""How many of them at most, newest first."""
MAX_HABITS: Final = 30
"""How many habits a user has at most by mining, the surest."""
FORGOTTEN: Final = 0.1
"""The confidence below which a habit is dropped."""
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Mined:
    """What mining has done, or would do: how many habits are new, weighed anew, aged and dropped."""

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


@dataclass(frozen=True, kw_only=True, slots=True)
class _Known:
    """A row and what it stands on."""

    row: MemoryProactive
    basis: Basis


def mine(user_id: UUID, *, now: datetime | None = None, dry_run: bool = False) -> Mined:
    """Find the habits in a user's episodes, and write what has come of it, unless it is a dry run.

    Nothing is done for a user who has turned the memory off, or is gone. Raises what ``open_vault`` raises.
    """
    now = now or clock.now()
    user = User.objects.filter(id=user_id, memory_enabled=True).only("timezone", "language").first()
    if user is None:
        return Mined()
    zone = ZoneInfo(user.timezone)
    found = recurring(_seen(user_id, now, zone), now.astimezone(zone).date())[:MAX_HABITS]
    with transaction.atomic():
        vault = vault_for_writing(user_id)
        pass_ = _Pass(user_id=user_id, vault=vault, language=user.language, now=now)
        mined = pass_.write(found)
        if dry_run:
            transaction.set_rollback(True)
    return mined


def _seen(user_id: UUID, now: datetime, zone: ZoneInfo) -> list[Seen]:
    vault = open_vault(user_id)
    rows = MemoryEpisodic.objects.for_user(user_id).newest_first().filter(created_at__gte=now - WINDOW)
    read = rows.only("summary_encrypted", "created_at")[:MAX_READ]
    return list(
        readable(
            read, lambda row: Seen(text=opened(vault, row, "summary_encrypted"), at=row.created_at.astimezone(zone))
        )
    )


def _match(basis: Basis, known: Sequence[_Known]) -> _Known | None:
    """The very same habit, or else one that means the same."""
    same = next((each for each in known if each.basis == basis), None)
    return same or next((each for each in known if each.basis.means(basis)), None)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Pass:
    """One writing, in one transaction."""

    user_id: UUID
    vault: Vault
    language: str
    now: datetime

    def write(self, found: Sequence[Recurring]) -> Mined:
        known = self._known()
        shown: set[UUID] = set()
        new = confirmed = 0
        for habit in found:
            match = _match(habit.basis, [each for each in known if each.row.id not in shown])
            if match is None:
                new += self._insert(habit)
                continue
            shown.add(match.row.id)
            confirmed += self._confirm(match.row, habit)
        old, dropped = self._age([each for each in known if each.row.id not in shown])
        return Mined(found=new, confirmed=confirmed, aged=old, dropped=dropped)

    def _known(self) -> list[_Known]:
        """Every row that can be read; one that cannot stays as it is."""
        rows = MemoryProactive.objects.for_user(self.user_id).select_for_update().order_by("id")
        return list(readable(rows, self._read))

    def _read(self, row: MemoryProactive) -> _Known:
        text = opened(self.vault, row, "basis_encrypted")
        return _Known(row=row, basis=Basis.from_text(text))

    def _insert(self, habit: Recurring) -> bool:
        """Whether there was none: one that cannot be read is not written again beside itself."""
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
        row.basis_encrypted = sealed(self.vault, row, "basis_encrypted", basis)
        row.pattern_encrypted = sealed(self.vault, row, "pattern_encrypted", in_words(habit.basis, self.language))
        row.save(force_insert=True)
        return True

    def _confirm(self, row: MemoryProactive, habit: Recurring) -> bool:
        """Whether there was anything to weigh."""
        if row.source == Source.OWNER or row.dismissed_at is not None:
            return False
        row.confidence, row.updated_at = habit.confidence, self.now
        row.save(update_fields=["confidence", "updated_at"])
        return True

    def _age(self, unshown: Sequence[_Known]) -> tuple[int, int]:
        """Nothing shows these any more; how many are less sure now, and how many are dropped."""
        old = dropped = 0
        for each in unshown:
            row = each.row
            if row.source == Source.OWNER and row.dismissed_at is None:
                continue
            row.confidence = aged(row.confidence, each.basis.kind, days=max((self.now - row.updated_at) / _DAY, 0.0))
            if row.dismissed_at is not None or row.confidence < FORGOTTEN:
                row.delete()
                dropped += 1
                continue
            row.updated_at = self.now
            row.save(update_fields=["confidence", "updated_at"])
            old += 1
        return old, dropped
