"""An inverted index of one user's exchanges in memory. Pure.

The postings of a word are the passages (a few sentences) in which it occurs; those of exchanges and conversations
follow from them. ``memory/search/matching.py`` compares a question with the index.

A *side* of an exchange is its message or its answer. Exchanges have a *position* in the index, and passages a *number*.
"""

import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memory.search.bm25 import Flags, Floats, Integers, Layout, idf, idfs, lay_out, runs
from memory.search.change_words import confirms_change
from memory.search.dates import Span, may_have_date, named_spans
from memory.search.exchanges import IndexedExchange, Passage
from memory.search.kinds import LONG_ANSWER_CHARS, Kind, has_any_bit, kinds_of
from memory.search.named_days import NamedDays
from memory.search.speakers import Speakers
from memory.search.terms import NUMBER_BYTES, NumberLists, Terms
from memory.search.values import NumberedValues, ValueType, values_of
from memory.search.vocabulary import STOP_WORDS
from memory.search.words import comparable, language_of, passages_of, speaker_of, stems_of, words_of

LONG_ANSWER_WEIGHT: Final = 0.15
"""The weight of an occurrence of a word in a long answer; elsewhere it is 1."""

_ID_BYTES: Final = 16
_UNNAMED: Final = "\0"
"""The prefix of the generated names of conversations that have none."""
_LANGUAGE_CHARS: Final = 500
"""How much of a text is examined to recognize its language."""
_EXCHANGE_BYTES: Final = 250
"""The size of an exchange in all columns, without its texts."""
_PASSAGE_BYTES: Final = 30


