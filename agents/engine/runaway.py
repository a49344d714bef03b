"""Where a model that is writing does not stop any more: it writes blank lines, or the same words, for ever. Pure.

Servers whose grammar allows an end only after a call make a model that has written the call as text go on like this,
until its context is full, which takes a slow one many minutes.
"""

from enum import Enum, auto
from typing import Final

_BLANK_LINES: Final = 32
_WINDOW: Final = 4096
"""Characters of the end of the text that are compared."""
_FEWEST: Final = 16
"""Repetitions that fill it: a list may have a few equal lines."""
_PROBE: Final = 32
_STEP: Final = 256
"""New characters after which the end is compared again."""


class Endless(Enum):
    """What a model writes for ever."""

    BLANK = auto()
    WORDS = auto()


class Runaway:
    """Reads a model's text as it comes."""

    def __init__(self) -> None:
        self._blank_lines = 0
        self._end = ""
        self._new = 0

    def feed(self, text: str) -> Endless | None:
        """What goes on without an end in ``text``, which follows what was fed before; None if nothing does."""
        written = text.rstrip()
        self._blank_lines = text.count("\n", len(written)) + (0 if written else self._blank_lines)
        self._end = (self._end + text)[-_WINDOW:]
        self._new += len(text)
        if self._blank_lines >= _BLANK_LINES:
            return Endless.BLANK
        if self._new < _STEP:
            return None
        self._new = 0
        if not self._repeats():
            return None
        return Endless.WORDS if self._end.strip() else Endless.BLANK

    def _repeats(self) -> bool:
        """Whether the end is one text of at least ``_FEWEST`` equal ones, of which the first may be cut."""
        end = self._end
        if len(end) < _WINDOW:
            return False
        before = end.rfind(end[-_PROBE:], 0, -1)
        period = len(end) - _PROBE - before
        return before >= 0 and period * _FEWEST <= _WINDOW and end[period:] == end[:-period]
