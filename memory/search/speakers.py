"""The speakers in the passages of an index, such as those of chats that the user has pasted. Pure."""

from array import array
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

import numpy as np

from memory.search.bm25 import Flags
from memory.search.persons import may_be_name
from memory.search.terms import NUMBER_BYTES
from memory.search.vocabulary import LABELS

_MIN_PASSAGES: Final = 10
"""A name that begins fewer passages is no speaker of a pasted chat."""


class Speakers:
    """Words of names (folded) that begin a message or an answer before a colon, with the passages of these."""

    def __init__(self) -> None:
        self._passages: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
        self._count = 0

    @property
    def size(self) -> int:
        """The approximate size in bytes."""
        return NUMBER_BYTES * self._count

    def add(self, names: Iterable[str], passage: int) -> None:
        for name in names:
            self._passages[name].append(passage)
            self._count += 1

    def spoken_by(self, names: Iterable[str], passages: int) -> Flags:
        """For each of ``passages`` passages, whether one of ``names`` says it."""
        found = np.zeros(passages, np.bool_)
        for name in names:
            if name in self._passages:
                found[np.array(self._passages[name])] = True
        return found

    def in_pasted_chats(self) -> list[str]:
        """The names that begin many passages; none unless there are two.

        “Note:” is no name. A common word (“Will”, “Mia”) is one only beside a name that is not.
        """
        many = (name for name, passages in self._passages.items() if len(passages) >= _MIN_PASSAGES)
        found = [name for name in many if name not in LABELS]
        return found if len(found) > 1 and any(map(may_be_name, found)) else []
