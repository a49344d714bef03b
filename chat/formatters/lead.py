"""What may stand before a block: white space, a fence, the bracket of an array, a comma."""

import re
from enum import Enum, auto

from chat.formatters.strings import end_of_run

_SPACE = re.compile(r"\s*+")
_TICK = "`"
_FENCE_TICKS = 3
_LANGUAGE = re.compile(r"[\w+-]*+")


class Verdict(Enum):
    """What the characters turned out to lead to."""

    OPEN = auto()
    OBJECT = auto()
    PROSE = auto()


class _Place(Enum):
    """What was read last, white space aside."""

    START = auto()
    TICKS = auto()
    LANGUAGE = auto()
    FENCE = auto()
    BRACKET = auto()


class Lead:
    """Reads up to the ``{`` of an object, or up to where it is clear that there is none.

    ``after_block``: commas and closing brackets belong to the blocks before. ``in_fence``: a fence is open, and the
    next one closes it. ``fence_begun``: a fence opens here, if it is an object that follows.
    """

    def __init__(self, *, after_block: bool, in_fence: bool) -> None:
        self.verdict = Verdict.OPEN
        self.in_fence = in_fence
        self.fence_begun = False
        self._after_block = after_block
        self._place = _Place.START
        self._ticks = 0
        self._held: list[str] = []

    @property
    def held(self) -> str:
        """What was read, which is text when it leads to prose."""
        return "".join(self._held)

    def read(self, text: str, start: int) -> int:
        """Read on from ``start``; the position of the character that decided, or the end of ``text``."""
        position = start
        while position < len(text) and self.verdict is Verdict.OPEN:
            position = self._read_on(text, position)
        return position

    def _read_on(self, text: str, position: int) -> int:
        if self._place is _Place.TICKS:
            return self._read_tick(text, position)
        if self._place is _Place.LANGUAGE:
            return self._read_language(text, position)
        end = end_of_run(_SPACE, text, position)
        self._held.append(text[position:end])
        return end if end > position else self._read_mark(text, position)

    def _read_tick(self, text: str, position: int) -> int:
        if text[position] != _TICK:
            return self._decide(Verdict.PROSE, position)
        self._held.append(_TICK)
        self._ticks += 1
        if self._ticks == _FENCE_TICKS:
            self._end_fence()
        return position + 1

    def _end_fence(self) -> None:
        if self.in_fence:
            self.in_fence = False
            self._begin_again()
        else:
            self.fence_begun = True
            self._place = _Place.LANGUAGE

    def _read_language(self, text: str, position: int) -> int:
        end = end_of_run(_LANGUAGE, text, position)
        self._held.append(text[position:end])
        if end < len(text):
            self._place = _Place.FENCE
        return end

    def _read_mark(self, text: str, position: int) -> int:
        mark = text[position]
        if mark == "{":
            return self._decide(Verdict.OBJECT, position)
        if mark in ",]" and self._after_block and self._place is _Place.START:
            self._begin_again()
        elif mark == "[" and self._place is not _Place.BRACKET:
            self._hold(mark, _Place.BRACKET)
        elif mark == _TICK and self._place is _Place.START:
            self._ticks = 1
            self._hold(mark, _Place.TICKS)
        else:
            return self._decide(Verdict.PROSE, position)
        return position + 1

    def _hold(self, mark: str, place: _Place) -> None:
        self._held.append(mark)
        self._place = place

    def _begin_again(self) -> None:
        self._held.clear()
        self._place = _Place.START

    def _decide(self, verdict: Verdict, position: int) -> int:
        self.verdict = verdict
        return position
