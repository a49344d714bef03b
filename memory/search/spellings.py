"""Finds stems that may be the same word with another spelling. Pure."""

from array import array
from typing import Final

import numpy as np
from rapidfuzz.distance import OSA

from memory.search.lexicon import is_known

_SHORT: Final = 4
"""In a stem of this length only a swap counts as an error; shorter stems are never misspelled."""
_LONG: Final = 8
"""Stems of at least this length may have two errors."""
_MAX_LETTERS: Final = 64
"""A longer text is no word."""
_BITS: Final = 64
_BYTES: Final = 25
"""The size of a stem without its text."""


class Spellings:
    """Stems, each added once; in columns, which the garbage collector does not examine."""

    def __init__(self) -> None:
        self._text = bytearray()
        self._ends = array("I")
        self._first = array("I")
        self._letters = array("Q")
        self._lengths = array("B")

    @property
    def size(self) -> int:
        """The approximate size in bytes."""
        return _BYTES * len(self._ends) + len(self._text)

    def add(self, stem: str) -> None:
        self._text += stem.encode()
        self._ends.append(len(self._text))
        self._first.append(ord(stem[0]))
        self._letters.append(_letters(stem))
        self._lengths.append(min(len(stem), 2 * _MAX_LETTERS))

    def like(self, stem: str) -> list[str]:
        """The stems that may be a misspelling of ``stem``, or its correct spelling.

        They begin with the same letter and differ in one letter that is wrong, missing, added or swapped (optimal
        string alignment); long stems may differ in two. Two words that exist are different words.
        """
        errors = _max_errors(len(stem))
        if not errors or len(stem) > _MAX_LETTERS or stem.isdigit() or not self._ends:
            return []
        # Each error changes the set of letters by two at most.
        near = np.bitwise_count(np.frombuffer(self._letters, np.uint64) ^ np.uint64(_letters(stem))) <= 2 * errors
        near &= np.frombuffer(self._first, np.uint32) == ord(stem[0])
        near &= np.abs(np.frombuffer(self._lengths, np.uint8).astype(np.int16) - len(stem)) <= errors
        found = [self._stem(number) for number in np.flatnonzero(near).tolist()]
        exists = is_known(stem)
        return [other for other in found if _is_like(stem, other) and not (exists and is_known(other))]

    def _stem(self, number: int) -> str:
        return self._text[self._ends[number - 1] if number else 0 : self._ends[number]].decode()


def _is_like(stem: str, other: str) -> bool:
    errors = min(_max_errors(len(stem)), _max_errors(len(other)))
    if not 0 < OSA.distance(stem, other, score_cutoff=errors) <= errors:
        return False
    return min(len(stem), len(other)) > _SHORT or sorted(stem) == sorted(other)


def _max_errors(letters: int) -> int:
    return (letters >= _SHORT) + (letters >= _LONG)


def _letters(stem: str) -> int:
    """A bit for each letter of ``stem``. Letters may share a bit."""
    found = 0
    for letter in stem:
        found |= 1 << ord(letter) % _BITS
    return found
