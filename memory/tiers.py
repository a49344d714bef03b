"""Preferences, episodes and habits, as their owner sees and corrects them; facts are in ``memory.facts``.

Synchronous; every write is one short transaction.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Final
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction
from django.utils import timezone as clock

from accounts.audit import record_event
from accounts.cipher import UserKey, keyed_index
from accounts.cursors import Cursor
from accounts.errors import KEY_ERRORS
from accounts.keys.vault import Vault, open_vault, vault_for_writing
from accounts.models import User
from memory.errors import InvalidMemory, UnreadableRow
from memory.facts import lock_facts, put_vector
from memory.forgetting import forget_drawn, forget_saying
from memory.index import Embedding, outdated_episodes
from memory.models import (
    MAX_CORE_ROWS,
    MAX_KEY_CHARS,
    MAX_PATTERN_CHARS,
    MAX_SUMMARY_CHARS,
    MAX_VALUE_CHARS,
    CoreQuerySet,
    MemoryAssociative,
    MemoryCore,
    MemoryEpisodic,
    MemoryProactive,
    Page,
    Source,
    fitting,
    opened,
    opened_or_none,
    readable,
)
from memory.preference_keys import normal_key
from memory.revisions import next_forgetting, next_revision
from memory.search.words import folded

_SEARCHED: Final = 5_000
"""How many of the newest episodes a search by words decrypts: the database cannot search ciphertext."""
_BATCH: Final = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class CoreEntry:
    """A preference in its owner's words. If the row cannot be decrypted, key and value are empty."""

    id: UUID
    key: str
    value: str
    updated_at: datetime
    unreadable: bool = False


def key_index(key: UserKey, name: str) -> str:
    """The HMAC (hex) of ``normal_key(name)``, by which the preference under ``name`` is found."""
    return keyed_index(key, "memory core key", normal_key(name))


def set_core(user_id: UUID, key: str, value: str) -> CoreEntry:
    """Store ``value`` under ``key``, in place of an earlier value.

    Raises ``InvalidMemory`` if either is empty or too long, or if there are ``MAX_CORE_ROWS`` keys already,
    ``UnreadableRow`` if the earlier value cannot be decrypted, and as ``open_vault``.
    """
    key = fitting(key, what="key", limit=MAX_KEY_CHARS)
    value = fitting(value, what="value", limit=MAX_VALUE_CHARS)
    try:
        return _written(user_id, key, value)
    except IntegrityError:
        # Another transaction inserted the same key: now there is a row to update.
        return _written(user_id, key, value)


@transaction.atomic
def _written(user_id: UUID, key: str, value: str) -> CoreEntry:
    vault = vault_for_writing(user_id)
    row = _rows_of(user_id, vault, key).select_for_update().first()
    if row is None:
        row = MemoryCore(id=uuid4(), user_id=user_id)
        if MemoryCore.objects.for_user(user_id).count() >= MAX_CORE_ROWS:
            raise InvalidMemory(f"There are {MAX_CORE_ROWS} keys already: forget one first.")
    else:
        # A value that cannot be read is not overwritten, because its owner may want to know of it.
        _ = opened(vault, row, "value_encrypted")
    row.key_index = key_index(vault.key, key)
    row.key_encrypted = vault.seal(row, "key_encrypted", key)
    row.value_encrypted = vault.seal(row, "value_encrypted", value)
    row.updated_at = clock.now()
    row.save()
    return CoreEntry(id=row.id, key=key, value=value, updated_at=row.updated_at)


@transaction.atomic
def delete_core(user_id: UUID, key: str) -> bool:
    """Delete the value under ``key``, and what states it, which would be recalled. Returns whether there was one."""
    vault = vault_for_writing(user_id)
    return _forget_core(user_id, vault, _rows_of(user_id, vault, key))


def delete_core_row(user_id: UUID, row_id: UUID) -> bool:
    """As ``delete_core``, by the id of the row. Without the user's key only the row is deleted."""
    rows = MemoryCore.objects.for_user(user_id).filter(id=row_id)
    try:
        with transaction.atomic():
            return _forget_core(user_id, vault_for_writing(user_id), rows)
    except KEY_ERRORS:
        with transaction.atomic():
            deleted, _ = rows.delete()
            if deleted:
                next_forgetting(user_id, ())
            return bool(deleted)


