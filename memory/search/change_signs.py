"""What speaks for it that a later passage has changed an earlier one, or against it, for many pairs at once. Pure."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property, partial
from itertools import chain
from typing import Final

import numpy as np

from memory.search.bm25 import Flags, Floats, Integers, among
from memory.search.change_words import (
    ASKING,
    admits_mistake,
    ended_titles,
    is_of_way_back,
    names_row,
    new_things,
    titles_in,
)
from memory.search.dates import calendar_stems
from memory.search.index import ExchangeIndex
from memory.search.kinds import Kind, are_of
from memory.search.matching import COMMON_COUNTS, QueryTerm
from memory.search.pair_values import Axes, PairValues, occurring
from memory.search.persons import (
    asks_who,
    have_other_initials,
    is_own,
    owners_in,
    subject_in,
    tells_only_own_state,
    tells_state_of_other,
)
from memory.search.signs import MAX_OF_WORDING, Sign, Signs
from memory.search.values import (
    asks_for_several,
    asks_what,
    asks_where,
    asks_whether_still,
    names_place,
)
from memory.search.wording import REPLACES, SaidWords, features_of_change, said_words
from memory.search.words import comparable, stems_of, words_of

_CALENDAR_COUNTS: Final = np.float32(0.5)
"""What a word for a month, year or weekday counts among rare ones: “in September” is said of anything."""
_MAX_RARE: Final = 3.0
_WORDS: Final = 10
"""Longer texts than this have words in common by chance."""
_FEW_WORDS: Final = 7
"""Of texts with fewer there are too few to tell how they differ."""
_MIN_RARE: Final = 0.3
"""How rare a word of a question is at least: its name is in every exchange about something."""
_ANSWERED: Final = Kind.CHANGE_ANSWERED | Kind.END_ANSWERED


class Pairs:
    """Pairs of passages: each array has a row for the earlier and a column for the later one of a pair.

    Any of the first ``earlier`` of ``passages`` may be the earlier one, and any of the user's may be the later one.
    ``worth`` is what each passage is worth telling, of the most valuable one, and ``terms`` are the words of
    ``question``.
    """

    def __init__(
        self,
        index: ExchangeIndex,
        passages: Integers,
        earlier: int,
        worth: Floats,
        terms: Sequence[QueryTerm],
        question: str,
    ) -> None:
        self._index = index
        self._passages = passages
        self._count = earlier
        kinds = index.layout().kinds[passages]
        self._columns = np.flatnonzero(~are_of(kinds, Kind.ANSWER))
        self._axes = Axes(earlier, self._columns)
        self._values = PairValues(index, passages, self._axes, question)
        self.later = passages[self._columns]
        self._worth = worth[self._columns]
        self._earlier_kinds, self._later_kinds = kinds[:earlier], kinds[self._columns]
        at = index.times()[index.passage_places()[passages]]
        self._is_later: Flags = at[:earlier, None] < at[None, self._columns]
        self._speakers = index.speakers()
        self._plain_texts: dict[int, str] = {}
        self._words: dict[int, SaidWords] = {}
        self._question = question
        self._plain_question = comparable(question)
        self._asks_for_several = asks_for_several(question)
        self._found, self._has = occurring(*index.terms_in(passages.tolist()), len(passages))
        self._lengths: Floats = self._has.sum(axis=1)
        self._is_shared: Flags = self._has.sum(axis=0) > 1
        self._shared = self._has[:, self._is_shared]
        # The words for months, years and weekdays say little of what a passage is about.
        calendar = {stem for language in index.languages for stem in calendar_stems(language)}
        self._is_calendar: Flags = among(self._found, index.terms_of(calendar))
        self._common = self._axes.in_common(self._shared, self._shared)
        times = self._has[:, self._is_shared & self._is_calendar]
        self._has_common: Flags = self._common > self._axes.in_common(times, times)
        self._rarity = rarity_of(index, self._found)
        self._asked, self._unasked, weights = self._words_asked(terms)
        self._is_name = np.array([each.is_name for each in terms], np.bool_)
        # What is said in the conversation before may be about anything.
        are_asked = [each.weight == 1 and not each.common and calendar.isdisjoint(each.stems) for each in terms]
        self._is_topic = np.array(are_asked, np.bool_)
        self._of_question: Flags = among(self._found, index.terms_of(chain.from_iterable(each.stems for each in terms)))
        # The share of the question's words in the earlier one, by how rare these are, that the later one has, too.
        asked = np.maximum(self._asked[:earlier] @ weights, 1e-6)
        self._topic: Floats = self._axes.in_common(self._asked * weights, self._asked) / asked[:, None]

    @property
    def shape(self) -> tuple[int, int]:
        return self._count, len(self.later)

    def may_change(self) -> Flags:
        """Whether the later one may have changed the earlier one at all: whether it is later, does not only ask, is of
        the same speaker in copied chats, is about what the earlier one or the question is about, and says anything.
        """
        # “Can you move the dinner to Friday?” does, once it is moved.
        only_asks = self._later_are(Kind.ASKS) & ~self._later_are(_ANSWERED)
        is_asked = self._asked[self._columns][:, self._is_topic].any(axis=1) & ~self._later_are(Kind.TELLS_MUCH)
        is_about_it = self._has_common | self.corrects | is_asked
        found: Flags = self._is_later & is_about_it & ~only_asks
        for name in self._speakers:
            speaks = self._index.spoken_by([name])[self._passages]
            found &= speaks[: self._count, None] == speaks[None, self._columns]
        # What is always to be done is changed by another such sentence: “always give me the sources”, “and the sources
        # of that one”.
        is_like_it = self._later_are(Kind.STANDING | Kind.PREFERENCE | Kind.NEGATES)
        is_taken_back = self.corrects | self.ends
        found &= ~self._earlier_are(Kind.STANDING) | is_like_it | self._says_change | is_taken_back
        return found & self._says_anything() if found.any() else found

    def signs(self) -> Floats:
        """All signs of all pairs: the first axis is of ``Sign``.

        In place of ``WORDING``, which takes long to tell (``wording``), is the most that it may be.
        """
        of_values = self._values.signs(self._asked * self._is_name)
        signs = {**self._of_words(), **self._of_kinds(), **self._of_what_is_said(), **of_values}
        signs[Sign.LOSES_VALUE] = self._loses_value
        signs[Sign.SEVERAL] = self._is_one_of_several
        # “What do I still need?” has several answers, “Do I still swim?” has one.
        signs[Sign.STILL] = np.array(asks_whether_still(self._question) and not asks_what(self._question))
        signs[Sign.WORDING] = np.array(MAX_OF_WORDING)
        found = np.empty((len(Sign), *self.shape), np.float32)
        for sign in Sign:
            found[sign] = signs[sign]
        return found

    def wording(self, earlier: int, later: int) -> float:
        """``Sign.WORDING`` of a pair, by its row and column; 0 in other languages."""
        if (self._later_kinds[later] | self._earlier_kinds[earlier]) & Kind.FOREIGN:
            return 0.0
        before, after = (self._said_words(number) for number in (self._passages[earlier], self.later[later]))
        found = REPLACES.log_odds(features_of_change(before, after, self._asked_words))
        return min(max(found, -MAX_OF_WORDING), MAX_OF_WORDING)

    def can_be_sure(self) -> Flags:
        """Whether the earlier one can be left out because of the later one, and not only doubted. Who says much without
        a word for a change may tell of something else, and who says that something stays, or is otherwise for once,
        changes nothing for long.
        """
        tells_much = self._later_are(Kind.TELLS_MUCH) & ~self._says_change
        found: Flags = self._has_common & ~(tells_much | self._later_are(Kind.STAYS)) | self.corrects | self.ends
        return found

    def is_answer(self) -> Flags:
        """Whether the later one says that something has changed, or has another value of what is asked; and lacks no
        value that the earlier one has.
        """
        has_other, _, has_none = self._values.of_asked_type
        says_so = self._says_so | self._later_are(Kind.DECIDES) | has_other
        found: Flags = says_so & ~(has_none | self._loses_value | self._is_one_of_several)
        return found

    @cached_property
    def ends(self) -> Flags:
        """Whether the later one has a row deleted that the earlier one is about."""
        ended = self._later_are(Kind.END_ANSWERED)
        found = np.zeros(self.shape, np.bool_)
        if not ended.any():
            return found
        earlier = [(self._plain(number), titles_in(self._answer(number))) for number in self._passages[: self._count]]
        for later in np.flatnonzero(ended).tolist():
            ended_here = ended_titles(self._answer(self.later[later]))
            found[:, later] = [
                any(names_row(plain, titles, title) for title in ended_here) for plain, titles in earlier
            ]
        return found

    def in_copied_chats(self) -> Flags:
        """Whether each later one is said by one of those who speak in copied chats."""
        return self._index.spoken_by(self._speakers)[self.later]

    @cached_property
    def corrects(self) -> Flags:
        """Whether the later one may correct what the user said just before, in the earlier one."""
        layout, places = self._index.layout(), self._index.passage_places()
        is_next = places[self._passages[: self._count], None] == layout.before[places[self.later]][None]
        found: Flags = is_next & self._later_are(Kind.CORRECTS) & ~self._earlier_are(Kind.ANSWER)
        return found

    def admits_mistake(self, later: int) -> bool:
        """Whether a later one says that what was said before was wrong."""
        return admits_mistake(self._plain(self.later[later]))

    def differ(self, earlier: int, later: int) -> bool:
        """Whether both have values of a type of which the later one has another."""
        values, types, which = self._index.values_in([self._passages[earlier], self.later[later]])
        before, after = (set(zip(types[which == side], values[which == side], strict=True)) for side in (0, 1))
        return any(kind in {each for each, _ in before} for kind, _ in after - before)

    def is_of_another(self, earlier: int, later: int) -> bool:
        """Whether the later one is about another way or person: “the train leaves at 8”, “the train back leaves at 9”;
        “my flight leaves at 8”, “Theo's flight leaves at 9”.
        """
        question = self._plain_question
        numbers = self._passages[earlier], self.later[later]
        before, after = map(self._plain, numbers)
        if is_of_way_back(after) != is_of_way_back(before):
            return True
        # In an answer, “I” is the assistant.
        if self._earlier_kinds[earlier] & np.uint32(Kind.ANSWER):
            return False
        if have_other_initials(before, after, self._index.is_name):
            return True
        if is_own(before):
            return not is_own(after) and self._is_of_other_than_self(earlier, later)
        # “Where does Sara work?”: that the user works elsewhere now changes nothing. “Who drives?” gets another name.
        subject = subject_in(before, self._index.is_name)
        if not subject or not tells_only_own_state(after) or not subject.isdisjoint(words_of(after)):
            return False
        return not asks_who(question) or not subject.isdisjoint(words_of(question))

    def _is_of_other_than_self(self, earlier: int, later: int) -> bool:
        """Whether the later one is about someone whom neither the earlier one, of the user's own, nor the question
        names.
        """
        question, is_name = self._plain_question, self._index.is_name
        before, after = map(self._plain, (self._passages[earlier], self.later[later]))
        others = owners_in(after, is_name)
        # “Who drives?” gets another name, and “Sara moved our dinner” tells of a change.
        if not asks_who(question) and (tells_state_of_other(after) or not self._says_change[earlier, later]):
            others |= subject_in(after, is_name)
        return not others <= {*words_of(before), *words_of(question)}

    @cached_property
    def _is_one_of_several(self) -> Flags:
        """Whether the question may have several answers, and nothing says that the later one takes another's place."""
        found: Flags = (~self._says_so | (self._mentioned == 0)) & self._asks_for_several
        return found

    def _words_asked(self, terms: Sequence[QueryTerm]) -> tuple[Floats, Flags, Floats]:
        """For each passage and word of the question whether it has it; which of the words of passages are none of the
        question's; and the weight of each word of the question.
        """
        unasked = np.ones(len(self._found), np.bool_)
        asked, weights = np.zeros((len(self._has), len(terms)), np.float32), np.zeros(len(terms), np.float32)
        for number, term in enumerate(terms):
            found = among(self._found, self._index.terms_of(term.stems | term.related))
            asked[:, number] = self._has[:, found].any(axis=1)
            unasked &= ~found
            weights[number] = self._weight(term)
        return asked, unasked, weights

    @cached_property
    def _says_change(self) -> Flags:
        """Whether the later one has a word of change, or says that something is new that the earlier one or the
        question names: “my new number”, and not “the dentist gave me a new toothbrush”.
        """
        found: Flags = np.repeat(self._later_are(Kind.SAYS_CHANGE)[None], self._count, axis=0)
        for later in np.flatnonzero(self._later_are(Kind.SAYS_NEW)).tolist():
            things = new_things(self._plain(self.later[later]))
            columns = among(self._found, self._terms_for(partial(stems_of, things)))
            if (columns & ~self._unasked).any():
                found[:, later] = True
            else:
                found[:, later] |= self._has[: self._count, columns].any(axis=1)
        return found

    def _plain(self, number: int) -> str:
        """The text of a passage as ``comparable``."""
        if (plain := self._plain_texts.get(number)) is None:
            plain = self._plain_texts[number] = comparable(self._index.passage(number).text)
        return plain

    def _said_words(self, number: int) -> SaidWords:
        """The words of a passage."""
        if (words := self._words.get(number)) is None:
            words = self._words[number] = said_words(self._index.passage(number).text)
        return words

    @cached_property
    def _asked_words(self) -> SaidWords:
        return said_words(self._question)

    def _terms_for(self, stems_by: Callable[[str], Iterable[str]]) -> list[int]:
        """The terms that words may be in any language of the index; ``stems_by`` gives their stems in one."""
        return self._index.terms_of({stem for language in self._index.languages for stem in stems_by(language)})

    @cached_property
    def _says_so(self) -> Flags:
        """Whether the words of one of them speak for a change."""
        found: Flags = (
            self._says_change | self._later_are(_ANSWERED | Kind.GIVES_REASON) | self._earlier_are(Kind.DOUBTED)
        )
        return found

    def _of_words(self) -> Signs:
        mean = np.sqrt(self._axes.of_both(np.multiply, np.maximum(self._lengths, 1)))
        rarity = np.where(self._is_calendar, _CALENDAR_COUNTS * self._rarity, self._rarity)
        shared, rarity, unasked = self._shared, rarity[self._is_shared], self._unasked[self._is_shared]
        rare = self._axes.in_common(shared, shared * rarity) / np.maximum(mean / _WORDS, 1)
        earlier, later = self._lengths[: self._count], self._lengths[self._columns]
        asked_common, asked = self._axes.in_common(self._asked, self._asked), self._asked[self._columns].sum(axis=1)
        words_asked = max(self._asked.shape[1], 1)
        return {
            Sign.RARE: np.minimum(rare, _MAX_RARE),
            Sign.RARE_UNASKED: np.minimum(self._axes.in_common(shared, shared * (rarity * unasked)), _MAX_RARE),
            Sign.ALIKE: 2 * self._common / np.maximum(self._axes.of_both(np.add, self._lengths), 1),
            Sign.COMMON: self._has_common,
            Sign.LENGTH: np.log(np.maximum(mean, _FEW_WORDS)),
            Sign.EARLIER_LENGTH: np.log1p(earlier)[:, None],
            Sign.LATER_LENGTH: np.log1p(later),
            Sign.OF_EARLIER: self._common / np.maximum(earlier, 1)[:, None],
            Sign.OF_LATER: self._axes.in_common(shared, shared * unasked) / np.maximum(later, 1),
            Sign.ASKED: asked / words_asked,
            Sign.ASKED_ANEW: (asked - asked_common) / words_asked,
            Sign.TOPIC: self._topic,
            Sign.VALUE_OF_LATER: self._worth,
            Sign.RANK_OF_LATER: np.log1p((self._worth[:, None] < self._worth).sum(axis=1, dtype=np.float32)),
        }

    def _of_kinds(self) -> Signs:
        is_passing = self._later_are(Kind.OF_ONE_DAY) & ~self._earlier_are(Kind.OF_ONE_DAY)
        return {
            Sign.SAID: self._says_change,
            Sign.REASON: self._later_are(Kind.GIVES_REASON),
            Sign.DECIDES: self._later_are(Kind.DECIDES),
            Sign.NEGATES: self._later_are(Kind.NEGATES),
            Sign.OF_ONE_DAY: self._later_are(Kind.OF_ONE_DAY),
            Sign.STAYS: self._later_are(Kind.STAYS),
            Sign.CLAUSES: self._later_are(Kind.CLAUSES),
            Sign.PASSING: is_passing & ~self._says_change,
        }

    def _of_what_is_said(self) -> Signs:
        """Whether the later one can be an answer to the question in place of the earlier one, or says that this one no
        longer holds.
        """
        topic, mentioned = self._topic, self._mentioned
        says = self._says_change | self._later_are(_ANSWERED)
        decides = self._later_are(Kind.DECIDES)
        denies = self._later_are(Kind.NEGATES) & ~self._earlier_are(Kind.NEGATES)
        has_other, has_same, has_none = self._values.of_asked_type
        return {
            Sign.MENTIONED: (says | self._later_are(Kind.GIVES_REASON)) * mentioned,
            Sign.DENIED: denies * topic,
            Sign.OTHER_TOPIC: says * (1 - np.maximum(topic, mentioned)),
            Sign.SAME_VALUE: has_same & ~(says | denies | self._later_are(Kind.GIVES_REASON)),
            Sign.NO_VALUE: has_none,
            Sign.NOTHING_SAID: ~(says | decides | denies | has_other) & (mentioned == 0),
        }

    @cached_property
    def _mentioned(self) -> Floats:
        """How rare the words are that both have and that say more than the question and the time, up to 1."""
        says_more = self._unasked & ~self._is_calendar & ~self._index.are_common(self._found)
        counts = (self._rarity * self._index.are_words(self._found) * says_more)[self._is_shared]
        found: Floats = np.minimum(self._axes.in_common(self._shared, self._shared * counts.astype(np.float32)), 1)
        return found

    @cached_property
    def _loses_value(self) -> Flags:
        """Whether the earlier one has a value of a type that the question does not ask for, and the later one has none
        of that type; or a place, if it asks where. Only where neither has a word for a change, a reason or a doubt.
        """
        found = self._values.lose_unasked()
        if asks_where(self._question):
            has = np.array([names_place(self._plain(number)) for number in self._passages.tolist()], np.bool_)
            found |= has[: self._count, None] & ~has[self._columns]
        return found & ~self._says_so

    def _later_are(self, kinds: int) -> Flags:
        """Whether each later one is of any of these kinds."""
        return are_of(self._later_kinds, kinds)

    def _earlier_are(self, kinds: int) -> Flags:
        """Whether each earlier one is of any of these kinds."""
        return are_of(self._earlier_kinds, kinds)[:, None]

    def _says_anything(self) -> Flags:
        """Whether the later one has a word or a value that neither the earlier one nor the question has, or a word for
        a change: “what does the cat eat” and “wifi password please” have none.
        """
        is_content = ~(self._of_question | among(self._found, self._terms_for(_stems_of_asking)))
        shared = self._has[:, is_content & self._is_shared]
        has_more = self._has[:, is_content].sum(axis=1)[self._columns] > self._axes.in_common(shared, shared)
        says = self._says_change | self._later_are(_ANSWERED | Kind.GIVES_REASON)
        found: Flags = has_more | self._values.have_others() | says
        return found

    def _weight(self, term: QueryTerm) -> float:
        frequency = max((self._index.frequency(stem) for stem in term.stems), default=0)
        rarity = self._index.idf(frequency) / self._index.idf(1)
        return (COMMON_COUNTS if term.common else 1.0) * max(rarity, _MIN_RARE)

    def _answer(self, number: int) -> str:
        """The answer in the exchange of a passage."""
        return self._index.said(self._index.passage(number).exchange).response


def rarity_of(index: ExchangeIndex, terms: Integers) -> Floats:
    """How rare each of ``terms`` is, of one that occurs once."""
    found: Floats = index.idfs(index.frequencies(terms)) / index.idf(1)
    return found


@cache
def _stems_of_asking(language: str) -> Sequence[str]:
    return stems_of(sorted(ASKING), language)
