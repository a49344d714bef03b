"""Vectors by the embeddings API of OpenAI, or of a compatible server."""

import hashlib
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import openai
from openai import AsyncOpenAI, omit

from memory.errors import EmbeddingFailed, NoEmbeddings
from memory.index import DIMENSIONS, Vector, blank_vector, unit

logger = logging.getLogger(__name__)

_TIMEOUT_S: Final = 30.0
_TRANSIENT: Final = frozenset({408, 409, 425, 429})
_FIRST_SERVER_ERROR: Final = 500
_LACKING: Final = frozenset({404, 405, 501})
"""Statuses from servers that lack this API or the model."""
_LACKING_CODES: Final = frozenset({"model_not_found", "invalid_model", "not_supported_error"})
_CODE: Final = re.compile(r"[A-Za-z][\w.-]{0,63}|\d{1,9}")
_REFUSED: Final = frozenset({400, 413, 422})
"""Statuses that may mean that a request is too large, for which servers have no common code."""
_TOO_LARGE: Final = "too large"
"""What llama.cpp says of a request that is too large, with status 500."""
_MIN_BYTES: Final = 500
"""No server refuses such a short text for its length."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestLimits:
    """What a server accepts: bytes (UTF-8) in a text, and texts and bytes in a request.

    The defaults are below OpenAI's limits: 8,191 tokens in a text, 2,048 texts and 300,000 tokens in a request. A token
    is never shorter than a byte.
    """

    text_bytes: int = 8_000
    texts: int = 512
    total_bytes: int = 250_000


@dataclass(frozen=True, kw_only=True, slots=True)
class EmbeddingModel:
    """A model by its name on its server, and how it is asked.

    Some models need a prefix before each text: one before texts that search (``query_prefix``), and another one before
    those that are found. Vectors with fewer than ``dimensions`` numbers are padded with zeros, which changes no dot
    product.
    """

    model: str
    dimensions: int = DIMENSIONS
    query_prefix: str = ""
    passage_prefix: str = ""
    limits: RequestLimits = field(default_factory=RequestLimits)

    @property
    def name(self) -> str:
        """The model, and what else makes its vectors differ: ``bge-m3@1024+5f2a91c0``."""
        length = "" if self.dimensions == DIMENSIONS else f"@{self.dimensions}"
        prefix = hashlib.sha256(self.passage_prefix.encode()).hexdigest()[:8]
        return f"{self.model}{length}{f'+{prefix}' if self.passage_prefix else ''}"


class OpenAIEmbedder:
    """The ``Embedder`` over the SDK, which retries after transient errors. The caller closes ``client``.

    A text that is too long is embedded in pieces, and gets the mean of their vectors. A request that may have been
    refused for its size is split, and later requests are no larger than those that were accepted.
    """

    def __init__(self, client: AsyncOpenAI, model: EmbeddingModel) -> None:
        self.name = model.name
        self.dimensions = model.dimensions
        self._client = client
        self._model = model
        self._chooses_dimensions = True
        self._text_bytes, self._texts = model.limits.text_bytes, model.limits.texts

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Vector]:
        """As ``Embedder.embed``. Raises ``NoEmbeddings`` if the server has no such model, or no vectors at all."""
        prefix = self._model.query_prefix if query else self._model.passage_prefix
        cut = [_pieces(text, longest=self._text_bytes) for text in texts]
        vectors: list[Vector] = []
        for batch in self._batches([piece for pieces in cut for piece in pieces]):
            vectors += await self._vectors(prefix, batch)
        each = iter(vectors)
        return [self._mean([next(each) for _ in pieces], pieces) for pieces in cut]

    def _batches(self, pieces: Sequence[str]) -> Iterator[list[str]]:
        most_bytes = self._model.limits.total_bytes
        batch: list[str] = []
        room = most_bytes
        for piece in pieces:
            size = len(piece.encode())
            if batch and (size > room or len(batch) >= self._texts):
                yield batch
                batch, room = [], most_bytes
            batch.append(piece)
            room -= size
        if batch:
            yield batch

    async def _vectors(self, prefix: str, batch: Sequence[str]) -> list[Vector]:
        try:
            return await self._asked(prefix, batch)
        except openai.APIStatusError as error:
            if _may_be_too_large(error) and (len(batch) > 1 or len(batch[0].encode()) > _MIN_BYTES):
                return await self._split(prefix, batch)
            logger.warning("the embedding server answered %d (%s)", error.status_code, _code_of(error))
            failure = f"The embedding server answered {error.status_code}."
            if error.status_code in _LACKING or _names(error) & _LACKING_CODES:
                raise NoEmbeddings(f"{failure} It has no model {self._model.model} for vectors.") from None
            passing = error.status_code in _TRANSIENT or error.status_code >= _FIRST_SERVER_ERROR
            raise EmbeddingFailed(failure, retryable=passing) from None
        except openai.OpenAIError:
            raise EmbeddingFailed("The embedding server cannot be reached.", retryable=True) from None
        except (ValueError, TypeError, AttributeError):
            # The SDK does not validate the response, so errors in it show only here.
            raise EmbeddingFailed("The embedding server's answer cannot be read.") from None

    async def _split(self, prefix: str, batch: Sequence[str]) -> list[Vector]:
        """The vectors by smaller requests. If the size was not the reason, the smallest of them fails."""
        if len(batch) > 1:
            middle = (len(batch) + 1) // 2
            first = await self._vectors(prefix, batch[:middle])
            self._texts = min(self._texts, middle)
            return first + await self._vectors(prefix, batch[middle:])
        [text] = batch
        half = max(len(text.encode()) // 2, _MIN_BYTES)
        pieces = _pieces(text, longest=half)
        vectors = [vector for piece in pieces for vector in await self._vectors(prefix, [piece])]
        self._text_bytes = min(self._text_bytes, half)
        return [self._mean(vectors, pieces)]

    async def _asked(self, prefix: str, batch: Sequence[str]) -> list[Vector]:
        """One request, and one without ``dimensions`` if the server refuses that parameter."""
        try:
            return await self._requested(prefix, batch)
        except (openai.BadRequestError, openai.UnprocessableEntityError):
            if not self._chooses_dimensions:
                raise
            self._chooses_dimensions = False
        try:
            return await self._requested(prefix, batch)
        except openai.APIError:
            self._chooses_dimensions = True
            raise

    async def _requested(self, prefix: str, batch: Sequence[str]) -> list[Vector]:
        answer = await self._client.embeddings.create(
            model=self._model.model,
            input=[prefix + piece for piece in batch],
            dimensions=self.dimensions if self._chooses_dimensions else omit,
            timeout=_TIMEOUT_S,
        )
        found = {item.index: self._vector(item.embedding) for item in answer.data}
        if sorted(found) != list(range(len(batch))):
            raise EmbeddingFailed("The embedding server did not give each text a vector.")
        return [found[index] for index in range(len(batch))]

    def _vector(self, numbers: Sequence[float]) -> Vector:
        given = np.asarray(numbers, dtype=np.float32)
        if given.ndim != 1 or not 0 < given.size <= self.dimensions:
            raise EmbeddingFailed(
                f"The embedding model makes vectors of {given.size} numbers, and {self.dimensions} is the most: "
                "staff must set OPENAI_EMBEDDING_DIMENSIONS."
            )
        if not np.isfinite(given).all() or not given.any():
            raise EmbeddingFailed("The embedding server gave a vector without a direction.")
        return unit(np.pad(given, (0, self.dimensions - given.size)))

    def _mean(self, vectors: Sequence[Vector], pieces: Sequence[str]) -> Vector:
        """The mean of the pieces' vectors, weighted by their lengths."""
        if not vectors:
            return blank_vector(self.dimensions)
        weights = np.array([len(piece) for piece in pieces], dtype=np.float32)
        mean: Vector = weights @ np.stack(vectors)
        return unit(mean)


def _names(error: openai.APIStatusError) -> set[str]:
    return {str(error.code), str(error.type)}


def _code_of(error: openai.APIStatusError) -> str:
    """The code for the log. Only an identifier or a number: others may quote the text, or the key."""
    code = str(error.code)
    return f"code {code}" if error.code is not None and _CODE.fullmatch(code) else "no code"


def _may_be_too_large(error: openai.APIStatusError) -> bool:
    if _names(error) & _LACKING_CODES:
        return False
    passing = error.status_code >= _FIRST_SERVER_ERROR
    return _TOO_LARGE in error.message.casefold() if passing else error.status_code in _REFUSED


def _pieces(text: str, *, longest: int) -> list[str]:
    """``text`` in pieces of at most ``longest`` bytes, without blank ones, which the API refuses."""
    if not text.strip():
        return []
    data = text.encode("utf-8", "replace")
    if len(data) <= longest:
        return [data.decode()]
    starts = range(0, len(data), longest)
    # A character that a cut divides is left out, which is one in thousands.
    cut = [data[start : start + longest].decode("utf-8", "ignore") for start in starts]
    return [piece for piece in cut if piece.strip()]
