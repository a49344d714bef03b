"""Facts, and the rows that make episodes searchable: texts that are found by their meaning.

The embedder is asked outside of any transaction. What uses the database is synchronous; every write is one short
transaction.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone as clock

from accounts.keys.vault import Vault, open_vault, vault_for_writing
from accounts.locks import lock_until_commit
from memory.errors import EmbeddingFailed
from memory.index import Embedder, Embedding, Match, nearest
from memory.models import (
    MAX_FACT_CHARS,
    MAX_ID_CHARS,
    MAX_TYPE_CHARS,
    Cursor,
    MemoryAssociative,
    Page,
    fitting,
    opened,
    opened_or_none,
    readable,
    storable,
)

logger = logging.getLogger(__name__)

MAX_TEXT_CHARS: Final = 20_000
"""Models take about 8,000 tokens; a text's vector covers its beginning up to here."""
NEAR: Final = 0.17
"""The cosine similarity below which a text has nothing to do with the query; docs/memory.md says why."""
SAME: Final = 0.95
"""The cosine similarity above which two texts say the same: the row is updated instead of a second one inserted."""
_CANDIDATES: Final = 5
"""How many of the nearest rows may be the one that says the same."""


@dataclass(frozen=True, kw_only=True, slots=True)
class About:
    """What on the device a fact is about, and the episode it comes from."""

    entity_type: str = ""
    entity_id: str = ""
    episode_id: UUID | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class FactEntry:
    """A fact in its owner's words. If the row cannot be decrypted, ``content`` is empty."""

    id: UUID
    content: str
    entity_type: str
    entity_id: str
    created_at: datetime
    updated_at: datetime
    unreadable: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A fact and its cosine similarity to the query. ``episode_id`` is None if it comes from no episode."""

    id: UUID
    content: str
    score: float
    entity_type: str
    entity_id: str
    episode_id: UUID | None
    updated_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Unembedded:
    """A text to embed. ``token`` is its ciphertext, which shows whether the row has changed since."""

    row_id: UUID
    content: str
    token: str
    has_vector: bool


async def embedded(embedder: Embedder, text: str, *, query: bool = False) -> Embedding:
    """As ``embedded_all``."""
    [embedding] = await embedded_all(embedder, [text], query=query)
    return embedding


async def embedded_all(embedder: Embedder, texts: Sequence[str], *, query: bool = False) -> list[Embedding]:
    """One for each text, in order; ``query`` as for ``Embedder.embed``. Raises ``EmbeddingFailed``."""
    vectors = await embedder.embed([text[:MAX_TEXT_CHARS] for text in texts], query=query)
    # An embedder may find only now that another one serves in its place.
    return [Embedding(vector=vector, model=embedder.name) for vector in vectors]


async def embedded_if_possible(embedder: Embedder, text: str) -> Embedding | None:
    """None if no vector can be made now: the row is stored without one, and a sweep makes it later."""
    try:
        return await embedded(embedder, text)
    except EmbeddingFailed as error:
        logger.warning("a remembered text has no vector yet: %s", error)
        return None


@transaction.atomic
def store_fact(user_id: UUID, content: str, embedding: Embedding | None, *, about: About | None = None) -> UUID:
    """Store ``content`` and return the id of its row. A row that says the same about the same thing is updated.

    Without an ``embedding`` the row is found only after its vector has been made. Raises ``InvalidMemory`` and as
    ``open_vault``.
    """
    content = fitting(content, what="fact", limit=MAX_FACT_CHARS)
    about = about or About()
    about = replace(
        about,
        entity_type=storable(about.entity_type, limit=MAX_TYPE_CHARS),
        entity_id=storable(about.entity_id, limit=MAX_ID_CHARS),
    )
    vault = vault_for_writing(user_id)
    # Of two who store the same at once, the second must find the first's row.
    lock_until_commit(_writers_of(user_id))
    row = None if embedding is None else _same(user_id, vault, embedding, about)
    row = row or MemoryAssociative(id=uuid4(), user_id=user_id)
    row.entity_type, row.entity_id, row.episode_id = about.entity_type, about.entity_id, about.episode_id
    _fill(row, vault, content, embedding)
    row.save()
    return row.id


@transaction.atomic
def set_embedding(user_id: UUID, row_id: UUID, token: str, embedding: Embedding) -> bool:
    """Set the vector of a row if its text is still the one that was embedded: its ciphertext is ``token``.

    Returns whether it was set. A row that says the same as an older one takes its place. Raises ``UnreadableRow`` and
    as ``open_vault``.
    """
    vault = vault_for_writing(user_id)
    lock_until_commit(_writers_of(user_id))
    row = MemoryAssociative.objects.for_user(user_id).locked(row_id)
    if row is None or row.content_encrypted != token:
        return False
    about = About(entity_type=row.entity_type, entity_id=row.entity_id, episode_id=row.episode_id)
    older = _same(user_id, vault, embedding, about)
    if older is None or older.id == row.id:
        put_vector(row, vault, embedding)
        row.save(update_fields=["embedding", "embedding_model", "veil_version", "attempts", "next_attempt_at"])
        return True
    content = opened(vault, row, "content_encrypted")
    row.delete()
    older.episode_id = about.episode_id
    _fill(older, vault, content, embedding)
    older.save()
    return True


@transaction.atomic
def edit_fact(user_id: UUID, row_id: UUID, content: str, embedding: Embedding | None) -> FactEntry:
    """Replace the text of a row. Raises ``MemoryNotFound``, ``InvalidMemory``, ``UnreadableRow``."""
    content = fitting(content, what="fact", limit=MAX_FACT_CHARS)
    vault = vault_for_writing(user_id)
    row = MemoryAssociative.objects.for_user(user_id).editable(vault, row_id, "content_encrypted")
    _fill(row, vault, content, embedding)
    row.save()
    return _entry(row, content)


def list_facts(user_id: UUID, *, after: Cursor | None, limit: int) -> Page[FactEntry]:
    """Facts, changed last first."""
    vault = open_vault(user_id)
    rows = MemoryAssociative.objects.for_user(user_id).defer("embedding")
    found, cursor = rows.page("updated_at", after=after, limit=limit)
    return Page(items=[_entry(row, opened_or_none(vault, row, "content_encrypted")) for row in found], after=cursor)


def _entry(row: MemoryAssociative, content: str | None) -> FactEntry:
    return FactEntry(
        id=row.id,
        content=content or "",
        entity_type=row.entity_type,
        entity_id=row.entity_id,
        created_at=row.created_at,
        updated_at=row.updated_at,
        unreadable=content is None,
    )


def search_facts(user_id: UUID, embedding: Embedding, *, limit: int, vault: Vault | None = None) -> Sequence[Found]:
    """The user's facts closest to ``embedding``, nearest first, without rows that cannot be decrypted.

    Raises as ``open_vault``.
    """
    vault = vault or open_vault(user_id)
    near = [match for match in nearest(user_id, vault, embedding, limit=limit) if match.score >= NEAR]
    return list(readable(near, lambda match: _found(vault, match)))


def unembedded_text(vault: Vault, row: MemoryAssociative) -> Unembedded:
    """The text of one row. Raises ``UnreadableRow``."""
    return Unembedded(
        row_id=row.id,
        content=opened(vault, row, "content_encrypted"),
        token=row.content_encrypted,
        has_vector=bool(row.embedding_model),
    )


def put_vector(row: MemoryAssociative, vault: Vault, embedding: Embedding | None) -> None:
    """Set the row's vector, hidden by the present key. Without an ``embedding`` the row waits for one."""
    row.attempts, row.next_attempt_at = 0, None
    if embedding is None:
        row.embedding, row.embedding_model, row.veil_version = None, "", None
        row.next_attempt_at = clock.now()
        return
    row.embedding = embedding.hidden_by(vault.key)
    row.embedding_model, row.veil_version = embedding.model, vault.key.version


