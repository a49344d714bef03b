"""Search by meaning: every vector is compared with the query. Exact, and fast enough for one person's notes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from device.calls import SEARCH_LIMIT
from device.errors import CallRefused
from device.store import Store, Value

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
        unit = _unit(vector)
        self._store.run(
            "INSERT OR REPLACE INTO _vectors (id, projectId, content, vector) VALUES (?, ?, ?, ?)",
            (note_id, project_id, content, unit.tobytes()),
        )

    def nearest(
        self, vector: Sequence[float], *, project_id: str | None = None, limit: int = SEARCH_LIMIT
    ) -> list[Hit]:
        """The ``limit`` nearest, highest score first; only of ``project_id``, when given.

        Raises ``CallRefused`` for a vector without a direction, or of other dimensions than what is stored.
        """
        if limit < 1:
            raise CallRefused(f"limit must be 1 or more, not {limit}.")
        query = _unit(vector)
        rows = self._rows(project_id)
        if not rows:
            return []
        scores = np.clip(_matrix(rows, query.size) @ query, -1.0, 1.0)
        best = np.argsort(-scores, kind="stable")[:limit]
        return [
            Hit(id=cast("str", rows[i]["id"]), content=cast("str", rows[i]["content"]), score=float(scores[i]))
            for i in best
        ]

    def _rows(self, project_id: str | None) -> list[Mapping[str, Value]]:
        if project_id is None:
            return self._store.run("SELECT id, content, vector FROM _vectors ORDER BY id")
        return self._store.run(
            "SELECT id, content, vector FROM _vectors WHERE projectId = ? ORDER BY id", (project_id,)
        )


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


def _matrix(rows: Sequence[Mapping[str, Value]], dimensions: int) -> Vector:
    stored = [cast("bytes", row["vector"]) for row in rows]
    size = np.dtype(np.float32).itemsize
    for vector in stored:
        if len(vector) != dimensions * size:
            raise CallRefused(f"vector has {dimensions} dimensions, but the stored ones have {len(vector) // size}.")
    return np.frombuffer(b"".join(stored), dtype=np.float32).reshape(len(stored), dimensions)
