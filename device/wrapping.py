"""Text that comes in pieces, broken between words at the edge of a terminal. Pure."""

import re
from typing import Final

from rich.cells import cell_len

_PARTS: Final = re.compile(r"\n|[ \t]+|[^ \t\n]+")
_NEAR: Final = 20
"""Cells before the edge where a word is held back, as most words that begin further left have room."""
_TAB: Final = 8


class WordWrap:
    """Breaks lines so that no word is cut in two.

    Text is given back at once, but a word near the edge only when it has ended or turns out to have no room. The
    terminal cuts what remains too long: a word that is longer than a line, and one that came in pieces from afar.
    """

    def __init__(self) -> None:
        self._column = 0
        self._word_start: int | None = None
        """The column in which the current word begins; None between words."""
        self._held = ""

    def wrapped(self, text: str, width: int) -> str:
        """``text`` for a terminal that is ``width`` cells wide, after what was held back. A line's end holds nothing
        back."""
        return "".join(self._placed(part, width) for part in _PARTS.findall(text))

    def _placed(self, part: str, width: int) -> str:
        if part == "\n":
            before, self._column = self._word_ended(), 0
            return f"{before}\n"
        if part[0] in " \t":
            return self._word_ended() + self._space(part, width)
        return self._word(part, width)

    def _word_ended(self) -> str:
        held, self._held, self._word_start = self._held, "", None
        self._column += cell_len(held)
        return held

    def _space(self, part: str, width: int) -> str:
        """As much of it as has room: the rest would begin the next line."""
        kept = ""
        for space in part:
            if self._column < width:
                kept += space
                self._column += 1 if space == " " else _TAB - self._column % _TAB
        return kept

    def _word(self, part: str, width: int) -> str:
        begins = self._word_start is None
        start = self._column if self._word_start is None else self._word_start
        self._word_start = start
        word = self._held + part
        if start and (begins or self._held) and start + cell_len(word) > width:
            self._word_start = self._column = 0
            return "\n" + self._written(word, width)
        if start > max(0, width - _NEAR):
            self._held = word
            return ""
        return self._written(part, width)

    def _written(self, text: str, width: int) -> str:
        self._held = ""
        cells = self._column + cell_len(text)
        self._column = cells if cells <= width else (cells - 1) % width + 1
        return text
