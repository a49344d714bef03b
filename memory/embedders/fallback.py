"""Vectors by a model, or by hashing if the server has no model for vectors."""

import asyncio
import logging
from collections.abc import Sequence

from memory.embedders.hashing import HashingEmbedder
from memory.errors import EmbeddingFailed, NoEmbeddings
from memory.index import Embedder, Vector

logger = logging.getLogger(__name__)


class FallbackEmbedder:
    """Uses the embedder ``first`` until its server says that it has no such model, and then hashing.

    Its name and dimensions are those of the embedder that made the latest vectors.
    """

    def __init__(self, first: Embedder) -> None:
        self._serving = first
        self._settling: asyncio.Task[None] | None = None

    @property
    def name(self) -> str:
        return self._serving.name

    @property
    def dimensions(self) -> int:
        return self._serving.dimensions

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Vector]:
        """As ``Embedder.embed``."""
        try:
            return await self._serving.embed(texts, query=query)
        except NoEmbeddings as error:
            logger.warning("vectors are made by hashing from now on: %s", error)
            self._serving = HashingEmbedder()
            return await self._serving.embed(texts, query=query)

    def begin(self) -> None:
        """Find out in the background which embedder is used. Idempotent."""
        if self._settling is None:
            self._settling = asyncio.get_running_loop().create_task(self.settle(), name="finding the embedder")

    async def aclose(self) -> None:
        """End the background work."""
        if self._settling is not None:
            self._settling.cancel()
            await asyncio.gather(self._settling, return_exceptions=True)

    async def settle(self) -> None:
        """Find out which embedder is used, by a request for one word. If that fails, a later request finds out."""
        try:
            await self.embed(["ready"])
        except EmbeddingFailed as error:
            logger.info("whether the server has a model for vectors is not known yet: %s", error)
