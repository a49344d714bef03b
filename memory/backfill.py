"""Making missing vectors, and new ones in place of another embedder's: in batches, resumable at any point."""

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import transaction
from pgvector import HalfVector

from accounts.database import in_database
from accounts.errors import AccountError
from accounts.keys.bulk_rows import locked_rows, write_rows
from accounts.keys.vault import vault_for_writing
from accounts.progress import SILENT, Progress
from memory.embedders.base import Embedder
from memory.index import Embedding, Veil
from memory.models import AssociativeQuerySet, MemoryAssociative
from memory.tiers.facts import Unembedded, embedded_all, lacking, set_embedding, unembedded

logger = logging.getLogger(__name__)

BATCH: Final = 64
"""Texts in one request to the embedder."""
_VECTOR: Final = ("id", "embedding", "embedding_model", "veil_version")


@dataclass(frozen=True, kw_only=True, slots=True)
class Filled:
    """How many facts got a vector. The others cannot be decrypted, or were changed in the meantime."""

    embedded: int
    looked_at: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """Which facts: one user's or all; with ``model_changed`` also those whose vector is another embedder's.

    Facts of users who have turned the memory off are never among them.
    """

    user_id: UUID | None = None
    model_changed: bool = False

    def rows(self, model: str) -> AssociativeQuerySet:
        """The facts that lack a vector by the embedder ``model``."""
        rows = lacking(model, model_changed=self.model_changed)
        return rows if self.user_id is None else rows.for_user(self.user_id)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Batch:
    """Some facts of one user. ``texts`` leaves out those that cannot be decrypted."""

    user_id: UUID
    ids: Sequence[UUID]
    texts: Sequence[Unembedded]


async def backfill(embedder: Embedder, wanted: Wanted, *, batch: int = BATCH, progress: Progress = SILENT) -> Filled:
    """Make vectors for the wanted facts. A later run goes on where this one ended.

    A user whose key cannot be opened is skipped, and logged. Raises ``EmbeddingFailed``.
    """
    embedded = looked_at = 0
    progress.expect(await in_database(wanted.rows(embedder.name).count))
    async for some in _batches(embedder.name, wanted, batch):
        made = await embedded_all(embedder, [text.content for text in some.texts])
        embedded += await in_database(_write, some.user_id, list(zip(some.texts, made, strict=True)))
        looked_at += len(some.ids)
        progress.advance(len(some.ids))
    return Filled(embedded=embedded, looked_at=looked_at)


async def _batches(model: str, wanted: Wanted, size: int) -> AsyncIterator[_Batch]:
    users = wanted.rows(model).order_by("user_id").values_list("user_id", flat=True).distinct()
    for user_id in await in_database(lambda: list(users)):
        rows = wanted.rows(model).for_user(user_id).order_by("id")
        try:
            some = await in_database(_next, user_id, rows, size)
            while some.ids:
                yield some
                some = await in_database(_next, user_id, rows.filter(id__gt=some.ids[-1]), size)
        except AccountError as error:
            logger.warning("the facts of user %s are skipped: %s", user_id, error)


def _next(user_id: UUID, rows: AssociativeQuerySet, size: int) -> _Batch:
    found = list(rows.only("content_encrypted", "embedding_model")[:size])
    return _Batch(user_id=user_id, ids=[row.id for row in found], texts=unembedded(user_id, found) if found else ())


def _write(user_id: UUID, pairs: Sequence[tuple[Unembedded, Embedding]]) -> int:
    """Return how many were written: the others' texts have changed since."""
    # A row without a vector may say the same as another row, so these are compared one by one. The rest is replaced.
    first = sum(
        set_embedding(user_id, text.row_id, text.token, embedding) for text, embedding in pairs if not text.has_vector
    )
    return first + _refresh(user_id, {text.row_id: (text, embedding) for text, embedding in pairs if text.has_vector})


@transaction.atomic
def _refresh(user_id: UUID, pairs: Mapping[UUID, tuple[Unembedded, Embedding]]) -> int:
    if not pairs:
        return 0
    key = vault_for_writing(user_id).key
    veil = Veil(key)
    rows = []
    for row_id, token in locked_rows(MemoryAssociative, ("id", "content_encrypted"), list(pairs), wait=True):
        text, embedding = pairs[UUID(str(row_id))]
        if token == text.token:
            hidden = HalfVector(veil.apply(embedding.vector)).to_binary()
            rows.append((row_id, hidden, embedding.model, key.version))
    if rows:
        write_rows(MemoryAssociative, _VECTOR, rows)
    return len(rows)
