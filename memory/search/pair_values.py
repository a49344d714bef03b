"""How the values of pairs of passages compare: days, times, numbers, names and colours. Pure."""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory.search.bm25 import Flags, Floats, Integers, among
from memory.search.index import ExchangeIndex
from memory.search.kinds import has_any_bit
from memory.search.pair_features import FeatureValues, PairFeature
from memory.search.persons import asks_who, may_be_name
from memory.search.values import ValueType, asked_types, asks_for_several, asks_what_it_is_called, values_of
from memory.search.words import comparable, words_of

_BEGINNING_CHARS: Final = 40
"""How much of a passage is read to see whether it begins with a name."""
_REPLACEABLE: Final = (
    frozenset([ValueType.WEEKDAY, ValueType.DATE, ValueType.MONTH, ValueType.CLOCK, ValueType.PART]),
    frozenset([ValueType.NUMBER]),
    frozenset([ValueType.NAME]),
    frozenset([ValueType.COLOUR]),
)
"""Groups of types. A value can replace another one of its group."""
_FIGURES: Final = frozenset([ValueType.DATE, ValueType.CLOCK, ValueType.NUMBER])
"""Types of values that have digits, or words for them."""
_UNASKED: Final = frozenset([ValueType.CLOCK, ValueType.NUMBER, ValueType.PART])
"""Types of values that often answer a question that does not name the type: “which row is it in?”"""


@dataclass(frozen=True, slots=True)
class Axes:
    """The rows and columns of pairs: the first ``earlier`` of all passages, and those at the positions ``later``."""

    earlier: int
    later: Integers

    def of_both(self, operation: np.ufunc, values: Floats) -> Floats:
        """The result of ``operation`` for the values of both passages."""
        found: Floats = operation.outer(values[: self.earlier], values[self.later])
        return found

    def in_common(self, earlier: Floats, later: Floats) -> Floats:
        """The dot products of the vectors of both passages."""
        found: Floats = earlier[: self.earlier] @ later[self.later].T
        return found


