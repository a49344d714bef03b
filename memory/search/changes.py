"""Which passages someone has taken back or changed later, by their words and values. Pure.

Only passages that are about to be told for one question are compared: what it asks narrows what can differ. They are
compared with each other, and with later ones that have rare words of theirs (``_further``). An earlier one gives way to
a later one of the user's if both are about the same, and enough speaks for a change: ``_Pairs`` says what.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from functools import cache, cached_property, partial
from itertools import chain
from typing import Final, TypeAlias

import numpy as np

from memory.search.bm25 import Flags, Floats, Integers, among, greatest, run_begins
from memory.search.change_words import ASKING, admits_mistake, is_of_way_back, new_things, titles_in
from memory.search.dates import calendar_stems
from memory.search.index import ExchangeIndex
from memory.search.kinds import Kind, are_of
from memory.search.matching import COMMON_COUNTS, QueryTerm
from memory.search.persons import asks_who, is_own, may_be_name, owners_in, subject_in
from memory.search.values import (
    Value,
    asked_values,
    asks_for_several,
    asks_what,
    asks_what_it_is_called,
    asks_where,
    asks_whether_still,
    counted_things,
    names_place,
    values_of,
)
from memory.search.words import comparable, stems_of, words_of

# How likely it is that the later of two passages has changed the earlier, as log odds: a logistic regression over
# pairs of passages of the project's own cases and others like them, of LoCoMo and of BEAM, rounded.
_BASE: Final = 5.1
_RARE: Final = 1.8
"""Rare words in common, by their rarity."""
_CALENDAR_COUNTS: Final = np.float32(0.5)
"""What a word for a month, year or weekday counts among them, of another one: “in September” is said of anything."""
_RARE_UNASKED: Final = -2.1
"""Those of them that the question does not have: lists repeat them."""
_REASONED: Final = 2.9
"""The same, where the later one says more than one thing: it may name what held before, and say what holds now."""
_MOST_RARE: Final = 3.0
_WORDS: Final = 10
"""Longer texts than this have words in common by chance."""
_ALIKE: Final = 5.7
"""The share of their words that both have."""
_ANOTHER_ASKED: Final = -3.1
"""The same, where the later one has another word in place of one that the question has: “the bike lock: 3847”, “the gym
lock: 1192”."""
_SEVERAL_OTHERS: Final = -3.3
"""The same, where it has others in several places: entries of a list differ in what they are about and in what they
say of it, a change only in one of the two."""
_LENGTH: Final = -5.7
"""Of the logarithm of how many words both have: who says much says more than what changes."""
_FEW_WORDS: Final = 7
"""Of texts with fewer there were too few to tell how they differ."""
_SAID: Final = 1.9
_REASON: Final = 1.0
_TITLE_GONE: Final = 2.8
_DOUBTED: Final = 1.8
_VALUE: Final = 0.5
_OTHER_NAME: Final = 1.4
_APART: Final = 0.6
"""Of the logarithm of the days in between."""
_ONE_OF_SEVERAL: Final = -2.1
"""Where the question may have several answers, and both share nothing but its words, or neither has words for a change
or a doubt."""
_TOPIC: Final = 0.7
"""The share of the question's words in the earlier one that the later one has, too."""
_MENTIONED: Final = 1.1
"""Of a change that is said: how rare further words of the earlier one in it are."""
_DENIED: Final = 1.7
"""Something is not so, times the share of the question's words."""
_COVERED: Final = -1.4
"""The later one has all of the question's words that the earlier one has, and several: so do further answers to it."""
_OTHER_TYPE: Final = -3.4
"""The question asks for a day, a number or a name that the earlier one has, and the later one has none: “the party
starts at seven”, “for the party we need chairs”."""
_LOST: Final = -2.0
"""The question asks for no such value, but the earlier one has a number or a time, or a place if the question asks
where, and the later one has none, and no word for a change: “the fuse box is behind the coats”, “the fuse box tripped”.
"""
_OTHER_TOPIC: Final = -2.7
"""Of a change that is said: how much of the earlier one is not in it."""
_NOTHING_SAID: Final = -1.8
"""The later one has nothing of what is said of the earlier one, no other value, and no word for a change."""
_SAME_VALUE: Final = -2.4
"""The later one has the same value of that type again, no other, and no word for a change."""
_WHOLE: Final = 0.99
"""The share above which a passage has all of the earlier one's words that the question has, too; sums are rounded."""
_STANDING: Final = -4.0
"""What is always to be done is changed by another such sentence, a preference, a denial or a word for a change: “always
give me the sources”, “and the sources of that one”."""
_COPIED: Final = -3.2
"""In a copied chat: people who talk to each other repeat themselves, in thanks and compliments."""
_PASSING: Final = -1.8
"""It tells of the day or week on which it is said, which the earlier one does not, without a word for a change: “no
yoga this week”."""
_WHAT: Final = -1.3
_STILL: Final = 3.4
_SAME_BEGINNING: Final = -2.0
"""So entries of a list begin."""
_SOMETHING_ELSE: Final = -3.0
"""The question asks for a number, and all numbers of the later one count something else: “the code is 60318”, “took
three boxes there”.
"""
_LIKELY: Final = -1.7
_SURE: Final = 0.0
_CORRECTED: Final = 2.0
"""At least, of what is taken back in the next message with another number, time or the like: “I misread it: 6009”,"""
_TURNED_BACK: Final = -0.5
"""“hang on”, “scusa”."""
_ANSWERED: Final = Kind.CHANGE_ANSWERED | Kind.END_ANSWERED
_LEAST_RARE: Final = 0.3
"""How rare a word of a question is at least: its name is in every exchange about something."""
_DAY_S: Final = 86_400.0
_BEGINNING: Final = 2
"""Words,"""
_BEGINNING_CHARS: Final = 40
"""which are in the first characters of a passage."""
_LOOKED_UP: Final = 15
"""Of so many passages later ones with their rare words are looked for,"""
_FURTHER: Final = 10
"""and so many of those are compared."""
_RARE_TERM: Final = 0.45
"""How rare such a word is at least, of one that occurs once."""
_ENOUGH_RARE: Final = 0.8
"""How rare all that both have are together."""