class ExchangeIndex:
    """The exchanges of one user. Not thread-safe."""

    def __init__(self) -> None:
        self.oldest: datetime | None = None
        """The time of the earliest exchange that was ever added, if any."""
        self._size = 0
        # Columns, and ids as integers: the garbage collector, which stops the whole process, would have to examine an
        # object for each exchange.
        self._ids = bytearray()
        self._messages: list[str] = []
        self._responses: list[str] = []
        self._times: list[datetime] = []
        self._user_languages: list[str] = []
        self._user_language_of = array("H")
        self._alive = array("B")
        self._positions: dict[int, int] = {}
        self._timestamps = array("d")
        self._days = array("i")
        self._conversations: dict[str, int] = {}
        self._conversation_names: list[str] = []
        self._conversation_of = array("I")
        self._first_passages = array("I")
        self._exchange_of = array("I")
        self._bounds = array("I")
        self._kinds = array("I")
        self._stems = NumberLists()
        self._values = NumberedValues()
        self._named_days = NamedDays()
        self._speakers = Speakers()
        self._terms = Terms()
        self._languages: Counter[str] = Counter()
        self._layout: Layout | None = None
        self._novelty: Floats | None = None

    def __len__(self) -> int:
        return len(self._positions)

    @property
    def size(self) -> int:
        """The approximate size in bytes."""
        return self._size + self._terms.size + self._values.size + self._named_days.size + self._speakers.size

    def __contains__(self, row_id: UUID) -> bool:
        return row_id.int in self._positions

    @property
    def position_count(self) -> int:
        """The number of exchanges that were ever added. A removed one leaves its position empty."""
        return len(self._messages)

    def exchange(self, position: int) -> IndexedExchange:
        """The exchange at a position. Raises ``IndexError`` if it was removed."""
        if not self._alive[position]:
            raise IndexError(position)
        name = self._conversation_names[self._conversation_of[position]]
        return IndexedExchange(
            id=self.id_at(position),
            at=self._times[position],
            session_id="" if name.startswith(_UNNAMED) else name,
            message=self._messages[position],
            response=self._responses[position],
            language=self._user_languages[self._user_language_of[position]],
        )

    def id_at(self, position: int) -> UUID:
        """The id of the exchange at a position."""
        return UUID(bytes=bytes(self._ids[_ID_BYTES * position : _ID_BYTES * (position + 1)]))

    def time_at(self, position: int) -> datetime:
        """The time of the exchange at a position."""
        return self._times[position]

    def position_of(self, row_id: UUID) -> int | None:
        return self._positions.get(row_id.int)

    def positions_of(self, texts: AbstractSet[str]) -> list[int]:
        """The positions of the exchanges whose message and answer are both among ``texts``."""
        sides = enumerate(zip(self._messages, self._responses, strict=True))
        return [position for position, (message, response) in sides if message in texts and response in texts]

    def passage(self, number: int) -> Passage:
        """The passage with this number."""
        position = self._exchange_of[number]
        message = self._messages[position]
        begin, end = self._bounds[2 * number], self._bounds[2 * number + 1]
        is_answer = begin >= len(message)
        text, offset = (self._responses[position], len(message)) if is_answer else (message, 0)
        return Passage(exchange=position, is_answer=is_answer, text=text[begin - offset : end - offset].strip())

    def of_kind(self, kind: Kind) -> Flags:
        """For each passage, whether it is of this kind."""
        return has_any_bit(self.layout().kinds, kind)

    def is_kind(self, number: int, kind: Kind) -> bool:
        """Whether the passage with this number is of this kind."""
        return bool(self._kinds[number] & kind)

    def add(self, exchange: IndexedExchange) -> None:
        """Add an exchange. It replaces one with the same id."""
        self.remove(exchange.id)
        position = self.position_count
        self.oldest = exchange.at if self.oldest is None else min(self.oldest, exchange.at)
        self._ids += exchange.id.bytes
        self._messages.append(exchange.message)
        self._responses.append(exchange.response)
        if exchange.language not in self._user_languages:
            self._user_languages.append(exchange.language)
        self._user_language_of.append(self._user_languages.index(exchange.language))
        self._times.append(exchange.at)
        self._alive.append(1)
        self._positions[exchange.id.int] = position
        self._timestamps.append(exchange.at.timestamp())
        self._days.append(exchange.at.date().toordinal())
        # The exchanges of a day that name no conversation are one.
        name = exchange.session_id or f"{_UNNAMED}{exchange.at:%Y-%m-%d}"
        if name not in self._conversations:
            self._conversations[name] = len(self._conversation_names)
            self._conversation_names.append(name)
        self._conversation_of.append(self._conversations[name])
        self._first_passages.append(len(self._exchange_of))
        kind = Kind.CHANGE_CONFIRMED * confirms_change(exchange.response)
        terms = self._add_side(exchange, exchange.message, 0, kind=kind)
        kind = Kind.ANSWER | Kind.LONG_ANSWER * (len(exchange.response) > LONG_ANSWER_CHARS)
        terms |= self._add_side(exchange, exchange.response, len(exchange.message), kind=kind)
        new = [term for term in terms if self._count_term(term, position)]
        self._size += _EXCHANGE_BYTES + sys.getsizeof(exchange.message) + sys.getsizeof(exchange.response)
        self._layout = None
        if self._novelty is not None:
            weight = sum(self.idf(self._terms.exchanges[term]) for term in new)
            self._novelty = np.append(self._novelty, np.float32(weight))

    def _add_side(self, exchange: IndexedExchange, text: str, offset: int, *, kind: int) -> set[int]:
        """Add the passages of one side, and return its terms. ``offset`` is where ``text`` begins in the exchange."""
        language = language_of(words_of(text[:_LANGUAGE_CHARS]), exchange.language)
        found: set[int] = set()
        speaker = speaker_of(text)
        for begin, end in passages_of(text):
            number = len(self._exchange_of)
            self._speakers.add(speaker, number)
            passage = text[begin:end]
            plain = comparable(passage)
            words = words_of(plain)
            terms = [self._terms.add(stem, number) for stem in stems_of(words, language)]
            self._exchange_of.append(self.position_count - 1)
            self._bounds.extend((begin + offset, end + offset))
            self._stems.append(terms)
            self._size += _PASSAGE_BYTES + 2 * NUMBER_BYTES * len(terms)
            # The days and numbers in long answers are mostly advice, not about the user.
            self._add_values(number, exchange.at.date(), passage, plain, () if kind & Kind.LONG_ANSWER else words)
            kinds = kind | Kind.FOREIGN * (language not in STOP_WORDS)
            if not kind & Kind.ANSWER:
                kinds |= kinds_of(passage, plain, words, exchange.response, is_first=not begin)
            self._kinds.append(kinds)
            found.update(terms)
        if found:
            self._languages[language] += 1
        return found

    def _add_values(self, number: int, day: date, passage: str, plain: str, words: Sequence[str]) -> None:
        """Add the dates and values in a passage of ``day``; as ``comparable``, it is ``plain`` with these ``words``."""
        if may_have_date(words):
            self._named_days.add(number, named_spans(passage, day))
        self._values.append(values_of(passage, plain, words) if words else {})

    def _count_term(self, term: int, position: int) -> bool:
        """Count an exchange with ``term``. Returns whether it is the earliest one."""
        terms = self._terms
        terms.exchanges[term] += 1
        earliest = terms.exchanges[term] == 1 or self._timestamps[position] < self._timestamps[terms.first[term]]
        if earliest:
            terms.first[term] = position
        return earliest

    def remove(self, row_id: UUID) -> bool:
        """Remove an exchange and its texts. Returns whether it existed."""
        return self.remove_id(row_id.int)

    def remove_others(self, kept: AbstractSet[int]) -> None:
        """Remove the exchanges whose ids, as integers, are not ``kept``."""
        for row_id in self._positions.keys() - kept:
            self.remove_id(row_id)

    def remove_id(self, row_id: int) -> bool:
        """As ``remove``, by the id as an integer."""
        position = self._positions.pop(row_id, None)
        if position is None:
            return False
        self._size -= sys.getsizeof(self._messages[position]) + sys.getsizeof(self._responses[position])
        self._messages[position] = self._responses[position] = ""
        self._alive[position] = 0
        self._layout = None
        return True

    @property
    def languages(self) -> Sequence[str]:
        """The languages of the exchanges (ISO 639-1), in alphabetical order."""
        return sorted(self._languages)

    def spoken_by(self, names: Iterable[str]) -> Flags:
        """For each passage, whether its side begins with one of these names (folded) and a colon."""
        return self._speakers.spoken_by(names, len(self._exchange_of))

    def speakers(self) -> list[str]:
        """The names (folded) of the speakers in pasted chats."""
        return self._speakers.in_pasted_chats()

    def passage_exchanges(self) -> Integers:
        """For each passage, the position of its exchange."""
        return self.layout().passage_exchanges

    def times(self) -> NDArray[np.float64]:
        """For each exchange, its time in seconds since 1970."""
        return np.array(self._timestamps)

    def said_within(self, spans: Sequence[Span]) -> Floats:
        """For each exchange, 1 if it is of a day in one of these spans, else 0."""
        days, within = np.array(self._days), np.zeros(self.position_count, np.float32)
        for span in spans:
            within[(days >= span.first.toordinal()) & (days <= span.last.toordinal())] = 1
        return within * self.layout().alive

    def naming(self, spans: Sequence[Span]) -> Floats:
        """For each passage, the greatest overlap (0 to 1) of a span that it mentions with one of ``spans``."""
        overlaps = self._named_days.overlaps(spans, len(self._exchange_of))
        return overlaps * self.layout().alive[self.passage_exchanges()]

    def novelty(self) -> Floats:
        """For each exchange, the weight (idf) of the words that it was the first to use, divided by the highest one.

        It is computed once for all exchanges. An exchange that is added later does not change those of others.
        """
        if self._novelty is None:
            weights = idfs(self.position_count, np.array(self._terms.exchanges))
            first = np.array(self._terms.first, np.intp)
            self._novelty = np.bincount(first, weights, minlength=self.position_count).astype(np.float32)
        return self._novelty / max(float(self._novelty.max(initial=0.0)), 1e-9)

    def having(self, stems: Iterable[str]) -> Flags:
        """For each passage, including removed ones, whether it has any of these stems."""
        found = np.zeros(len(self._exchange_of), np.bool_)
        found[self._terms.occurring(self._terms.find_all(stems))[0]] = True
        return found

    def occurrences(self, groups: Sequence[Iterable[str]]) -> tuple[Integers, Integers, Integers]:
        """Where stems of ``groups`` occur, as three arrays: the passage, the group, and the number of occurrences."""
        found = [self._terms.find_all(stems) for stems in groups]
        passages, which = self._terms.occurring([term for terms in found for term in terms])
        group = np.repeat(np.arange(len(found)), list(map(len, found)))
        return self._counted(passages, group[which], ordered=len(group) == len(set(group.tolist())))

    def occurrences_of(self, terms: Sequence[int]) -> tuple[Integers, Integers, Integers]:
        """As ``occurrences``, for terms."""
        return self._counted(*self._terms.occurring(terms), ordered=True)

    def _counted(self, passages: Integers, which: Integers, *, ordered: bool) -> tuple[Integers, Integers, Integers]:
        """As ``occurrences``, from the passage and group of each occurrence. ``ordered``: whether they are sorted."""
        # One number for both is faster to sort and compare than two.
        first = which * len(self._exchange_of)
        passages += first
        if not ordered:
            passages.sort()
        begins, times = runs(passages)
        passages, which = passages[begins] - first[begins], which[begins]
        if len(self._positions) == self.position_count:
            return passages, which, times
        alive = self.layout().alive[self.layout().passage_exchanges[passages]]
        return passages[alive], which[alive], times[alive]

    def opening_passages(self, position: int, chars: int) -> list[int]:
        """The passages that begin in the first ``chars`` characters of a side of an exchange; none of a long answer."""
        message = len(self._messages[position])
        first = self._first_passages[position]
        last = self._first_passages[position + 1] if position + 1 < self.position_count else len(self._exchange_of)
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
        """The terms of these passages, and for each the index of its passage in ``passages``."""
        return self._stems.joined(passages)

    def terms_of(self, stems: Iterable[str]) -> list[int]:
        """The terms of the stems that occur."""
        return self._terms.find_all(stems)

    def term_list(self, passage: int) -> Sequence[int]:
        """The terms of a passage, in order."""
        return self._stems[passage]

    def values_in(self, passages: Iterable[int]) -> tuple[Integers, Integers, Integers]:
        """The values of these passages, the type of each, and the index of its passage in ``passages``."""
        return self._values.joined(passages)

    def numbers_of(self, values: Mapping[ValueType, AbstractSet[str]]) -> list[int]:
        """The numbers, as in ``values_in``, of the ``values`` that occur."""
        return self._values.numbers_of(values)

    def is_name(self, word: str) -> bool:
        """Whether ``word`` (folded) is a name in any passage."""
        return self._values.is_name(word)

    def frequencies(self, terms: Integers) -> Integers:
        """For each term, in how many exchanges it occurs, including removed ones."""
        found: Integers = np.frombuffer(self._terms.exchanges, np.uint32)[terms].astype(np.intp)
        return found

    def are_words(self, terms: Integers) -> Flags:
        """For each term, whether it has letters and more than two characters."""
        found: Flags = np.frombuffer(self._terms.is_word, np.bool_)[terms]
        return found

    def are_common(self, terms: Integers) -> Flags:
        """For each term, whether it is a common word, which says nothing about a topic."""
        found: Flags = np.frombuffer(self._terms.is_common, np.bool_)[terms]
        return found

    def frequency(self, stem: str) -> int:
        """In how many exchanges the stem occurs, including removed ones."""
        term = self._terms.find(stem)
        return 0 if term is None else self._terms.exchanges[term]

    def idf(self, occurring: int) -> float:
        """The weight of a word that occurs in ``occurring`` exchanges."""
        return idf(len(self._positions), occurring)

    def idfs(self, occurring: Integers) -> Floats:
        """As ``idf``, for many words."""
        return idfs(len(self._positions), occurring)

    def layout(self) -> Layout:
        """What is computed from all exchanges together. Valid until the next change."""
        if self._layout is None:
            passage_exchanges, alive = np.array(self._exchange_of, np.intp), np.array(self._alive, np.bool_)
            # Removed passages are of no kind, so that they are not recalled as preferences.
            kinds = np.array(self._kinds) * alive[passage_exchanges]
            bounds = np.array(self._bounds, np.float32)
            self._layout = lay_out(
                passage_exchanges=passage_exchanges,
                lengths=self._stems.lengths().astype(np.float32),
                chars=bounds[1::2] - bounds[::2],
                kinds=kinds,
                weights=np.where(kinds & Kind.LONG_ANSWER, np.float32(LONG_ANSWER_WEIGHT), np.float32(1)),
                alive=alive,
                conversation=np.array(self._conversation_of, np.intp),
                times=np.array(self._timestamps),
            )
        return self._layout
