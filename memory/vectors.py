"""Meanings of texts, made by the embedder outside of any transaction."""

import logging
from collections.abc import Sequence
from typing import Final

from memory.embedders.base import Embedder
from memory.errors import EmbeddingFailed
from memory.facts import Meaning

logger = logging.getLogger(__name__)

MAX_TEXT_CHARS: Final = 20_000
"""Models take about 8,000 tokens; what a text holds beyond this is not in its vector."""


async def meaning_of(embedder: Embedder, text: str) -> Meaning:
    """Raises ``EmbeddingFailed``."""
    [meaning] = await meanings_of(embedder, [text])
    return meaning


async def meanings_of(embedder: Embedder, texts: Sequence[str]) -> list[Meaning]:
    """One for each text, in order. Raises ``EmbeddingFailed``."""
    vectors = await embedder.embed([text[:MAX_TEXT_CHARS] for text in texts])
    return [Meaning(vector=vector, model=embedder.name) for vector in vectors]


async def meaning_if_possible(embedder: Embedder, text: str) -> Meaning | None:
    """None when no vector can be made now: the row is kept without one, and a sweep makes it later."""
    try:
        return await meaning_of(embedder, text)
    except EmbeddingFailed as error:
        logger.warning("a remembered text has no vector yet: %s", error)
        return None
