"""What speaks for it that a later passage has changed an earlier one, or against it, for many pairs at once. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import IntEnum, auto
from functools import cache, cached_property, partial
from itertools import chain
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

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
from memory.search.persons import (
    asks_who,
    have_other_initials,
    is_own,
    may_be_name,
    owners_in,
    subject_in,
    tells_only_own_state,
    tells_state_of_other,
)
from memory.search.values import (
    Value,
    asked_values,
    asks_for_several,
    asks_what,
    asks_what_it_is_called,
    asks_where,
    asks_whether_still,
    names_place,
    values_of,
)
from memory.search.wording import REPLACES, SaidWords, features_of_change, said_words
from memory.search.words import comparable, stems_of, words_of

_CALENDAR_COUNTS: Final = np.float32(0.5)
"""What a word for a month, year or weekday counts among rare ones: “in September” is said of anything."""
_MOST_RARE: Final = 3.0
_WORDS: Final = 10
"""Longer texts than this have words in common by chance."""
_FEW_WORDS: Final = 7
"""Of texts with fewer there are too few to tell how they differ."""
_LEAST_RARE: Final = 0.3
"""How rare a word of a question is at least: its name is in every exchange about something."""
_BEGINNING_CHARS: Final = 40
"""In which a passage may begin with a name."""
_ANSWERED: Final = Kind.CHANGE_ANSWERED | Kind.END_ANSWERED

_ANSWERS: Final = (
    frozenset([Value.WEEKDAY, Value.DATE, Value.MONTH, Value.CLOCK, Value.PART]),
    frozenset([Value.NUMBER]),
    frozenset([Value.NAME]),
    frozenset([Value.COLOUR]),
)
"""Types of values of which one can take another's place."""
MOST_OF_WORDING: Final = 2.5
"""``Sign.WORDING`` is between minus this and this."""
_FIGURES: Final = frozenset([Value.DATE, Value.CLOCK, Value.NUMBER])
"""Types of values that have digits, or words for them."""
_UNASKED: Final = frozenset([Value.CLOCK, Value.NUMBER, Value.PART])
"""Types of values that are often the answer to a question that does not ask for them by name: “which row is it in?”"""


class Sign(IntEnum):
    """A sign of a pair: “both” are the earlier and the later one, “asked” is what the question has."""

    RARE = 0
    """How rare the words are that both have, without what long ones have by chance."""
    RARE_UNASKED = auto()
    """The same, of those that are not asked."""
    ALIKE = auto()
    """The share of their words that both have (Dice)."""
    COMMON = auto()
    """Both have a word that is none for a time."""
    LENGTH = auto()
    """The logarithm of how many words both have, as their geometric mean; how many either has:"""
    EARLIER_LENGTH = auto()
    LATER_LENGTH = auto()
    OF_EARLIER = auto()
    """The share of the earlier one's words that the later one has,"""
    OF_LATER = auto()
    """and of the later one's words, those that are not asked."""
    ASKED = auto()
    """The share of the words asked that the later one has,"""
    ASKED_ANEW = auto()
    """and that the earlier one has not."""
    TOPIC = auto()
    """The share of the words asked in the earlier one, by how rare they are, that the later one has."""
    VALUE_OF_LATER = auto()
    """What the later one is worth telling, of the most valuable one,"""
    RANK_OF_LATER = auto()
    """and the logarithm of how many are worth more."""
    SAID = auto()
    """The later one has a word for a change, or says that something is new that the earlier one or the question
    names."""
    REASON = auto()
    DECIDES = auto()
    NEGATES = auto()
    OF_ONE_DAY = auto()
    STAYS = auto()
    CLAUSES = auto()
    """The later one is of these kinds."""
    PASSING = auto()
    """The later one tells of the day or week on which it is said, which the earlier one does not, without a word for a
    change."""
    MENTIONED = auto()
    """How rare further words of the earlier one are in a later one with a word for a change or a reason."""
    OTHER_TOPIC = auto()
    """How much of the earlier one is not in a later one with a word for a change."""
    DENIED = auto()
    """Something is not so, times the topic."""
    NOTHING_SAID = auto()
    """The later one has nothing of what is said of the earlier one, no other value, and no word for a change."""
    OTHER_VALUE = auto()
    """The later one has another value of a type that is asked for,"""
    OTHER_NAME = auto()
    """or none but other names."""
    NEW_NAME = auto()
    """The later one has a name that neither the earlier one nor the question has."""
    NAME_LOST = auto()
    """The share of the names asked in the earlier one that the later one does not have."""
    SAME_VALUE = auto()
    """The later one has the same value of that type again, no other, and no word for a change."""
    NO_VALUE = auto()
    """The earlier one has a value of a type that is asked for, the later one has none."""
    LOSES_VALUE = auto()
    """The earlier one has a value of a type that is not asked for, or a place, the later one has none, and there is no
    word for a change."""
    FIGURES = auto()
    """The earlier one has figures,"""
    NEW_FIGURES = auto()
    """the later one has others,"""
    SAME_FIGURES = auto()
    """and the same."""
    OTHER_FIGURES = auto()
    """Both have figures, and the later one has others."""
    SEVERAL = auto()
    """The question may have several answers, and neither has a word for a change or a doubt."""
    STILL = auto()
    """The question asks what still holds, and may have one answer only."""
    WORDING = auto()
    """The log odds, by the wording of both and of the question, that the later one takes the earlier one's place."""


