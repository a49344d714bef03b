"""A person's message prepared for matching: quoted names replaced, spaces and apostrophes made plain.

A quoted name becomes one private-use character of the text, so that no word in it is taken for a command.
"""

import re
from dataclasses import dataclass

QUOTED = "[\ue000-\ue01f]"
"""Matches the placeholder of a quoted name."""

MAX_PLAIN = 500
"""Characters outside quotes that are looked at: commands are short, and matching long texts takes time."""

_FIRST = 0xE000
_MOST_QUOTES = 32
_LONGEST_QUOTE = 20_000
_QUOTES_BEGIN_WITHIN = 2000
_PAIRS = {'"': '"', "“": "”", "„": "“", "«": "»", "‹": "›", "‘": "’", "'": "'", "`": "`", "「": "」", "”": "”"}
_PRIVATE_USE = re.compile("[\ue000-\uf8ff]")
_BEFORE = re.compile(r"[\s(\[{:,;=–—'’-]")
_AFTER = re.compile(r"[\s)\]}:,;.!?…–—-]")
_LONG_TAIL = re.compile(r"[:\n]\s*")
_EDGES = " \t\r\n,;.!?…"


@dataclass(frozen=True, kw_only=True, slots=True)
class Quote:
    """A quoted name: as typed, and what is between the marks."""

    raw: str
    content: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Utterance:
    """A message with placeholders for its quoted names."""

    text: str
    quotes: tuple[Quote, ...]

    def restored(self, part: str) -> str:
        """``part`` of the text as it was typed; of a single quoted name, what is between the marks."""
        part = part.strip(" \n")
        if re.fullmatch(QUOTED, part):
            return self._quote(part).content.strip()
        return re.sub(QUOTED, lambda match: self._quote(match[0]).raw, part)

    def _quote(self, placeholder: str) -> Quote:
        return self.quotes[ord(placeholder) - _FIRST]


def read_utterance(message: str) -> Utterance | None:
    """``message`` prepared; None if it is too long to be a command."""
    quotes: list[Quote] = []
    text = _plain("".join(_set_apart(message, quotes)))
    if len(text) > MAX_PLAIN:
        text = _long_tail_quoted(text, quotes)
    return Utterance(text=text, quotes=tuple(quotes)) if len(text) <= MAX_PLAIN else None


def one_line(text: str) -> str:
    """``text`` with every run of white space made one space."""
    return " ".join(text.split())


def _set_apart(message: str, quotes: list[Quote]) -> list[str]:
    pieces: list[str] = []
    position = tried = 0
    while position < min(len(message), _QUOTES_BEGIN_WITHIN):
        mark = message[position]
        end = None
        if mark in _PAIRS and tried < _MOST_QUOTES and _opens_word(message, position):
            tried += 1
            end = _closing(message, position)
        if end is None:
            pieces.append("" if _PRIVATE_USE.match(mark) else mark)
            position += 1
            continue
        pieces.append(chr(_FIRST + len(quotes)))
        quotes.append(Quote(raw=message[position : end + 1], content=_unescaped(message[position + 1 : end], mark)))
        position = end + 1
    return [*pieces, _PRIVATE_USE.sub("", message[position:])]


def _opens_word(message: str, position: int) -> bool:
    return position == 0 or bool(_BEFORE.match(message[position - 1]))


def _closing(message: str, start: int) -> int | None:
    """Where the quote that opens at ``start`` ends. Quotes inside it may open and close again."""
    opening, closing = message[start], _PAIRS[message[start]]
    depth = 1
    position = start + 1
    while position < min(len(message), start + _LONGEST_QUOTE):
        mark = message[position]
        if mark == "\\" and message[position + 1 : position + 2] == closing:
            position += 2
            continue
        if mark == closing and (opening != closing or _ends_word(message, position)):
            depth -= 1
        elif mark == opening and _opens_word(message, position):
            depth += 1
        if not depth:
            return position if message[start + 1 : position].strip() else None
        position += 1
    return None


def _ends_word(message: str, position: int) -> bool:
    return position + 1 == len(message) or bool(_AFTER.match(message[position + 1]))


def _unescaped(content: str, opening: str) -> str:
    return content.replace("\\" + _PAIRS[opening], _PAIRS[opening])


def _plain(text: str) -> str:
    text = text.replace("’", "'").replace("\u00a0", " ")
    text = re.sub(r"\s*\n\s*", "\n", text)
    return re.sub(r"[^\S\n]+", " ", text).strip(_EDGES)


def _long_tail_quoted(text: str, quotes: list[Quote]) -> str:
    """The long text after the first colon or line break, as when a note is dictated, counts as one quoted name."""
    cut = _LONG_TAIL.search(text, 0, MAX_PLAIN // 2)
    if cut is None or len(quotes) == _MOST_QUOTES:
        return text
    tail = Utterance(text="", quotes=tuple(quotes)).restored(text[cut.end() :])
    quotes.append(Quote(raw=tail, content=tail))
    return text[: cut.end()] + chr(_FIRST + len(quotes) - 1)
