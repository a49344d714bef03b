"""Vectors: the port that makes them, how they are hidden in the database, and the exact search among them.

Much of a text can be guessed from its vector, so vectors are never stored as a model made them: ``Veil`` rotates them
by a rotation drawn from the user's key. Without the key the numbers of a stolen database say nothing, and vectors of
two users cannot be compared. An attacker who also has many of one user's texts with their hidden vectors can find the
rotation, because it is linear.

A user has thousands of rows at most, so there is no vector index: exact search takes milliseconds and misses nothing,
while an index over all users' hidden vectors would miss most (docs/memory.md has the figures).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from math import log, sqrt
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, cast
from uuid import UUID

import numpy as np
import psycopg
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
from django.db import connection
from django.db.backends.utils import CursorWrapper
from numpy.typing import NDArray
from pgvector import HalfVector
from psycopg import sql
from psycopg.adapt import Buffer, Dumper
from psycopg.pq import Format

from accounts.cipher import UserKey, subkey

if TYPE_CHECKING:
    # Not imported, because the vault needs Django's models, and embedders, which import this module, do not.
    from accounts.keys.vault import Vault

DIMENSIONS: Final = 1536
"""The length of vectors, unless a setting says another."""
MIN_DIMENSIONS: Final = 16
MAX_DIMENSIONS: Final = 4_000
"""Longer vectors of half precision do not fit into a page of the database."""

Vector: TypeAlias = NDArray[np.float32]
"""One vector: (dimensions,) float32 values, unit length."""
Vectors: TypeAlias = NDArray[np.float32]
"""One vector (dimensions,) or many (n, dimensions)."""

_BEYOND_CHANCE: Final = 1.2
"""Standard deviations; docs/memory.md says why."""
_ABOVE_MEAN: Final = 1.0
"""Standard deviations: of many rows about a sixth is that far above the mean."""
_FEW: Final = 12
"""A standard score says little if there are fewer rows than this."""
_ROUNDS: Final = 3
_BLOCK_BITS: Final = 9
"""Blocks of 512 axes are mixed: larger ones take longer and hide no more."""
_PURPOSE: Final = "memory veil"

OUTDATED_AT: Final = """
    (WITH RECURSIVE link AS (
        SELECT superseded_by_id, superseded_as, superseded_at FROM memory_memoryassociative
        WHERE said_in_id = near.episode_id AND superseded_by_id IS NOT NULL
        UNION
        SELECT later.superseded_by_id, later.superseded_as, later.superseded_at
        FROM memory_memoryassociative AS later JOIN link ON later.id = link.superseded_by_id
        WHERE later.superseded_by_id IS NOT NULL
    ) SELECT min(superseded_at) FROM link WHERE superseded_as IN ('contradicts', 'corrects'))
