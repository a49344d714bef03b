"""The numbered stems of an index, and lists of numbers in flat arrays, which take less memory than objects. Pure."""

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
"""A number has 4 bytes, and an array grows by an eighth of its length."""
_TERM_BYTES: Final = 250
"""A term without its occurrences: its entry in the dictionary, its list of occurrences, and its counts."""


class NumberLists:
    """A sequence of lists of numbers."""

    def __init__(self) -> None:
        self._numbers = array("I")
        self._ends = array("I")

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, position: int) -> "array[int]":
        return self._numbers[self._ends[position - 1] if position else 0 : self._ends[position]]

    def append(self, numbers: Iterable[int]) -> None:
        self._numbers.extend(numbers)
        self._ends.append(len(self._numbers))

    def lengths(self) -> Integers:
        """The length of each list."""
        lengths = np.array(self._ends, np.intp)
        lengths[1:] -= lengths[:-1].copy()
        return lengths

    def joined(self, positions: Iterable[int]) -> tuple[Integers, Integers]:
        """The numbers of these lists, concatenated, and for each the index of its list in ``positions``."""
        lists = [self[position] for position in positions]
        return _joined(lists), np.repeat(np.arange(len(lists)), list(map(len, lists)))


def _joined(lists: "Iterable[array[int] | bytearray]") -> Integers:
    """The numbers of all lists, concatenated."""
    return np.frombuffer(b"".join(lists), np.uint32).astype(np.intp)


class Terms:
    """The terms of an index: stems, numbered in the order of their first use, so that later ones tend to be rarer.

    For each term, ``occurrences`` has the passages of its occurrences, in order, 4 bytes each; ``exchanges`` the number
    of exchanges that have it, including removed ones; ``first`` the position of the earliest of these.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        # Unlike arrays, byte arrays are not examined by the garbage collector.
        self.occurrences: list[bytearray] = []
        self.exchanges = array("I")
        self.first = array("I")
        self.is_word = array("B")
        """Whether a term has letters and more than two characters. Others say little about the topic of a text."""
        self.is_common = array("B")
        """Whether a term is the stem of a common word."""
        self.spellings = Spellings()
        self._size = 0

    def __len__(self) -> int:
        return len(self.occurrences)

    @property
    def size(self) -> int:
        """The approximate size in bytes."""
        return self._size + self.spellings.size

    def find(self, stem: str) -> int | None:
        return self._numbers.get(stem)

    def find_all(self, stems: Iterable[str]) -> list[int]:
        """The terms of the ``stems`` that occur."""
        return [number for stem in stems if (number := self._numbers.get(stem)) is not None]

    def occurring(self, terms: Iterable[int]) -> tuple[Integers, Integers]:
        """The passage of each occurrence of ``terms``, term by term, and the index of its term in ``terms``."""
        lists = [self.occurrences[term] for term in terms]
        lengths = np.fromiter(map(len, lists), np.intp, len(lists)) // _NUMBER.size
        return _joined(lists), np.repeat(np.arange(len(lists)), lengths)

    def add(self, stem: str, passage: int) -> int:
        """Add an occurrence. Returns the number of the term."""
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
