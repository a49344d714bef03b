"""Stems by their letters, to find those that may be the same word, misspelled. Pure."""

from array import array
from typing import Final

import numpy as np
from rapidfuzz.distance import OSA

from memory.search.lexicon import is_known

_SHORT: Final = 4
"""Of so few letters two may change places; a shorter word is never misspelled here."""
_LONG: Final = 8
"""From so many letters on, two may be wrong."""
_MOST: Final = 64
"""No one writes longer words; such a text is something else."""
_BITS: Final = 64
_BYTES: Final = 25
"""What a stem takes."""


class Spellings:
    """Stems, each added once. In columns, which the garbage collector need not look through."""

    def __init__(self) -> None:
        self._text = bytearray()
        self._ends = array("I")
        self._first = array("I")
        self._letters = array("Q")
        self._lengths = array("B")

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return _BYTES * len(self._ends) + len(self._text)

    def add(self, stem: str) -> None:
        self._text += stem.encode()
        self._ends.append(len(self._text))
        self._first.append(ord(stem[0]))
        self._letters.append(_letters(stem))
        self._lengths.append(min(len(stem), 2 * _MOST))

    def like(self, stem: str) -> list[str]:
        """The stems that ``stem`` may be a misspelling of, or that may be one of it.

        They begin alike and differ in one letter, or in two of a long stem: wrong, missing, added, or two that changed
        places (optimal string alignment). Of two words that exist neither is misspelled.
        """
        most = _most_errors(len(stem))
        if not most or len(stem) > _MOST or stem.isdigit() or not self._ends:
            return []
        # Each error makes two letters different at most.
        near = np.bitwise_count(np.frombuffer(self._letters, np.uint64) ^ np.uint64(_letters(stem))) <= 2 * most
        near &= np.frombuffer(self._first, np.uint32) == ord(stem[0])
        near &= np.abs(np.frombuffer(self._lengths, np.uint8).astype(np.int16) - len(stem)) <= most
        found = [self._stem(number) for number in np.flatnonzero(near).tolist()]
        exists = is_known(stem)
        return [other for other in found if _is_like(stem, other) and not (exists and is_known(other))]

    def _stem(self, number: int) -> str:
        return self._text[self._ends[number - 1] if number else 0 : self._ends[number]].decode()


def _is_like(stem: str, other: str) -> bool:
    most = min(_most_errors(len(stem)), _most_errors(len(other)))
    if not 0 < OSA.distance(stem, other, score_cutoff=most) <= most:
        return False
    return min(len(stem), len(other)) > _SHORT or sorted(stem) == sorted(other)


def _most_errors(letters: int) -> int:
    return (letters >= _SHORT) + (letters >= _LONG)


def _letters(stem: str) -> int:
    """A bit for each letter that it has; several letters may share one."""
    found = 0
    for letter in stem:
        found |= 1 << ord(letter) % _BITS
    return found