def _forget_core(user_id: UUID, vault: Vault, rows: CoreQuerySet) -> bool:
    entries = [_core_entry(vault, row) for row in rows]
    rows.delete()
    for entry in entries:
        if not entry.unreadable:
            forget_saying(user_id, vault, entry.key, entry.value)
    if entries:
        # Also if nothing else states it, because a running turn may have recalled it.
        next_forgetting(user_id, ())
    return bool(entries)


def _rows_of(user_id: UUID, vault: Vault, key: str) -> CoreQuerySet:
    """The row of ``key``. Its index may have been made with any of the user's encryption keys."""
    indexes = [key_index(vault.key_of(version), key) for version in vault.versions]
    return MemoryCore.objects.for_user(user_id).filter(key_index__in=indexes)


def list_core(user_id: UUID) -> list[CoreEntry]:
    """All preferences, sorted by key; rows that cannot be decrypted are last."""
    vault = open_vault(user_id)
    entries = [_core_entry(vault, row) for row in MemoryCore.objects.for_user(user_id)]
    return sorted(entries, key=lambda entry: (entry.unreadable, entry.key.casefold(), entry.id))


def _core_entry(vault: Vault, row: MemoryCore) -> CoreEntry:
    try:
        key, value = opened(vault, row, "key_encrypted"), opened(vault, row, "value_encrypted")
    except UnreadableRow:
        return CoreEntry(id=row.id, key="", value="", updated_at=row.updated_at, unreadable=True)
    return CoreEntry(id=row.id, key=key, value=value, updated_at=row.updated_at)


@dataclass(frozen=True, kw_only=True, slots=True)
class EpisodeEntry:
    """An episode in its owner's words. If the row cannot be decrypted, the summary is empty.

    ``outdated_at`` is since when something that was said in it is no longer true. It is only set by a search.
    """

    id: UUID
    summary: str
    session_id: str
    created_at: datetime
    unreadable: bool = False
    outdated_at: datetime | None = None


def list_episodes(user_id: UUID, *, after: Cursor | None, limit: int) -> Page[EpisodeEntry]:
    """Episodes, newest first."""
    vault = open_vault(user_id)
    found, cursor = MemoryEpisodic.objects.for_user(user_id).page("created_at", after=after, limit=limit)
    return Page(items=[_episode(row, opened_or_none(vault, row, "summary_encrypted")) for row in found], after=cursor)


@transaction.atomic
def edit_episode(user_id: UUID, row_id: UUID, summary: str, embedding: Embedding | None) -> EpisodeEntry:
    """Replace the summary, also in the associative row of the episode. ``embedding`` is that of the new summary.

    The words of the exchange and the facts that were drawn from them are deleted, because the owner's correction
    replaces them. Raises ``MemoryNotFound``, ``InvalidMemory`` and ``UnreadableRow``.
    """
    summary = fitting(summary, what="summary", limit=MAX_SUMMARY_CHARS)
    vault = vault_for_writing(user_id)
    lock_facts(user_id)
    row = MemoryEpisodic.objects.for_user(user_id).editable(vault, row_id, "summary_encrypted")
    row.summary_encrypted = vault.seal(row, "summary_encrypted", summary)
    row.exchange_encrypted, row.touched_encrypted, row.next_attempt_at = "", "", None
    found = MemoryAssociative.objects.select_for_update().filter(episode=row).first()
    forget_drawn(user_id, row_id)
    row.revision = next_revision(user_id) or 0
    row.save(
        update_fields=["summary_encrypted", "exchange_encrypted", "touched_encrypted", "next_attempt_at", "revision"]
    )
    if found is not None:
        found.content_encrypted = vault.seal(found, "content_encrypted", summary)
        put_vector(found, vault, embedding)
        found.save()
    return _episode(row, summary)


