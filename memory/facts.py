"""Facts and the summaries of episodes: texts that are found by their meaning and their words.

The embedder is called outside transactions. Functions that use the database are synchronous; every write is one short
transaction.
"""

import logging
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone as clock

from accounts.cursors import Cursor
from accounts.keys.vault import Vault, one_moment, open_vault, vault_for_writing
from accounts.locks import lock_until_commit
from accounts.models import User
from memory.drawn import DrawnFact, Relation
from memory.errors import EmbeddingFailed
from memory.fact_index import MAX_FACTS, shares_of_words
from memory.index import Embedder, Embedding, Match, nearest, outdated_episodes
from memory.models import (
    MAX_FACT_CHARS,
    MAX_ID_CHARS,
    MAX_TYPE_CHARS,
    MemoryAssociative,
    Page,
    fitting,
    opened,
    opened_or_none,
    readable,
    storable,
)
from memory.plain_facts import plain_facts
from memory.revisions import next_revision
from memory.search.words import folded

logger = logging.getLogger(__name__)

MAX_TEXT_CHARS: Final = 20_000
"""Only this much of a text is embedded, because models accept about 8,000 tokens."""
NEAR: Final = 0.17
"""The cosine similarity below which a text has nothing to do with the query. It was chosen for the hashing embedder;
with some models all texts are above it, so recall uses ``Match.standard_score``.
"""
SAME: Final = 0.95
"""The cosine similarity above which two texts may be the same. Only such texts are decrypted to compare their words."""
_PUNCTUATION: Final = ".,;:!?…"
_CANDIDATES: Final = 5
"""How many of the nearest rows are compared to find one with the same words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class About:
    """The row on the device that a text is about, and the episode whose summary it is."""

    entity_type: str = ""
    entity_id: str = ""
    episode_id: UUID | None = None


class FactKind(StrEnum):
    """The kind of a row of the associative tier."""

    FACT = "fact"
    EPISODE = "episode"


@dataclass(frozen=True, kw_only=True, slots=True)
class FactEntry:
    """A fact, or an episode's summary. If the row cannot be decrypted, ``content`` is empty.

    ``said_in`` is the episode, and ``created_at`` when it was said. The ``superseded_`` fields say what has superseded
    it, how and when.
    """

    id: UUID
    content: str
    entity_type: str
    entity_id: str
    said_in: UUID | None
    superseded_by: UUID | None
    superseded_as: str
    superseded_at: datetime | None
    created_at: datetime
    updated_at: datetime
    unreadable: bool = False

    @property
    def about(self) -> dict[str, str] | None:
        """The row on the device that it is about."""
        return {"entity_type": self.entity_type, "entity_id": self.entity_id} if self.entity_id else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A current fact, or the summary of an episode.

    ``score`` is its cosine similarity to the query or, if it was found by its words, the share of the query's words
    that it has. ``episode_id`` is None for a fact. ``outdated_at`` is since when something that was said in the episode
    is no longer true.
    """

    id: UUID
    content: str
    score: float
    entity_type: str
    entity_id: str
    episode_id: UUID | None
    said_in: UUID | None
    created_at: datetime
    updated_at: datetime
    outdated_at: datetime | None = None


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
    # Read after the call, in which an embedder may find out that another one serves in its place.
    return [Embedding(vector=vector, model=embedder.name) for vector in vectors]


async def embedded_if_possible(embedder: Embedder, text: str) -> Embedding | None:
    """As ``embedded``; None if it fails: then the row is stored without a vector, and a sweep adds it later."""
    try:
        return await embedded(embedder, text)
    except EmbeddingFailed as error:
        logger.warning("a remembered text has no vector yet: %s", error)
        return None


@transaction.atomic
def store_fact(user_id: UUID, content: str, embedding: Embedding | None, *, about: About | None = None) -> UUID:
    """Store ``content`` and return the id of its row. A row with the same words about the same thing is updated.

    Without an ``embedding`` the row is found only by its words until a sweep has added the vector. Raises
    ``InvalidMemory`` and what ``open_vault`` raises.
    """
    content = fitting(content, what="fact", limit=MAX_FACT_CHARS)
    about = about or About()
    about = replace(
        about,
        entity_type=storable(about.entity_type, limit=MAX_TYPE_CHARS),
        entity_id=storable(about.entity_id, limit=MAX_ID_CHARS),
    )
    vault = vault_for_writing(user_id)
    # Locked, so that of two simultaneous writers of the same fact the second finds the first's row.
    lock_facts(user_id)
    row = None if embedding is None else _same(user_id, vault, content, embedding, about)
    row = row or MemoryAssociative(id=uuid4(), user_id=user_id)
    row.entity_type, row.entity_id, row.episode_id = about.entity_type, about.entity_id, about.episode_id
    _fill(row, vault, content, embedding)
    if row.episode_id is None:
        row.revision = next_revision(user_id) or 0
    row.save()
    return row.id


