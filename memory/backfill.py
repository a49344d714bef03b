"""Making the vectors that are missing or were made by another embedder, in batches. It can be resumed at any point."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from accounts.database import in_database
from accounts.errors import AccountError, AccountGone
from accounts.keys.bulk_rows import locked_rows, write_rows
from accounts.keys.vault import open_vault, vault_for_writing
from accounts.progress import SILENT, Progress
from memory.facts import Unembedded, embedded_all, set_embedding, unembedded_text
from memory.index import Embedder, Embedding
from memory.models import AssociativeQuerySet, MemoryAssociative, readable

logger = logging.getLogger(__name__)

BATCH: Final = 64
"""Texts in one request to the embedder."""
_VECTOR: Final = ("id", "embedding", "embedding_model", "veil_version")


@dataclass(frozen=True, kw_only=True, slots=True)
class Filled:
    """How many of the rows got a vector. The others cannot be decrypted, or were changed in the meantime."""

    embedded: int
    looked_at: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """The rows that need a vector: one user's or all; with ``model_changed`` also those with another embedder's vector.

    Rows of users who have turned the memory off are never included.
    """

    user_id: UUID | None = None
    model_changed: bool = False

    def rows(self, model: str) -> AssociativeQuerySet:
        """The rows without a vector by the embedder ``model``."""
        lacking = Q(embedding=None) | ~Q(embedding_model=model) if self.model_changed else Q(embedding=None)
        rows = MemoryAssociative.objects.filter(lacking, user__memory_enabled=True)
        return rows if self.user_id is None else rows.for_user(self.user_id)


async def backfill(embedder: Embedder, wanted: Wanted, *, batch: int = BATCH, progress: Progress = SILENT) -> Filled:
    """Make vectors for the wanted rows. A later run continues where this one ended.

    A user whose key cannot be opened is skipped, and logged. Raises ``EmbeddingFailed``.
    """
    made = looked_at = 0
    rows = wanted.rows(embedder.name)
    progress.expect(await in_database(rows.count))
    users = rows.order_by("user_id").values_list("user_id", flat=True).distinct()
    for user_id in await in_database(lambda: list(users)):
        left = rows.for_user(user_id).order_by("id")
        try:
            while read := await in_database(_read, user_id, left.only("content_encrypted", "embedding_model")[:batch]):
                texts = [text for text in read.values() if text is not None]
                embeddings = await embedded_all(embedder, [text.content for text in texts])
                made += await in_database(_write, user_id, list(zip(texts, embeddings, strict=True)))
                looked_at += len(read)
                progress.advance(len(read))
                left = left.filter(id__gt=max(read))
        except AccountGone:  # erased meanwhile
            continue
        except AccountError as error:
            logger.warning("the facts of user %s are skipped: %s", user_id, error)
            skipped = await in_database(left.count)
            looked_at += skipped
            progress.advance(skipped)
    return Filled(embedded=made, looked_at=looked_at)


def _read(user_id: UUID, rows: AssociativeQuerySet) -> dict[UUID, Unembedded | None]:
    """The texts by the ids of their rows, None for those that cannot be decrypted."""
    found = list(rows)
    if not found:
        return {}
    vault = open_vault(user_id)
    texts = readable(found, lambda row: unembedded_text(vault, row))
    return {**dict.fromkeys(row.id for row in found), **{text.row_id: text for text in texts}}


def _write(user_id: UUID, pairs: Sequence[tuple[Unembedded, Embedding]]) -> int:
    """Store the vectors of the rows whose texts have not changed since. Returns their number."""
    # A row without a vector may say the same as another row, so these are compared one by one.
    first = sum(
        set_embedding(user_id, text.row_id, text.token, embedding) for text, embedding in pairs if not text.has_vector
    )
    return first + _refresh(user_id, {text.row_id: (text, embedding) for text, embedding in pairs if text.has_vector})


@transaction.atomic
def _refresh(user_id: UUID, pairs: Mapping[UUID, tuple[Unembedded, Embedding]]) -> int:
    if not pairs:
        return 0
    key = vault_for_writing(user_id).key
    rows = []
    for row_id, token in locked_rows(MemoryAssociative, ("id", "content_encrypted"), list(pairs), wait=True):
        text, embedding = pairs[UUID(str(row_id))]
        if token == text.token:
            rows.append((row_id, embedding.hidden_by(key).to_binary(), embedding.model, key.version))
    if rows:
        write_rows(MemoryAssociative, _VECTOR, rows)
    return len(rows)
