"""The stems of one index, numbered, and lists of numbers in flat arrays, which take less than objects. Pure."""

from array import array
from collections.abc import Iterable
from struct import Struct
from typing import Final

import numpy as np

from memory.search.bm25 import Integers
from memory.search.spellings import Spellings
from memory.search.words import COMMON_STEMS

_NUMBER: Final = Struct("=I")
NUMBER_BYTES: Final = 5
"""A number is 4 bytes; arrays keep an eighth of their length free."""
_TERM_BYTES: Final = 250
"""A term without its occurrences: its place in the dictionary, where they are, and what is counted."""


class NumberLists:
    """Lists of numbers, each found by its place."""

    def __init__(self) -> None:
        self._numbers = array("I")
        self._ends = array("I")

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, place: int) -> "array[int]":
        return self._numbers[self._ends[place - 1] if place else 0 : self._ends[place]]

    def append(self, numbers: Iterable[int]) -> None:
        self._numbers.extend(numbers)
        self._ends.append(len(self._numbers))

    def lengths(self) -> Integers:
        """How long each list is."""
        lengths = np.array(self._ends, np.intp)
        lengths[1:] -= lengths[:-1].copy()
        return lengths

    def joined(self, places: Iterable[int]) -> tuple[Integers, Integers]:
        """The numbers at these places one after the other, and of each which of the places it is from."""
        lists = [self[place] for place in places]
        return _joined(lists), np.repeat(np.arange(len(lists)), list(map(len, lists)))


def _joined(lists: "Iterable[array[int] | bytearray]") -> Integers:
    """The numbers of all lists one after the other."""
    return np.frombuffer(b"".join(lists), np.uint32).astype(np.intp)


class Terms:
    """The stems, numbered in the order of their first use, so that later ones are rather rarer.

    Of each ``occurrences`` has the passage of each occurrence, in order, 4 bytes each. ``exchanges`` counts the
    exchanges that have it, those that were removed included, and ``first`` is the place of the earliest one.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        # Of bytes, which the garbage collector need not look through, as it does through arrays.
        self.occurrences: list[bytearray] = []
        self.exchanges = array("I")
        self.first = array("I")
        self.is_word = array("B")
        """Whether a term has letters and more than two characters: others say little of what a text is about."""
        self.is_common = array("B")
        """Whether it is a stem of a word that anyone uses about anything."""
        self.spellings = Spellings()
        self._size = 0

    def __len__(self) -> int:
        return len(self.occurrences)

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return self._size + self.spellings.size

    def find(self, stem: str) -> int | None:
        return self._numbers.get(stem)

    def found(self, stems: Iterable[str]) -> list[int]:
        """The numbers of those of ``stems`` that occur."""
        return [number for stem in stems if (number := self._numbers.get(stem)) is not None]

    def occurring(self, terms: Iterable[int]) -> tuple[Integers, Integers]:
        """The passages of each occurrence of ``terms``, term by term, and which of the terms it is of."""
        lists = [self.occurrences[term] for term in terms]
        lengths = np.fromiter(map(len, lists), np.intp, len(lists)) // _NUMBER.size
        return _joined(lists), np.repeat(np.arange(len(lists)), lengths)

    def add(self, stem: str, passage: int) -> int:
        """Count an occurrence. Return the term's number."""
        number = self._numbers.get(stem)
        if number is None:
            number = self._numbers[stem] = len(self.occurrences)
            self.occurrences.append(bytearray())
            self.exchanges.append(0)
            self.first.append(0)
            self.is_word.append(len(stem) > 2 and not stem.isdigit())
            self.is_common.append(stem in COMMON_STEMS)
            self.spellings.add(stem)
            self._size += _TERM_BYTES + len(stem)
        self.occurrences[number] += _NUMBER.pack(passage)
        return number
