"""The BM25 scores of passages, exchanges and conversations for a question. Pure.

Related words (``memory/search/thesaurus.py``) count less than the question's own. Words that the best exchanges share
find passages about the same topic in other words (pseudo-relevance feedback; Lavrenko and Croft, 2001).
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

_MIN_IDF: Final = 3.0
"""The minimum idf of a word in ``Overlap.coverage``, because even a name in every exchange is a topic."""
_FREQUENT: Final = 6.0
"""Up to this information (``memory/search/lexicon.py``), the weight of a word is ``_MIN_WEIGHT``."""
_RARE: Final = 13.0
"""From this information on, the weight of a word is 1."""
_MIN_WEIGHT: Final = 0.15
_NUMBER_WEIGHT: Final = 0.1
COMMON_WEIGHT: Final = 0.3
"""The maximum weight of a common word."""
_RELATED_SHARE: Final = 0.3
"""The share of a word that a related word covers in an ``Overlap``."""
_MANY_WORDS: Final = 8
"""A message with more words is about several things, and an exchange need not be about all of them."""
_MAX_MISSPELLED: Final = 2
"""A word in more exchanges is not considered misspelled."""
_MAX_CORRECTED: Final = 30
"""Messages with more words are not corrected."""
_FEEDBACK_EXCHANGES: Final = 10
"""The number of exchanges from which feedback words are taken."""
_FEEDBACK_CHARS: Final = 1_000
"""How many characters of each side of these exchanges are read."""
_FEEDBACK_TERMS: Final = 15


@dataclass(frozen=True, kw_only=True, slots=True)
class QueryTerm:
    """A word of a question, with the stems of its forms and of related words.

    ``weight`` is 1 for a word of the question itself, less for one that is only in its context.
    """

    stems: frozenset[str]
    related: frozenset[str] = frozenset()
    is_common: bool = False
    is_name: bool = False
    weight: float = 1.0


class Overlap(NamedTuple):
    """How a question overlaps with the exchanges. Frequent and related words count less.

    ``coverage`` (0 to 1) is the largest share of the question's words, weighted by idf, in a single exchange, times the
    share of its words that occur in any. ``absent`` is the total weight of the words that occur in none. ``has_name``:
    whether a name in the question occurs.
    """

    coverage: float
    absent: float
    has_name: bool


NO_OVERLAP: Final = Overlap(coverage=0.0, absent=0.0, has_name=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Matches:
    """The BM25 scores for a question. ``passages`` has one for each passage, the others have one for each exchange."""

    passages: Floats
    exchanges: Floats
    conversations: Floats
    overlap: Overlap


def query_terms(
    index: ExchangeIndex, question: str, language: str, contexts: Iterable[tuple[str, float]] = ()
) -> list[QueryTerm]:
    """The distinct content words of ``question`` in every language of the index, and then those of its ``contexts``.

    Each context is a text and the weight of its words. Misspellings are found if the question is short.
    """
    languages = index.languages
    words = asked_words(question, language)
    stems_by_word = {word: stems_in(word, languages) for word in words}
    # Comparing each word of a long text with all stems would be slow.
    if len(words) <= _MAX_CORRECTED:
        stems_by_word = {word: _with_spellings(index, word, stems) for word, stems in stems_by_word.items()}
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
            is_common=(is_common_word := is_common(word)),
            is_name=not is_common_word and index.is_name(word),
            weight=weight,
        )
        for stems, (word, weight) in exact.items()
    ]


def stems_in(word: str, languages: Sequence[str]) -> frozenset[str]:
    """The stems of a word's forms, in each of these languages."""
    return frozenset(stem for each in languages for stem in stems_of(list(forms_of(word)), each))


def _with_spellings(index: ExchangeIndex, word: str, stems: frozenset[str]) -> frozenset[str]:
    """The ``stems`` of a word, and if it is rare, those that may be the same word with another spelling."""
    # Users repeat their misspellings, and each question is recorded.
    max_frequency = 0 if any(map(is_known, stems)) else _MAX_MISSPELLED
    if is_common(word) or any(index.frequency(stem) > max_frequency for stem in stems):
        return stems
    return stems.union(*map(index.spellings_of, stems | {word}))


def _related(stems: frozenset[str], languages: Sequence[str]) -> frozenset[str]:
    found = (related_stems(each).get(stem, frozenset[str]()) for each in languages for stem in stems)
    return frozenset[str]().union(*found)


def match(index: ExchangeIndex, terms: Sequence[QueryTerm], without: Sequence[int] = ()) -> Matches:
    """The scores of everything in the index for ``terms``, without the exchanges at the positions ``without``."""
    layout = index.layout()
    # First each word, then the words related to each.
    groups = [*(term.stems for term in terms), *(term.related for term in terms)]
    weights = np.outer([1.0, RELATED_WEIGHT], [term.weight for term in terms]).ravel()
    passage, group, times = index.occurrences(groups)
    if without:
        kept = ~np.isin(layout.passage_exchanges[passage], without)
        passage, group, times = passage[kept], group[kept], times[kept]
    counts = times.astype(np.float32) * layout.passage_weights[passage]
    exchange, exchange_group, in_exchange = _summed(
        layout.passage_exchanges[passage], group, counts, index.position_count
    )
    length = len(layout.conversation_norms)
    sums = np.bincount(exchange_group * length + layout.conversation[exchange], in_exchange)
    conversation_group, conversation = np.divmod(np.flatnonzero(sums > 0), length)
    in_conversation = sums[conversation_group * length + conversation]
    conversations = _bm25(
        conversation, conversation_group, in_conversation, weights, layout.conversations, layout.conversation_norms
    )
    return Matches(
        passages=_bm25(passage, group, times, weights, layout.passages, layout.passage_norms),
        exchanges=_bm25(exchange, exchange_group, in_exchange, weights, len(index), layout.exchange_norms),
        conversations=np.where(layout.alive, conversations[layout.conversation], np.float32(0)),
        overlap=_overlap(index, terms, exchange, exchange_group),
    )


