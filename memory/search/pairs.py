"""The features of many pairs of an earlier and a later passage at once, and the rules that complement them. Pure."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property, partial
from itertools import chain
from typing import Final

import numpy as np

from memory.search.bm25 import Flags, Floats, Integers, among
from memory.search.change_words import (
    ASKING,
    admits_mistake,
    deleted_titles,
    is_of_way_back,
    names_row,
    new_things,
    titles_in,
)
from memory.search.dates import calendar_stems
from memory.search.index import ExchangeIndex
from memory.search.kinds import Kind, has_any_bit
from memory.search.matching import COMMON_WEIGHT, QueryTerm
from memory.search.pair_features import MAX_WORDING, FeatureValues, PairFeature
from memory.search.pair_values import Axes, PairValues, occurring
from memory.search.persons import are_of_different_people
from memory.search.values import (
    asks_for_several,
    asks_what,
    asks_where,
    asks_whether_still,
    names_place,
)
from memory.search.wording import REPLACES, ComparedWords, compared_words, features_of_change
from memory.search.words import comparable, stems_of

_CALENDAR_WEIGHT: Final = np.float32(0.5)
"""The weight of the rarity of months, years and weekdays: anything can happen “in September”."""
_MAX_RARITY: Final = 3.0
_LONG: Final = 10
"""Passages with more words share some by coincidence."""
_MIN_LENGTH: Final = 7
"""Passages with fewer words are too short to compare their lengths."""
_MIN_TERM_RARITY: Final = 0.3
"""The minimum rarity of a word of the question: its topic may be in every exchange."""
_CONFIRMED: Final = Kind.CHANGE_CONFIRMED | Kind.DELETION_CONFIRMED


class Pairs:
    """Pairs of passages. Each array has a row for the earlier and a column for the later one of a pair.

    The earlier one is any of the first ``earlier`` of ``passages``, the later one any of the user's. ``scores`` are
    those of ``passages``, divided by the best one, and ``terms`` are the words of ``question``.
    """

    def __init__(
        self,
        index: ExchangeIndex,
        passages: Integers,
        earlier: int,
        scores: Floats,
        terms: Sequence[QueryTerm],
        question: str,
    ) -> None:
        self._index = index
        self._passages = passages
        self._count = earlier
        kinds = index.layout().kinds[passages]
        self._columns = np.flatnonzero(~has_any_bit(kinds, Kind.ANSWER))
        self._axes = Axes(earlier, self._columns)
        self._values = PairValues(index, passages, self._axes, question)
        self.later = passages[self._columns]
        self._scores = scores[self._columns]
        self._earlier_kinds, self._later_kinds = kinds[:earlier], kinds[self._columns]
        times = index.times()[index.passage_exchanges()[passages]]
        self._is_later: Flags = times[:earlier, None] < times[None, self._columns]
        self._speakers = index.speakers()
        self._plain_texts: dict[int, str] = {}
        self._words: dict[int, ComparedWords] = {}
        self._question = question
        self._plain_question = comparable(question)
        self._asks_for_several = asks_for_several(question)
        self._terms, self._has = occurring(*index.terms_in(passages.tolist()), len(passages))
        self._lengths: Floats = self._has.sum(axis=1)
        self._is_shared: Flags = self._has.sum(axis=0) > 1
        self._shared = self._has[:, self._is_shared]
        # Months, years and weekdays say little about the topic of a passage.
        calendar = {stem for language in index.languages for stem in calendar_stems(language)}
        self._is_calendar: Flags = among(self._terms, index.terms_of(calendar))
        self._common = self._axes.in_common(self._shared, self._shared)
        times_named = self._has[:, self._is_shared & self._is_calendar]
        self._shares_word: Flags = self._common > self._axes.in_common(times_named, times_named)
        self._rarity = rarity_of(index, self._terms)
        self._asked, self._unasked, weights = self._query_words(terms)
        self._is_name = np.array([each.is_name for each in terms], np.bool_)
        # Words from earlier in the conversation may be about anything.
        is_topic = [each.weight == 1 and not each.is_common and calendar.isdisjoint(each.stems) for each in terms]
        self._is_topic = np.array(is_topic, np.bool_)
        of_question = chain.from_iterable(each.stems for each in terms)
        self._is_of_question: Flags = among(self._terms, index.terms_of(of_question))
        # The share, by rarity, of the question's words in the earlier passage that the later one has, too.
        asked = np.maximum(self._asked[:earlier] @ weights, 1e-6)
        self._topic: Floats = self._axes.in_common(self._asked * weights, self._asked) / asked[:, None]

    @property
    def shape(self) -> tuple[int, int]:
        return self._count, len(self.later)

    def can_change(self) -> Flags:
        """Whether a change is possible at all: the later passage is later, does not only ask, has the same speaker in
        pasted chats, is on the topic of the earlier one or of the question, and says something.
        """
        # “Can you move the dinner to Friday?” is a change once the answer confirms it.
        only_asks = self._later_is(Kind.ASKS) & ~self._later_is(_CONFIRMED)
        is_asked = self._asked[self._columns][:, self._is_topic].any(axis=1) & ~self._later_is(Kind.TELLS_MUCH)
        is_on_topic = self._shares_word | self.corrects | is_asked
        found: Flags = self._is_later & is_on_topic & ~only_asks
        for name in self._speakers:
            speaks = self._index.spoken_by([name])[self._passages]
            found &= speaks[: self._count, None] == speaks[None, self._columns]
        # Only a similar statement changes a standing instruction: “always give me the sources” still holds after “and
        # the sources of that one”.
        is_similar = self._later_is(Kind.STANDING | Kind.PREFERENCE | Kind.NEGATES)
        is_retracted = self.corrects | self.deletes
        found &= ~self._earlier_is(Kind.STANDING) | is_similar | self._says_change | is_retracted
        return found & self._has_news() if found.any() else found

    def features(self) -> Floats:
        """All features of all pairs; the first axis is that of ``PairFeature``.

        ``WORDING`` is slow to compute (``wording``), so its maximum takes its place.
        """
        of_values = self._values.features(self._asked * self._is_name)
        features = {**self._of_words(), **self._of_kinds(), **self._of_changes(), **of_values}
        features[PairFeature.LOSES_VALUE] = self._loses_value
        features[PairFeature.SEVERAL_ANSWERS] = self._is_one_of_several
        # “What do I still need?” has several answers, “Do I still swim?” has one.
        asks_still = asks_whether_still(self._question) and not asks_what(self._question)
        features[PairFeature.ASKS_STILL] = np.array(asks_still)
        features[PairFeature.WORDING] = np.array(MAX_WORDING)
        found = np.empty((len(PairFeature), *self.shape), np.float32)
        for feature in PairFeature:
            found[feature] = features[feature]
        return found

    def wording(self, row: int, column: int) -> float:
        """``PairFeature.WORDING`` of one pair; 0 in languages other than English and Italian."""
        if (self._later_kinds[column] | self._earlier_kinds[row]) & Kind.FOREIGN:
            return 0.0
        before, after = (self._compared_words(number) for number in (self._passages[row], self.later[column]))
        found = REPLACES.log_odds(features_of_change(before, after, self._question_words))
        return min(max(found, -MAX_WORDING), MAX_WORDING)

    def can_be_sure(self) -> Flags:
        """Whether the later passage can be reason enough to leave the earlier one out.

        A long passage without a word of change may be about something else, and one that says that something stays, or
        is an exception, changes nothing for long.
        """
        tells_much = self._later_is(Kind.TELLS_MUCH) & ~self._says_change
        found: Flags = self._shares_word & ~(tells_much | self._later_is(Kind.STAYS)) | self.corrects | self.deletes
        return found

    def is_answer(self) -> Flags:
        """Whether the later passage can answer the question in place of the earlier one: it indicates a change or has
        another value of the type that the question asks for, and lacks no value that the earlier one has.
        """
        has_other, _, has_none = self._values.of_asked_type
        says_new = self._indicates_change | self._later_is(Kind.DECIDES) | has_other
        found: Flags = says_new & ~(has_none | self._loses_value | self._is_one_of_several)
        return found

    @cached_property
    def deletes(self) -> Flags:
        """Whether the user has, in the later passage, a row deleted that the earlier one is about."""
        deletes = self._later_is(Kind.DELETION_CONFIRMED)
        found = np.zeros(self.shape, np.bool_)
        if not deletes.any():
            return found
        earlier = [(self._plain(number), titles_in(self._answer(number))) for number in self._passages[: self._count]]
        for column in np.flatnonzero(deletes).tolist():
            deleted = deleted_titles(self._answer(self.later[column]))
            found[:, column] = [any(names_row(plain, titles, title) for title in deleted) for plain, titles in earlier]
        return found

    def in_pasted_chats(self) -> Flags:
        """For each later passage, whether a speaker of a pasted chat says it."""
        return self._index.spoken_by(self._speakers)[self.later]

    @cached_property
    def corrects(self) -> Flags:
        """Whether the later passage may correct what the user said just before, in the earlier one."""
        layout, exchanges = self._index.layout(), self._index.passage_exchanges()
        is_next = exchanges[self._passages[: self._count], None] == layout.before[exchanges[self.later]][None]
        found: Flags = is_next & self._later_is(Kind.CORRECTS) & ~self._earlier_is(Kind.ANSWER)
        return found

    def admits_mistake(self, column: int) -> bool:
        """Whether a later passage says that the statement before was wrong."""
        return admits_mistake(self._plain(self.later[column]))

    def values_differ(self, row: int, column: int) -> bool:
        """Whether both passages have values of one type, and the later one has another."""
        values, types, which = self._index.values_in([self._passages[row], self.later[column]])
        before, after = (set(zip(types[which == side], values[which == side], strict=True)) for side in (0, 1))
        return any(kind in {each for each, _ in before} for kind, _ in after - before)

    def is_of_other(self, row: int, column: int) -> bool:
        """Whether the later passage is about another direction or person: “the train leaves at 8”, “the train back
        leaves at 9”; “my flight leaves at 8”, “Theo's flight leaves at 9”.
        """
        before, after = map(self._plain, (self._passages[row], self.later[column]))
        if is_of_way_back(after) != is_of_way_back(before):
            return True
        # In an answer, “I” is the assistant.
        if self._earlier_kinds[row] & np.uint32(Kind.ANSWER):
            return False
        says_change = bool(self._says_change[row, column])
        return are_of_different_people(
            before, after, self._plain_question, self._index.is_name, says_change=says_change
        )

    @cached_property
    def _is_one_of_several(self) -> Flags:
        """Whether the question may have several answers, and nothing indicates that the later one replaces another."""
        found: Flags = (~self._indicates_change | (self._mentioned == 0)) & self._asks_for_several
        return found

    def _query_words(self, terms: Sequence[QueryTerm]) -> tuple[Floats, Flags, Floats]:
        """For each passage (row) and word of the question (column), whether it has the word; for each term of the
        passages, whether it is none of the question's; and the weight of each word.
        """
        unasked = np.ones(len(self._terms), np.bool_)
        asked, weights = np.zeros((len(self._has), len(terms)), np.float32), np.zeros(len(terms), np.float32)
        for column, term in enumerate(terms):
            is_term = among(self._terms, self._index.terms_of(term.stems | term.related))
            asked[:, column] = self._has[:, is_term].any(axis=1)
            unasked &= ~is_term
            weights[column] = self._weight(term)
        return asked, unasked, weights

    @cached_property
    def _says_change(self) -> Flags:
        """Whether the later passage has a word of change, or says that something is new that the earlier one or the
        question names: “my new number”, and not “the dentist gave me a new toothbrush”.
        """
        found: Flags = np.repeat(self._later_is(Kind.SAYS_CHANGE)[None], self._count, axis=0)
        for column in np.flatnonzero(self._later_is(Kind.SAYS_NEW)).tolist():
            things = new_things(self._plain(self.later[column]))
            is_thing = among(self._terms, self._terms_of(partial(stems_of, things)))
            if (is_thing & ~self._unasked).any():
                found[:, column] = True
            else:
                found[:, column] |= self._has[: self._count, is_thing].any(axis=1)
        return found

    def _plain(self, number: int) -> str:
        """The text of a passage, as ``comparable``."""
        if (plain := self._plain_texts.get(number)) is None:
            plain = self._plain_texts[number] = comparable(self._index.passage(number).text)
        return plain

    def _compared_words(self, number: int) -> ComparedWords:
        if (words := self._words.get(number)) is None:
            words = self._words[number] = compared_words(self._index.passage(number).text)
        return words

    @cached_property
    def _question_words(self) -> ComparedWords:
        return compared_words(self._question)

    def _terms_of(self, stems_by: Callable[[str], Iterable[str]]) -> list[int]:
        """The terms of the stems that ``stems_by`` returns for each language of the index."""
        return self._index.terms_of({stem for language in self._index.languages for stem in stems_by(language)})

    @cached_property
    def _indicates_change(self) -> Flags:
        """Whether words of either passage suggest a change."""
        found: Flags = (
            self._says_change | self._later_is(_CONFIRMED | Kind.GIVES_REASON) | self._earlier_is(Kind.SAYS_DOUBT)
        )
        return found

    def _of_words(self) -> FeatureValues:
        mean = np.sqrt(self._axes.of_both(np.multiply, np.maximum(self._lengths, 1)))
        rarity = np.where(self._is_calendar, _CALENDAR_WEIGHT * self._rarity, self._rarity)
        shared, rarity, unasked = self._shared, rarity[self._is_shared], self._unasked[self._is_shared]
        shared_rarity = self._axes.in_common(shared, shared * rarity) / np.maximum(mean / _LONG, 1)
        unasked_rarity = self._axes.in_common(shared, shared * (rarity * unasked))
        earlier, later = self._lengths[: self._count], self._lengths[self._columns]
        asked_common, asked = self._axes.in_common(self._asked, self._asked), self._asked[self._columns].sum(axis=1)
        words_asked = max(self._asked.shape[1], 1)
        better = (self._scores[:, None] < self._scores).sum(axis=1, dtype=np.float32)
        return {
            PairFeature.RARITY: np.minimum(shared_rarity, _MAX_RARITY),
            PairFeature.UNASKED_RARITY: np.minimum(unasked_rarity, _MAX_RARITY),
            PairFeature.DICE: 2 * self._common / np.maximum(self._axes.of_both(np.add, self._lengths), 1),
            PairFeature.SHARES_WORD: self._shares_word,
            PairFeature.LENGTH: np.log(np.maximum(mean, _MIN_LENGTH)),
            PairFeature.EARLIER_LENGTH: np.log1p(earlier)[:, None],
            PairFeature.LATER_LENGTH: np.log1p(later),
            PairFeature.SHARED_OF_EARLIER: self._common / np.maximum(earlier, 1)[:, None],
            PairFeature.SHARED_OF_LATER: self._axes.in_common(shared, shared * unasked) / np.maximum(later, 1),
            PairFeature.ASKED: asked / words_asked,
            PairFeature.ASKED_ONLY_LATER: (asked - asked_common) / words_asked,
            PairFeature.TOPIC: self._topic,
            PairFeature.LATER_SCORE: self._scores,
            PairFeature.LATER_RANK: np.log1p(better),
        }

    def _of_kinds(self) -> FeatureValues:
        is_passing = self._later_is(Kind.OF_ONE_DAY) & ~self._earlier_is(Kind.OF_ONE_DAY)
        return {
            PairFeature.SAYS_CHANGE: self._says_change,
            PairFeature.GIVES_REASON: self._later_is(Kind.GIVES_REASON),
            PairFeature.DECIDES: self._later_is(Kind.DECIDES),
            PairFeature.NEGATES: self._later_is(Kind.NEGATES),
            PairFeature.OF_ONE_DAY: self._later_is(Kind.OF_ONE_DAY),
            PairFeature.STAYS: self._later_is(Kind.STAYS),
            PairFeature.CLAUSES: self._later_is(Kind.CLAUSES),
            PairFeature.PASSING: is_passing & ~self._says_change,
        }

    def _of_changes(self) -> FeatureValues:
        """Whether the later passage can answer the question in place of the earlier one, or says that this one no
        longer holds.
        """
        topic, mentioned = self._topic, self._mentioned
        says = self._says_change | self._later_is(_CONFIRMED)
        decides = self._later_is(Kind.DECIDES)
        denies = self._later_is(Kind.NEGATES) & ~self._earlier_is(Kind.NEGATES)
        has_other, has_same, has_none = self._values.of_asked_type
        return {
            PairFeature.MENTIONED: (says | self._later_is(Kind.GIVES_REASON)) * mentioned,
            PairFeature.DENIED: denies * topic,
            PairFeature.OTHER_TOPIC: says * (1 - np.maximum(topic, mentioned)),
            PairFeature.SAME_VALUE: has_same & ~(says | denies | self._later_is(Kind.GIVES_REASON)),
            PairFeature.NO_VALUE: has_none,
            PairFeature.NOTHING_SAID: ~(says | decides | denies | has_other) & (mentioned == 0),
        }

    @cached_property
    def _mentioned(self) -> Floats:
        """The rarity, up to 1, of the shared words that are neither the question's nor common, nor name a time."""
        says_more = self._unasked & ~self._is_calendar & ~self._index.are_common(self._terms)
        rarity = (self._rarity * self._index.are_words(self._terms) * says_more)[self._is_shared]
        found: Floats = np.minimum(self._axes.in_common(self._shared, self._shared * rarity.astype(np.float32)), 1)
        return found

    @cached_property
    def _loses_value(self) -> Flags:
        """Whether the earlier passage has a value of a type that the question does not ask for (or a place, if it asks
        where), the later one has none, and neither indicates a change.
        """
        found = self._values.lose_unasked()
        if asks_where(self._question):
            has = np.array([names_place(self._plain(number)) for number in self._passages.tolist()], np.bool_)
            found |= has[: self._count, None] & ~has[self._columns]
        return found & ~self._indicates_change

    def _later_is(self, kinds: int) -> Flags:
        """For each later passage, whether it is of any of these kinds."""
        return has_any_bit(self._later_kinds, kinds)

    def _earlier_is(self, kinds: int) -> Flags:
        """For each earlier passage, whether it is of any of these kinds, as a column."""
        return has_any_bit(self._earlier_kinds, kinds)[:, None]

    def _has_news(self) -> Flags:
        """Whether the later passage has a word or a value that neither the earlier one nor the question has, or
        indicates a change: “what does the cat eat” and “wifi password please” do not.
        """
        is_content = ~(self._is_of_question | among(self._terms, self._terms_of(_stems_of_asking)))
        shared = self._has[:, is_content & self._is_shared]
        has_more = self._has[:, is_content].sum(axis=1)[self._columns] > self._axes.in_common(shared, shared)
        says = self._says_change | self._later_is(_CONFIRMED | Kind.GIVES_REASON)
        found: Flags = has_more | self._values.have_others() | says
        return found

    def _weight(self, term: QueryTerm) -> float:
        frequency = max((self._index.frequency(stem) for stem in term.stems), default=0)
        rarity = self._index.idf(frequency) / self._index.idf(1)
        return (COMMON_WEIGHT if term.is_common else 1.0) * max(rarity, _MIN_TERM_RARITY)

    def _answer(self, number: int) -> str:
        """The answer in the exchange of a passage."""
        return self._index.exchange(self._index.passage(number).exchange).response


def rarity_of(index: ExchangeIndex, terms: Integers) -> Floats:
    """The idf of each of ``terms``, divided by that of a word that occurs once."""
    found: Floats = index.idfs(index.frequencies(terms)) / index.idf(1)
    return found


@cache
def _stems_of_asking(language: str) -> Sequence[str]:
    return stems_of(sorted(ASKING), language)
