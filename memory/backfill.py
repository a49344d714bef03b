"""Vectors for facts that have none, and new ones for those of another embedder: in batches, resumable at any point."""

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final
from uuid import UUID

from django.db import transaction
from pgvector import HalfVector

from accounts.batches import locked_rows, write_rows
from accounts.errors import AccountError
from accounts.progress import SILENT, Progress
from accounts.vault import vault_for_writing
from memory.embedders.base import Embedder
from memory.facts import Meaning, give_meaning
from memory.models import AssociativeQuerySet, MemoryAssociative
from memory.threads import in_thread
from memory.unembedded import Unembedded, lacking, texts_of
from memory.vectors import meanings_of
from memory.veil import Veil

logger = logging.getLogger(__name__)

BATCH: Final = 64
"""Texts in one request to the embedder."""
_VECTOR: Final = ("id", "embedding", "embedding_model", "veil_version")


@dataclass(frozen=True, kw_only=True, slots=True)
class Filled:
    """Of how many facts vectors were made. Of the others some cannot be opened, and some were changed meanwhile."""

    embedded: int
    looked_at: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """Which facts: of one user or of all; with ``model_changed`` also those whose vector is another embedder's.

    Those of users who have turned the memory off are never among them.
    """

    user_id: UUID | None = None
    model_changed: bool = False

    def rows(self, model: str) -> AssociativeQuerySet:
        """Those that lack a vector by the embedder ``model``."""
        rows = lacking(model, model_changed=self.model_changed)
        return rows if self.user_id is None else rows.for_user(self.user_id)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Batch:
    """Some facts of one user; ``texts`` are those of them that can be opened."""

    user_id: UUID
    ids: Sequence[UUID]
    texts: Sequence[Unembedded]


async def backfill(embedder: Embedder, wanted: Wanted, *, batch: int = BATCH, progress: Progress = SILENT) -> Filled:
    """Give the wanted facts vectors by ``embedder``. What is done stays done, so a later run goes on.

    A user whose key cannot be opened is passed over, and the log says so. Raises ``EmbeddingFailed``.
    """
    embedded = looked_at = 0
    progress.expect(await in_thread(wanted.rows(embedder.name).count))
    async for some in _batches(embedder.name, wanted, batch):
        meanings = await meanings_of(embedder, [text.content for text in some.texts])
        pairs = list(zip(some.texts, meanings, strict=True))
        embedded += await in_thread(partial(_write, some.user_id, pairs))
        looked_at += len(some.ids)
        progress.advance(len(some.ids))
    return Filled(embedded=embedded, looked_at=looked_at)


async def _batches(model: str, wanted: Wanted, size: int) -> AsyncIterator[_Batch]:
    users = wanted.rows(model).order_by("user_id").values_list("user_id", flat=True).distinct()
    for user_id in await in_thread(lambda: list(users)):
        rows = wanted.rows(model).for_user(user_id).order_by("id")
        try:
            some = await in_thread(partial(_next, user_id, rows, size))
            while some.ids:
                yield some
                some = await in_thread(partial(_next, user_id, rows.filter(id__gt=some.ids[-1]), size))
        except AccountError as error:
            logger.warning("the facts of user %s are passed over: %s", user_id, error)


def _next(user_id: UUID, rows: AssociativeQuerySet, size: int) -> _Batch:
    found = list(rows.only("content_encrypted", "embedding_model")[:size])
    return _Batch(user_id=user_id, ids=[row.id for row in found], texts=texts_of(user_id, found) if found else ())


def _write(user_id: UUID, pairs: Sequence[tuple[Unembedded, Meaning]]) -> int:
    """How many were written, for their texts are still the same."""
    # What had no vector may say what another row says, so it is compared first, one by one. The rest is only made anew.
    first = sum(
        give_meaning(user_id, text.row_id, text.token, meaning) for text, meaning in pairs if not text.has_vector
    )
    return first + _refresh(user_id, {text.row_id: (text, meaning) for text, meaning in pairs if text.has_vector})


@transaction.atomic
def _refresh(user_id: UUID, pairs: Mapping[UUID, tuple[Unembedded, Meaning]]) -> int:
    if not pairs:
        return 0
    key = vault_for_writing(user_id).key
    veil = Veil(key)
    rows = []
    for row_id, token in locked_rows(MemoryAssociative, ("id", "content_encrypted"), list(pairs), wait=True):
        text, meaning = pairs[UUID(str(row_id))]
        if token == text.token:
            veiled = HalfVector(veil.apply(meaning.vector)).to_binary()
            rows.append((row_id, veiled, meaning.model, key.version))
    if rows:
        write_rows(MemoryAssociative, _VECTOR, rows)
    return len(rows)
