"""What happened, exchange by exchange. Synchronous; every write is one short transaction."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction

from accounts.vault import Vault, open_vault, vault_for_writing
from memory.errors import NotRemembered, UnreadableRow
from memory.facts import Meaning, put_vector
from memory.limits import MAX_SUMMARY_CHARS, fitting
from memory.mining.telling import folded
from memory.models import MemoryAssociative, MemoryEpisodic
from memory.paging import Mark, Page, page_of
from memory.sealing import opened, readable, sealed

_SEARCHED: Final = 5_000
"""How many episodes, newest first, a search by words reads: ciphertext cannot be searched where it lies."""
_BATCH: Final = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class EpisodeEntry:
    """An episode in its owner's words. One that cannot be opened has no summary."""

    id: UUID
    summary: str
    session_id: str
    created_at: datetime
    unreadable: bool = False


def list_episodes(user_id: UUID, *, after: Mark | None, limit: int) -> Page[EpisodeEntry]:
    """Episodes, newest first."""
    vault = open_vault(user_id)
    found, mark = page_of(MemoryEpisodic.objects.for_user(user_id), "created_at", after=after, limit=limit)
    return Page(items=[episode_entry(vault, row) for row in found], after=mark)


@transaction.atomic
def edit_episode(user_id: UUID, row_id: UUID, summary: str, meaning: Meaning | None) -> EpisodeEntry:
    """Put ``summary`` in the place of the present one, here and in the associative row that follows the episode.

    ``meaning`` is the new summary's. Whatever was still to be summarised is dropped: the owner has said it better.
    Raises ``NotRemembered``, ``Unfit`` and ``UnreadableRow``.
    """
    summary = fitting(summary, what="summary", limit=MAX_SUMMARY_CHARS)
    vault = vault_for_writing(user_id)
    row = MemoryEpisodic.objects.for_user(user_id).select_for_update().filter(id=row_id).first()
    if row is None:
        raise NotRemembered
    opened(vault, row, "summary_encrypted")  # what cannot be opened is not overwritten
    row.summary_encrypted = sealed(vault, row, "summary_encrypted", summary)
    row.exchange_encrypted, row.next_attempt_at = "", None
    row.save(update_fields=["summary_encrypted", "exchange_encrypted", "next_attempt_at"])
    _follow(vault, row, summary, meaning)
    return episode_entry(vault, row)


def delete_episode(user_id: UUID, row_id: UUID) -> bool:
    """Drop an episode and the associative row that follows it; whether there was one."""
    deleted, _ = MemoryEpisodic.objects.for_user(user_id).filter(id=row_id).delete()
    return bool(deleted)


def search_history(user_id: UUID, query: str, *, since: datetime | None, limit: int) -> list[EpisodeEntry]:
    """The newest episodes with every word of ``query`` in them (all of them when it has none), newest first.

    Neither case nor accents matter. It reads the newest 5,000 at most.
    """
    words = folded(query).split()
    found: list[EpisodeEntry] = []
    for entry in _entries(user_id, since=since):
        if _has(folded(entry.summary), words):
            found.append(entry)
            if len(found) == limit:
                break
    return found


def episode_entry(vault: Vault, row: MemoryEpisodic) -> EpisodeEntry:
    """The row in its owner's words, or marked as one that cannot be opened."""
    try:
        return _opened_entry(vault, row)
    except UnreadableRow:
        return EpisodeEntry(
            id=row.id, summary="", session_id=row.session_id, created_at=row.created_at, unreadable=True
        )


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


def _has(text: str, words: Sequence[str]) -> bool:
    return all(word in text for word in words)


def _opened_entry(vault: Vault, row: MemoryEpisodic) -> EpisodeEntry:
    summary = opened(vault, row, "summary_encrypted")
    return EpisodeEntry(id=row.id, summary=summary, session_id=row.session_id, created_at=row.created_at)


def _follow(vault: Vault, episode: MemoryEpisodic, summary: str, meaning: Meaning | None) -> None:
    row = MemoryAssociative.objects.select_for_update().filter(episode=episode).first()
    if row is not None:
        row.content_encrypted = sealed(vault, row, "content_encrypted", summary)
        put_vector(row, vault, meaning)
        row.save()
