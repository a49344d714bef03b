"""How well each part of an index matches a question: passages, whole exchanges and conversations, each by BM25. Pure.

Related words (``memory/search/thesaurus.py``) count less than those that are asked for. What the best exchanges have in
common finds others that are about the same in other words (pseudo-relevance feedback; Lavrenko and Croft, 2001).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np

from memory.search.bm25 import K1, Floats, Integers, add_word, greatest, idf, idfs
from memory.search.index import ExchangeIndex
from memory.search.thesaurus import forms_of, related_stems
from memory.search.words import asked_words, is_common, stems_of

RELATED_WEIGHT: Final = 0.6

_LEAST_ABOUT: Final = 3.0
"""The least weight of a word in ``Matches.coverage``: a name in every exchange shows what a question is about, too."""
COMMON_COUNTS: Final = 0.3
"""What a common word counts there, of one that is not."""
_RELATED_COUNTS: Final = 0.3
"""What a related word counts there, of the word itself."""
_MANY_WORDS: Final = 8
"""A message of more words than this is about several things, of which an exchange need not be about all."""
_BEST: Final = 10
"""How many exchanges say what else belongs to the question."""
_READ_CHARS: Final = 1_000
"""How much of each side of such an exchange is read."""
_COMMON_TERMS: Final = 15


@dataclass(frozen=True, kw_only=True, slots=True)
class QueryTerm:
    """A word of a question: the stems of its forms, those of related words, and whether it is a common one."""

    stems: frozenset[str]
    related: frozenset[str] = frozenset()
    common: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Matches:
    """BM25 of a question. ``passages`` has a value for each passage, the others have one for each exchange.

    ``coverage`` says how much of the question (0 to 1) any one exchange is about: the share of its words by weight
    (idf), times the share of its words that occur anywhere. Common and related words count less.
    """

    passages: Floats
    exchanges: Floats
    conversations: Floats
    coverage: float


def query_terms(index: ExchangeIndex, question: str, language: str) -> list[QueryTerm]:
    """The words of ``question`` without stop words, each once, by every language of the index."""
    languages = index.languages
    exact: dict[frozenset[str], bool] = {}
    for word in asked_words(question, language):
        stems = frozenset(stem for each in languages for stem in stems_of(list(forms_of(word)), each))
        exact[stems] = is_common(word)
    asked = frozenset().union(*exact)
    return [
        QueryTerm(stems=stems, related=_related(stems, languages) - asked, common=common)
        for stems, common in exact.items()
    ]


def _related(stems: frozenset[str], languages: Sequence[str]) -> frozenset[str]:
    found = (related_stems(each).get(stem, frozenset[str]()) for each in languages for stem in stems)
    return frozenset[str]().union(*found)


def match(index: ExchangeIndex, terms: Sequence[QueryTerm]) -> Matches:
    """How well everything in the index matches ``terms``."""
    scores = _Scores(index)
    covered = np.zeros(index.places, np.float32)
    total = known = 0.0
    for term in terms:
        counts = COMMON_COUNTS if term.common else 1.0
        occurring = scores.add(term.stems, 1.0)
        about = counts * max(index.idf(len(occurring)), _LEAST_ABOUT)
        of_term = np.zeros(index.places, np.float32)
        of_term[scores.add(term.related, RELATED_WEIGHT)] = _RELATED_COUNTS
        of_term[occurring] = 1
        total, known = total + about, known + counts * float(of_term.max(initial=0.0))
        covered += about * of_term
    layout = index.layout()
    return Matches(
        passages=scores.passages,
        exchanges=scores.exchanges,
        conversations=np.where(layout.alive, scores.conversations[layout.conversation], np.float32(0)),
        coverage=_coverage(float(covered.max(initial=0.0)), total, known, len(terms)),
    )


class _Scores:
    """BM25 of passages, exchanges and conversations by the terms that were added."""

    def __init__(self, index: ExchangeIndex) -> None:
        self._index = index
        self._layout = index.layout()
        self.passages = np.zeros(len(self._layout.of_passage), np.float32)
        self.exchanges = np.zeros(index.places, np.float32)
        self.conversations = np.zeros(len(self._layout.conversation_norms), np.float32)

    def add(self, stems: frozenset[str], weight: float) -> Integers:
        """Add a term, and return the places of the exchanges in which it occurs."""
        layout = self._layout
        number, times = self._index.occurrences(stems)
        if not len(number):
            return number
        counts = times * layout.passage_weights[number]
        of_exchange = np.bincount(layout.of_passage[number], counts, minlength=len(self.exchanges))
        occurring = np.flatnonzero(of_exchange)
        of_conversation = np.bincount(layout.conversation[occurring], of_exchange[occurring])
        among = np.flatnonzero(of_conversation)
        add_word(self.passages, number, times, layout.passage_norms, weight * idf(layout.passages, len(number)))
        add_word(
            self.exchanges,
            occurring,
            of_exchange[occurring],
            layout.exchange_norms,
            weight * self._index.idf(len(occurring)),
        )
        add_word(
            self.conversations,
            among,
            of_conversation[among],
            layout.conversation_norms,
            weight * idf(layout.conversations, len(among)),
        )
        return occurring


def in_common(index: ExchangeIndex, values: Floats, terms: Sequence[QueryTerm]) -> Floats:
    """BM25 of each passage by the words that the exchanges of the greatest ``values`` share with others.

    What is asked for itself does not count.
    """
    layout = index.layout()
    terms_found, weights = _common_terms(index, values, [stem for term in terms for stem in term.stems])
    if not len(terms_found):
        return np.zeros(len(layout.of_passage), np.float32)
    number, which, times = index.occurrences_of_each(terms_found.tolist())
    occurring = np.bincount(which, minlength=len(terms_found))
    weights = weights / weights[0] * idfs(layout.passages, occurring)
    counts = weights[which] * times * (K1 + 1) / (times + layout.passage_norms[number])
    return np.bincount(number, counts, minlength=len(layout.of_passage)).astype(np.float32)


def _common_terms(index: ExchangeIndex, values: Floats, asked: Sequence[str]) -> tuple[Integers, Floats]:
    """The terms of the best exchanges that others have, too, without those of ``asked``, and the weight of each.

    The one with the greatest weight is the first.
    """
    best = [place for place in greatest(values, _BEST) if values[place] > 0]
    passages = [index.opening_passages(place, _READ_CHARS) for place in best]
    exchange_of = np.repeat(np.arange(len(best)), list(map(len, passages)))
    terms, which = index.terms_in(chain.from_iterable(passages))
    which = exchange_of[which]
    lengths = np.bincount(which, minlength=len(best))
    of_exchange = values[best] / np.sqrt(np.maximum(lengths, 1))
    distinct, place = np.unique(terms, return_inverse=True)
    frequencies = index.frequencies(distinct)
    weights = np.bincount(place, of_exchange[which], minlength=len(distinct)) * index.idfs(frequencies)
    weights *= (frequencies > 1) & index.are_words(distinct)
    weights[np.isin(distinct, index.terms_of(asked))] = 0
    chosen = [each for each in greatest(weights, _COMMON_TERMS) if weights[each] > 0]
    return distinct[chosen], weights[chosen]


def _coverage(covered: float, total: float, known: float, asked: int) -> float:
    """``Matches.coverage`` of a question of ``asked`` words with the weight ``total``, of which ``known`` occur."""
    if not asked:
        return 0.0
    counted = min(asked, _MANY_WORDS)
    return min(covered / (total * counted / asked), 1.0) * min(known / counted, 1.0)
