"""An embedder and a summarizer that a test controls."""

import asyncio
from collections.abc import Callable, Sequence
from uuid import UUID

from memory.embedders.hashing import HashingEmbedder
from memory.errors import EmbeddingFailed
from memory.index import Vector
from memory.index_cache import CachedIndex, IndexCache


class Embedder(HashingEmbedder):
    """The hashing embedder. It records its texts, and fails or waits on request."""

    def __init__(self, name: str = HashingEmbedder.name) -> None:
        self.name = name
        self.texts: list[str] = []
        self.broken: Exception | None = None
        self.asked = asyncio.Event()
        self.gate: asyncio.Event | None = None
        self.cancelled = False

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Vector]:
        self.texts += texts
        self.asked.set()
        if self.broken is not None:
            raise self.broken
        if self.gate is not None:
            try:
                await self.gate.wait()
            except asyncio.CancelledError:
                self.cancelled = True
                raise
        return await super().embed(texts, query=query)


class Summarizer:
    """Writes ``write(message)``, and records its arguments."""

    def __init__(self, write: Callable[[str], str] = "About {}".format) -> None:
        self.asked: list[tuple[str, str, str]] = []
        self.write = write
        self.failures = 0
        """How many more times it fails."""

    async def summarise(self, message: str, response: str, language: str) -> str:
        self.asked.append((message, response, language))
        if self.failures:
            self.failures -= 1
            raise ConnectionError("the model cannot be reached; what was said was private")
        return self.write(message)


class NoIndexes(IndexCache):
    """Builds no index in time."""

    async def build(self, user_id: UUID, *, within_s: float) -> CachedIndex | None:
        return None


UNREACHABLE = EmbeddingFailed("The embedding server cannot be reached.", retryable=True)
