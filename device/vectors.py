"""Search by meaning: every vector is compared with the query. Exact, and fast enough for one person's notes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from device.calls import SEARCH_LIMIT
from device.entries import StoredVector, Value
from device.errors import CallRefused
from device.store import Store

Vector: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """A text near the query: ``score`` is the cosine similarity, -1 to 1."""

    id: str
    content: str
    score: float


class Vectors:
    """The notes' vectors, kept with length 1 so that the cosine is a dot product."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def upsert(self, note_id: str, vector: Sequence[float], *, project_id: str | None, content: str) -> None:
        """Store or replace the vector of a note. Raises ``CallRefused`` for a vector without a direction."""
        stored = StoredVector(project_id=project_id, content=content, vector=_unit(vector).tobytes())
        self._store.put_vector(note_id, stored)

    def nearest(
        self, vector: Sequence[float], *, project_id: str | None = None, limit: int = SEARCH_LIMIT
    ) -> list[Hit]:
        """The ``limit`` nearest, highest score first; only of ``project_id``, when given.

        Vectors of another length are left out: another model made them. Raises ``CallRefused`` for a vector without a
        direction.
        """
        if limit < 1:
            raise CallRefused(f"limit must be 1 or more, not {limit}.")
        query = _unit(vector)
        rows = self._rows(project_id, query.nbytes)
        if not rows:
            return []
        stored = np.frombuffer(b"".join(cast("bytes", row["vector"]) for row in rows), dtype=np.float32)
        scores = np.clip(stored.reshape(len(rows), query.size) @ query, -1.0, 1.0)
        best = np.argsort(-scores, kind="stable")[:limit]
        return [
            Hit(id=cast("str", rows[i]["id"]), content=cast("str", rows[i]["content"]), score=float(scores[i]))
            for i in best
        ]

    def _rows(self, project_id: str | None, size: int) -> list[Mapping[str, Value]]:
        """Those with vectors of ``size`` bytes."""
        query = "SELECT id, content, vector FROM _vectors WHERE length(vector) = ? AND (? IS NULL OR projectId = ?)"
        return self._store.run(f"{query} ORDER BY id", (size, project_id, project_id))


def _unit(vector: Sequence[float]) -> Vector:
    numbers = np.asarray(vector, dtype=np.float64)
    if numbers.size == 0 or not np.isfinite(numbers).all():
        raise CallRefused("vector must be a list of finite numbers, and not empty.")
    peak = np.abs(numbers).max()
    if peak == 0:
        raise CallRefused("vector is all zeros, so nothing is near to it.")
    scaled = numbers / peak  # its squares neither overflow nor vanish
    unit: Vector = (scaled / np.linalg.norm(scaled)).astype(np.float32)
    return unit
