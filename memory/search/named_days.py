"""The days that the passages of an index mention. Pure."""

from array import array
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from memory.search.bm25 import Floats
from memory.search.dates import Span

_SPAN_BYTES: Final = 14


class NamedDays:
    """Spans of days, each with the passage that mentions it."""

    def __init__(self) -> None:
        self._passages = array("I")
        self._firsts = array("i")
        self._lasts = array("i")

    @property
    def size(self) -> int:
        """The approximate size in bytes."""
        return _SPAN_BYTES * len(self._passages)

    def add(self, passage: int, spans: Iterable[Span]) -> None:
        for span in spans:
            self._passages.append(passage)
            self._firsts.append(span.first.toordinal())
            self._lasts.append(span.last.toordinal())

    def overlaps(self, spans: Sequence[Span], passages: int) -> Floats:
        """For each of ``passages`` passages, the greatest overlap (0 to 1) of a span in it with one of ``spans``."""
        found = np.zeros(passages, np.float32)
        firsts, lasts, numbers = np.array(self._firsts), np.array(self._lasts), np.array(self._passages, np.intp)
        for span in spans:
            np.maximum.at(found, numbers, span.overlaps(firsts, lasts))
        return found
