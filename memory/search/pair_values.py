"""The values that pairs of passages have: days, times, numbers, names and colours. Pure."""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory.search.bm25 import Flags, Floats, Integers, among
from memory.search.index import ExchangeIndex
from memory.search.kinds import are_of
from memory.search.persons import asks_who, may_be_name
from memory.search.signs import Sign, Signs
from memory.search.values import Value, asked_values, asks_for_several, asks_what_it_is_called, values_of
from memory.search.words import comparable, words_of

_BEGINNING_CHARS: Final = 40
"""In which a passage may begin with a name."""
_ANSWERS: Final = (
    frozenset([Value.WEEKDAY, Value.DATE, Value.MONTH, Value.CLOCK, Value.PART]),
    frozenset([Value.NUMBER]),
    frozenset([Value.NAME]),
    frozenset([Value.COLOUR]),
)
"""Types of values of which one can take another's place."""
_FIGURES: Final = frozenset([Value.DATE, Value.CLOCK, Value.NUMBER])
"""Types of values that have digits, or words for them."""
_UNASKED: Final = frozenset([Value.CLOCK, Value.NUMBER, Value.PART])
"""Types of values that are often the answer to a question that does not ask for them by name: “which row is it in?”"""


@dataclass(frozen=True, slots=True)
class Axes:
    """The rows and columns of pairs: the first ``earlier`` of all passages, and those at the places ``later``."""

    earlier: int
    later: Integers

    def of_both(self, operation: np.ufunc, values: Floats) -> Floats:
        """The result of ``operation`` for the values of both."""
        found: Floats = operation.outer(values[: self.earlier], values[self.later])
        return found

    def in_common(self, earlier: Floats, later: Floats) -> Floats:
        """The sums of products of the rows of both."""
        found: Floats = earlier[: self.earlier] @ later[self.later].T
        return found


