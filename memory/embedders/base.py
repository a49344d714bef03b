"""The port to what turns text into vectors."""

from collections.abc import Sequence
from typing import Protocol

from memory.index import Vector


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how close their meanings are."""

    @property
    def name(self) -> str:
        """Identifies the model; vectors of different names are never compared."""

    @property
    def dimensions(self) -> int:
        """The length of every vector."""

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector for each text, in order. Raises ``memory.errors.EmbeddingFailed``."""