_ANSWERS: Final = (
    frozenset([Value.WEEKDAY, Value.DATE, Value.MONTH, Value.CLOCK, Value.PART]),
    frozenset([Value.NUMBER]),
    frozenset([Value.NAME]),
    frozenset([Value.COLOUR]),
)
"""Types of values of which one can take another's place."""
_UNASKED: Final = frozenset([Value.CLOCK, Value.NUMBER, Value.PART])
"""Types of values that are often the answer to a question that does not ask for them by name: “which row is it in?”"""

_Signs: TypeAlias = Iterator[tuple[float, Floats | Flags]]
"""What speaks for a change or against it, each with its weight: for each pair, or for each later or earlier one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """That a passage was taken back or changed, first at ``since``, and by what most likely says so; not ``sure``:
    perhaps.
    """

    since: datetime
    by: int
    sure: bool


def changed(
    index: ExchangeIndex, passages: Iterable[int], terms: Sequence[QueryTerm], question: str
) -> dict[int, Change]:
    """By their number those of ``passages`` that later ones have changed, since the first of these.

    ``passages`` are in the order of their value, ``terms`` the words of ``question``. What the assistant says changes
    nothing; long answers are not compared.
    """
    told = [number for number in passages if not index.is_kind(number, Kind.LONG_ANSWER)]
    compared = np.array(list(dict.fromkeys((*told, *_further(index, told), *_corrections(index, told)))), np.intp)
    pairs = _Pairs(index, compared, len(told), terms, question)
    likely = pairs.likelihoods()
    found = {}
    for place in np.flatnonzero((likely > _LIKELY).any(axis=1)).tolist():
        surely = (likely[place] > _SURE) & pairs.can_be_sure[place]
        sure = bool(surely.any())
        # It may have changed more than once, and held until the first time.
        as_likely = np.flatnonzero(surely if sure else likely[place] > _LIKELY)
        since = min(map(index.said_at, index.passage_places()[pairs.later[as_likely]].tolist()))
        likeliest = as_likely[np.argmax(likely[place, as_likely])]
        found[told[place]] = Change(since=since, by=int(pairs.later[likeliest]), sure=sure)
    return found


def _further(index: ExchangeIndex, told: Sequence[int]) -> list[int]:
    """Later passages of the user's, not of ``told``, with rare words of the first of these."""
    earlier = [number for number in told if not index.is_kind(number, Kind.ANSWER)][:_LOOKED_UP]
    if not earlier:
        return []
    terms, which = index.terms_in(earlier)
    rarity = _rarity(index, terms)
    is_rare = rarity >= _RARE_TERM
    terms, which, rarity = terms[is_rare], which[is_rare], rarity[is_rare]
    number, place, _ = index.occurrences_of(terms.tolist())
    layout, at = index.layout(), index.times()
    of_user = ~are_of(layout.kinds[number], Kind.ANSWER)
    is_later = at[layout.of_passage[number]] > at[layout.of_passage[np.array(earlier, np.intp)[which[place]]]]
    is_told = np.zeros(len(layout.of_passage), np.bool_)
    is_told[told] = True
    kept = of_user & is_later & ~is_told[number]
    if not kept.any():
        return []
    pairs = number[kept] * len(earlier) + which[place[kept]]
    order = np.argsort(pairs, kind="stable")
    begins = run_begins(pairs[order])
    together = np.add.reduceat(rarity[place[kept]][order], begins)
    later = pairs[order][begins] // len(earlier)
    firsts = run_begins(later)
    later, best = later[firsts], np.maximum.reduceat(together, firsts)
    return [int(later[each]) for each in greatest(best, _FURTHER) if best[each] >= _ENOUGH_RARE]