def search_history(user_id: UUID, query: str, *, since: datetime | None, limit: int) -> list[EpisodeEntry]:
    """The episodes whose summaries contain every word of ``query``, newest first; all of them if it has no words.

    Ignores case and accents. Reads the newest 5,000 episodes at most.
    """
    words = folded(query).split()
    newest = ((entry, folded(entry.summary)) for entry in _newest(user_id, since=since))
    found = list(islice((entry for entry, text in newest if all(word in text for word in words)), limit))
    outdated = outdated_episodes([entry.id for entry in found])
    return [replace(entry, outdated_at=outdated.get(entry.id)) for entry in found]


def _newest(user_id: UUID, *, since: datetime | None) -> Iterator[EpisodeEntry]:
    vault = open_vault(user_id)
    rows = MemoryEpisodic.objects.for_user(user_id).newest_first().only("summary_encrypted", "session_id", "created_at")
    if since is not None:
        rows = rows.filter(created_at__gte=since)
    for start in range(0, _SEARCHED, _BATCH):
        batch = list(rows[start : start + _BATCH])
        yield from readable(batch, lambda row: _episode(row, opened(vault, row, "summary_encrypted")))
        if len(batch) < _BATCH:
            return


def reveal_episode(episode: MemoryEpisodic, *, actor: User, reason: str) -> str:
    """The summary of an episode, for staff. The audit event is kept even if the summary cannot be decrypted.

    Raises ``UnreadableRow``. If the user's key cannot be opened, it raises as ``open_vault``, and records nothing.
    """
    with transaction.atomic():
        record_event(actor=actor, subject_id=episode.user_id, action="reveal", object_id=episode.id, reason=reason)
        vault = open_vault(episode.user_id)
    return opened(vault, episode, "summary_encrypted")


def _episode(row: MemoryEpisodic, summary: str | None) -> EpisodeEntry:
    return EpisodeEntry(
        id=row.id,
        summary=summary or "",
        session_id=row.session_id,
        created_at=row.created_at,
        unreadable=summary is None,
    )


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
    """The HMAC (hex) by which the habit with this basis is found."""
    return keyed_index(key, "memory habit", basis)


def list_habits(user_id: UUID, *, after: Cursor | None, limit: int) -> Page[HabitEntry]:
    """Habits, newest first."""
    vault = open_vault(user_id)
    found, cursor = MemoryProactive.objects.for_user(user_id).kept().page("created_at", after=after, limit=limit)
    return Page(items=[_habit(row, opened_or_none(vault, row, "pattern_encrypted")) for row in found], after=cursor)


@transaction.atomic
def edit_habit(
    user_id: UUID, row_id: UUID, *, pattern: str | None = None, confidence: float | None = None
) -> HabitEntry:
    """Change the words or the confidence. From then on, mining does not change the habit.

    Raises ``MemoryNotFound``, ``InvalidMemory`` and ``UnreadableRow``.
    """
    vault = vault_for_writing(user_id)
    row = MemoryProactive.objects.for_user(user_id).kept().editable(vault, row_id, "pattern_encrypted")
    if pattern is not None:
        words = fitting(pattern, what="pattern", limit=MAX_PATTERN_CHARS)
        row.pattern_encrypted = vault.seal(row, "pattern_encrypted", words)
    if confidence is not None:
        if not 0 <= confidence <= 1:
            raise InvalidMemory("The confidence must be between 0 and 1.")
        row.confidence = confidence
    row.source, row.updated_at = Source.OWNER, clock.now()
    row.save()
    return _habit(row, opened(vault, row, "pattern_encrypted"))


def delete_habit(user_id: UUID, row_id: UUID) -> bool:
    """Dismiss a habit, so that mining does not find it again. Returns whether there was one."""
    dismissed = MemoryProactive.objects.for_user(user_id).kept().filter(id=row_id)
    return bool(dismissed.update(pattern_encrypted="", confidence=0.0, dismissed_at=clock.now()))


def _habit(row: MemoryProactive, pattern: str | None) -> HabitEntry:
    return HabitEntry(
        id=row.id,
        pattern=pattern or "",
        confidence=row.confidence,
        source=row.source,
        created_at=row.created_at,
        updated_at=row.updated_at,
        unreadable=pattern is None,
    )
