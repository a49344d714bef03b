"""An inverted index of one user's exchanges in memory. Pure.

The postings of a word name the passages (a few sentences) in which it occurs; what whole exchanges and conversations
have follows from them. ``memory/search/matching.py`` compares a question with it. An ``ExchangeIndex`` is not safe for
several threads at once.
"""

import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntFlag
from typing import Final
from uuid import UUID

import numpy as np

from memory.search.bm25 import Flags, Floats, Integers, Layout, idf, lay_out
from memory.search.dates import Span, may_name, named_spans
from memory.search.words import (
    is_preference,
    is_standing_instruction,
    language_of,
    passages_of,
    speaker_of,
    stems_of,
    words_of,
)

LONG_ANSWER_CHARS: Final = 600
"""An answer with more is mostly advice that can be given again; what the user said is not."""
LONG_ANSWER_WEIGHT: Final = 0.15
"""What an occurrence of a word in a long answer counts, of one in what the user said."""

_MANY_SAID: Final = 10
"""Passages."""
_LANGUAGE_CHARS: Final = 500
"""As much of a text says which language it is in."""
_EXCHANGE_BYTES: Final = 420
"""An exchange without its texts: objects, ids, times."""
_PASSAGE_BYTES: Final = 20
_TERM_BYTES: Final = 260
"""A term without its postings: objects and its place in the dictionary."""
_SPAN_BYTES: Final = 250
_POSTING_BYTES: Final = 5
"""A posting is 4 bytes; arrays keep an eighth of their length free."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """An exchange to search. Without words ``message`` is its summary.

    ``at`` is in the time zone in which the days it names are meant. ``language`` is the user's (an IETF tag).
    """

    id: UUID
    at: datetime
    session_id: str
    message: str
    response: str
    language: str = "en"


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """A part of one side of an exchange, the exchange by its place in the index."""

    exchange: int
    answered: bool
    text: str


class Kind(IntFlag):
    """What a passage is besides its words."""

    LONG_ANSWER = 1
    """A part of a long answer."""
    OPENING = 2
    """How a message with a long answer begins."""
    PREFERENCE = 4
    """Where the user says how something is to be done, or what the user prefers."""
    STANDING = 8
    """Where the user says how something is always to be done."""


class _Term:
    """Where a stem occurs: the passage of each occurrence, how many exchanges, and the earliest one."""

    __slots__ = ("exchanges", "first", "passages")

    def __init__(self, first: int) -> None:
        self.passages = array("I")
        self.exchanges = 0
        self.first = first


class ExchangeIndex:
    """The exchanges of one user. ``size`` is about how many bytes it takes."""

    def __init__(self) -> None:
        self.size = 0
        self._said: list[Said | None] = []
        self._places: dict[UUID, int] = {}
        self._at = array("d")
        self._days = array("i")
        self._conversations: dict[str, int] = {}
        self._conversation_of = array("I")
        self._passage_of = array("I")
        self._bounds = array("I")
        self._lengths = array("I")
        self._kinds = array("B")
        self._spans: list[tuple[int, Span]] = []
        self._spoken: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
        self._terms: dict[str, _Term] = {}
        self._languages: Counter[str] = Counter()
        self._layout: Layout | None = None
        self._novelty: Floats | None = None

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, row_id: UUID) -> bool:
        return row_id in self._places

    @property
    def places(self) -> int:
        """How many exchanges were ever added; those removed leave their place empty."""
        return len(self._said)

    @property
    def ids(self) -> Iterable[UUID]:
        return self._places.keys()

    def said(self, place: int) -> Said:
        """The exchange at a place that is not empty."""
        found = self._said[place]
        if found is None:
            raise IndexError(place)
        return found

    def place_of(self, row_id: UUID) -> int | None:
        return self._places.get(row_id)

    def passage(self, number: int) -> Passage:
        """The passage with this number."""
        place = self._passage_of[number]
        said = self.said(place)
        begin, end = self._bounds[2 * number], self._bounds[2 * number + 1]
        answered = begin >= len(said.message)
        text, offset = (said.response, len(said.message)) if answered else (said.message, 0)
        return Passage(exchange=place, answered=answered, text=text[begin - offset : end - offset].strip())

    def kinds(self, kind: Kind) -> Flags:
        """Whether each passage is of this kind."""
        found: Flags = (np.array(self._kinds) & kind) != 0
        return found

    def add(self, said: Said) -> None:
        """Add an exchange, in place of an earlier one with the same id."""
        self.remove(said.id)
        place = len(self._said)
        self._said.append(said)
        self._places[said.id] = place
        self._at.append(said.at.timestamp())
        self._days.append(said.at.date().toordinal())
        # Without a conversation's name, a day is one.
        name = said.session_id or f"\0{said.at:%Y-%m-%d}"
        self._conversation_of.append(self._conversations.setdefault(name, len(self._conversations)))
        stems: set[str] = set()
        begins_at = len(self._lengths)
        stems.update(self._add_side(said, said.message, 0))
        answer_at = len(self._lengths)
        stems.update(self._add_side(said, said.response, len(said.message)))
        self._set_kinds(said, begins_at, answer_at)
        new = [stem for stem in stems if self._count(stem, place)]
        self.size += _EXCHANGE_BYTES + sys.getsizeof(said.message) + sys.getsizeof(said.response)
        self._layout = None
        if self._novelty is not None:
            weight = sum(self.idf(self._terms[stem].exchanges) for stem in new)
            self._novelty = np.append(self._novelty, np.float32(weight))

    def _add_side(self, said: Said, text: str, offset: int) -> set[str]:
        """Add the passages of one side, and return its stems. ``offset`` is where ``text`` begins in the exchange."""
        place = self._places[said.id]
        language = language_of(words_of(text[:_LANGUAGE_CHARS]), said.language)
        stems: set[str] = set()
        speaker = speaker_of(text)
        # Advice is full of dates that no one has.
        has_dates = not (offset and len(text) > LONG_ANSWER_CHARS)
        for begin, end in passages_of(text):
            number = len(self._lengths)
            for name in speaker:
                self._spoken[name].append(number)
                self.size += _POSTING_BYTES
            words = words_of(text[begin:end])
            found = stems_of(words, language)
            self._passage_of.append(place)
            self._bounds.extend((begin + offset, end + offset))
            self._lengths.append(len(found))
            for stem in found:
                term = self._terms.get(stem)
                if term is None:
                    term = self._terms[stem] = _Term(place)
                    self.size += _TERM_BYTES + len(stem)
                term.passages.append(number)
            self.size += _PASSAGE_BYTES + _POSTING_BYTES * len(found)
            if has_dates and may_name(words):
                spans = named_spans(text[begin:end], said.at.date())
                self._spans += [(number, span) for span in spans]
                self.size += _SPAN_BYTES * len(spans)
            stems.update(found)
        if stems:
            self._languages[language] += 1
        return stems

    def _set_kinds(self, said: Said, begins_at: int, answer_at: int) -> None:
        is_long = len(said.response) > LONG_ANSWER_CHARS
        for number in range(begins_at, len(self._lengths)):
            kind = Kind(0)
            if number >= answer_at:
                kind |= Kind.LONG_ANSWER if is_long else Kind(0)
            else:
                kind |= Kind.OPENING if is_long and number == begins_at else Kind(0)
                text = self.passage(number).text
                kind |= Kind.PREFERENCE if is_preference(text) else Kind(0)
                kind |= Kind.STANDING if is_standing_instruction(text) else Kind(0)
            self._kinds.append(kind)

    def _count(self, stem: str, place: int) -> bool:
        """Whether the exchange at ``place`` is the earliest one with ``stem``."""
        term = self._terms[stem]
        term.exchanges += 1
        earliest = term.exchanges == 1 or self._at[place] < self._at[term.first]
        if earliest:
            term.first = place
        return earliest

    def remove(self, row_id: UUID) -> bool:
        """Remove an exchange and its texts. Return whether there was one."""
        place = self._places.pop(row_id, None)
        if place is None:
            return False
        said = self.said(place)
        self._said[place] = None
        self.size -= sys.getsizeof(said.message) + sys.getsizeof(said.response)
        self._layout = None
        return True

    @property
    def languages(self) -> Sequence[str]:
        """The languages of the exchanges, as ISO 639-1, in alphabetical order."""
        return sorted(self._languages)

    def has_long_answer(self, place: int) -> bool:
        """Whether the exchange at a place that is not empty has a long answer."""
        return len(self.said(place).response) > LONG_ANSWER_CHARS

    def spoken_by(self, names: Iterable[str]) -> Flags:
        """Whether each passage is of a side that begins with one of these names (folded) and a colon."""
        found = np.zeros(len(self._lengths), np.bool_)
        for name in names:
            if name in self._spoken:
                found[np.array(self._spoken[name])] = True
        return found

    def is_speaker(self, names: Iterable[str]) -> bool:
        """Whether these names (folded) begin many passages, as in copied chats: “Budget: 400” does not make one."""
        return all(len(self._spoken.get(name, ())) >= _MANY_SAID for name in names)

    def passage_places(self) -> Integers:
        """The exchange's place of each passage."""
        return self.layout().of_passage

    def passage_lengths(self) -> Floats:
        """The characters of each passage."""
        bounds = np.array(self._bounds, np.float32)
        return bounds[1::2] - bounds[::2]

    def said_within(self, spans: Sequence[Span]) -> Floats:
        """1 for each exchange that was on a day of these spans, else 0."""
        days, within = np.array(self._days), np.zeros(len(self._said), np.float32)
        for span in spans:
            within[(days >= span.first.toordinal()) & (days <= span.last.toordinal())] = 1
        return within * self.layout().alive

    def naming(self, spans: Sequence[Span]) -> Floats:
        """For each passage the greatest overlap (0 to 1) of a span that it names with one of ``spans``."""
        found = np.zeros(len(self._lengths), np.float32)
        for number, named in self._spans:
            if self._said[self._passage_of[number]] is not None:
                found[number] = max(found[number], *(named.overlap(span) for span in spans))
        return found

    def novelty(self) -> Floats:
        """The weight (idf) of the words that each exchange was the first to use, scaled to the highest.

        Computed for all exchanges once; an exchange added later has its own, and leaves the others' as they are.
        """
        if self._novelty is None:
            terms = list(self._terms.values())
            first = np.fromiter((term.first for term in terms), np.intp, len(terms))
            counts = np.fromiter((term.exchanges for term in terms), np.float32, len(terms))
            weights = np.log1p((len(self._said) - counts + 0.5) / (counts + 0.5))
            self._novelty = np.bincount(first, weights, minlength=len(self._said)).astype(np.float32)
        return self._novelty / max(float(self._novelty.max(initial=0.0)), 1e-9)

    def occurrences(self, stems: frozenset[str]) -> tuple[Integers, Integers]:
        """The passages with any of the stems, in order, and how often each has them."""
        found = [np.array(self._terms[stem].passages) for stem in stems if stem in self._terms]
        if not found:
            return np.zeros(0, np.intp), np.zeros(0, np.intp)
        passages = found[0] if len(found) == 1 else np.sort(np.concatenate(found))
        # Each stem's passages are in order, with repetitions.
        begins = np.flatnonzero(np.concatenate(([True], passages[1:] != passages[:-1])))
        number = passages[begins].astype(np.intp)
        times = np.concatenate((begins[1:], [len(passages)])) - begins
        layout = self.layout()
        alive = layout.alive[layout.of_passage[number]]
        return number[alive], times[alive]

    def frequency(self, stem: str) -> int:
        """In how many exchanges the stem occurs; those removed count."""
        term = self._terms.get(stem)
        return 0 if term is None else term.exchanges

    def idf(self, occurring: int) -> float:
        """The weight of a word that occurs in so many exchanges."""
        return idf(len(self._places), occurring)

    def layout(self) -> Layout:
        """What follows from all exchanges together; it holds until the next change."""
        if self._layout is None:
            self._layout = lay_out(
                of_passage=np.array(self._passage_of, np.intp),
                lengths=np.array(self._lengths, np.float32),
                weights=np.where(self.kinds(Kind.LONG_ANSWER), np.float32(LONG_ANSWER_WEIGHT), np.float32(1)),
                alive=np.fromiter((said is not None for said in self._said), np.bool_, len(self._said)),
                conversation=np.array(self._conversation_of, np.intp),
                times=np.array(self._at),
            )
        return self._layout
