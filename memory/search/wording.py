"""What a message is by its wording, in English and Italian. Pure.

“When does the boiler man come?” is about its author's life, “How long does a boiler last?” is not. After “we have a
Skoda”, “sold the Skoda, we're on the bus now” takes its place, and “the Skoda passed its test again” does not. Linear
classifiers tell them apart: a file for each has the weights of features, such as words and pairs of words, by hashes of
these. ``benchmarks/memory_quality/fitting.py`` makes them of messages that people might write.
"""

from collections.abc import Collection, Iterable
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from memory.search.hashes import HashedValues
from memory.search.vocabulary import STOP_WORDS
from memory.search.words import words_of

ENTRY: Final = np.dtype([("hash", "<u4"), ("weight", "<f2")])

_MAX_WORDS: Final = 50
"""Of a long message the first and the last words count."""
_BEGINNING: Final = 4
"""Letters of a word that has at least two more,"""
_ENDING: Final = 3
"""and the same of its end."""
_ASKS: Final = "?"
_EDGE: Final = "|"
_NUMBER: Final = "0"
_SAME: Final = "="
_ASKED: Final = "~"
_KEY: Final = 5
"""Letters at the beginning of a word: words that begin with the same ones are taken for one."""
_STEP: Final = 4
_MAX_COUNTED: Final = 8
_STOPS: Final = frozenset[str]().union(*STOP_WORDS.values())


def features_of(message: str) -> set[str]:
    """What a classifier weighs of a message: its words and so on; all numbers are the same."""
    words = _first_and_last(words_of(message))
    words = [_NUMBER if any(map(str.isdigit, word)) else word for word in words]
    found = {f"{first} {second}" for first, second in pairwise([_EDGE, *words, _EDGE])}
    found.update(words)
    found.update(f"{word[:_BEGINNING]}-" for word in words if len(word) > _BEGINNING + 1)
    found.update(f"-{word[-_ENDING:]}" for word in words if len(word) > _ENDING + 1)
    if _ASKS in message:
        found.add(_ASKS)
    return found


def _first_and_last(words: list[str]) -> list[str]:
    return words if len(words) <= 2 * _MAX_WORDS else words[:_MAX_WORDS] + words[-_MAX_WORDS:]


class Wording:
    """A classifier of messages, with the weights of a file at ``path``, which is read on first use."""

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self._weights = HashedValues(path, "weight")

    def log_odds(self, features: Collection[str]) -> float:
        """The log odds that what has these features is what it looks for; 0 if none of its words says so or not."""
        words, marks = list[str](), list[str]()
        for feature in features:
            (words if feature.upper() != feature.lower() else marks).append(feature)
        found = self._weights.of(words)
        # Marks and counts, which have no letters, say nothing by themselves.
        if not len(found):
            return 0.0
        weights = np.concatenate([found, self._weights.of(marks)])
        return float(weights.sum(dtype=np.float32)) / sqrt(len(weights))


class SaidWords(NamedTuple):
    """The words of something said, in order, as ``features_of_change`` compares them."""

    words: list[str]
    keys: frozenset[str]
    """How those begin that say something,"""
    numbers: frozenset[str]
    """and those with digits."""


def said_words(text: str) -> SaidWords:
    words = _first_and_last(words_of(text))
    numbers = frozenset(word for word in words if any(map(str.isdigit, word)))
    return SaidWords(words, frozenset(word[:_KEY] for word in words if _says_something(word, numbers)), numbers)


def features_of_change(earlier: SaidWords, later: SaidWords, asked: SaidWords) -> set[str]:
    """What a classifier weighs of what was said, what was said later, and what is asked after both.

    The words of the later one, and pairs of them; pairs and triples in which a mark is in place of each word that says
    something and is asked or in both; which words are new, in both, no longer there, or asked; which of the first three
    numbers are; and how many words both have, the later one and the question have, the later and the earlier one has.
    """
    same = earlier.keys & later.keys
    plain = [_EDGE, *(_NUMBER if word in later.numbers else word for word in later.words), _EDGE]
    marked = [_EDGE, *(_marked(word, earlier, later, asked) for word in later.words), _EDGE]
    found = {f"{first}_{second}" for first, second in pairwise(plain)}
    found.update(plain)
    found.update(f"{first} {second}" for first, second in pairwise(marked))
    found.update(
        f"{first} {second} {third}" for first, second, third in zip(marked, marked[1:], marked[2:], strict=False)
    )
    found.update(_tagged("new", later.keys - earlier.keys - asked.keys))
    found.update(_tagged("same", same))
    found.update(_tagged("lost", earlier.keys - later.keys))
    found.update(_tagged("asked", asked.keys))
    if later.numbers - earlier.numbers:
        found.add("0+")
    if later.numbers & earlier.numbers:
        found.add("0=")
    if earlier.numbers - later.numbers:
        found.add("0-")
    counts = (len(same), len(asked.keys & later.keys), len(later.words) // _STEP, len(earlier.words) // _STEP)
    found.update(f"#{place} {min(count, _MAX_COUNTED)}" for place, count in enumerate(counts))
    return found


def _says_something(word: str, numbers: Collection[str]) -> bool:
    return word not in numbers and word not in _STOPS


def _marked(word: str, earlier: SaidWords, later: SaidWords, asked: SaidWords) -> str:
    """A word of the later one, or a mark in its place."""
    if word in later.numbers:
        return _SAME + _NUMBER if word in earlier.numbers else _NUMBER
    if word in _STOPS:
        return word
    key = word[:_KEY]
    return _SAME if key in earlier.keys else _ASKED if key in asked.keys else word


def _tagged(tag: str, words: Iterable[str]) -> Iterable[str]:
    return (f"{tag}: {word}" for word in words)


OWN_LIFE: Final = Wording(Path(__file__).with_name("wording_own_life.npy"))
"""What is about its author's life, by ``features_of``."""
REPLACES: Final = Wording(Path(__file__).with_name("wording_replaces.npy"))
"""What takes the place of something said before about the same, by ``features_of_change``."""
