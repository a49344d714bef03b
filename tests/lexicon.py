"""How ``memory/search/lexicon.npy`` is made of the frequency lists of pyspellchecker, which is for development only."""

import math
from collections import defaultdict
from collections.abc import Mapping
from io import BytesIO
from typing import Final

import numpy as np
from spellchecker import SpellChecker

from memory.search.hashes import hash_of
from memory.search.lexicon import ENTRY, PATH, STEPS, UNKNOWN
from memory.search.words import folded, stem

_LANGUAGES: Final = ("en", "it")
_ABSENT: Final = 0.2
"""Times in a million words: what is as rare is no more frequent than what the lists do not have."""


def update() -> None:
    """Write the file."""
    PATH.write_bytes(_made())


def stale() -> list[str]:
    """A sentence if ``update`` would change anything."""
    is_fresh = PATH.exists() and PATH.read_bytes() == _made()
    return [] if is_fresh else [f"{PATH.name} is not made from the frequency lists: run ./dev generate."]


def _made() -> bytes:
    """The file as the lists and the stemmers are now."""
    shares = defaultdict[int, float](float)
    for language in _LANGUAGES:
        for number, share in _shares(language).items():
            shares[number] += share
    entries = [(number, round(_information(share) * STEPS)) for number, share in sorted(shares.items())]
    file = BytesIO()
    np.save(file, np.array(entries, ENTRY))
    return file.getvalue()


def _shares(language: str) -> Mapping[int, float]:
    """The share of all words of a language that have a stem, by its hash."""
    counts = SpellChecker(language=language).word_frequency
    shares = defaultdict[int, float](float)
    for word, count in counts.items():
        shares[hash_of(stem(folded(word), language))] += count / counts.total_words
    return shares


def _information(share: float) -> float:
    return min(-math.log(share + _ABSENT / 1e6), UNKNOWN)