class PairValues:
    """The values of pairs of ``passages``, without those that ``question`` contains."""

    def __init__(self, index: ExchangeIndex, passages: Integers, axes: Axes, question: str) -> None:
        self._index = index
        self._passages = passages
        self._axes = axes
        self._question = question
        self._asked_types = asked_types(question)

    def features(self, names_asked: Floats) -> FeatureValues:
        """The features of values. ``names_asked``: for each passage, which of the question's names it has."""
        new, disjoint, _ = self._compared
        types = frozenset[ValueType]() if asks_for_several(self._question) else self._asked_types
        values, types_of, which = self._new_values
        are_figures = among(types_of, sorted(_FIGURES))
        _, has = occurring(values[are_figures], which[are_figures], len(self._passages))
        count, same = has.sum(axis=1), self._axes.in_common(has, has)
        has_figures, has_others = (count > 0)[: self._axes.earlier, None], count[self._axes.later] > same
        are_names = types_of == ValueType.NAME
        _, has_name = occurring(values[are_names], which[are_names], len(self._passages))
        asked_in_earlier = names_asked[: self._axes.earlier].sum(axis=1)[:, None]
        return {
            PairFeature.NEW_NAME: has_name.sum(axis=1)[self._axes.later] > self._axes.in_common(has_name, has_name),
            PairFeature.LOST_NAMES: 1
            - self._axes.in_common(names_asked, names_asked) / np.maximum(asked_in_earlier, 1)
            - (asked_in_earlier == 0),
            PairFeature.OTHER_VALUE: _any_of(new, types - {ValueType.NAME}),
            PairFeature.OTHER_NAME: _any_of(disjoint, types & {ValueType.NAME}),
            PairFeature.FIGURES: has_figures,
            PairFeature.NEW_FIGURES: has_others,
            PairFeature.SAME_FIGURES: same > 0,
            PairFeature.OTHER_FIGURES: has_figures & has_others,
        }

    @cached_property
    def of_asked_type(self) -> tuple[Flags, Flags, Flags]:
        """Three arrays about the types that the question asks for: whether the later passage has another value of one;
        whether it has the same and no other; whether it has none, but the earlier one has.
        """
        asked = set(self._asked_types)
        if not asks_who(comparable(self._question)) and not asks_what_it_is_called(self._question):
            # “Where” is seldom answered with a name.
            asked -= {ValueType.NAME}
        if not asked:
            none = np.zeros(self._shape, np.bool_)
            return none, none, none
        new, _, same = self._compared
        has_any = np.zeros(len(self._passages), np.bool_)
        both = np.zeros(self._shape, np.bool_)
        for group in _REPLACEABLE:
            has = self._have(asked & group)
            if ValueType.NAME in asked & group:
                has |= self._begins_with_name
            has_any |= has
            both |= has[: self._axes.earlier, None] & has[None, self._axes.later]
        has_other, has_same = _any_of(new, asked), _any_of(same, asked)
        return has_other, has_same & ~has_other, has_any[: self._axes.earlier, None] & ~both

    def lose_unasked(self) -> Flags:
        """Whether the later passage lacks a type that the earlier one has, of those that often answer a question that
        does not ask for them.
        """
        types = self._types & np.uint32(_bits(_UNASKED - self._asked_types))
        found: Flags = (types[: self._axes.earlier, None] & ~types[self._axes.later]) != 0
        return found

    def have_others(self) -> Flags:
        """Whether the later passage has any value that the earlier one does not have."""
        values, _, which = self._new_values
        _, has = occurring(values, which, len(self._passages))
        found: Flags = has.sum(axis=1)[self._axes.later] > self._axes.in_common(has, has)
        return found

    @cached_property
    def _new_values(self) -> tuple[Integers, Integers, Integers]:
        """The values of the passages that are not in the question, the type and the passage of each."""
        values, types, which = self._index.values_in(self._passages.tolist())
        words = words_of(self._question)
        asked = values_of(self._question, comparable(self._question), words) | {ValueType.NAME: frozenset(words)}
        is_new = ~among(values, self._index.numbers_of(asked))
        return values[is_new], types[is_new], which[is_new]

    @cached_property
    def _compared(self) -> tuple[dict[ValueType, Flags], dict[ValueType, Flags], dict[ValueType, Flags]]:
        """For each type that the question asks for: whether both passages have values and the later one has others;
        whether both have values and none in common; whether they have any in common.
        """
        new, disjoint, same = dict[ValueType, Flags](), dict[ValueType, Flags](), dict[ValueType, Flags]()
        if not self._asked_types:
            return new, disjoint, same
        values, types, which = self._new_values
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
        """For each passage, whether it may begin with a name that the question does not have: “Farah does the payroll”.

        The index does not store such names, because all sentences begin with a capital letter.
        """
        texts = [self._index.passage(number).text for number in self._passages.tolist()]
        first = [words_of(text[:_BEGINNING_CHARS])[:1] if text[:1].isupper() else [] for text in texts]
        asked = words_of(self._question)
        return np.array([any(may_be_name(word) and word not in asked for word in words) for words in first], np.bool_)

    def _have(self, types: AbstractSet[ValueType]) -> Flags:
        """For each passage, whether it has a value of any of these types."""
        return has_any_bit(self._types, _bits(types))

    @cached_property
    def _types(self) -> NDArray[np.uint32]:
        """For each passage, a bit for each type of value that it has."""
        _, types, which = self._new_values
        found = np.zeros(len(self._passages), np.uint32)
        np.bitwise_or.at(found, which, np.uint32(1) << types.astype(np.uint32))
        return found

    @property
    def _shape(self) -> tuple[int, int]:
        return self._axes.earlier, len(self._axes.later)


def occurring(numbers: Integers, which: Integers, passages: int) -> tuple[Integers, Floats]:
    """The distinct ``numbers``, and a matrix that is 1 where a passage (row) has a distinct number (column), else 0.

    ``which`` has the passage of each of ``numbers``.
    """
    # Twice as fast as ``np.unique`` with its inverse.
    occurs = np.zeros(int(numbers.max(initial=-1)) + 1, np.bool_)
    occurs[numbers] = True
    distinct = np.flatnonzero(occurs)
    column = np.empty(len(occurs), np.intp)
    column[distinct] = np.arange(len(distinct))
    has = np.zeros((passages, len(distinct)), np.float32)
    has[which, column[numbers]] = 1
    return distinct, has


def _bits(types: Iterable[ValueType]) -> int:
    """A bit for each of these types."""
    return sum(1 << kind for kind in types)


def _any_of(flags: Mapping[ValueType, Flags], types: AbstractSet[ValueType]) -> Flags:
    found: Flags = np.array([False])
    for each in types & flags.keys():
        found = found | flags[each]
    return found
