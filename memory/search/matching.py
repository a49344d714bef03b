"""How well passages, exchanges and conversations match a question, each by BM25. Pure.

Related words (``memory/search/thesaurus.py``) count less than the question's own. Words that the best exchanges have in
common find others about the same topic in other words (pseudo-relevance feedback; Lavrenko and Croft, 2001).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

import numpy as np

from memory.search.bm25 import K1, Floats, Integers, greatest, idfs, run_begins
from memory.search.index import ExchangeIndex
from memory.search.lexicon import information, is_known
from memory.search.thesaurus import forms_of, related_stems
from memory.search.words import asked_words, is_common, stems_of

RELATED_WEIGHT: Final = 0.6

_MIN_ABOUT: Final = 3.0
"""The least idf of a word in ``Overlap.coverage``: a name in every exchange shows what a question is about, too."""
_FREQUENT: Final = 6.0
"""The information (``memory/search/lexicon.py``) of a word with the weight ``_MIN_WEIGHT``."""
_RARE: Final = 13.0
"""The information of a word with the weight 1."""
_MIN_WEIGHT: Final = 0.15
_NUMBER_WEIGHT: Final = 0.1
COMMON_COUNTS: Final = 0.3
"""The maximum weight of a common word."""
_RELATED_COUNTS: Final = 0.3
"""The weight of a related word in an ``Overlap``; the word itself has 1."""
_MANY_WORDS: Final = 8
"""A message with more words is about several things. An exchange need not be about all of them."""
_SELDOM: Final = 2
"""A misspelled word occurs in at most so many exchanges."""
_MAX_SPELLED: Final = 30
"""Spelling is corrected in messages of at most so many words."""
_BEST: Final = 10
"""From how many of the best exchanges common words are taken."""
_READ_CHARS: Final = 1_000
"""How many characters of each side of these exchanges are read."""
_COMMON_TERMS: Final = 15


@dataclass(frozen=True, kw_only=True, slots=True)
class QueryTerm:
    """A word of a question: the stems of its forms, those of related words, and whether it is common, or a name.

    A word of the question itself has the ``weight`` 1, one that is only in its context has less.
    """

    stems: frozenset[str]
    related: frozenset[str] = frozenset()
    common: bool = False
    is_name: bool = False
    weight: float = 1.0


class Overlap(NamedTuple):
    """What a question has in common with exchanges. Frequent and related words count less.

    ``coverage`` is the part of the question (0 to 1) that a single exchange covers: the highest share of the question's
    words by weight (idf) in an exchange, times the share of its words that occur anywhere. ``absent`` is the weight of
    those that occur nowhere. ``has_name``: whether a name occurs.
    """

    coverage: float
    absent: float
    has_name: bool


NO_OVERLAP: Final = Overlap(coverage=0.0, absent=0.0, has_name=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Matches:
    """The BM25 scores of a question. ``passages`` has one for each passage, the others have one for each exchange."""

    passages: Floats
    exchanges: Floats
    conversations: Floats
    overlap: Overlap


def query_terms(
    index: ExchangeIndex, question: str, language: str, contexts: Iterable[tuple[str, float]] = ()
) -> list[QueryTerm]:
    """The words of ``question`` without stop words, each once, stemmed in every language of the index.

    In a short question, or in the index, they may be misspelled. The words of its ``contexts`` follow, each of which is
    a text with the weight of its words.
    """
    languages = index.languages
    words = asked_words(question, language)
    stems_by_word = {word: stems_in(word, languages) for word in words}
    # Comparing each word of a long text with all stems would take long.
    if len(words) <= _MAX_SPELLED:
        stems_by_word = {word: _as_spelled(index, word, stems) for word, stems in stems_by_word.items()}
    exact = {stems: (word, 1.0) for word, stems in stems_by_word.items()}
    for text, weight in contexts:
        for word in asked_words(text, language):
            stems = stems_in(word, languages)
            if exact.get(stems, ("", 0.0))[1] < weight:
                exact[stems] = word, weight
    asked = frozenset().union(*exact)
    return [
        QueryTerm(
            stems=stems,
            related=_related(stems, languages) - asked,
            common=(common := is_common(word)),
            is_name=not common and index.is_name(word),
            weight=weight,
        )
        for stems, (word, weight) in exact.items()
    ]


def stems_in(word: str, languages: Sequence[str]) -> frozenset[str]:
    """The stems of a word's forms, in each of these languages."""
    return frozenset(stem for each in languages for stem in stems_of(list(forms_of(word)), each))


def _as_spelled(index: ExchangeIndex, word: str, stems: frozenset[str]) -> frozenset[str]:
    """The ``stems`` of a word; if it is rare, also those that may be the same word with another spelling."""
    # Users repeat their misspellings, and each question is recorded.
    most = 0 if any(map(is_known, stems)) else _SELDOM
    if is_common(word) or any(index.frequency(stem) > most for stem in stems):
        return stems
    return stems.union(*map(index.spellings_of, stems | {word}))


def _related(stems: frozenset[str], languages: Sequence[str]) -> frozenset[str]:
    found = (related_stems(each).get(stem, frozenset[str]()) for each in languages for stem in stems)
    return frozenset[str]().union(*found)