class PairValues:
    """The values of pairs of ``passages``, without those that the ``question`` has itself."""

    def __init__(self, index: ExchangeIndex, passages: Integers, axes: Axes, question: str) -> None:
        self._index = index
        self._passages = passages
        self._axes = axes
        self._question = question
        self._asked_types = asked_values(question)

    def signs(self, names_asked: Floats) -> Signs:
        """The signs of values; ``names_asked`` are which of the question's names each passage has."""
        new, disjoint, _ = self._compared
        types = frozenset[Value]() if asks_for_several(self._question) else self._asked_types
        values, kinds, which = self.all
        are_figures = among(kinds, sorted(_FIGURES))
        _, has = occurring(values[are_figures], which[are_figures], len(self._passages))
        count, same = has.sum(axis=1), self._axes.in_common(has, has)
        has_figures, has_others = (count > 0)[: self._axes.earlier, None], count[self._axes.later] > same
        are_names = kinds == Value.NAME
        _, has_name = occurring(values[are_names], which[are_names], len(self._passages))
        of_earlier = names_asked[: self._axes.earlier].sum(axis=1)[:, None]
        return {
            Sign.NEW_NAME: has_name.sum(axis=1)[self._axes.later] > self._axes.in_common(has_name, has_name),
            Sign.NAME_LOST: 1
            - self._axes.in_common(names_asked, names_asked) / np.maximum(of_earlier, 1)
            - (of_earlier == 0),
            Sign.OTHER_VALUE: _any_of(new, types - {Value.NAME}),
            Sign.OTHER_NAME: _any_of(disjoint, types & {Value.NAME}),
            Sign.FIGURES: has_figures,
            Sign.NEW_FIGURES: has_others,
            Sign.SAME_FIGURES: same > 0,
            Sign.OTHER_FIGURES: has_figures & has_others,
        }

    @cached_property
    def of_asked_type(self) -> tuple[Flags, Flags, Flags]:
        """Whether the later one has another value of a type that the question asks for; whether it has the same and no
        other; and whether it has none, but the earlier one has.
        """
        asked = set(self._asked_types)
        if not asks_who(comparable(self._question)) and not asks_what_it_is_called(self._question):
            # “Where” is seldom answered with a name.
            asked -= {Value.NAME}
        if not asked:
            none = np.zeros(self._shape, np.bool_)
            return none, none, none
        new, _, same = self._compared
        has_any = np.zeros(len(self._passages), np.bool_)
        both = np.zeros(self._shape, np.bool_)
        for group in _ANSWERS:
            has = self._have(asked & group)
            if Value.NAME in asked & group:
                has |= self._begins_with_name
            has_any |= has
            both |= has[: self._axes.earlier, None] & has[None, self._axes.later]
        has_other, has_same = _any_of(new, asked), _any_of(same, asked)
        return has_other, has_same & ~has_other, has_any[: self._axes.earlier, None] & ~both

    def lose_unasked(self) -> Flags:
        """Whether the earlier one has a value of a type that the question does not ask for but that is often an answer,
        and the later one has none of that type.
        """
        types = self._types & np.uint32(_bits(_UNASKED - self._asked_types))
        found: Flags = (types[: self._axes.earlier, None] & ~types[self._axes.later]) != 0
        return found

    def have_others(self) -> Flags:
        """Whether the later one has any value that the earlier one does not have."""
        values, _, which = self.all
        _, has = occurring(values, which, len(self._passages))
        found: Flags = has.sum(axis=1)[self._axes.later] > self._axes.in_common(has, has)
        return found

    @cached_property
    def all(self) -> tuple[Integers, Integers, Integers]:
        """The values of the passages, without those that the question has itself."""
        values, types, which = self._index.values_in(self._passages.tolist())
        words = words_of(self._question)
        asked = values_of(self._question, comparable(self._question), words) | {Value.NAME: frozenset(words)}
        is_new = ~among(values, self._index.numbers_of(asked))
        return values[is_new], types[is_new], which[is_new]

    @cached_property
    def _compared(self) -> tuple[dict[Value, Flags], dict[Value, Flags], dict[Value, Flags]]:
        """For each type that the question asks for whether both have values of it, and the later one has others than
        the earlier; whether none are common; and whether some are.
        """
        new, disjoint, same = dict[Value, Flags](), dict[Value, Flags](), dict[Value, Flags]()
        if not self._asked_types:
            return new, disjoint, same
        values, types, which = self.all
        for kind in self._asked_types:
            of_kind = types == kind
            _, has = occurring(values[of_kind], which[of_kind], len(self._passages))
            count, common = has.sum(axis=1), self._axes.in_common(has, has)
            new[kind] = (count[: self._axes.earlier, None] > 0) & (count[None, self._axes.later] > common)
            disjoint[kind] = self._axes.of_both(np.logical_and, count > 0) & (common == 0)
            same[kind] = common > 0
        return new, disjoint, same

    @cached_property
    def _begins_with_name(self) -> Flags:
        """Whether each passage may begin with a name that the question does not have: “Farah does the payroll”.

        No value is taken from there otherwise, since all sentences begin with a capital.
        """
        texts = [self._index.passage(number).text for number in self._passages.tolist()]
        first = [words_of(text[:_BEGINNING_CHARS])[:1] if text[:1].isupper() else [] for text in texts]
        asked = words_of(self._question)
        return np.array([any(may_be_name(word) and word not in asked for word in words) for words in first], np.bool_)

    def _have(self, kinds: AbstractSet[Value]) -> Flags:
        """Whether each passage has a value of any of these types."""
        return are_of(self._types, _bits(kinds))

    @cached_property
    def _types(self) -> NDArray[np.uint32]:
        """A bit for each type of value that a passage has."""
        _, types, which = self.all
        found = np.zeros(len(self._passages), np.uint32)
        np.bitwise_or.at(found, which, np.uint32(1) << types.astype(np.uint32))
        return found

    @property
    def _shape(self) -> tuple[int, int]:
        return self._axes.earlier, len(self._axes.later)


def occurring(numbers: Integers, which: Integers, passages: int) -> tuple[Integers, Floats]:
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


def _bits(kinds: Iterable[Value]) -> int:
    """A bit for each of these types."""
    return sum(1 << kind for kind in kinds)


def _any_of(others: Mapping[Value, Flags], types: AbstractSet[Value]) -> Flags:
    found: Flags = np.array([False])
    for each in types & others.keys():
        found = found | others[each]
    return found
