"""Vectors by the embeddings API of OpenAI, or of a compatible server."""

import logging
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import openai
from openai import AsyncOpenAI, omit

from memory.errors import EmbeddingFailed
from memory.index import DIMENSIONS, Vector, blank_vector, unit

logger = logging.getLogger(__name__)

MAX_PIECE_BYTES: Final = 8_000
"""The longest text of one vector. The API takes 8,191 tokens, and a token is never shorter than a byte."""
MAX_BATCH_BYTES: Final = 250_000
MAX_BATCH_PIECES: Final = 512
"""Both below the limits of one request: 300,000 tokens, 2,048 texts."""

_TRANSIENT: Final = frozenset({408, 409, 425, 429})
_FIRST_SERVER_ERROR: Final = 500


class OpenAIEmbedder:
    """The ``Embedder`` over the SDK, which retries after transient errors.

    A longer text is embedded in pieces and gets the mean of their vectors. Vectors with fewer dimensions are padded
    with zeros, which changes no dot product. The caller closes ``client``.
    """

    dimensions = DIMENSIONS

    def __init__(self, client: AsyncOpenAI, model: str, *, timeout_s: float = 30.0) -> None:
        self.name = model
        self._client = client
        self._timeout_s = timeout_s
        self._chooses_dimensions = True

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        cut = [_pieces(text) for text in texts]
        vectors: list[Vector] = []
        for batch in _batches([piece for pieces in cut for piece in pieces]):
            vectors += await self._vectors(batch)
        each = iter(vectors)
        return [_mean([next(each) for _ in pieces], pieces) for pieces in cut]

    async def _vectors(self, batch: Sequence[str]) -> list[Vector]:
        try:
            return await self._asked(batch)
        except openai.APIStatusError as error:
            passing = error.status_code in _TRANSIENT or error.status_code >= _FIRST_SERVER_ERROR
            logger.warning("the embedding server answered %d (code %s)", error.status_code, error.code)
            raise EmbeddingFailed(f"The embedding server answered {error.status_code}.", retryable=passing) from None
        except openai.OpenAIError:
            raise EmbeddingFailed("The embedding server cannot be reached.", retryable=True) from None
        except (ValueError, TypeError, AttributeError):
            # The SDK does not validate the response, so errors in it show only here.
            raise EmbeddingFailed("The embedding server's answer cannot be read.") from None

    async def _asked(self, batch: Sequence[str]) -> list[Vector]:
        """One request, and one without ``dimensions`` if the server refuses that parameter."""
        try:
            return await self._requested(batch)
        except (openai.BadRequestError, openai.UnprocessableEntityError):
            if not self._chooses_dimensions:
                raise
            self._chooses_dimensions = False
        try:
            return await self._requested(batch)
        except openai.APIError:
            self._chooses_dimensions = True
            raise

    async def _requested(self, batch: Sequence[str]) -> list[Vector]:
        answer = await self._client.embeddings.create(
            model=self.name,
            input=list(batch),
            dimensions=self.dimensions if self._chooses_dimensions else omit,
            timeout=self._timeout_s,
        )
        found = {item.index: _vector(item.embedding) for item in answer.data}
        if sorted(found) != list(range(len(batch))):
            raise EmbeddingFailed("The embedding server did not give each text a vector.")
        return [found[index] for index in range(len(batch))]


def _pieces(text: str) -> list[str]:
    """``text`` in pieces of at most ``MAX_PIECE_BYTES``; no piece of a blank text, which the API refuses."""
    if not text.strip():
        return []
    data = text.encode("utf-8", "replace")
    if len(data) <= MAX_PIECE_BYTES:
        return [data.decode()]
    starts = range(0, len(data), MAX_PIECE_BYTES)
    # A character that a cut divides is left out: one in thousands.
    cut = [data[start : start + MAX_PIECE_BYTES].decode("utf-8", "ignore") for start in starts]
    return [piece for piece in cut if piece.strip()]


def _batches(pieces: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    room = MAX_BATCH_BYTES
    for piece in pieces:
        size = len(piece.encode())
        if batch and (size > room or len(batch) == MAX_BATCH_PIECES):
            yield batch
            batch, room = [], MAX_BATCH_BYTES
        batch.append(piece)
        room -= size
    if batch:
        yield batch


def _vector(numbers: Sequence[float]) -> Vector:
    given = np.asarray(numbers, dtype=np.float32)
    if given.ndim != 1 or not 0 < given.size <= DIMENSIONS:
        raise EmbeddingFailed(f"The embedding model makes vectors of {given.size} numbers; {DIMENSIONS} is the most.")
    if not np.isfinite(given).all() or not given.any():
        raise EmbeddingFailed("The embedding server gave a vector without a direction.")
    return unit(np.pad(given, (0, DIMENSIONS - given.size)))


def _mean(vectors: Sequence[Vector], pieces: Sequence[str]) -> Vector:
    """The mean of the pieces' vectors, weighted by their lengths."""
    if not vectors:
        return blank_vector()
    weights = np.array([len(piece) for piece in pieces], dtype=np.float32)
    mean: Vector = weights @ np.stack(vectors)
    return unit(mean)