_Signs: TypeAlias = Mapping[Sign, Floats | Flags]
"""For each pair, or for each later or earlier one."""


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
        self._asked_types = asked_values(question)
        self._found, self._has = _occurring(*index.terms_in(passages.tolist()), len(passages))
        self._lengths: Floats = self._has.sum(axis=1)
        self._is_shared: Flags = self._has.sum(axis=0) > 1
        self._shared = self._has[:, self._is_shared]
        # The words for months, years and weekdays say little of what a passage is about.
        calendar = {stem for language in index.languages for stem in calendar_stems(language)}
        self._is_calendar: Flags = among(self._found, index.terms_of(calendar))
        self._common = self._in_common(self._shared, self._shared)
        times = self._has[:, self._is_shared & self._is_calendar]
        self._has_common: Flags = self._common > self._in_common(times, times)
        self._rarity = rarity_of(index, self._found)
        self._asked, self._unasked, weights = self._words_asked(terms)
        self._is_name = np.array([each.is_name for each in terms], np.bool_)
        # What is said in the conversation before may be about anything.
        are_asked = [each.weight == 1 and not each.common and calendar.isdisjoint(each.stems) for each in terms]
        self._is_topic = np.array(are_asked, np.bool_)
        self._of_question: Flags = among(self._found, index.terms_of(chain.from_iterable(each.stems for each in terms)))
        # The share of the question's words in the earlier one, by how rare these are, that the later one has, too.
        asked = np.maximum(self._asked[:earlier] @ weights, 1e-6)
        self._topic: Floats = self._in_common(self._asked * weights, self._asked) / asked[:, None]

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
        signs = {**self._of_words(), **self._of_kinds(), **self._of_what_is_said(), **self._of_values()}
        signs[Sign.SEVERAL] = self._is_one_of_several
        # “What do I still need?” has several answers, “Do I still swim?” has one.
        signs[Sign.STILL] = np.array(asks_whether_still(self._question) and not asks_what(self._question))
        signs[Sign.WORDING] = np.array(MOST_OF_WORDING)
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
        return min(max(found, -MOST_OF_WORDING), MOST_OF_WORDING)

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
        has_other, _, has_none = self._of_asked_type
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

    def _of_both(self, operation: np.ufunc, values: Floats) -> Floats:
        """The result of ``operation`` for the values of both."""
        found: Floats = operation.outer(values[: self._count], values[self._columns])
        return found

    def _in_common(self, earlier: Floats, later: Floats) -> Floats:
        """The sums of products of the rows of both."""
        found: Floats = earlier[: self._count] @ later[self._columns].T
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

    def _of_words(self) -> _Signs:
        mean = np.sqrt(self._of_both(np.multiply, np.maximum(self._lengths, 1)))
        rarity = np.where(self._is_calendar, _CALENDAR_COUNTS * self._rarity, self._rarity)
        shared, rarity, unasked = self._shared, rarity[self._is_shared], self._unasked[self._is_shared]
        rare = self._in_common(shared, shared * rarity) / np.maximum(mean / _WORDS, 1)
        earlier, later = self._lengths[: self._count], self._lengths[self._columns]
        asked_common, asked = self._in_common(self._asked, self._asked), self._asked[self._columns].sum(axis=1)
        words_asked = max(self._asked.shape[1], 1)
        return {
            Sign.RARE: np.minimum(rare, _MOST_RARE),
            Sign.RARE_UNASKED: np.minimum(self._in_common(shared, shared * (rarity * unasked)), _MOST_RARE),
            Sign.ALIKE: 2 * self._common / np.maximum(self._of_both(np.add, self._lengths), 1),
            Sign.COMMON: self._has_common,
            Sign.LENGTH: np.log(np.maximum(mean, _FEW_WORDS)),
            Sign.EARLIER_LENGTH: np.log1p(earlier)[:, None],
            Sign.LATER_LENGTH: np.log1p(later),
            Sign.OF_EARLIER: self._common / np.maximum(earlier, 1)[:, None],
            Sign.OF_LATER: self._in_common(shared, shared * unasked) / np.maximum(later, 1),
            Sign.ASKED: asked / words_asked,
            Sign.ASKED_ANEW: (asked - asked_common) / words_asked,
            Sign.TOPIC: self._topic,
            Sign.VALUE_OF_LATER: self._worth,
            Sign.RANK_OF_LATER: np.log1p((self._worth[:, None] < self._worth).sum(axis=1, dtype=np.float32)),
        }

    def _of_kinds(self) -> _Signs:
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

    def _of_what_is_said(self) -> _Signs:
        """Whether the later one can be an answer to the question in place of the earlier one, or says that this one no
        longer holds.
        """
        topic, mentioned = self._topic, self._mentioned
        says = self._says_change | self._later_are(_ANSWERED)
        decides = self._later_are(Kind.DECIDES)
        denies = self._later_are(Kind.NEGATES) & ~self._earlier_are(Kind.NEGATES)
        has_other, has_same, has_none = self._of_asked_type
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
        found: Floats = np.minimum(self._in_common(self._shared, self._shared * counts.astype(np.float32)), 1)
        return found

    @cached_property
    def _of_asked_type(self) -> tuple[Flags, Flags, Flags]:
        """Whether the later one has another value of a type that the question asks for; whether it has the same and no
        other; and whether it has none, but the earlier one has.
        """
        asked = set(self._asked_types)
        if not asks_who(self._plain_question) and not asks_what_it_is_called(self._question):
            # “Where” is seldom answered with a name.
            asked -= {Value.NAME}
        if not asked:
            none = np.zeros(self.shape, np.bool_)
            return none, none, none
        new, _, same = self._compared_values
        has_any = np.zeros(len(self._passages), np.bool_)
        both = np.zeros(self.shape, np.bool_)
        for group in _ANSWERS:
            has = self._with_values(asked & group)
            if Value.NAME in asked & group:
                has |= self._begins_with_name
            has_any |= has
            both |= has[: self._count, None] & has[None, self._columns]
        has_other, has_same = _any_of(new, asked), _any_of(same, asked)
        return has_other, has_same & ~has_other, has_any[: self._count, None] & ~both

    @cached_property
    def _begins_with_name(self) -> Flags:
        """Whether each passage may begin with a name that the question does not have: “Farah does the payroll”.

        No value is taken from there otherwise, since all sentences begin with a capital.
        """
        texts = [self._index.passage(number).text for number in self._passages.tolist()]
        first = [words_of(text[:_BEGINNING_CHARS])[:1] if text[:1].isupper() else [] for text in texts]
        asked = words_of(self._question)
        return np.array([any(may_be_name(word) and word not in asked for word in words) for words in first], np.bool_)

    def _with_values(self, kinds: AbstractSet[Value]) -> Flags:
        """Whether each passage has a value of any of these types."""
        return are_of(self._types_of_values, _bits(kinds))

    @cached_property
    def _types_of_values(self) -> NDArray[np.uint32]:
        """A bit for each type of value that a passage has."""
        _, types, which = self._values
        found = np.zeros(len(self._passages), np.uint32)
        np.bitwise_or.at(found, which, np.uint32(1) << types.astype(np.uint32))
        return found

    def _of_values(self) -> _Signs:
        new, disjoint, _ = self._compared_values
        types = self._asked_types if not self._asks_for_several else frozenset[Value]()
        values, kinds, which = self._values
        are_figures = among(kinds, sorted(_FIGURES))
        _, has = _occurring(values[are_figures], which[are_figures], len(self._passages))
        count, same = has.sum(axis=1), self._in_common(has, has)
        has_figures, has_others = (count > 0)[: self._count, None], count[self._columns] > same
        are_names = kinds == Value.NAME
        _, has_name = _occurring(values[are_names], which[are_names], len(self._passages))
        names_asked = self._asked * self._is_name
        of_earlier = names_asked[: self._count].sum(axis=1)[:, None]
        return {
            Sign.NEW_NAME: has_name.sum(axis=1)[self._columns] > self._in_common(has_name, has_name),
            Sign.NAME_LOST: 1
            - self._in_common(names_asked, names_asked) / np.maximum(of_earlier, 1)
            - (of_earlier == 0),
            Sign.OTHER_VALUE: _any_of(new, types - {Value.NAME}),
            Sign.OTHER_NAME: _any_of(disjoint, types & {Value.NAME}),
            Sign.LOSES_VALUE: self._loses_value,
            Sign.FIGURES: has_figures,
            Sign.NEW_FIGURES: has_others,
            Sign.SAME_FIGURES: same > 0,
            Sign.OTHER_FIGURES: has_figures & has_others,
        }

    @cached_property
    def _loses_value(self) -> Flags:
        """Whether the earlier one has a value of a type that the question does not ask for, and the later one has none
        of that type; or a place, if it asks where. Only where neither has a word for a change, a reason or a doubt.
        """
        types = self._types_of_values & np.uint32(_bits(_UNASKED - self._asked_types))
        found: Flags = (types[: self._count, None] & ~types[self._columns]) != 0
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
        has_more = self._has[:, is_content].sum(axis=1)[self._columns] > self._in_common(shared, shared)
        values, _, which = self._values
        _, has = _occurring(values, which, len(self._passages))
        has_others = has.sum(axis=1)[self._columns] > self._in_common(has, has)
        says = self._says_change | self._later_are(_ANSWERED | Kind.GIVES_REASON)
        found: Flags = has_more | has_others | says
        return found

    def _weight(self, term: QueryTerm) -> float:
        frequency = max((self._index.frequency(stem) for stem in term.stems), default=0)
        rarity = self._index.idf(frequency) / self._index.idf(1)
        return (COMMON_COUNTS if term.common else 1.0) * max(rarity, _LEAST_RARE)

    @cached_property
    def _compared_values(self) -> tuple[dict[Value, Flags], dict[Value, Flags], dict[Value, Flags]]:
        """For each type that the question asks for whether both have values of it, and the later one has others than
        the earlier; whether none are common; and whether some are.
        """
        new, disjoint, same = dict[Value, Flags](), dict[Value, Flags](), dict[Value, Flags]()
        if not self._asked_types:
            return new, disjoint, same
        values, types, which = self._values
        for kind in self._asked_types:
            of_kind = types == kind
            _, has = _occurring(values[of_kind], which[of_kind], len(self._passages))
            count, common = has.sum(axis=1), self._in_common(has, has)
            new[kind] = (count[: self._count, None] > 0) & (count[None, self._columns] > common)
            disjoint[kind] = self._of_both(np.logical_and, count > 0) & (common == 0)
            same[kind] = common > 0
        return new, disjoint, same

    @cached_property
    def _values(self) -> tuple[Integers, Integers, Integers]:
        """The values of the passages, without those that the question has itself."""
        values, types, which = self._index.values_in(self._passages.tolist())
        words = words_of(self._question)
        asked = values_of(self._question, self._plain_question, words) | {Value.NAME: frozenset(words)}
        is_new = ~among(values, self._index.numbers_of(asked))
        return values[is_new], types[is_new], which[is_new]

    def _answer(self, number: int) -> str:
        """The answer in the exchange of a passage."""
        return self._index.said(self._index.passage(number).exchange).response


