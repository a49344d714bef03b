"""Text that arrives cut anywhere: halves of a character joined again, and JSON strings decoded while they are open.

Nothing is read twice, so a character costs the same however long the text is and however it is cut.
"""

import json
import re

QUOTE = '"'

_SURROGATE = re.compile("[\ud800-\udfff]")
# Possessive, so that a long run leaves nothing to backtrack into.
_RUN = re.compile(r'(?:[^"\\]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
_PLAIN = re.compile('[^"\\\\\ud800-\udfff]++')
_ESCAPE_BEGUN = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{0,4})')
_UNICODE_ESCAPE = 6
# Models write line breaks into strings as they are; JSON forbids it, a reader need not.
_JSON = json.JSONDecoder(strict=False)


def mended(text: str) -> str:
    """``text`` with the halves of surrogate pairs joined, and U+FFFD for a half that has no other."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def end_of_run(run: re.Pattern[str], text: str, start: int) -> int:
    """The position behind the characters of ``run`` that stand at ``start``."""
    found = run.match(text, start)
    return found.end() if found else start


class Mender:
    """Joins surrogate pairs over any cut. What it lets out is free of lone surrogates."""

    __slots__ = ("_half",)

    def __init__(self) -> None:
        self._half = ""

    def feed(self, text: str) -> str:
        """All of ``text`` but a first half at its end, whose second half may follow."""
        if self._half:
            text, self._half = self._half + text, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return mended(text)

    @property
    def is_empty(self) -> bool:
        return not self._half

    def flush(self) -> str:
        """What is still held back: nothing can follow it any more."""
        half, self._half = self._half, ""
        return mended(half)


class StringDecoder:
    """Decodes one JSON string from behind its opening quote.

    A backslash that begins no escape of JSON is text, as written: models write ``50\\%`` and ``C:\\data``.
    """

    __slots__ = ("_escape", "_mender", "closed")

    def __init__(self) -> None:
        self.closed = False
        self._escape = ""
        self._mender = Mender()

    def read(self, text: str, start: int) -> tuple[str, int]:
        """What ``text`` holds of the string from ``start`` on, decoded, and the position behind it.

        All but an incomplete escape comes out. ``closed`` tells whether the closing quote was read.
        """
        decoded: list[str] = []
        position = start
        while position < len(text) and not self.closed:
            position = self._read_on(text, position, decoded)
        whole = self._mender.feed("".join(decoded))
        return (whole + self._mender.flush() if self.closed else whole), position

    def passes(self, text: str) -> bool:
        """Whether ``text`` stands for itself, and nothing held back comes before it."""
        return not self._escape and self._mender.is_empty and _PLAIN.fullmatch(text) is not None

    def flush(self) -> str:
        """The end of a string that was cut off; an incomplete escape is dropped."""
        return self._mender.flush()

    def _read_on(self, text: str, position: int, decoded: list[str]) -> int:
        if self._escape:
            return self._read_escape(text, position, decoded)
        if text[position] == QUOTE:
            self.closed = True
            return position + 1
        end = end_of_run(_RUN, text, position)
        if end == position:  # a backslash without a whole escape behind it
            self._escape = text[position]
            return position + 1
        run = text[position:end]
        decoded.append(_JSON.decode(f'"{run}"') if "\\" in run else run)
        return end

    def _read_escape(self, text: str, position: int, decoded: list[str]) -> int:
        begun = self._escape + text[position]
        if not _ESCAPE_BEGUN.fullmatch(begun):
            decoded.append(self._escape)
            self._escape = ""
            return position
        whole = begun[1] != "u" or len(begun) == _UNICODE_ESCAPE
        if whole:
            decoded.append(_JSON.decode(f'"{begun}"'))
        self._escape = "" if whole else begun
        return position + 1
