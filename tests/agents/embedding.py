"""A recording embedder, for tests of what is embedded."""

from collections.abc import Sequence

import numpy as np

from memory.errors import EmbeddingFailed
from memory.index import DIMENSIONS, Vector


class RecordingEmbedder:
    """Gives each text the unit vector of its length and keeps the texts; ``broken`` makes it fail."""

    name = "recording"
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.broken = False

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Vector]:
        if self.broken:
            raise EmbeddingFailed
        self.texts.extend(texts)
        return [unit_vector(text) for text in texts]


def unit_vector(text: str) -> Vector:
    """The axis of texts as long as ``text``."""
    vector = np.zeros(DIMENSIONS, dtype=np.float32)
    vector[len(text) % DIMENSIONS] = 1.0
    return vector
