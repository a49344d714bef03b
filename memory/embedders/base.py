"""The port to whatever turns text into vectors."""

from collections.abc import Sequence
from typing import Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

DIMENSIONS: Final = 1536

Vector: TypeAlias = NDArray[np.float32]
"""One text's vector: ``DIMENSIONS`` float32 values, unit length."""


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how near their meanings are."""

    @property
    def name(self) -> str:
        """Identifies the model; vectors of different names are never compared."""

    @property
    def dimensions(self) -> int:
        """The length of every vector."""

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector for each text, in order. Raises ``memory.errors.EmbeddingFailed``."""


def blank_vector() -> Vector:
    """The vector of a text that says nothing, with every embedder: the first axis, near to nothing else."""
    vector = np.zeros(DIMENSIONS, dtype=np.float32)
    vector[0] = 1.0
    return vector


def unit(vector: Vector) -> Vector:
    """``vector`` at unit length; the blank one where it has no direction."""
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length else blank_vector()
