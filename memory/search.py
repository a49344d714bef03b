"""Finding what is remembered by its meaning."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from accounts.vault import Vault, open_vault
from memory.embedders.base import Embedder
from memory.facts import Meaning
from memory.nearest import Neighbour, nearest
from memory.sealing import opened, readable
from memory.threads import in_thread
from memory.vectors import meaning_of

NEAR: Final = 0.17
"""The cosine similarity below which a text has nothing to do with what was asked; docs/memory.md says why so."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A fact and its cosine similarity to what was asked for. ``episode_id`` is None for what is no episode's."""

    id: UUID
    content: str
    score: float
    entity_type: str
    entity_id: str
    episode_id: UUID | None
    updated_at: datetime


async def search(embedder: Embedder, user_id: UUID, query: str, *, limit: int) -> Sequence[Found]:
    """The user's facts that come closest to ``query``, nearest first.

    Raises ``EmbeddingFailed`` and what ``open_vault`` raises.
    """
    meaning = await meaning_of(embedder, query)
    return await in_thread(lambda: found_near(user_id, meaning, limit=limit))


def found_near(user_id: UUID, meaning: Meaning, *, limit: int, vault: Vault | None = None) -> Sequence[Found]:
    """What comes closest to ``meaning``; a row that cannot be opened is left out. Synchronous."""
    vault = vault or open_vault(user_id)
    near = [
        each for each in nearest(user_id, vault, meaning.vector, model=meaning.model, limit=limit) if each.score >= NEAR
    ]
    scores = {each.row.id: each.score for each in near}
    return list(
        readable([each.row for each in near], lambda row: _found(vault, Neighbour(row=row, score=scores[row.id])))
    )


def _found(vault: Vault, neighbour: Neighbour) -> Found:
    row = neighbour.row
    return Found(
        id=row.id,
        content=opened(vault, row, "content_encrypted"),
        score=neighbour.score,
        entity_type=row.entity_type,
        entity_id=row.entity_id,
        episode_id=row.episode_id,
        updated_at=row.updated_at,
    )
