"""Which passages someone has taken back or changed later, by their words and values. Pure.

Only passages that are about to be told for one question are compared: what it asks narrows what can differ. An earlier
one gives way to a later one if both are about the same (rare words in common), and the later one

- says that something changes (``memory/search/change_words.py``),
- or, to a question that has one answer, answers it anew: both have much of its words. Other values of the type that it
  asks for (``memory/search/values.py``) make that likelier.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np

from memory.search.bm25 import Flags, Floats, Integers
from memory.search.change_words import titles_in
from memory.search.index import ExchangeIndex, Kind
from memory.search.matching import COMMON_COUNTS, QueryTerm
from memory.search.values import Value, asked_values, asks_for_several
from memory.search.words import words_of

# How likely it is that the later of two passages has changed the earlier, as log odds: a logistic regression over the
# pairs of the project's own cases, of LoCoMo and of BEAM, rounded.
_BASE: Final = 2.0
_RARE: Final = 2.6
_MOST_RARE: Final = 3.0
_WORDS: Final = 10
"""Longer texts than this have words in common by chance."""
_LENGTH: Final = -5.0
"""Of the logarithm of how many words both have: who says much says more than what changes."""
_FEW_WORDS: Final = 7
"""Of texts with fewer there were too few to tell how they differ."""
_OF_QUESTION: Final = 3.3
_ANEW: Final = 1.6
"""Besides, if the question has one answer."""
_SAID: Final = 2.6
_ANSWERED: Final = 2.0
_ENDED: Final = 1.4
_TITLE_GONE: Final = 4.0
_DOUBTED: Final = 2.9
_VALUE: Final = 1.3
_OTHER_NAME: Final = 1.4
_LIKELY: Final = -1.0
_SURE: Final = 0.2
_LEAST_RARE: Final = 0.3
"""How rare a word of a question is at least: its name is in every exchange about something."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """That a passage was taken back or changed at ``since``; not ``sure``: perhaps."""

    since: datetime
    sure: bool


def changed(
    index: ExchangeIndex, passages: Iterable[int], terms: Sequence[QueryTerm], question: str
) -> dict[int, Change]:
    """By their number those of ``passages`` that later ones have changed, by the first one that is likely to.

    ``terms`` are the words of ``question``. What the assistant says changes nothing; long answers are not compared.
    """
    earlier = np.array([number for number in passages if not index.is_kind(number, Kind.LONG_ANSWER)], np.intp)
    likely = _Pairs(index, earlier, terms, question).likelihoods()
    found = {}
    for place in np.flatnonzero((likely > _LIKELY).any(axis=1)).tolist():
        sure = bool((likely[place] > _SURE).any())
        by = np.flatnonzero(likely[place] > (_SURE if sure else _LIKELY))
        since = min(index.said(index.passage(number).exchange).at for number in earlier[by].tolist())
        found[int(earlier[place])] = Change(since=since, sure=sure)
    return found


class _Pairs:
    """Pairs of passages: each array has a row for the earlier and a column for the later one of a pair."""

    def __init__(self, index: ExchangeIndex, passages: Integers, terms: Sequence[QueryTerm], question: str) -> None:
        self._index = index
        self._passages = passages
        self._kinds = index.layout().kinds[passages]
        self._terms = terms
        self._asked = asked_values(question)
        self._has_one_answer = not asks_for_several(question)

    def likelihoods(self) -> Floats:
        """How likely it is, in log odds, that the later one has changed the earlier one."""
        rare, of_question, length = self._words()
        likely = _BASE + _RARE * np.minimum(rare, _MOST_RARE) + _OF_QUESTION * of_question + _LENGTH * length
        signs = self._signs(of_question)
        found: Floats = np.where(self._may_change() & (rare > 0) & (signs > 0), likely + signs, -np.inf)
        return found

    def _signs(self, of_question: Floats) -> Floats:
        """What speaks for a change besides the words in common; 0 if nothing does."""
        ended = self._are(Kind.END_ANSWERED)
        later = _SAID * self._are(Kind.SAYS_CHANGE) + _ANSWERED * self._are(Kind.CHANGE_ANSWERED) + _ENDED * ended
        found: Floats = later + _DOUBTED * self._are(Kind.DOUBTED)[:, None] + _TITLE_GONE * self._ends(ended)
        return found + self._anew(of_question) if self._has_one_answer else found

    def _anew(self, of_question: Floats) -> Floats:
        """What speaks for it that the later one answers the question, too."""
        others = self._other_values()
        values = _VALUE * _any_of(others, self._asked - {Value.NAME})
        found: Floats = _ANEW * of_question + values + _OTHER_NAME * _any_of(others, self._asked & {Value.NAME})
        return found

    def _are(self, kind: Kind) -> Flags:
        found: Flags = (self._kinds & kind) != 0
        return found

    def _may_change(self) -> Flags:
        """Whether the later one is later, of the user, and in copied chats of the same speaker."""
        at = self._index.times()[self._index.passage_places()[self._passages]]
        found: Flags = (at[:, None] < at[None, :]) & ~self._are(Kind.ANSWER)
        for name in self._index.speakers():
            speaks = self._index.spoken_by([name])[self._passages]
            found &= speaks[:, None] == speaks[None, :]
        return found

    def _words(self) -> tuple[Floats, Floats, Floats]:
        """How rare the words are that both have, without what long ones have by chance; the share of the question's
        words, by how rare these are, that each of them has; and the logarithm of how many words both have, as their
        geometric mean.
        """
        index = self._index
        terms, has = _occurring(*index.terms_in(self._passages.tolist()), len(self._passages))
        rarity = index.idfs(index.frequencies(terms)) / index.idf(1)
        lengths = np.sqrt(np.maximum(has.sum(axis=1), 1))
        mean = np.outer(lengths, lengths)
        columns = {term: column for column, term in enumerate(terms.tolist())}
        asked, weights = np.zeros((len(has), len(self._terms)), np.float32), np.zeros(len(self._terms), np.float32)
        for number, term in enumerate(self._terms):
            stems = index.terms_of(term.stems | term.related)
            asked[:, number] = has[:, [columns[stem] for stem in stems if stem in columns]].any(axis=1)
            weights[number] = self._weight(term)
        rare: Floats = ((has * rarity) @ has.T / np.maximum(mean / _WORDS, 1)).astype(np.float32)
        shares = asked @ (weights / max(float(weights.sum()), 1e-9))
        of_question: Floats = np.minimum.outer(shares, shares)
        length: Floats = np.log(np.maximum(mean, _FEW_WORDS)).astype(np.float32)
        return rare, of_question, length

    def _weight(self, term: QueryTerm) -> float:
        frequency = max((self._index.frequency(stem) for stem in term.stems), default=0)
        rarity = self._index.idf(frequency) / self._index.idf(1)
        return (COMMON_COUNTS if term.common else 1.0) * max(rarity, _LEAST_RARE)

    def _other_values(self) -> dict[Value, Flags]:
        """For each type that occurs whether both have values of it, and none in common."""
        values, types, which = self._index.values_in(self._passages.tolist())
        found = {}
        for kind in map(Value, np.unique(types).tolist()):
            of_kind = types == kind
            _, has = _occurring(values[of_kind], which[of_kind], len(self._passages))
            any_ = has.any(axis=1)
            found[kind] = np.outer(any_, any_) & (has @ has.T == 0)
        return found

    def _ends(self, ended: Flags) -> Flags:
        """Whether the later one has something deleted that the earlier one names."""
        found = np.zeros((len(ended), len(ended)), np.bool_)
        for later in np.flatnonzero(ended).tolist():
            passage = self._index.passage(self._passages[later])
            answer = self._index.said(passage.exchange).response
            titles = [frozenset(words_of(title)) for title in titles_in(answer)]
            found[:, later] = [any(title <= named for title in titles) for named in map(self._named, self._passages)]
        return found

    def _named(self, number: int) -> frozenset[str]:
        """The words of a passage, and those of the titles in its answer."""
        passage = self._index.passage(number)
        titles = titles_in(self._index.said(passage.exchange).response)
        return frozenset(words_of(" ".join([passage.text, *titles])))


def _occurring(numbers: Integers, which: Integers, passages: int) -> tuple[Integers, Floats]:
    """The distinct numbers, and for each passage (row) and number (column) 1 if it occurs there, else 0."""
    distinct, column = np.unique(numbers, return_inverse=True)
    has = np.zeros((passages, len(distinct)), np.float32)
    has[which, column] = 1
    return distinct, has


def _any_of(others: Mapping[Value, Flags], types: AbstractSet[Value]) -> Flags:
    found: Flags = np.array(False)
    for each in types & others.keys():
        found = found | others[each]
    return found