def _fill(row: MemoryAssociative, vault: Vault, content: str, embedding: Embedding | None) -> None:
    row.content_encrypted = vault.seal(row, "content_encrypted", content)
    put_vector(row, vault, embedding)
    row.updated_at = clock.now()


def _same(user_id: UUID, vault: Vault, embedding: Embedding, about: About) -> MemoryAssociative | None:
    """The row that says the same about the same thing, locked. A row that cannot be decrypted is left as it is.

    A fact and the row of an episode are never merged: with the episode the fact would be deleted.
    """
    for match in nearest(user_id, vault, embedding, limit=_CANDIDATES):
        if match.score <= SAME:
            return None
        same_thing = (match.entity_type, match.entity_id) == (about.entity_type, about.entity_id)
        same_kind = (match.episode_id is None) == (about.episode_id is None)
        if same_thing and same_kind and opened_or_none(vault, _row(match), "content_encrypted") is not None:
            return MemoryAssociative.objects.for_user(user_id).locked(match.id)
    return None


def _row(match: Match) -> MemoryAssociative:
    return MemoryAssociative(id=match.id, content_encrypted=match.content_encrypted)


def _found(vault: Vault, match: Match) -> Found:
    return Found(
        id=match.id,
        content=opened(vault, _row(match), "content_encrypted"),
        score=match.score,
        entity_type=match.entity_type,
        entity_id=match.entity_id,
        episode_id=match.episode_id,
        updated_at=match.updated_at,
    )


def _writers_of(user_id: UUID) -> bytes:
    """The purpose of the lock that lets one writer at a time store a user's facts."""
    return b"memory facts" + user_id.bytes