def _corrections(index: ExchangeIndex, told: Sequence[int]) -> list[int]:
    """The passages that may correct what was said in the exchange before, one of those of ``told``."""
    corrections = np.flatnonzero(index.kinds(Kind.CORRECTS))
    if not len(corrections) or not told:
        return []
    layout = index.layout()
    is_told = among(layout.before[layout.of_passage[corrections]], layout.of_passage[np.array(told, np.intp)].tolist())
    found: list[int] = corrections[is_told].tolist()
    return found[-_FURTHER:]


def _rarity(index: ExchangeIndex, terms: Integers) -> Floats:
    """How rare each of ``terms`` is, of one that occurs once."""
    found: Floats = index.idfs(index.frequencies(terms)) / index.idf(1)
    return found


class _Pairs:
    """Pairs of passages: each array has a row for the earlier and a column for the later one of a pair.

    Any of the first ``told`` passages may be the earlier one, and any of the user's may be the later one.
    """

    def __init__(
        self, index: ExchangeIndex, passages: Integers, told: int, terms: Sequence[QueryTerm], question: str
    ) -> None:
        self._index = index
        self._passages = passages
        self._told = told
        kinds = index.layout().kinds[passages]
        self._columns = np.flatnonzero(~are_of(kinds, Kind.ANSWER))
        self.later = passages[self._columns]
        self._earlier_kinds, self._later_kinds = kinds[:told], kinds[self._columns]
        at = index.times()[index.passage_places()[passages]]
        self._earlier_at, self._later_at = at[:told, None], at[None, self._columns]
        self._speakers = index.speakers()
        self._plain_texts: dict[int, str] = {}
        self._question = question
        self._plain_question = comparable(question)
        self._asks_for_several = asks_for_several(question)
        self._asked_types = asked_values(question)
        self._found, self._has = _occurring(*index.terms_in(passages.tolist()), len(passages))
        self._is_shared: Flags = self._has.sum(axis=0) > 1
        self._shared = self._has[:, self._is_shared]
        # The words for months, years and weekdays say little of what a passage is about.
        self._is_calendar: Flags = among(self._found, self._terms_for(calendar_stems))
        common = self._in_common(self._shared, self._shared)
        times = self._has[:, self._is_shared & self._is_calendar]
        self._has_common: Flags = common > self._in_common(times, times)
        together = np.maximum(self._of_both(np.add, self._has.sum(axis=1)), 1)
        # The share of the words of both that both have (Dice).
        self._alike: Floats = (2 * common / together).astype(np.float32)
        self._rarity = _rarity(index, self._found)
        self._asked, self._unasked, weights = self._words_asked(terms)
        self._of_question: Flags = among(self._found, index.terms_of(chain.from_iterable(each.stems for each in terms)))
        self._asked_terms = frozenset(self._found[~self._unasked].tolist())
        # The share of the question's words in the earlier one, by how rare these are, that the later one has, too.
        asked = np.maximum(np.einsum("it,t->i", self._asked[:told], weights), 1e-6)
        self._topic: Floats = self._in_common(self._asked * weights, self._asked) / asked[:, None]

    def likelihoods(self) -> Floats:
        """How likely it is, in log odds, that the later one has changed the earlier one."""
        likely = np.full((self._told, len(self.later)), _BASE, np.float32)
        for weight, sign in self.signs():
            likely += np.float32(weight) * sign
        found: Floats = np.where(self._may_change(), likely, -np.inf)
        # What takes longer to compare can only speak against a change: few pairs need it.
        corrects = self._corrects
        if not ((found > _LIKELY) | corrects).any():
            return found
        says_so = self._says_so
        found += np.float32(_LOST) * (self._loses_value() & ~says_so)
        found[~self._says_anything()] = -np.inf
        for earlier, later in np.argwhere(found > _LIKELY).tolist():
            if self._is_of_another(earlier, later):
                found[earlier, later] = -np.inf
                continue
            found[earlier, later] += self._of_others(earlier, later) * self._alike[earlier, later]
            if self._counts_something_else(earlier, later):
                found[earlier, later] += _SOMETHING_ELSE
            if not says_so[earlier, later] and self._begin_alike(self._passages[earlier], self.later[later]):
                found[earlier, later] += _SAME_BEGINNING
        for earlier, later in np.argwhere(corrects & (found > -np.inf)).tolist():
            if self._differ(earlier, later):
                is_admitted = admits_mistake(self._plain(self.later[later]))
                found[earlier, later] = max(found[earlier, later], _CORRECTED if is_admitted else _TURNED_BACK)
        return found

    @cached_property
    def _corrects(self) -> Flags:
        """Whether the later one may correct what the user said just before, in the earlier one."""
        layout, places = self._index.layout(), self._index.passage_places()
        is_next = places[self._passages[: self._told], None] == layout.before[places[self.later]][None]
        found: Flags = is_next & self._later_are(Kind.CORRECTS) & ~self._earlier_are(Kind.ANSWER)
        return found

    def _differ(self, earlier: int, later: int) -> bool:
        """Whether both have values of a type of which the later one has another."""
        values, types, which = self._index.values_in([self._passages[earlier], self.later[later]])
        before, after = (set(zip(types[which == side], values[which == side], strict=True)) for side in (0, 1))
        return any(kind in {each for each, _ in before} for kind, _ in after - before)

    def _of_both(self, operation: np.ufunc, values: Floats) -> Floats:
        """The result of ``operation`` for the values of both."""
        found: Floats = operation.outer(values[: self._told], values[self._columns])
        return found

    def _in_common(self, earlier: Floats, later: Floats) -> Floats:
        """As ``_in_common``, of pairs of rows."""
        return _in_common(earlier[: self._told], later[self._columns])

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

    def _of_others(self, earlier: int, later: int) -> float:
        """What it says against a change that the later one has other words in place of the earlier one's."""
        words = [self._index.term_list(number) for number in (self._passages[earlier], self.later[later])]
        replaced = _replaced(*words)
        another = self._asked_terms.intersection(chain.from_iterable(replaced)).difference(words[1])
        # “My phone number”, “my new number”.
        is_another = bool(another) and not self._says_change[earlier, later]
        return _ANOTHER_ASKED * is_another + _SEVERAL_OTHERS * (len(replaced) > 1)

    @cached_property
    def _says_change(self) -> Flags:
        """Whether the later one has a word of change, or says that something is new that the earlier one or the
        question names: “my new number”, and not “the dentist gave me a new toothbrush”.
        """
        found: Flags = np.repeat(self._later_are(Kind.SAYS_CHANGE)[None], self._told, axis=0)
        for later in np.flatnonzero(self._later_are(Kind.SAYS_NEW)).tolist():
            things = new_things(self._plain(self.later[later]))
            columns = among(self._found, self._terms_for(partial(stems_of, things)))
            if (columns & ~self._unasked).any():
                found[:, later] = True
            else:
                found[:, later] |= self._has[: self._told, columns].any(axis=1)
        return found

    def _is_of_another(self, earlier: int, later: int) -> bool:
        """Whether the later one is about another way or person: “the train leaves at 8”, “the train back leaves at 9”;
        “my flight leaves at 8”, “Theo's flight leaves at 9”.
        """
        question = self._plain_question
        numbers = self._passages[earlier], self.later[later]
        before, after = map(self._plain, numbers)
        if is_of_way_back(after) != is_of_way_back(before):
            return True
        # In an answer, “I” is the assistant.
        if self._earlier_kinds[earlier] & np.uint32(Kind.ANSWER) or not is_own(before) or is_own(after):
            return False
        is_name = self._index.is_name
        others = owners_in(after, is_name)
        # “Who drives?” gets another name, and “Sara moved our dinner” tells of a change.
        if not asks_who(question) and not self._says_change[earlier, later]:
            others |= subject_in(after, is_name)
        return not others <= {*words_of(before), *words_of(question)}

    def _counts_something_else(self, earlier: int, later: int) -> bool:
        """Whether the question asks for a number, and all numbers of the later one count things that neither the
        question nor the earlier one names.
        """
        if Value.NUMBER not in self._asked_types:
            return False
        things = counted_things(self._plain(self.later[later]))
        if not things or "" in things:
            return False
        terms = self._terms_for(partial(stems_of, things))
        named = self._asked_terms.union(self._index.term_list(self._passages[earlier]))
        return bool(terms) and named.isdisjoint(terms)

    def _plain(self, number: int) -> str:
        """The text of a passage as ``comparable``."""
        if (plain := self._plain_texts.get(number)) is None:
            plain = self._plain_texts[number] = comparable(self._index.passage(number).text)
        return plain

    def _terms_for(self, stems_by: Callable[[str], Iterable[str]]) -> list[int]:
        """The terms that words may be in any language of the index; ``stems_by`` gives their stems in one."""
        return self._index.terms_of({stem for language in self._index.languages for stem in stems_by(language)})

    def _begin_alike(self, *passages: int) -> bool:
        texts = [self._index.passage(number).text for number in passages]
        earlier, later = (words_of(text[:_BEGINNING_CHARS])[:_BEGINNING] for text in texts)
        return earlier == later

    @cached_property
    def can_be_sure(self) -> Flags:
        """Whether the later one can be trusted to be about the same. Who says much without a word for a change may tell
        of something else, and who says that something stays, or is otherwise for once, changes nothing for long.
        """
        tells_much = self._later_are(Kind.TELLS_MUCH) & ~self._says_change
        found: Flags = ~(tells_much | self._later_are(Kind.STAYS)) | self._corrects
        return found

    @cached_property
    def _says_so(self) -> Flags:
        """Whether the words of one of them speak for a change."""
        found: Flags = (
            self._says_change | self._later_are(_ANSWERED | Kind.GIVES_REASON) | self._earlier_are(Kind.DOUBTED)
        )
        return found

    def signs(self) -> _Signs:
        """What speaks for a change or against it, with weights."""
        yield from self._of_words()
        yield from self._of_kinds()
        yield from self._of_values()
        yield from self._of_what_is_said()
        days = np.maximum(self._later_at - self._earlier_at, 0) / _DAY_S
        yield _APART, np.log1p(days).astype(np.float32)
        yield _ONE_OF_SEVERAL, (~self._says_so | (self._mentioned == 0)) & self._asks_for_several
        # “What do I still need?” has several answers, “Do I still swim?” has one.
        may_be_several = asks_what(self._question)
        yield _WHAT, np.array([may_be_several])
        is_like_it = self._later_are(Kind.STANDING | Kind.PREFERENCE | Kind.NEGATES)
        yield _STANDING, self._earlier_are(Kind.STANDING) & ~is_like_it & ~self._says_change
        is_passing = self._later_are(Kind.OF_ONE_DAY) & ~self._earlier_are(Kind.OF_ONE_DAY)
        yield _PASSING, is_passing & ~self._says_change
        if self._speakers:
            yield _COPIED, self._index.spoken_by(self._speakers)[self.later]
        yield _STILL, np.array([asks_whether_still(self._question) and not may_be_several])

    def _of_kinds(self) -> _Signs:
        yield _SAID, self._says_change
        yield _REASON, self._later_are(Kind.GIVES_REASON)
        yield _TITLE_GONE, self._ends(self._later_are(Kind.END_ANSWERED))
        yield _DOUBTED, self._earlier_are(Kind.DOUBTED)

    def _of_what_is_said(self) -> _Signs:
        """Whether the later one can be an answer to the question in place of the earlier one, or says that this one no
        longer holds.
        """
        topic, mentioned = self._topic, self._mentioned
        says = self._says_change | self._later_are(_ANSWERED)
        decides = self._later_are(Kind.DECIDES)
        denies = self._later_are(Kind.NEGATES) & ~self._earlier_are(Kind.NEGATES)
        has_other, has_same, has_none = self._of_asked_type()
        many = self._asked[self._columns].sum(axis=1) > 1
        has_all_words = (topic > _WHOLE) & many & ~has_none & (~has_other | self._asks_for_several)
        yield _TOPIC, topic
        yield _MENTIONED, (says | self._later_are(Kind.GIVES_REASON)) * mentioned
        yield _DENIED, denies * topic
        yield _COVERED, has_all_words
        yield _OTHER_TYPE, has_none
        yield _OTHER_TOPIC, says * (1 - np.maximum(topic, mentioned))
        yield _SAME_VALUE, has_same & ~(says | denies | self._later_are(Kind.GIVES_REASON))
        yield _NOTHING_SAID, ~(says | decides | denies | has_all_words | has_other) & (mentioned == 0)

    @cached_property
    def _mentioned(self) -> Floats:
        """How rare the words are that both have and that say more than the question and the time, up to 1."""
        says_more = self._unasked & ~self._is_calendar & ~self._index.are_common(self._found)
        counts = (self._rarity * self._index.are_words(self._found) * says_more)[self._is_shared]
        found: Floats = np.minimum(self._in_common(self._shared, self._shared * counts.astype(np.float32)), 1)
        return found

    def _of_asked_type(self) -> tuple[Flags, Flags, Flags]:
        """Whether the later one has another value of a type that the question asks for; whether it has the same and no
        other; and whether it has none, but the earlier one has.
        """
        asked = set(self._asked_types)
        if not asks_who(self._plain_question) and not asks_what_it_is_called(self._question):
            # “Where” is seldom answered with a name.
            asked -= {Value.NAME}
        if not asked:
            none = np.zeros((self._told, len(self.later)), np.bool_)
            return none, none, none
        new, _, same = self._compared_values
        has_any = np.zeros(len(self._passages), np.bool_)
        both = np.zeros((self._told, len(self.later)), np.bool_)
        for group in _ANSWERS:
            has = self._with_values(asked & group)
            if Value.NAME in asked & group:
                has |= self._begins_with_name
            has_any |= has
            both |= has[: self._told, None] & has[None, self._columns]
        has_other, has_same = _any_of(new, asked), _any_of(same, asked)
        return has_other, has_same & ~has_other, has_any[: self._told, None] & ~both

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
        found: Flags = np.any(self._has_values[list(kinds)], axis=0)
        return found

    @cached_property
    def _has_values(self) -> Flags:
        """For each type of value (row) whether each passage (column) has one."""
        _, types, which = self._values
        found = np.zeros((max(Value) + 1, len(self._passages)), np.bool_)
        found[types, which] = True
        return found

    def _loses_value(self) -> Flags:
        """Whether the earlier one has a value of a type that the question does not ask for, and the later one has none
        of that type; or a place, if it asks where.
        """
        having = [self._with_values({kind}) for kind in _UNASKED - self._asked_types]
        if asks_where(self._question):
            having.append(np.array([names_place(self._plain(number)) for number in self._passages.tolist()], np.bool_))
        found = np.zeros((self._told, len(self.later)), np.bool_)
        for has in having:
            found |= has[: self._told, None] & ~has[None, self._columns]
        return found

    def _of_values(self) -> _Signs:
        """Other values of a type that the question asks for, if it has one answer."""
        if self._asks_for_several:
            return
        new, disjoint, _ = self._compared_values
        yield _VALUE, _any_of(new, self._asked_types - {Value.NAME})
        yield _OTHER_NAME, _any_of(disjoint, self._asked_types & {Value.NAME})

    def _later_are(self, kinds: int) -> Flags:
        """Whether each later one is of any of these kinds."""
        return are_of(self._later_kinds, kinds)

    def _earlier_are(self, kinds: int) -> Flags:
        """Whether each earlier one is of any of these kinds."""
        return are_of(self._earlier_kinds, kinds)[:, None]

    def _may_change(self) -> Flags:
        """Whether they have a word in common that is none for a time, and the later one is later, does not only ask,
        and is in copied chats of the same speaker.
        """
        # “Can you move the dinner to Friday?” does, once it is moved.
        only_asks = self._later_are(Kind.ASKS) & ~self._later_are(_ANSWERED)
        is_about_it = self._has_common | self._corrects
        found: Flags = (self._earlier_at < self._later_at) & is_about_it & ~only_asks
        for name in self._speakers:
            speaks = self._index.spoken_by([name])[self._passages]
            found &= speaks[: self._told, None] == speaks[None, self._columns]
        return found

    def _says_anything(self) -> Flags:
        """Whether the later one has a word or a value that neither the earlier one nor the question has, or a word for
        a change: “what does the cat eat” and “wifi password please” have none.
        """
        content = self._has * ~(self._of_question | among(self._found, self._terms_for(_stems_of_asking)))
        both = self._in_common(self._shared, content[:, self._is_shared])
        has_more = content.sum(axis=1)[None, self._columns] > both
        values, _, which = self._values
        _, has = _occurring(values, which, len(self._passages))
        has_others = has.sum(axis=1)[None, self._columns] > self._in_common(has, has)
        says = self._says_change | self._later_are(_ANSWERED | Kind.GIVES_REASON)
        found: Flags = has_more | has_others | says
        return found

    def _of_words(self) -> _Signs:
        """How rare the words are that both have, without what long ones have by chance; the share of their words that
        both have; and the logarithm of how many words both have, as their geometric mean.
        """
        lengths = np.sqrt(np.maximum(self._has.sum(axis=1), 1))
        mean = self._of_both(np.multiply, lengths)
        rarity = np.where(self._is_calendar, _CALENDAR_COUNTS * self._rarity, self._rarity)
        shared, rarity, unasked = self._shared, rarity[self._is_shared], self._unasked[self._is_shared]
        rare_unasked = np.minimum(self._in_common(shared, shared * (rarity * unasked)), _MOST_RARE)
        yield _RARE, np.minimum(self._in_common(shared, shared * rarity) / np.maximum(mean / _WORDS, 1), _MOST_RARE)
        yield _RARE_UNASKED, rare_unasked
        yield _REASONED, np.minimum(rare_unasked, 1) * self._later_are(Kind.CLAUSES)
        yield _ALIKE, self._alike
        yield _LENGTH, np.log(np.maximum(mean, _FEW_WORDS))

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
            new[kind] = (count[: self._told, None] > 0) & (count[None, self._columns] > common)
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

    def _ends(self, ended: Flags) -> Flags:
        """Whether the later one has something deleted that the earlier one names."""
        found = np.zeros((self._told, len(ended)), np.bool_)
        if not ended.any():
            return found
        named = [self._named(number) for number in self._passages[: self._told]]
        for later in np.flatnonzero(ended).tolist():
            passage = self._index.passage(self.later[later])
            answer = self._index.said(passage.exchange).response
            titles = [frozenset(words_of(title)) for title in titles_in(answer)]
            found[:, later] = [any(title <= words for title in titles) for words in named]
        return found

    def _named(self, number: int) -> frozenset[str]:
        """The words of a passage, and those of the titles in its answer."""
        passage = self._index.passage(number)
        titles = titles_in(self._index.said(passage.exchange).response)
        return frozenset(words_of(" ".join([passage.text, *titles])))


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


def _in_common(rows: Floats, columns: Floats) -> Floats:
    """The matrix product with the transposed. Of so little the threads of a BLAS wait for each other longer than it
    takes: on a busy machine milliseconds.
    """
    found: Floats = np.einsum("it,jt->ij", rows, columns)
    return found


def _replaced(earlier: Sequence[int], later: Sequence[int]) -> list[Sequence[int]]:
    """The runs of words of ``earlier`` in whose place ``later`` has others."""
    matched = SequenceMatcher(None, earlier, later, autojunk=False)
    return [earlier[begin:end] for what, begin, end, _, _ in matched.get_opcodes() if what == "replace"]


def _any_of(others: Mapping[Value, Flags], types: AbstractSet[Value]) -> Flags:
    found: Flags = np.array([False])
    for each in types & others.keys():
        found = found | others[each]
    return found