def _summed(texts: Integers, groups: Integers, counts: Floats, length: int) -> tuple[Integers, Integers, Floats]:
    """The sum of the ``counts`` of each group in each of ``length`` texts, as three arrays: texts, groups and sums.

    The counts must be sorted by group and text.
    """
    begins = run_begins(groups * length + texts)
    sums: Floats = np.add.reduceat(counts, begins) if len(begins) else counts
    return texts[begins], groups[begins], sums


def _bm25(
    texts: Integers, groups: Integers, times: Floats | Integers, weights: Floats, count: int, norms: Floats
) -> Floats:
    """The BM25 score of each text, from the ``groups`` of words that occur ``times`` in ``texts``.

    ``weights`` has the weight of each group, and ``count`` is the number of texts that are not empty.
    """
    weights = (weights * idfs(count, np.bincount(groups, minlength=len(weights))) * (K1 + 1)).astype(np.float32)
    parts = weights[groups] * times / (times + norms[texts])
    return np.bincount(texts, parts, minlength=len(norms)).astype(np.float32)


def feedback_scores(index: ExchangeIndex, values: Floats, terms: Sequence[QueryTerm]) -> Floats:
    """The BM25 score of each passage for the words that the exchanges with the greatest ``values`` share with others.

    The question's own words, ``terms``, do not count.
    """
    layout = index.layout()
    shared, weights = _feedback_terms(index, values, [stem for term in terms for stem in term.stems])
    if not len(shared):
        return np.zeros(len(layout.passage_exchanges), np.float32)
    passage, which, times = index.occurrences_of(shared.tolist())
    return _bm25(passage, which, times, weights / weights[0], layout.passages, layout.passage_norms)


def _feedback_terms(index: ExchangeIndex, values: Floats, asked: Sequence[str]) -> tuple[Integers, Floats]:
    """The terms that the best exchanges share with others, and the weight of each, in descending order of weight.

    The stems ``asked`` do not count.
    """
    best = [position for position in greatest(values, _FEEDBACK_EXCHANGES) if values[position] > 0]
    passages = [index.opening_passages(position, _FEEDBACK_CHARS) for position in best]
    exchange_of = np.repeat(np.arange(len(best)), list(map(len, passages)))
    terms, which = index.terms_in(chain.from_iterable(passages))
    which = exchange_of[which]
    lengths = np.bincount(which, minlength=len(best))
    exchange_weights = values[best] / np.sqrt(np.maximum(lengths, 1))
    distinct, inverse = np.unique(terms, return_inverse=True)
    frequencies = index.frequencies(distinct)
    weights = np.bincount(inverse, exchange_weights[which], minlength=len(distinct)) * index.idfs(frequencies)
    weights *= (frequencies > 1) & index.are_words(distinct)
    for term in index.terms_of(asked):
        weights[distinct == term] = 0
    chosen = [each for each in greatest(weights, _FEEDBACK_TERMS) if weights[each] > 0]
    return distinct[chosen], weights[chosen]


def _overlap(index: ExchangeIndex, terms: Sequence[QueryTerm], exchanges: Integers, groups: Integers) -> Overlap:
    """The ``Overlap``. ``groups`` are the words, then the words related to each, that occur in ``exchanges``."""
    if not terms or not index.position_count:
        return NO_OVERLAP
    count = len(terms)
    occurring = np.bincount(groups, minlength=2 * count)
    weights = np.array([_weight(term) for term in terms], np.float32)
    word_weights = weights * np.maximum(index.idfs(occurring[:count]), _MIN_IDF)
    # In an exchange that has a word itself, its related words do not count.
    has = np.zeros((count, index.position_count), np.float32)
    own = groups < count
    has[groups[~own] - count, exchanges[~own]] = _RELATED_SHARE
    has[groups[own], exchanges[own]] = 1
    covered = float((word_weights @ has).max(initial=0.0))
    occurs = occurring > 0
    share_occurring = np.maximum(occurs[:count], _RELATED_SHARE * occurs[count:])
    counted = min(count, _MANY_WORDS)
    share = min(covered / (float(word_weights.sum()) * counted / count), 1.0)
    return Overlap(
        coverage=share * min(float(weights @ share_occurring) / counted, 1.0),
        absent=float(weights @ (1 - share_occurring)),
        has_name=any(term.is_name and has_it for term, has_it in zip(terms, occurs[:count].tolist(), strict=True)),
    )


def _weight(term: QueryTerm) -> float:
    """The weight of a word in an ``Overlap``. Frequent words and numbers say little."""
    found = min(map(information, term.stems), default=0.0)
    weight = _MIN_WEIGHT + (1 - _MIN_WEIGHT) * min(max((found - _FREQUENT) / (_RARE - _FREQUENT), 0.0), 1.0)
    if any(map(str.isdigit, term.stems)):
        weight = _NUMBER_WEIGHT
    return term.weight * (min(weight, COMMON_WEIGHT) if term.is_common else weight)
