"""The exact search: every vector of one user compared, nearest first.

A user has thousands of rows at most, so there is no vector index: exact search takes milliseconds and misses nothing,
where an index over all users' veiled vectors would miss most (docs/memory.md has the figures).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias, cast
from uuid import UUID

from pgvector import HalfVector
from psycopg import sql

from accounts.vault import Vault
from memory.embedders.base import Vector
from memory.halves import AS_HALVES, binary_cursor
from memory.models import MemoryAssociative
from memory.veil import Veil

# Vectors are of unit length, so the negative inner product orders as the cosine distance does, and costs less.
_NEAREST: Final = sql.SQL(
    "SELECT id, user_id, content_encrypted, entity_type, entity_id, episode_id, updated_at,"
    " embedding <#> CASE veil_version {} END AS distance"
    " FROM memory_memoryassociative"
    " WHERE user_id = %s AND embedding_model = %s AND veil_version = ANY(%s) AND embedding IS NOT NULL"
    " ORDER BY distance LIMIT %s"
)
_OF_VERSION: Final = sql.SQL(f"WHEN %s THEN {AS_HALVES}")

_Found: TypeAlias = tuple[UUID, UUID, str, str, str, UUID | None, datetime, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Neighbour:
    """A row, still sealed, and its cosine similarity to what was asked for (1 the same, about 0 unrelated)."""

    row: MemoryAssociative
    score: float


def nearest(user_id: UUID, vault: Vault, vector: Vector, *, model: str, limit: int) -> Sequence[Neighbour]:
    """The user's rows that come closest to ``vector``, made by the embedder ``model``. One query, synchronous.

    While the user's key is being changed, some rows are veiled by the older one: they are asked for with its veil.
    """
    veiled = {version: HalfVector(Veil(vault.key_of(version)).apply(vector)) for version in vault.versions}
    query = _NEAREST.format(sql.SQL(" ").join([_OF_VERSION] * len(veiled)))
    by_version = [part for pair in veiled.items() for part in pair]
    parameters = [*by_version, user_id, model, list(veiled), limit]
    with binary_cursor() as cursor:
        cursor.execute(query, cast("list[str]", parameters))
        found: list[_Found] = cursor.fetchall()
    return [_neighbour(*each) for each in found]


def _neighbour(
    row_id: UUID,
    user_id: UUID,
    content_encrypted: str,
    entity_type: str,
    entity_id: str,
    episode_id: UUID | None,
    updated_at: datetime,
    distance: float,
) -> Neighbour:
    row = MemoryAssociative(
        id=row_id,
        user_id=user_id,
        content_encrypted=content_encrypted,
        entity_type=entity_type,
        entity_id=entity_id,
        episode_id=episode_id,
        updated_at=updated_at,
    )
    return Neighbour(row=row, score=-distance)