def match(index: ExchangeIndex, terms: Sequence[QueryTerm], without: Sequence[int] = ()) -> Matches:
    """How well everything in the index matches ``terms``. The exchanges at the places ``without`` do not count."""
    layout = index.layout()
    # First each word, then the words related to each.
    groups = [*(term.stems for term in terms), *(term.related for term in terms)]
    weights = np.outer([1.0, RELATED_WEIGHT], [term.weight for term in terms]).ravel()
    number, of_passage, times = index.occurrences(groups)
    if without:
        kept = ~np.isin(layout.of_passage[number], without)
        number, of_passage, times = number[kept], of_passage[kept], times[kept]
    counts = times.astype(np.float32) * layout.passage_weights[number]
    exchange, of_exchange, in_exchange = _summed(layout.of_passage[number], of_passage, counts, index.places)
    length = len(layout.conversation_norms)
    sums = np.bincount(of_exchange * length + layout.conversation[exchange], in_exchange)
    of_conversation, conversation = np.divmod(np.flatnonzero(sums > 0), length)
    in_conversation = sums[of_conversation * length + conversation]
    conversations = _bm25(
        conversation, of_conversation, in_conversation, weights, layout.conversations, layout.conversation_norms
    )
    return Matches(
        passages=_bm25(number, of_passage, times, weights, layout.passages, layout.passage_norms),
        exchanges=_bm25(exchange, of_exchange, in_exchange, weights, len(index), layout.exchange_norms),
        conversations=np.where(layout.alive, conversations[layout.conversation], np.float32(0)),
        overlap=_overlap(index, terms, exchange, of_exchange),
    )


def _summed(places: Integers, groups: Integers, counts: Floats, length: int) -> tuple[Integers, Integers, Floats]:
    """The sums of ``counts`` for each group at each of ``length`` places, which are in order: places, groups, sums."""
    begins = run_begins(groups * length + places)
    sums: Floats = np.add.reduceat(counts, begins) if len(begins) else counts
    return places[begins], groups[begins], sums


def _bm25(
    places: Integers, groups: Integers, times: Floats | Integers, weights: Floats, texts: int, norms: Floats
) -> Floats:
    """The BM25 score of each place, from the ``groups`` of words that occur ``times`` at ``places``.

    ``weights`` has the weight of each group. ``texts`` is the number of texts that are not empty.
    """
    weights = (weights * idfs(texts, np.bincount(groups, minlength=len(weights))) * (K1 + 1)).astype(np.float32)
    counts = weights[groups] * times / (times + norms[places])
    return np.bincount(places, counts, minlength=len(norms)).astype(np.float32)


def in_common(index: ExchangeIndex, values: Floats, terms: Sequence[QueryTerm]) -> Floats:
    """The BM25 score of each passage by the words that the exchanges with the greatest ``values`` share with others.

    The words ``terms`` of the question itself do not count.
    """
    layout = index.layout()
    terms_found, weights = _common_terms(index, values, [stem for term in terms for stem in term.stems])
    if not len(terms_found):
        return np.zeros(len(layout.of_passage), np.float32)
    number, which, times = index.occurrences_of(terms_found.tolist())
    return _bm25(number, which, times, weights / weights[0], layout.passages, layout.passage_norms)


def _common_terms(index: ExchangeIndex, values: Floats, asked: Sequence[str]) -> tuple[Integers, Floats]:
    """The terms that the best exchanges share with others, without those of ``asked``, and the weight of each.

    The term with the greatest weight is the first.
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
    for term in index.terms_of(asked):
        weights[distinct == term] = 0
    chosen = [each for each in greatest(weights, _COMMON_TERMS) if weights[each] > 0]
    return distinct[chosen], weights[chosen]


def _overlap(index: ExchangeIndex, terms: Sequence[QueryTerm], exchanges: Integers, groups: Integers) -> Overlap:
    """The ``Overlap``. ``groups`` are the words and then the words related to each, in ``exchanges``."""
    if not terms or not index.places:
        return NO_OVERLAP
    count = len(terms)
    occurring = np.bincount(groups, minlength=2 * count)
    weights = np.array([_weight(term) for term in terms], np.float32)
    about = weights * np.maximum(index.idfs(occurring[:count]), _MIN_ABOUT)
    # An exchange that has a word itself does not also count for the related words.
    has = np.zeros((count, index.places), np.float32)
    own = groups < count
    has[groups[~own] - count, exchanges[~own]] = _RELATED_COUNTS
    has[groups[own], exchanges[own]] = 1
    covered = float((about @ has).max(initial=0.0))
    occurs = occurring > 0
    occurs_at_all = np.maximum(occurs[:count], _RELATED_COUNTS * occurs[count:])
    counted = min(count, _MANY_WORDS)
    share = min(covered / (float(about.sum()) * counted / count), 1.0)
    return Overlap(
        coverage=share * min(float(weights @ occurs_at_all) / counted, 1.0),
        absent=float(weights @ (1 - occurs_at_all)),
        has_name=any(term.is_name and has_it for term, has_it in zip(terms, occurs[:count].tolist(), strict=True)),
    )


def _weight(term: QueryTerm) -> float:
    """The weight of a word in an ``Overlap``: frequent words and numbers say little."""
    found = min(map(information, term.stems), default=0.0)
    weight = _MIN_WEIGHT + (1 - _MIN_WEIGHT) * min(max((found - _FREQUENT) / (_RARE - _FREQUENT), 0.0), 1.0)
    if any(map(str.isdigit, term.stems)):
        weight = _NUMBER_WEIGHT
    return term.weight * (min(weight, COMMON_COUNTS) if term.common else weight)
