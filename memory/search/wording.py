"""What a message is by its wording alone, in English and Italian. Pure.

“When does the boiler man come?” is about its author's life, “How long does a boiler last?” is not. “Sold the Skoda,
we're on the bus now” takes the place of something said before, “the Skoda passed its test again” does not. Linear
classifiers tell them apart: a file for each has the weights of words, of pairs of words, and of how words begin and
end, by hashes of these. ``benchmarks/memory_quality/fitting.py`` makes them of messages that people might write.
"""

from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import Final

import numpy as np

from memory.search.hashes import HashedValues
from memory.search.words import words_of

ENTRY: Final = np.dtype([("hash", "<u4"), ("weight", "<f2")])

_MOST_WORDS: Final = 50
"""Of a long message the first and the last words count."""
_BEGINNING: Final = 4
"""Letters of a word that has at least two more,"""
_ENDING: Final = 3
"""and the same of its end."""
_ASKS: Final = "?"
"""Says nothing by itself."""
_EDGE: Final = "|"
_NUMBER: Final = "0"


def features_of(message: str, words: list[str] | None = None) -> set[str]:
    """What a classifier weighs of a message: its ``words`` and so on; all numbers are the same."""
    words = words_of(message) if words is None else words
    if len(words) > 2 * _MOST_WORDS:
        words = words[:_MOST_WORDS] + words[-_MOST_WORDS:]
    words = [_NUMBER if any(map(str.isdigit, word)) else word for word in words]
    found = {f"{first} {second}" for first, second in pairwise([_EDGE, *words, _EDGE])}
    found.update(words)
    found.update(f"{word[:_BEGINNING]}-" for word in words if len(word) > _BEGINNING + 1)
    found.update(f"-{word[-_ENDING:]}" for word in words if len(word) > _ENDING + 1)
    if _ASKS in message:
        found.add(_ASKS)
    return found


class Wording:
    """A classifier of messages, with the weights of a file at ``path``, which is read on first use."""

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self._weights = HashedValues(path, "weight")

    def log_odds(self, message: str, words: list[str] | None = None) -> float:
        """The log odds that a message is what it looks for; 0 if none of its ``words`` says whether it is."""
        features = features_of(message, words)
        weights = self._weights.of(features)
        if len(weights) <= (_ASKS in features):
            return 0.0
        return float(weights.sum(dtype=np.float32)) / sqrt(len(weights))


OWN_LIFE: Final = Wording(Path(__file__).with_name("wording_own_life.npy"))
"""What is about its author's life."""
REPLACES: Final = Wording(Path(__file__).with_name("wording_replaces.npy"))
"""What takes the place of something said before about the same."""
