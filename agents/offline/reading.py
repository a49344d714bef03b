"""A message with placeholders for its quoted names, and the common functions of the readers of sentences.

A quoted name becomes one private-use character of the text, so that no word in it is read as a part of the command.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from agents.offline.commands import Command, Incomplete, Missing, Place, RowKind, Talk, Target
from agents.offline.dates import When
from agents.offline.grammar import QUOTED, LanguageGrammar

EDGES = " \n,;:.–—"
MAX_PLAIN = 500
"""The maximum number of characters outside quotes: commands are short, and matching long texts takes time."""

_WEEK = timedelta(days=7)
_FIRST = 0xE000
_MAX_QUOTES = 32
_MAX_QUOTE_CHARS = 20_000
_QUOTES_BEGIN_WITHIN = 2000
_PAIRS = {'"': '"', "“": "”", "„": "“", "«": "»", "‹": "›", "‘": "’", "'": "'", "`": "`", "「": "」", "”": "”"}
_PRIVATE_USE = re.compile("[\ue000-\uf8ff]")
_BEFORE = re.compile(r"[\s(\[{:,;=–—'’-]")
_AFTER = re.compile(r"[\s)\]}:,;.!?…–—-]")
_LONG_TAIL = re.compile(r"[:\n]\s*")
_EDGES = " \t\r\n,;.!?…"


@dataclass(frozen=True, kw_only=True, slots=True)
class Quote:
    """A quoted name: as typed, and without its quotation marks."""

    raw: str
    content: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Utterance:
    """A message with placeholders for its quoted names. ``asks``: it ends with a question mark."""

    text: str
    quotes: tuple[Quote, ...]
    asks: bool

    def restored(self, part: str) -> str:
        """``part`` of the text as it was typed; a single quoted name without its quotation marks."""
        part = part.strip(" \n")
        if re.fullmatch(QUOTED, part):
            return self.quotes[ord(part) - _FIRST].content.strip()
        return re.sub(QUOTED, lambda match: self.quotes[ord(match[0]) - _FIRST].raw, part)


def read_utterance(message: str) -> Utterance | None:
    """``message`` with placeholders, plain spaces and plain apostrophes; None if it is too long for a command."""
    quotes: list[Quote] = []
    text = "".join(_with_placeholders(message, quotes)).replace("’", "'").replace("\u00a0", " ")
    text = re.sub(r"\s*\n\s*", "\n", text)
    text = re.sub(r"[^\S\n]+", " ", text).strip(_EDGES)
    if len(text) > MAX_PLAIN:
        text = _long_tail_quoted(text, quotes)
    asks = message.rstrip().endswith("?")
    return Utterance(text=text, quotes=tuple(quotes), asks=asks) if len(text) <= MAX_PLAIN else None


def one_line(text: str) -> str:
    """``text`` with a single space in place of each run of white space."""
    return " ".join(text.split())


def _with_placeholders(message: str, quotes: list[Quote]) -> list[str]:
    """The pieces of ``message`` with placeholders for its quoted names, which are appended to ``quotes``."""
    pieces: list[str] = []
    position = tried = 0
    while position < min(len(message), _QUOTES_BEGIN_WITHIN):
        mark = message[position]
        end = None
        if mark in _PAIRS and tried < _MAX_QUOTES and _opens_word(message, position):
            tried += 1
            end = _closing(message, position)
        if end is None:
            pieces.append("" if _PRIVATE_USE.match(mark) else mark)
            position += 1
            continue
        closing = _PAIRS[mark]
        content = message[position + 1 : end].replace(f"\\{closing}", closing)
        # An empty quotation names nothing.
        if content.strip():
            pieces.append(chr(_FIRST + len(quotes)))
            quotes.append(Quote(raw=message[position : end + 1], content=content))
        position = end + 1
    return [*pieces, _PRIVATE_USE.sub("", message[position:])]


def _opens_word(message: str, position: int) -> bool:
    return position == 0 or bool(_BEFORE.match(message[position - 1]))


def _closing(message: str, start: int) -> int | None:
    """The end of the quotation that opens at ``start``. It can contain other quotations."""
    opening, closing = message[start], _PAIRS[message[start]]
    depth = 1
    position = start + 1
    while position < min(len(message), start + _MAX_QUOTE_CHARS):
        mark = message[position]
        if mark == "\\" and message[position + 1 : position + 2] == closing:
            position += 2
            continue
        if mark == closing and (
            opening != closing or position + 1 == len(message) or _AFTER.match(message[position + 1])
        ):
            depth -= 1
        elif mark == opening and _opens_word(message, position):
            depth += 1
        if not depth:
            return position
        position += 1
    return None


def _long_tail_quoted(text: str, quotes: list[Quote]) -> str:
    """``text`` with the part after its first colon or line break, such as a dictated note, as one quoted name."""
    cut = _LONG_TAIL.search(text, 0, MAX_PLAIN // 2)
    if cut is None or len(quotes) == _MAX_QUOTES:
        return text
    tail = Utterance(text="", quotes=tuple(quotes), asks=False).restored(text[cut.end() :])
    quotes.append(Quote(raw=tail, content=tail))
    return text[: cut.end()] + chr(_FIRST + len(quotes) - 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """A message in one language. ``text`` is the message without politeness, and ``today`` the user's day."""

    grammar: LanguageGrammar
    utterance: Utterance
    text: str
    today: date

    def pattern(self, text: str) -> re.Pattern[str]:
        """A pattern of the grammar, compiled once."""
        return self.grammar.pattern(text)

    def matches(self, patterns: Sequence[str]) -> Iterator[re.Match[str]]:
        """The matches of ``patterns`` with the whole text, in order."""
        for pattern in patterns:
            if match := self.pattern(pattern).fullmatch(self.text):
                yield match

    def name(self, part: str) -> str:
        """``part`` as typed, on one line, without the punctuation around it."""
        return one_line(self.utterance.restored(part.strip(EDGES)))

    def content(self, part: str) -> str:
        """``part`` as typed, with its line breaks."""
        return self.utterance.restored(part.strip(" \n:,;"))

    def names(self, part: str) -> tuple[str, ...]:
        """The names in the list ``part``."""
        parts = self.pattern(self.grammar.name_separators).split(part)
        return tuple(name for name in map(self.name, parts) if name)

    def when(self, part: str) -> When | None:
        """The date in ``part``."""
        return self.grammar.dates.read(self.utterance.restored(part), self.today)

    def days(self, part: str) -> When | None:
        """The days in ``part``: those between two dates, or before or after one."""
        return self.grammar.dates.read_span(self.utterance.restored(part), self.today)

    def past(self, part: str) -> tuple[date | None, date | None]:
        """The past days in ``part``. A weekday means the last such day."""
        for pattern, days in self.grammar.memory.back:
            if self.pattern(pattern).fullmatch(part):
                return self.today - timedelta(days=days), None
        when = self.when(part)
        if when is None:
            return None, None
        is_ahead = when.first > self.today
        return (when.first - _WEEK, when.last - _WEEK) if is_ahead else (when.first, when.last)

    def split_project(self, text: str) -> tuple[str, str | None]:
        """``text`` without a project at its end, and the name of the project."""
        for pattern in self.grammar.in_project:
            if match := self.pattern(f"(?P<rest>.+?),? {pattern}").fullmatch(text):
                return match["rest"], self.name(match["project"])
        return text, None

    def target(self, part: str | None, entity: RowKind | None = None) -> Target | Command:
        """The row that ``part`` names, or a command that asks for the row if it names none, or many.

        ``part`` is None for a sentence without a subject, such as “è per Anna”. Its row is the one mentioned last.
        """
        if part is None:
            return Target(name="", literal="", entity=entity, place=Place.IT)
        literal = part.strip(EDGES)
        if (place := self._place(literal)) is not None:
            kind = self._kind_in(literal)
            if kind and entity not in {None, kind}:
                return Incomplete(missing=Missing.WHICH, entity=entity)
            return Target(name=literal, literal=literal, entity=kind or entity, place=place)
        if self.pattern(self.grammar.pronouns).fullmatch(literal):
            return Incomplete(missing=Missing.WHICH, entity=entity)
        if self.pattern(self.grammar.plural).fullmatch(literal):
            return Talk.ONE_AT_A_TIME
        rest, project = self.split_project(literal)
        name, kind = self._split_noun(rest, entity)
        if not name.strip(EDGES):
            return Incomplete(missing=Missing.WHICH, entity=kind or entity)
        return Target(name=self.name(name), literal=self.name(literal), entity=kind or entity, project=project)

    def points(self, part: str) -> bool:
        """Whether ``part`` is a pronoun, or another word for a row that was shown before."""
        literal = part.strip(EDGES)
        return self._place(literal) is not None or bool(self.pattern(self.grammar.pronouns).fullmatch(literal))

    def _place(self, literal: str) -> Place | None:
        return next((place for words, place in self.grammar.places if self.pattern(words).fullmatch(literal)), None)

    def _kind_in(self, text: str) -> RowKind | None:
        return next((kind for kind in RowKind if self.pattern(rf".*\b{{{kind}_noun}}").fullmatch(text)), None)

    def _split_noun(self, text: str, entity: RowKind | None) -> tuple[str, RowKind | None]:
        """``text`` without article and noun, and the noun's kind. Only nouns of ``entity`` count if it is given."""
        if other := self.pattern(self.grammar.stand_in).fullmatch(text):
            return other["rest"], entity
        bare = self.pattern("{article}(?P<rest>.+)").fullmatch(text)
        text = bare["rest"] if bare else text
        mark = self.grammar.creation.title_mark
        for kind in RowKind if entity is None else (entity,):
            before = self.pattern(rf"{{{kind}_noun}}(?:(?: (?:{mark}))?[ :]+(?P<rest>.+)|)").fullmatch(text)
            after = self.pattern(f"(?P<rest>.+) {{{kind}_noun}}").fullmatch(text)
            if match := before or after:
                return match["rest"] or "", kind
        return text, None