"""
"""Since when something that was said in the episode ``near.episode_id`` is no longer true; null if all of it is."""
_OUTDATED: Final = f"SELECT near.episode_id, {OUTDATED_AT} FROM unnest(%s::uuid[]) AS near (episode_id)"  # noqa: S608 - no text from outside
# Vectors have unit length, so their inner product is the cosine similarity.
_NEAREST: Final = sql.SQL(
    """
    WITH compared AS MATERIALIZED (
        SELECT id, episode_id IS NULL AS is_fact, -(embedding <#> CASE veil_version {hidden} END) AS score
        FROM memory_memoryassociative
        WHERE user_id = %s AND embedding_model = %s AND veil_version = ANY(%s) AND embedding IS NOT NULL
            AND superseded_by_id IS NULL
    ), best AS (
        SELECT * FROM compared ORDER BY score DESC LIMIT %s
    ), kind AS (
        SELECT is_fact, avg(score) AS mean, nullif(stddev_pop(score), 0) AS deviation, count(*) AS compared
        FROM compared GROUP BY is_fact
    )
    SELECT near.id, near.content_encrypted, near.entity_type, near.entity_id, near.episode_id, near.said_in_id,
        near.created_at, near.updated_at, best.score,
        coalesce((best.score - kind.mean) / kind.deviation, 0), kind.compared, {outdated_at}
    FROM best JOIN kind USING (is_fact) JOIN memory_memoryassociative AS near USING (id) ORDER BY best.score DESC
    """
)
_OF_VERSION: Final = sql.SQL("WHEN %s THEN %b::halfvec")


def unit(vector: Vector) -> Vector:
    """``vector`` at unit length; the blank vector if its length is 0."""
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length else blank_vector(len(vector))


def blank_vector(dimensions: int = DIMENSIONS) -> Vector:
    """The vector of a text without content, the same for all embedders: the first axis, close to nothing else."""
    vector = np.zeros(dimensions, dtype=np.float32)
    vector[0] = 1.0
    return vector


class Embedder(Protocol):
    """The port that makes vectors of texts. Their dot product says how close the meanings are."""

    @property
    def name(self) -> str:
        """The name of what makes the vectors. Those of two names are never compared, and may differ in length."""

    @property
    def dimensions(self) -> int:
        """The length of every vector, at most ``MAX_DIMENSIONS``."""

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Vector]:
        """One vector for each text, in order. ``query`` is for texts that search for others, embedded without it.

        Raises ``EmbeddingFailed``.
        """


@dataclass(frozen=True, kw_only=True, slots=True)
class Embedding:
    """The vector of a text, and the name of its embedder."""

    vector: Vector
    model: str

    def hidden_by(self, key: UserKey) -> HalfVector:
        """The vector as it is stored and compared."""
        return HalfVector(Veil(key, len(self.vector)).apply(self.vector))


@dataclass(frozen=True, slots=True)
class Match:
    """A current fact or an episode's summary, still encrypted, and its similarity to the vector that was asked for.

    ``score`` is the cosine similarity, 1 for the same vector. For unrelated texts it is about 0 with some models and
    about 0.8 with others. So ``standard_score`` says by how many standard deviations it is above the mean of the
    ``compared`` rows of its kind (all of the user's facts, or all summaries). The fields are the columns of the query.
    """

    id: UUID
    content_encrypted: str
    entity_type: str
    entity_id: str
    episode_id: UUID | None
    said_in_id: UUID | None
    created_at: datetime
    updated_at: datetime
    score: float
    standard_score: float = 0.0
    compared: int = 1
    outdated_at: datetime | None = None

    @property
    def is_above_others(self) -> bool:
        """Whether it is clearly nearer than most rows of its kind, or there are too few to tell."""
        return self.compared < _FEW or self.standard_score >= _ABOVE_MEAN

    @property
    def stands_out(self) -> bool:
        """Whether it is nearer than the nearest of as many unrelated rows would be by chance. With few rows none is.

        The greatest of n draws from a normal distribution is about the square root of 2 ln n.
        """
        return self.standard_score >= sqrt(2 * log(self.compared)) + _BEYOND_CHANCE


def nearest(user_id: UUID, vault: "Vault", embedding: Embedding, *, limit: int) -> Sequence[Match]:
    """The user's rows closest to ``embedding`` whose vectors the same embedder made. One query, synchronous.

    While the user's key is rotated, some rows are still hidden by the older key. Each is compared by its own key.
    """
    hidden = {version: embedding.hidden_by(vault.key_of(version)) for version in vault.versions}
    query = _NEAREST.format(outdated_at=sql.SQL(OUTDATED_AT), hidden=sql.SQL(" ").join([_OF_VERSION] * len(hidden)))
    by_version = [part for pair in hidden.items() for part in pair]
    parameters = [*by_version, user_id, embedding.model, list(hidden), limit]
    with binary_cursor() as cursor:
        cursor.execute(query, cast("list[str]", parameters))
        return [Match(*row) for row in cursor.fetchall()]


def outdated_episodes(episode_ids: Sequence[UUID]) -> dict[UUID, datetime]:
    """The episodes in which something was said that is no longer true, and since when. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_OUTDATED, [list(episode_ids)])
        return {row_id: since for row_id, since in cursor.fetchall() if since is not None}


@contextmanager
def binary_cursor() -> Iterator[CursorWrapper]:
    """A cursor that sends ``HalfVector`` parameters as bytes, beside the query.

    Django writes parameters into the text of the query, and parsing a vector takes longer than comparing it with all
    rows. Like Django's cursors, this one uses the current transaction, raises Django's errors and logs its queries.
    """
    connection.ensure_connection()
    cursor = psycopg.Cursor(connection.connection)
    register_halfvec(cursor)
    make = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
    with make(cast("CursorWrapper", cursor)) as wrapped:
        yield wrapped


def register_halfvec(cursor: "psycopg.Cursor[tuple[object, ...]]") -> None:
    """Let ``cursor`` take a ``HalfVector`` as a parameter, or as a column of a binary COPY."""
    cursor.adapters.register_dumper(HalfVector, _HalfVectorDumper)


class _HalfVectorDumper(Dumper):
    """Sends a vector as the bytes that are stored. The server takes the type from the cast (object id 0)."""

    format = Format.BINARY

    def dump(self, obj: HalfVector) -> Buffer:
        return obj.to_binary()


class Veil:
    """The rotation that hides vectors of one length, drawn from one key. Drawing it takes about half a millisecond.

    It has three rounds of sign flips, a permutation of all axes and an orthogonal mix (Walsh-Hadamard, in blocks).
    Lengths, dot products and so rankings stay the same. It is drawn by HKDF and ChaCha20 (RFC 5869, RFC 8439), whose
    bytes are the same on every machine and in every version, which no library promises of its random generator.
    """

    def __init__(self, key: UserKey, dimensions: int = DIMENSIONS) -> None:
        # Each length has its own rotation. The default length was the only one at first, so its purpose has no number.
        purpose = _PURPOSE if dimensions == DIMENSIONS else f"{_PURPOSE} {dimensions}"
        stream = Cipher(ChaCha20(subkey(key, purpose), bytes(16)), mode=None).encryptor()
        self._mix = _Mix(dimensions)
        self._signs: list[NDArray[np.float32]] = []
        self._orders: list[NDArray[np.intp]] = []
        for _ in range(_ROUNDS):
            bits = np.unpackbits(np.frombuffer(stream.update(bytes(-(-dimensions // 8))), dtype=np.uint8))[:dimensions]
            self._signs.append(1 - 2 * bits.astype(np.float32))
            draws = np.frombuffer(stream.update(bytes(dimensions * 8)), dtype="<u8")
            self._orders.append(np.argsort(draws, kind="stable"))

    def apply(self, vectors: Vectors) -> Vectors:
        """The vectors as they are stored and compared."""
        turned = vectors.astype(np.float32)
        for signs, order in zip(self._signs, self._orders, strict=True):
            turned = self._mix.apply((turned * signs)[..., order])
        return turned

    def invert(self, vectors: Vectors) -> Vectors:
        """The vectors that ``apply`` has hidden."""
        turned = vectors.astype(np.float32)
        for signs, order in zip(reversed(self._signs), reversed(self._orders), strict=True):
            unmixed = self._mix.invert(turned)
            turned = np.empty_like(unmixed)
            turned[..., order] = unmixed
            turned *= signs
        return turned


@cache
def _hadamard(order: int) -> NDArray[np.float32]:
    """The symmetric Walsh-Hadamard matrix of ``order`` (a power of two), scaled to be orthogonal."""
    matrix = np.ones((1, 1), dtype=np.float32)
    while len(matrix) < order:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    scaled: NDArray[np.float32] = (matrix / np.sqrt(order)).astype(np.float32)
    return scaled


class _Mix:
    """Mixes each axis into all others of its block, whose size is a power of two.

    If the blocks do not cover all axes, one more block ends with the last axis, and overlaps the block before it.
    """

    def __init__(self, dimensions: int) -> None:
        bits = min(_BLOCK_BITS, dimensions.bit_length() - 1)
        self._size = 1 << bits
        self._left, self._right = _hadamard(1 << (bits + 1) // 2), _hadamard(1 << bits // 2)
        self._covered = dimensions - dimensions % self._size

    def apply(self, vectors: Vectors) -> Vectors:
        if self._covered == vectors.shape[-1]:
            return self._mixed(vectors)
        mixed = np.concatenate((self._mixed(vectors[..., : self._covered]), vectors[..., self._covered :]), axis=-1)
        mixed[..., -self._size :] = self._mixed(mixed[..., -self._size :])
        return mixed

    def invert(self, vectors: Vectors) -> Vectors:
        if self._covered == vectors.shape[-1]:
            return self._mixed(vectors)
        unmixed = vectors.copy()
        unmixed[..., -self._size :] = self._mixed(unmixed[..., -self._size :])
        unmixed[..., : self._covered] = self._mixed(unmixed[..., : self._covered])
        return unmixed

    def _mixed(self, vectors: Vectors) -> Vectors:
        """Mix whole blocks. It is its own inverse, because both matrices are symmetric and orthogonal."""
        blocks = vectors.reshape(*vectors.shape[:-1], -1, len(self._left), len(self._right))
        mixed: NDArray[np.float32] = np.matmul(np.matmul(self._left, blocks), self._right).reshape(vectors.shape)
        return mixed