@transaction.atomic
def set_embedding(user_id: UUID, row_id: UUID, token: str, embedding: Embedding) -> bool:
    """Set the vector of a row if its text is still the one that was embedded: its ciphertext is ``token``.

    Returns whether it was set. If an older row has the same words, that row is updated and this one deleted. Raises
    ``UnreadableRow`` and what ``open_vault`` raises.
    """
    vault = vault_for_writing(user_id)
    lock_facts(user_id)
    row = MemoryAssociative.objects.for_user(user_id).locked(row_id)
    if row is None or row.content_encrypted != token:
        return False
    about = About(entity_type=row.entity_type, entity_id=row.entity_id, episode_id=row.episode_id)
    content = opened(vault, row, "content_encrypted")
    # Facts that were drawn from exchanges are compared when they are stored (memory/supersession.py).
    older = None if row.details_encrypted else _same(user_id, vault, content, embedding, about)
    if older is None or older.id == row.id:
        put_vector(row, vault, embedding)
        row.save(update_fields=["embedding", "embedding_model", "veil_version", "attempts", "next_attempt_at"])
        return True
    row.delete()
    older.episode_id = about.episode_id
    _fill(older, vault, content, embedding)
    older.save()
    return True


@transaction.atomic
def edit_fact(user_id: UUID, row_id: UUID, content: str, embedding: Embedding | None) -> FactEntry:
    """Replace the text of a row at its owner's request. Nothing that was said earlier can supersede it.

    Raises ``MemoryNotFound``, ``InvalidMemory``, ``UnreadableRow``.
    """
    content = fitting(content, what="fact", limit=MAX_FACT_CHARS)
    vault = vault_for_writing(user_id)
    lock_facts(user_id)
    row = MemoryAssociative.objects.for_user(user_id).editable(vault, row_id, "content_encrypted")
    if row.said_in_id is not None:
        _keep_said(row, vault)
    _fill(row, vault, content, embedding)
    if row.episode_id is None:
        details = next(iter(plain_facts(content)), DrawnFact(statement=content)).details()
        row.details_encrypted = vault.seal(row, "details_encrypted", details)
        row.corrected_at, row.revision = row.updated_at, next_revision(user_id) or 0
    row.save()
    return entry_of(vault, row)


def _keep_said(row: MemoryAssociative, vault: Vault) -> None:
    """Move what was said, and where, to a new row, which the corrected ``row`` supersedes.

    So the words that are no longer true are left out when the exchange is recalled.
    """
    said = MemoryAssociative(
        id=uuid4(),
        user_id=row.user_id,
        said_in_id=row.said_in_id,
        created_at=row.created_at,
        superseded_by=row,
        superseded_as=Relation.CORRECTS,
        superseded_at=clock.now(),
        revision=next_revision(row.user_id) or 0,
    )
    for column in ("content_encrypted", "details_encrypted", "evidence_encrypted"):
        if getattr(row, column):
            setattr(said, column, vault.seal(said, column, opened(vault, row, column)))
    said.save(force_insert=True)
    row.said_in_id, row.evidence_encrypted = None, ""


def list_facts(
    user_id: UUID, *, after: Cursor | None, limit: int, kind: FactKind | None = None, superseded: bool | None = None
) -> Page[FactEntry]:
    """Facts, the last changed first. ``kind`` and ``superseded`` filter them unless they are None."""
    vault = open_vault(user_id)
    rows = MemoryAssociative.objects.for_user(user_id).defer("embedding")
    if kind is not None:
        rows = rows.filter(episode__isnull=kind is FactKind.FACT)
    if superseded is not None:
        rows = rows.filter(superseded_by__isnull=not superseded)
    found, cursor = rows.page("updated_at", after=after, limit=limit)
    return Page(items=[entry_of(vault, row) for row in found], after=cursor)


def entry_of(vault: Vault, row: MemoryAssociative) -> FactEntry:
    """The entry that the owner sees of a row."""
    content = opened_or_none(vault, row, "content_encrypted")
    return FactEntry(
        id=row.id,
        content=content or "",
        entity_type=row.entity_type,
        entity_id=row.entity_id,
        said_in=row.episode_id or row.said_in_id,
        superseded_by=row.superseded_by_id,
        superseded_as=row.superseded_as,
        superseded_at=row.superseded_at,
        created_at=row.created_at,
        updated_at=row.updated_at,
        unreadable=content is None,
    )


