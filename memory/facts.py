"""Facts and exchanges that are found by their meaning.

Vectors are made outside of any transaction, by ``vectors.py``; what stands here is synchronous, and every write is one
short transaction.
"""

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID, uuid4

from django.db import connection, transaction
from django.utils import timezone as clock
from pgvector import HalfVector

from accounts.vault import Vault, open_vault, vault_for_writing
from memory.embedders.base import Vector
from memory.errors import NotRemembered, UnreadableRow
from memory.limits import MAX_FACT_CHARS, fitting, storable
from memory.models import MAX_ID_CHARS, MAX_TYPE_CHARS, MemoryAssociative
from memory.nearest import nearest
from memory.paging import Mark, Page, page_of
from memory.sealing import opened, sealed
from memory.veil import Veil

SAME: Final = 0.95
"""The cosine similarity above which two texts say the same: the row is updated, and no second one made."""
_TWINS: Final = 5
"""How many of the nearest rows are looked at for one that says the same."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Meaning:
    """A text's vector and the name of the embedder that made it."""

    vector: Vector
    model: str


@dataclass(frozen=True, kw_only=True, slots=True)
class About:
    """What on the device a fact is about, and the episode it comes from."""

    entity_type: str = ""
    entity_id: str = ""
    episode_id: UUID | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class FactEntry:
    """A fact in its owner's words. One that cannot be opened has no content."""

    id: UUID
    content: str
    entity_type: str
    entity_id: str
    created_at: datetime
    updated_at: datetime
    unreadable: bool = False


@transaction.atomic
def store_fact(user_id: UUID, content: str, meaning: Meaning | None, *, about: About | None = None) -> UUID:
    """Keep ``content``; gives its row's id. A row that says the same of the same is updated in its place.

    Without a ``meaning`` the row is kept all the same, and found once its vector has been made. Raises ``Unfit`` and
    what ``open_vault`` raises.
    """
    content = fitting(content, what="fact", limit=MAX_FACT_CHARS)
    about = _storable(about or About())
    vault = vault_for_writing(user_id)
    # One at a time for a user: of two that say the same in the same instant, the second must find the first.
    _take_turns(user_id)
    row = None if meaning is None else _same(user_id, vault, meaning, about)
    row = row or MemoryAssociative(id=uuid4(), user_id=user_id)
    row.entity_type, row.entity_id, row.episode_id = about.entity_type, about.entity_id, about.episode_id
    _fill(row, vault, content, meaning)
    row.save()
    return row.id


@transaction.atomic
def give_meaning(user_id: UUID, row_id: UUID, token: str, meaning: Meaning) -> bool:
    """Set the vector of a row that still says what it was made of: ``token`` is that text as it is stored.

    Whether it was set. A row that says what an older one says takes that one's place. Raises ``UnreadableRow`` and
    what ``open_vault`` raises.
    """
    vault = vault_for_writing(user_id)
    _take_turns(user_id)
    row = MemoryAssociative.objects.for_user(user_id).select_for_update().filter(id=row_id).first()
    if row is None or row.content_encrypted != token:
        return False
    about = About(entity_type=row.entity_type, entity_id=row.entity_id, episode_id=row.episode_id)
    older = _same(user_id, vault, meaning, about)
    if older is None or older.id == row.id:
        put_vector(row, vault, meaning)
        row.save(update_fields=["embedding", "embedding_model", "veil_version", "attempts", "next_attempt_at"])
        return True
    content = opened(vault, row, "content_encrypted")
    row.delete()
    older.episode_id = about.episode_id
    _fill(older, vault, content, meaning)
    older.save()
    return True


@transaction.atomic
def edit_fact(user_id: UUID, row_id: UUID, content: str, meaning: Meaning | None) -> FactEntry:
    """Put ``content`` in the place of what the row says. Raises ``NotRemembered``, ``Unfit``, ``UnreadableRow``."""
    content = fitting(content, what="fact", limit=MAX_FACT_CHARS)
    vault = vault_for_writing(user_id)
    row = MemoryAssociative.objects.for_user(user_id).select_for_update().filter(id=row_id).first()
    if row is None:
        raise NotRemembered
    opened(vault, row, "content_encrypted")  # what cannot be opened is not overwritten
    _fill(row, vault, content, meaning)
    row.save()
    return fact_entry(vault, row)


def delete_fact(user_id: UUID, row_id: UUID) -> bool:
    """Drop a fact; whether there was one."""
    deleted, _ = MemoryAssociative.objects.for_user(user_id).filter(id=row_id).delete()
    return bool(deleted)


def list_facts(user_id: UUID, *, after: Mark | None, limit: int) -> Page[FactEntry]:
    """Facts, what was said last first."""
    vault = open_vault(user_id)
    rows = MemoryAssociative.objects.for_user(user_id).defer("embedding")
    found, mark = page_of(rows, "updated_at", after=after, limit=limit)
    return Page(items=[fact_entry(vault, row) for row in found], after=mark)


def fact_entry(vault: Vault, row: MemoryAssociative) -> FactEntry:
    """The row in its owner's words, or marked as one that cannot be opened."""
    try:
        content, unreadable = opened(vault, row, "content_encrypted"), False
    except UnreadableRow:
        content, unreadable = "", True
    return FactEntry(
        id=row.id,
        content=content,
        entity_type=row.entity_type,
        entity_id=row.entity_id,
        created_at=row.created_at,
        updated_at=row.updated_at,
        unreadable=unreadable,
    )


def put_vector(row: MemoryAssociative, vault: Vault, meaning: Meaning | None) -> None:
    """Set the row's vector, veiled with the present key; without a ``meaning`` the row waits for one."""
    row.attempts, row.next_attempt_at = 0, None
    if meaning is None:
        row.embedding, row.embedding_model, row.veil_version = None, "", None
        row.next_attempt_at = clock.now()
        return
    row.embedding = HalfVector(Veil(vault.key).apply(meaning.vector))
    row.embedding_model, row.veil_version = meaning.model, vault.key.version


def _fill(row: MemoryAssociative, vault: Vault, content: str, meaning: Meaning | None) -> None:
    row.content_encrypted = sealed(vault, row, "content_encrypted", content)
    put_vector(row, vault, meaning)
    row.updated_at = clock.now()


def _same(user_id: UUID, vault: Vault, meaning: Meaning, about: About) -> MemoryAssociative | None:
    """The row that says the same of the same, locked. One that cannot be opened stays as it is.

    What the user told as a fact and what an episode says are never one row: with the episode the fact would go.
    """
    for neighbour in nearest(user_id, vault, meaning.vector, model=meaning.model, limit=_TWINS):
        row = neighbour.row
        if neighbour.score <= SAME:
            return None
        alike = (row.entity_type, row.entity_id) == (about.entity_type, about.entity_id)
        if alike and (row.episode_id is None) == (about.episode_id is None) and not fact_entry(vault, row).unreadable:
            return MemoryAssociative.objects.for_user(user_id).select_for_update().filter(id=row.id).first()
    return None


def _storable(about: About) -> About:
    return replace(
        about,
        entity_type=storable(about.entity_type, limit=MAX_TYPE_CHARS),
        entity_id=storable(about.entity_id, limit=MAX_ID_CHARS),
    )


def _take_turns(user_id: UUID) -> None:
    number = int.from_bytes(hashlib.sha256(b"memory facts" + user_id.bytes).digest()[:8], signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [number])
