"""Vectors without a model: hashed words and character n-grams, the same on every machine.

Each feature of a text is hashed to one of the dimensions and a sign (Weinberger et al., "Feature Hashing for Large
Scale Multitask Learning", 2009). Texts that share words, or parts of words, get similar vectors. Only spelling counts,
not meaning.

A kilobyte of text has about 3,000 features, so all are hashed at once, by a polynomial over the code points in 64-bit
arithmetic, mixed as in SplitMix64 (Steele et al., "Fast Splittable Pseudorandom Number Generators", 2014).
"""

import asyncio
import re
from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory.index import DIMENSIONS, Vector, blank_vector, unit
from memory.search.words import folded

_Codes: TypeAlias = NDArray[np.uint64]

_WORD: Final = re.compile(r"\w+")
_SPACE: Final = ord(" ")
_GRAM_SIZES: Final = (3, 4, 5)
_WORD_WEIGHT: Final = 2.0
_LONG_TEXT: Final = 4000
"""Texts with more characters than this are hashed in a thread, because that would block the event loop too long."""

_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)
_SIGN_BIT: Final = np.uint64(63)

# Words that say nothing about the topic of a text, in the languages of this product.
_STOP_WORDS: Final = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by do for from has have i in is it my of on or that the this to was what which with you "
        "al alla che chi ci con cosa da dal dalla dei del della delle di e gli ha ho i il in io la le lo mi mia mie "
        "miei mio nel nella non o per piu quali quale questa questo si sono su sul sulla un una uno",
    )
)


class HashingEmbedder:
    """The ``Embedder`` that needs no key and no network."""

    name = "hashing-v1"
    dimensions = DIMENSIONS

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Vector]:  # noqa: ARG002 - unused here
        if sum(map(len, texts)) > _LONG_TEXT:
            return await asyncio.to_thread(_hashed_all, texts)
        return _hashed_all(texts)


def hashed(text: str) -> Vector:
    """The unit vector of ``text``; the blank vector if it has no letter or digit."""
    words = _WORD.findall(folded(text))
    words = [word for word in words if word not in _STOP_WORDS] or words
    if not words:
        return blank_vector()
    # Each word is between spaces, so that its beginning and end are part of its grams.
    points = np.frombuffer(f" {' '.join(words)} ".encode("utf-32-le", "replace"), dtype="<u4").astype(np.uint64)
    grams = np.concatenate([_gram_codes(points, size) for size in _GRAM_SIZES])
    return unit((_folded(grams, 1.0) + _folded(_word_codes(points), _WORD_WEIGHT)).astype(np.float32))


def _hashed_all(texts: Sequence[str]) -> list[Vector]:
    return [hashed(text) for text in texts]


def _gram_codes(points: _Codes, size: int) -> _Codes:
    """A code for each run of ``size`` characters within one word, including the spaces around it."""
    count = max(len(points) - size + 1, 0)
    codes = np.zeros(count, dtype=np.uint64)
    for offset in range(size):
        codes = codes * _MULTIPLIER + points[offset : offset + count]
    spaces = np.cumsum(points == _SPACE)
    within = spaces[size - 2 : size - 2 + count] == spaces[:count]
    return _mixed(codes[within], salt=size)


def _word_codes(points: _Codes) -> _Codes:
    """A code for each word."""
    spaces = np.flatnonzero(points == _SPACE)
    place_in_word = np.arange(len(points)) - np.repeat(spaces, np.diff(spaces, append=len(points)))
    powers = np.cumprod(np.full(int(place_in_word.max()) + 1, _MULTIPLIER, dtype=np.uint64))
    return _mixed(np.add.reduceat(points * powers[place_in_word], spaces)[:-1], salt=0)


def _mixed(codes: _Codes, *, salt: int) -> _Codes:
    """Spread codes over all 64 bits. Each kind of feature has its own ``salt``."""
    codes = codes + np.uint64(salt * 0x632BE59BD9B4E019 % 2**64)
    codes = (codes ^ (codes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    codes = (codes ^ (codes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return codes ^ (codes >> np.uint64(31))


def _folded(codes: _Codes, weight: float) -> NDArray[np.float64]:
    """The sum of the features in each dimension, with their signs; frequent features count sublinearly."""
    features, counts = np.unique(codes, return_counts=True)
    signs = np.where(features >> _SIGN_BIT, 1.0, -1.0)
    places = (features % np.uint64(DIMENSIONS)).astype(np.intp)
    sums = np.bincount(places, weights=signs * weight * (1.0 + np.log(counts)), minlength=DIMENSIONS)
    return sums.astype(np.float64)
