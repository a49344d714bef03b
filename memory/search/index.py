"""An inverted index of one user's exchanges in memory. Pure.

The postings of a word are the passages (a few sentences) in which it occurs; those of exchanges and conversations
follow from them. ``memory/search/matching.py`` compares a question with the index. An ``ExchangeIndex`` is not
thread-safe.

A *side* of an exchange is its message or its answer. A *place* is the position of an exchange in the index.
"""

import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memory.search.bm25 import Flags, Floats, Integers, Layout, idf, idfs, lay_out, runs
from memory.search.change_words import answers_change
from memory.search.dates import Span, may_name, named_spans
from memory.search.exchanges import Passage, Said
from memory.search.kinds import LONG_ANSWER_CHARS, Kind, are_of, kind_of
from memory.search.named_days import NamedDays
from memory.search.persons import may_be_name
from memory.search.terms import NUMBER_BYTES, NumberLists, Terms
from memory.search.values import NumberedValues, Value, values_of
from memory.search.vocabulary import LABELS, STOP_WORDS
from memory.search.words import comparable, language_of, passages_of, speaker_of, stems_of, words_of

LONG_ANSWER_WEIGHT: Final = 0.15
"""The weight of an occurrence of a word in a long answer; one in the user's message has 1."""

_MANY_PASSAGES: Final = 10
"""Someone with at least so many passages counts as a speaker in copied chats."""
_ID_BYTES: Final = 16
_UNNAMED: Final = "\0"
"""The prefix of the generated names of conversations without a name."""
_LANGUAGE_CHARS: Final = 500
"""How much of a text is examined to recognize its language."""
_EXCHANGE_BYTES: Final = 250
"""The size of an exchange in all columns, without its texts."""
_PASSAGE_BYTES: Final = 30


