"""Episodes: what happened, exchange by exchange. Synchronous; every write is one short transaction."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction

from accounts.audit import record_event
from accounts.keys.vault import Vault, open_vault, vault_for_writing
from accounts.models import User
from memory.errors import MemoryNotFound, UnreadableRow
from memory.index import Embedding
from memory.mining.words import folded
from memory.models import (
    MAX_SUMMARY_CHARS,
    Cursor,
    MemoryAssociative,
    MemoryEpisodic,
    Page,
    fitting,
    opened,
    readable,
)
from memory.tiers.facts import put_vector

_SEARCHED: Final = 5_000
"""How many of the newest episodes a search by words decrypts: the database cannot search ciphertext."""
_BATCH: Final = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class EpisodeEntry:
    """An episode in its owner's words. If the row cannot be decrypted, the summary is empty."""

    id: UUID
    summary: str
    session_id: str
    created_at: datetime
    unreadable: bool = False


def list_episodes(user_id: UUID, *, after: Cursor | None, limit: int) -> Page[EpisodeEntry]:
    """Episodes, newest first."""
    vault = open_vault(user_id)
    found, cursor = MemoryEpisodic.objects.for_user(user_id).page("created_at", after=after, limit=limit)
    return Page(items=[_entry(vault, row) for row in found], after=cursor)


@transaction.atomic
def edit_episode(user_id: UUID, row_id: UUID, summary: str, embedding: Embedding | None) -> EpisodeEntry:
    """Replace the summary, here and in the associative row of the episode.

    ``embedding`` is the new summary's. An exchange that still waits for a model's summary is deleted: the owner's own
    words are final. Raises ``MemoryNotFound``, ``InvalidMemory`` and ``UnreadableRow``.
    """
    summary = fitting(summary, what="summary", limit=MAX_SUMMARY_CHARS)
    vault = vault_for_writing(user_id)
    row = MemoryEpisodic.objects.for_user(user_id).select_for_update().filter(id=row_id).first()
    if row is None:
        raise MemoryNotFound
    opened(vault, row, "summary_encrypted")  # a row that cannot be decrypted is not overwritten
    row.summary_encrypted = vault.seal(row, "summary_encrypted", summary)
    row.exchange_encrypted, row.next_attempt_at = "", None
    row.save(update_fields=["summary_encrypted", "exchange_encrypted", "next_attempt_at"])
    _update_associative(vault, row, summary, embedding)
    return _entry(vault, row)


def delete_episode(user_id: UUID, row_id: UUID) -> bool:
    """Delete an episode and its associative row. Return whether there was one."""
    deleted, _ = MemoryEpisodic.objects.for_user(user_id).filter(id=row_id).delete()
    return bool(deleted)


def search_history(user_id: UUID, query: str, *, since: datetime | None, limit: int) -> list[EpisodeEntry]:
    """The newest episodes that contain every word of ``query``, newest first. A query without words finds all.

    Ignores case and accents. Reads the newest 5,000 at most.
    """
    words = folded(query).split()
    found: list[EpisodeEntry] = []
    for entry in _entries(user_id, since=since):
        text = folded(entry.summary)
        if all(word in text for word in words):
            found.append(entry)
            if len(found) == limit:
                break
    return found


def reveal_episode(episode: MemoryEpisodic, *, actor: User, reason: str) -> str:
    """The summary of an episode, for staff. The audit event stays even when the summary cannot be decrypted.

    Raises ``UnreadableRow``. When the user's keys cannot be opened it raises as ``open_vault``, and records nothing.
    """
    with transaction.atomic():
        record_event(actor=actor, subject_id=episode.user_id, action="reveal", object_id=episode.id, reason=reason)
        vault = open_vault(episode.user_id)
    return opened(vault, episode, "summary_encrypted")


def _entries(user_id: UUID, *, since: datetime | None) -> Iterator[EpisodeEntry]:
    vault = open_vault(user_id)
    rows = MemoryEpisodic.objects.for_user(user_id).newest_first().only("summary_encrypted", "session_id", "created_at")
    if since is not None:
        rows = rows.filter(created_at__gte=since)
    for start in range(0, _SEARCHED, _BATCH):
        batch = list(rows[start : start + _BATCH])
        yield from readable(batch, lambda row: _opened_entry(vault, row))
        if len(batch) < _BATCH:
            return


def _entry(vault: Vault, row: MemoryEpisodic) -> EpisodeEntry:
    try:
        return _opened_entry(vault, row)
    except UnreadableRow:
        return EpisodeEntry(
            id=row.id, summary="", session_id=row.session_id, created_at=row.created_at, unreadable=True
        )


def _opened_entry(vault: Vault, row: MemoryEpisodic) -> EpisodeEntry:
    summary = opened(vault, row, "summary_encrypted")
    return EpisodeEntry(id=row.id, summary=summary, session_id=row.session_id, created_at=row.created_at)


def _update_associative(vault: Vault, episode: MemoryEpisodic, summary: str, embedding: Embedding | None) -> None:
    row = MemoryAssociative.objects.select_for_update().filter(episode=episode).first()
    if row is not None:
        row.content_encrypted = vault.seal(row, "content_encrypted", summary)
        put_vector(row, vault, embedding)
        row.save()
