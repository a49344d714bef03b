"""Embedders and summarizers at their ports, which a test controls."""

import asyncio
from collections.abc import Callable, Sequence

from memory.embedders.base import Vector
from memory.embedders.hashing import HashingEmbedder
from memory.errors import EmbeddingFailed


class Embedder(HashingEmbedder):
    """The hashing embedder, which keeps what it was asked, and fails or waits as it is told."""

    def __init__(self, name: str = HashingEmbedder.name) -> None:
        self.name = name
        self.texts: list[str] = []
        self.broken: Exception | None = None
        self.asked = asyncio.Event()
        self.gate: asyncio.Event | None = None
        self.cancelled = False

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
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
        return await super().embed(texts)


class Summarizer:
    """Writes what ``write`` makes of the message; keeps what it was asked."""

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


UNREACHABLE = EmbeddingFailed("The embedding server cannot be reached.", retryable=True)