def rarity_of(index: ExchangeIndex, terms: Integers) -> Floats:
    """How rare each of ``terms`` is, of one that occurs once."""
    found: Floats = index.idfs(index.frequencies(terms)) / index.idf(1)
    return found


def _bits(kinds: Iterable[Value]) -> int:
    """A bit for each of these types."""
    return sum(1 << kind for kind in kinds)


@cache
def _stems_of_asking(language: str) -> Sequence[str]:
    return stems_of(sorted(ASKING), language)


def _occurring(numbers: Integers, which: Integers, passages: int) -> tuple[Integers, Floats]:
    """The distinct numbers, and for each passage (row) and number (column) 1 if it occurs there, else 0."""
    # As ``np.unique`` with its inverse, in half the time.
    occurs = np.zeros(int(numbers.max(initial=-1)) + 1, np.bool_)
    occurs[numbers] = True
    distinct = np.flatnonzero(occurs)
    column = np.empty(len(occurs), np.intp)
    column[distinct] = np.arange(len(distinct))
    has = np.zeros((passages, len(distinct)), np.float32)
    has[which, column[numbers]] = 1
    return distinct, has


def _any_of(others: Mapping[Value, Flags], types: AbstractSet[Value]) -> Flags:
    found: Flags = np.array([False])
    for each in types & others.keys():
        found = found | others[each]
    return found
