"""Linear classifiers of the wording of messages, in English and Italian. Pure.

One tells messages about their author's life (“When does the boiler man come?”) from general ones (“How long does a
boiler last?”). The other tells statements that replace “we have a Skoda” (“sold the Skoda, we're on the bus now”) from
others (“the Skoda passed its test again”). Each has a file with the weights of its features, such as words and pairs of
words, by their hashes. ``benchmarks/memory_quality/fitting.py`` fits them.
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
"""How many words at the beginning and at the end of a long message are used."""
_PREFIX: Final = 4
"""The length of a prefix. The word has at least two letters more."""
_SUFFIX: Final = 3
"""The length of a suffix. The word has at least two letters more."""
_ASKS: Final = "?"
_EDGE: Final = "|"
_NUMBER: Final = "0"
_SAME: Final = "="
_ASKED: Final = "~"
_KEY: Final = 5
"""The letters of a word's key. Words with the same key count as one."""
_STEP: Final = 4
_MAX_COUNTED: Final = 8
_STOPS: Final = frozenset[str]().union(*STOP_WORDS.values())


def features_of(message: str) -> set[str]:
    """The features of a message: its words, pairs of words, prefixes and suffixes. All numbers are the same word."""
    words = _first_and_last(words_of(message))
    words = [_NUMBER if any(map(str.isdigit, word)) else word for word in words]
    found = {f"{first} {second}" for first, second in pairwise([_EDGE, *words, _EDGE])}
    found.update(words)
    found.update(f"{word[:_PREFIX]}-" for word in words if len(word) > _PREFIX + 1)
    found.update(f"-{word[-_SUFFIX:]}" for word in words if len(word) > _SUFFIX + 1)
    if _ASKS in message:
        found.add(_ASKS)
    return found


def _first_and_last(words: list[str]) -> list[str]:
    return words if len(words) <= 2 * _MAX_WORDS else words[:_MAX_WORDS] + words[-_MAX_WORDS:]


class Wording:
    """A linear classifier with the weights in the file at ``path``, which is read on first use."""

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self._weights = HashedValues(path, "weight")

    def log_odds(self, features: Collection[str]) -> float:
        """The log odds of the positive class; 0 if no feature with letters is known."""
        words, marks = list[str](), list[str]()
        for feature in features:
            (words if feature.upper() != feature.lower() else marks).append(feature)
        found = self._weights.get_all(words)
        # Marks and counts, which have no letters, mean nothing alone.
        if not len(found):
            return 0.0
        weights = np.concatenate([found, self._weights.get_all(marks)])
        return float(weights.sum(dtype=np.float32)) / sqrt(len(weights))


class ComparedWords(NamedTuple):
    """The words of a text, in order, prepared for ``features_of_change``."""

    words: list[str]
    keys: frozenset[str]
    """The keys of the content words."""
    numbers: frozenset[str]
    """The words with digits."""


def compared_words(text: str) -> ComparedWords:
    words = _first_and_last(words_of(text))
    numbers = frozenset(word for word in words if any(map(str.isdigit, word)))
    return ComparedWords(words, frozenset(word[:_KEY] for word in words if _is_content(word, numbers)), numbers)


def features_of_change(earlier: ComparedWords, later: ComparedWords, asked: ComparedWords) -> set[str]:
    """The features of an earlier and a later statement, and of a question after both.

    They are the words of the later statement and pairs of them; pairs and triples in which a mark replaces each content
    word that is also in the question or in the earlier statement; which words are new, in both, lost, and asked; the
    same, but for the last, for numbers; and how many words both statements share, the later one shares with the
    question, the later one has, and the earlier one has.
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
    found.update(f"#{index} {min(count, _MAX_COUNTED)}" for index, count in enumerate(counts))
    return found


def _is_content(word: str, numbers: Collection[str]) -> bool:
    return word not in numbers and word not in _STOPS


def _marked(word: str, earlier: ComparedWords, later: ComparedWords, asked: ComparedWords) -> str:
    """A word of the later statement, or the mark that replaces it."""
    if word in later.numbers:
        return _SAME + _NUMBER if word in earlier.numbers else _NUMBER
    if word in _STOPS:
        return word
    key = word[:_KEY]
    return _SAME if key in earlier.keys else _ASKED if key in asked.keys else word


def _tagged(tag: str, words: Iterable[str]) -> Iterable[str]:
    return (f"{tag}: {word}" for word in words)


OWN_LIFE: Final = Wording(Path(__file__).with_name("wording_own_life.npy"))
"""Whether a message is about its author's life, by ``features_of``."""
REPLACES: Final = Wording(Path(__file__).with_name("wording_replaces.npy"))
"""Whether a later statement replaces an earlier one, by ``features_of_change``."""