class ExchangeIndex:
    """The exchanges of one user."""

    def __init__(self) -> None:
        self.oldest: datetime | None = None
        """The time of the earliest exchange that was ever added."""
        self._size = 0
        # In columns, and ids as integers: the garbage collector, which stops the whole process, would have to examine
        # an object for each exchange.
        self._ids = bytearray()
        self._messages: list[str] = []
        self._responses: list[str] = []
        self._said_at: list[datetime] = []
        self._spoken_languages: list[str] = []
        self._spoken_language_of = array("H")
        self._alive = array("B")
        self._places: dict[int, int] = {}
        self._at = array("d")
        self._days = array("i")
        self._conversations: dict[str, int] = {}
        self._conversation_names: list[str] = []
        self._conversation_of = array("I")
        self._first_passages = array("I")
        self._passage_of = array("I")
        self._bounds = array("I")
        self._kinds = array("I")
        self._stems = NumberLists()
        self._values = NumberedValues()
        self._named_days = NamedDays()
        self._spoken: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
        self._terms = Terms()
        self._languages: Counter[str] = Counter()
        self._layout: Layout | None = None
        self._novelty: Floats | None = None

    def __len__(self) -> int:
        return len(self._places)

    @property
    def size(self) -> int:
        """Its approximate size in bytes."""
        return self._size + self._terms.size + self._values.size + self._named_days.size

    def __contains__(self, row_id: UUID) -> bool:
        return row_id.int in self._places

    @property
    def places(self) -> int:
        """The number of exchanges that were ever added. A removed one leaves its place empty."""
        return len(self._messages)

    def said(self, place: int) -> Said:
        """The exchange at a place. Raises ``IndexError`` if it was removed."""
        if not self._alive[place]:
            raise IndexError(place)
        name = self._conversation_names[self._conversation_of[place]]
        return Said(
            id=self.id_at(place),
            at=self._said_at[place],
            session_id="" if name.startswith(_UNNAMED) else name,
            message=self._messages[place],
            response=self._responses[place],
            language=self._spoken_languages[self._spoken_language_of[place]],
        )

    def id_at(self, place: int) -> UUID:
        """The id of the exchange at a place."""
        return UUID(bytes=bytes(self._ids[_ID_BYTES * place : _ID_BYTES * (place + 1)]))

    def said_at(self, place: int) -> datetime:
        """The time of the exchange at a place."""
        return self._said_at[place]

    def place_of(self, row_id: UUID) -> int | None:
        return self._places.get(row_id.int)

    def places_of(self, texts: AbstractSet[str]) -> list[int]:
        """The places of the exchanges whose message and answer are both among ``texts``."""
        sides = enumerate(zip(self._messages, self._responses, strict=True))
        return [place for place, (message, response) in sides if message in texts and response in texts]

    def passage(self, number: int) -> Passage:
        """The passage with this number."""
        place = self._passage_of[number]
        message = self._messages[place]
        begin, end = self._bounds[2 * number], self._bounds[2 * number + 1]
        answered = begin >= len(message)
        text, offset = (self._responses[place], len(message)) if answered else (message, 0)
        return Passage(exchange=place, answered=answered, text=text[begin - offset : end - offset].strip())

    def kinds(self, kind: Kind) -> Flags:
        """For each passage, whether it is of this kind."""
        return are_of(self.layout().kinds, kind)

    def is_kind(self, number: int, kind: Kind) -> bool:
        """Whether the passage with this number is of this kind."""
        return bool(self._kinds[number] & kind)

    def add(self, said: Said) -> None:
        """Add an exchange. It replaces one with the same id."""
        self.remove(said.id)
        place = self.places
        self.oldest = said.at if self.oldest is None else min(self.oldest, said.at)
        self._ids += said.id.bytes
        self._messages.append(said.message)
        self._responses.append(said.response)
        if said.language not in self._spoken_languages:
            self._spoken_languages.append(said.language)
        self._spoken_language_of.append(self._spoken_languages.index(said.language))
        self._said_at.append(said.at)
        self._alive.append(1)
        self._places[said.id.int] = place
        self._at.append(said.at.timestamp())
        self._days.append(said.at.date().toordinal())
        # The exchanges of a day without a conversation's name are one conversation.
        name = said.session_id or f"{_UNNAMED}{said.at:%Y-%m-%d}"
        if name not in self._conversations:
            self._conversations[name] = len(self._conversation_names)
            self._conversation_names.append(name)
        self._conversation_of.append(self._conversations[name])
        self._first_passages.append(len(self._passage_of))
        kind = Kind.CHANGE_ANSWERED * answers_change(said.response)
        terms = self._add_side(said, said.message, 0, kind=kind)
        kind = Kind.ANSWER | Kind.LONG_ANSWER * (len(said.response) > LONG_ANSWER_CHARS)
        terms |= self._add_side(said, said.response, len(said.message), kind=kind)
        new = [term for term in terms if self._count(term, place)]
        self._size += _EXCHANGE_BYTES + sys.getsizeof(said.message) + sys.getsizeof(said.response)
        self._layout = None
        if self._novelty is not None:
            weight = sum(self.idf(self._terms.exchanges[term]) for term in new)
            self._novelty = np.append(self._novelty, np.float32(weight))

    def _add_side(self, said: Said, text: str, offset: int, *, kind: int) -> set[int]:
        """Add the passages of one side, and return its terms. ``offset`` is where ``text`` begins in the exchange."""
        language = language_of(words_of(text[:_LANGUAGE_CHARS]), said.language)
        found: set[int] = set()
        speaker = speaker_of(text)
        for begin, end in passages_of(text):
            number = len(self._passage_of)
            for name in speaker:
                self._spoken[name].append(number)
                self._size += NUMBER_BYTES
            passage = text[begin:end]
            plain = comparable(passage)
            words = words_of(plain)
            terms = [self._terms.add(stem, number) for stem in stems_of(words, language)]
            self._passage_of.append(self.places - 1)
            self._bounds.extend((begin + offset, end + offset))
            self._stems.append(terms)
            self._size += _PASSAGE_BYTES + 2 * NUMBER_BYTES * len(terms)
            # Advice is full of days and numbers that are nobody's.
            self._add_values(number, said, passage, plain, () if kind & Kind.LONG_ANSWER else words)
            is_said = not kind & Kind.ANSWER
            of_words = kind_of(passage, plain, words, said.response, is_first=not begin) if is_said else 0
            self._kinds.append(kind | of_words | Kind.FOREIGN * (language not in STOP_WORDS))
            found.update(terms)
        if found:
            self._languages[language] += 1
        return found

    def _add_values(self, number: int, said: Said, passage: str, plain: str, words: Sequence[str]) -> None:
        """Add the days and values in a passage with these words; ``plain`` is the passage as ``comparable``."""
        if may_name(words):
            self._named_days.add(number, named_spans(passage, said.at.date()))
        self._values.append(values_of(passage, plain, words) if words else {})

    def _count(self, term: int, place: int) -> bool:
        """Whether the exchange at ``place`` is the earliest one with ``term``."""
        terms = self._terms
        terms.exchanges[term] += 1
        earliest = terms.exchanges[term] == 1 or self._at[place] < self._at[terms.first[term]]
        if earliest:
            terms.first[term] = place
        return earliest

    def remove(self, row_id: UUID) -> bool:
        """Remove an exchange and its texts. Returns whether it existed."""
        return self.remove_id(row_id.int)

    def remove_others(self, kept: AbstractSet[int]) -> None:
        """Remove the exchanges whose ids, as integers, are not ``kept``."""
        for row_id in self._places.keys() - kept:
            self.remove_id(row_id)

    def remove_id(self, row_id: int) -> bool:
        """As ``remove``, by the id as an integer."""
        place = self._places.pop(row_id, None)
        if place is None:
            return False
        self._size -= sys.getsizeof(self._messages[place]) + sys.getsizeof(self._responses[place])
        self._messages[place] = self._responses[place] = ""
        self._alive[place] = 0
        self._layout = None
        return True

    @property
    def languages(self) -> Sequence[str]:
        """The languages of the exchanges (ISO 639-1), in alphabetical order."""
        return sorted(self._languages)

    def spoken_by(self, names: Iterable[str]) -> Flags:
        """For each passage, whether its side begins with one of these names (folded) and a colon."""
        found = np.zeros(len(self._passage_of), np.bool_)
        for name in names:
            if name in self._spoken:
                found[np.array(self._spoken[name])] = True
        return found

    def speakers(self) -> list[str]:
        """The names (folded) of those who speak in copied chats, which begin many passages; none unless there are two.

        “Note:” is no name. Names that are common words (“Will”, “Mia”) count beside one that is not.
        """
        many = (name for name, passages in self._spoken.items() if len(passages) >= _MANY_PASSAGES)
        found = [name for name in many if name not in LABELS]
        return found if len(found) > 1 and any(map(may_be_name, found)) else []

    def passage_places(self) -> Integers:
        """For each passage, the place of its exchange."""
        return self.layout().of_passage

    def times(self) -> NDArray[np.float64]:
        """For each exchange, its time in seconds since 1970."""
        return np.array(self._at)

    def said_within(self, spans: Sequence[Span]) -> Floats:
        """For each exchange, 1 if it was on a day of these spans, else 0."""
        days, within = np.array(self._days), np.zeros(self.places, np.float32)
        for span in spans:
            within[(days >= span.first.toordinal()) & (days <= span.last.toordinal())] = 1
        return within * self.layout().alive

    def naming(self, spans: Sequence[Span]) -> Floats:
        """For each passage, the greatest overlap (0 to 1) of a span that it names with one of ``spans``."""
        return self._named_days.naming(spans, len(self._passage_of)) * self.layout().alive[self.passage_places()]

    def novelty(self) -> Floats:
        """For each exchange, the weight (idf) of the words that it was the first to use, divided by the highest one.

        It is computed once for all exchanges. Exchanges that are added later do not change it for the others.
        """
        if self._novelty is None:
            weights = idfs(self.places, np.array(self._terms.exchanges))
            first = np.array(self._terms.first, np.intp)
            self._novelty = np.bincount(first, weights, minlength=self.places).astype(np.float32)
        return self._novelty / max(float(self._novelty.max(initial=0.0)), 1e-9)

    def having(self, stems: Iterable[str]) -> Flags:
        """For each passage, whether it has any of these stems; including removed ones."""
        found = np.zeros(len(self._passage_of), np.bool_)
        found[self._terms.occurring(self._terms.found(stems))[0]] = True
        return found

    def occurrences(self, groups: Sequence[Iterable[str]]) -> tuple[Integers, Integers, Integers]:
        """The passages with any stem of a group, in three arrays: passages, groups, and how often the stems occur."""
        found = [self._terms.found(stems) for stems in groups]
        passages, which = self._terms.occurring([term for terms in found for term in terms])
        group = np.repeat(np.arange(len(found)), list(map(len, found)))
        return self._counted(passages, group[which], ordered=len(group) == len(set(group.tolist())))

    def occurrences_of(self, terms: Sequence[int]) -> tuple[Integers, Integers, Integers]:
        """As ``occurrences``, for terms."""
        return self._counted(*self._terms.occurring(terms), ordered=True)

    def _counted(self, passages: Integers, which: Integers, *, ordered: bool) -> tuple[Integers, Integers, Integers]:
        """As ``occurrences``, from the passage and group of each occurrence. ``ordered``: whether they are in order."""
        # A single number for both is faster to sort and to compare than two.
        first = which * len(self._passage_of)
        passages += first
        if not ordered:
            passages.sort()
        begins, times = runs(passages)
        passages, which = passages[begins] - first[begins], which[begins]
        if len(self._places) == self.places:
            return passages, which, times
        alive = self.layout().alive[self.layout().of_passage[passages]]
        return passages[alive], which[alive], times[alive]

    def opening_passages(self, place: int, chars: int) -> list[int]:
        """The passages that begin in the first ``chars`` characters of a side of an exchange; none of a long answer."""
        message = len(self._messages[place])
        first = self._first_passages[place]
        last = self._first_passages[place + 1] if place + 1 < self.places else len(self._passage_of)
        return [
            number
            for number in range(first, last)
            if not self.is_kind(number, Kind.LONG_ANSWER)
            and self._bounds[2 * number] < (message + chars if self.is_kind(number, Kind.ANSWER) else chars)
        ]

    def spellings_of(self, stem: str) -> list[str]:
        """The stems in the index that may be the same word as ``stem``, if one of the two is misspelled."""
        return self._terms.spellings.like(stem)

    def terms_in(self, passages: Iterable[int]) -> tuple[Integers, Integers]:
        """The terms of these passages in order, and for each the number of its passage among ``passages``."""
        return self._stems.joined(passages)

    def terms_of(self, stems: Iterable[str]) -> list[int]:
        """The terms of those stems that occur."""
        return self._terms.found(stems)

    def term_list(self, passage: int) -> Sequence[int]:
        """The terms of a passage, in order."""
        return self._stems[passage]

    def values_in(self, passages: Iterable[int]) -> tuple[Integers, Integers, Integers]:
        """The values of these passages, the type of each (``Value``), and the number of its passage in ``passages``."""
        return self._values.joined(passages)

    def numbers_of(self, values: Mapping[Value, AbstractSet[str]]) -> list[int]:
        """The numbers, as in ``values_in``, of those ``values`` that occur."""
        return self._values.numbers_of(values)

    def is_name(self, word: str) -> bool:
        """Whether ``word`` (folded) is written as a name anywhere."""
        return self._values.is_name(word)

    def frequencies(self, terms: Integers) -> Integers:
        """For each of the terms, in how many exchanges it occurs; including removed ones."""
        found: Integers = np.frombuffer(self._terms.exchanges, np.uint32)[terms].astype(np.intp)
        return found

    def are_words(self, terms: Integers) -> Flags:
        """For each of the terms, whether it has letters and more than two characters."""
        found: Flags = np.frombuffer(self._terms.is_word, np.bool_)[terms]
        return found

    def are_common(self, terms: Integers) -> Flags:
        """For each of the terms, whether it is a common word, which says nothing about a topic."""
        found: Flags = np.frombuffer(self._terms.is_common, np.bool_)[terms]
        return found

    def frequency(self, stem: str) -> int:
        """In how many exchanges the stem occurs; including removed ones."""
        term = self._terms.find(stem)
        return 0 if term is None else self._terms.exchanges[term]

    def idf(self, occurring: int) -> float:
        """The weight of a word that occurs in so many exchanges."""
        return idf(len(self._places), occurring)

    def idfs(self, occurring: Integers) -> Floats:
        """As ``idf``, for many words."""
        return idfs(len(self._places), occurring)

    def layout(self) -> Layout:
        """What is computed from all exchanges together. It is valid until the next change."""
        if self._layout is None:
            of_passage, alive = np.array(self._passage_of, np.intp), np.array(self._alive, np.bool_)
            # Removed passages have no value, not even as preferences.
            kinds = np.array(self._kinds) * alive[of_passage]
            bounds = np.array(self._bounds, np.float32)
            self._layout = lay_out(
                of_passage=of_passage,
                lengths=self._stems.lengths().astype(np.float32),
                chars=bounds[1::2] - bounds[::2],
                kinds=kinds,
                weights=np.where(kinds & Kind.LONG_ANSWER, np.float32(LONG_ANSWER_WEIGHT), np.float32(1)),
                alive=alive,
                conversation=np.array(self._conversation_of, np.intp),
                times=np.array(self._at),
            )
        return self._layout