def search_facts(user_id: UUID, query: str, embedding: Embedding | None, *, limit: int) -> Sequence[Found]:
    """The current facts and summaries that are close to ``query`` in meaning, nearest first, then those with its words.

    ``embedding`` is the query's. Without it, and for rows without a vector, only the words count. With some models all
    texts are near, so of many only those count that are nearer than most. Words are searched for in the ``MAX_FACTS``
    rows that were changed last. Rows that cannot be decrypted are left out. Raises what ``open_vault`` raises.
    """
    # The key and the rows are read in one snapshot, because a key rotation may be running.
    with one_moment():
        vault = open_vault(user_id)
        near = [] if embedding is None else near_facts(user_id, vault, embedding, limit=limit)
        found = opened_facts(vault, [match for match in near if match.is_above_others])
        if len(found) < limit:
            found += _with_words(user_id, vault, query, {each.id for each in found}, limit=limit - len(found))
        return found


def _with_words(user_id: UUID, vault: Vault, query: str, besides: AbstractSet[UUID], *, limit: int) -> list[Found]:
    """The current rows that have words of ``query``, except those in ``besides``; rows with most of its words first."""
    language = User.objects.filter(id=user_id).values_list("language", flat=True).first() or ""
    current = MemoryAssociative.objects.for_user(user_id).filter(superseded_by=None).exclude(id__in=besides)
    rows = {row.id: row for row in current.defer("embedding").order_by("-updated_at")[:MAX_FACTS]}
    texts = dict(readable(rows.values(), lambda row: (row.id, opened(vault, row, "content_encrypted"))))
    shares = shares_of_words(query, texts, language)
    best = [rows[row_id] for row_id in texts if row_id in shares]
    best = sorted(best, key=lambda row: -shares[row.id])[:limit]
    outdated = outdated_episodes([row.episode_id for row in best if row.episode_id is not None])
    return [
        _found(row, texts[row.id], shares[row.id], outdated.get(row.episode_id) if row.episode_id else None)
        for row in best
    ]


def near_facts(user_id: UUID, vault: Vault, embedding: Embedding, *, limit: int) -> list[Match]:
    """The rows closest to ``embedding``, nearest first, still encrypted."""
    return [match for match in nearest(user_id, vault, embedding, limit=limit) if match.score >= NEAR]


def opened_facts(vault: Vault, near: Sequence[Match]) -> list[Found]:
    """The rows of ``near`` that can be decrypted."""
    texts = readable(near, lambda match: (match, opened(vault, _row(match), "content_encrypted")))
    return [_found(match, content, match.score, match.outdated_at) for match, content in texts]


def unembedded_text(vault: Vault, row: MemoryAssociative) -> Unembedded:
    """The text of one row, to embed it. Raises ``UnreadableRow``."""
    return Unembedded(
        row_id=row.id,
        content=opened(vault, row, "content_encrypted"),
        token=row.content_encrypted,
        has_vector=bool(row.embedding_model),
    )


def put_vector(row: MemoryAssociative, vault: Vault, embedding: Embedding | None) -> None:
    """Set the row's vector, hidden by the current key. Without an ``embedding`` the row waits for one."""
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


def _same(user_id: UUID, vault: Vault, content: str, embedding: Embedding, about: About) -> MemoryAssociative | None:
    """The row with the same words about the same thing, locked. Rows that cannot be decrypted are not considered.

    The vectors alone do not show it: with some models “allergic to nuts” and “allergic to milk” are as similar as the
    same words are with others. A fact and the row of an episode are never merged, because the fact would be deleted
    with the episode.
    """
    words = _bare(content)
    for match in nearest(user_id, vault, embedding, limit=_CANDIDATES):
        if match.score <= SAME:
            return None
        same_thing = (match.entity_type, match.entity_id) == (about.entity_type, about.entity_id)
        same_kind = (match.episode_id is None) == (about.episode_id is None) and match.said_in_id is None
        if same_thing and same_kind:
            found = opened_or_none(vault, _row(match), "content_encrypted")
            if found is not None and _bare(found) == words:
                return MemoryAssociative.objects.for_user(user_id).locked(match.id)
    return None


def _bare(text: str) -> list[str]:
    """The words in lower case, without surrounding punctuation."""
    return [word.strip(_PUNCTUATION) for word in folded(text).split()]


def _row(match: Match) -> MemoryAssociative:
    return MemoryAssociative(id=match.id, content_encrypted=match.content_encrypted)


def _found(row: Match | MemoryAssociative, content: str, score: float, outdated_at: datetime | None) -> Found:
    return Found(
        id=row.id,
        content=content,
        score=score,
        entity_type=row.entity_type,
        entity_id=row.entity_id,
        episode_id=row.episode_id,
        said_in=row.episode_id or row.said_in_id,
        created_at=row.created_at,
        updated_at=row.updated_at,
        outdated_at=outdated_at,
    )


def lock_facts(user_id: UUID) -> None:
    """Prevent others from storing facts of this user until the transaction ends."""
    lock_until_commit(b"memory facts" + user_id.bytes)
