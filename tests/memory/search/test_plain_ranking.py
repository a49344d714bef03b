"""What the index counts at once, in arrays, is what loops over its passages count one by one."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.search.bm25 import K1, B
from memory.search.exchanges import IndexedExchange
from memory.search.index import LONG_ANSWER_WEIGHT, ExchangeIndex
from memory.search.kinds import LONG_ANSWER_CHARS, Kind
from memory.search.matching import RELATED_WEIGHT, QueryTerm, match, query_terms
from memory.search.selection import _DUPLICATE, _DistinctTexts

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
LONG = "The lake has a bird. The dog ran to the house. " * (LONG_ANSWER_CHARS // 40)

_WORD = st.sampled_from(["cat", "cats", "dog", "bird", "lake", "house", "running", "ran", "car", "doctor", "buy"])
_TEXT = st.lists(st.lists(_WORD, min_size=1, max_size=6).map(" ".join), max_size=4).map(". ".join)
_EXCHANGE = st.tuples(_TEXT, st.one_of(_TEXT, st.just(LONG)), st.sampled_from("abc"))


def index_of(made: Sequence[tuple[str, str, str]], gone: set[int]) -> ExchangeIndex:
    index = ExchangeIndex()
    for number, (message, response, session) in enumerate(made):
        at = START + timedelta(hours=number)
        index.add(IndexedExchange(id=UUID(int=number), at=at, session_id=session, message=message, response=response))
    for number in gone:
        index.remove(UUID(int=number))
    return index


def living(index: ExchangeIndex) -> list[int]:
    """The passages of exchanges that are there."""
    places = index.passage_exchanges().tolist()
    return [number for number, place in enumerate(places) if index.layout().alive[place]]


def occurrences(index: ExchangeIndex, groups: Sequence[frozenset[str]]) -> dict[tuple[int, int], int]:
    """How often each passage has a stem of each group, by group and passage."""
    terms = [set(index.terms_of(stems)) for stems in groups]
    found = {
        (group, number): sum(term in wanted for term in index.term_list(number))
        for group, wanted in enumerate(terms)
        for number in living(index)
    }
    return {key: times for key, times in found.items() if times}


def bm25(
    times: Mapping[tuple[int, int], float], lengths: Mapping[int, float], weights: Sequence[float], texts: int
) -> dict[int, float]:
    """By place; ``times`` are by group of words and place."""
    filled = [length for length in lengths.values() if length]
    average = sum(filled) / len(filled) if filled else 1.0
    occurring = Counter(group for group, _ in times)
    found: defaultdict[int, float] = defaultdict(float)
    for (group, place), count in times.items():
        idf = math.log1p((texts - min(occurring[group], texts) + 0.5) / (occurring[group] + 0.5))
        norm = K1 * (1 - B + B * lengths[place] / average)
        found[place] += weights[group] * idf * (K1 + 1) * count / (count + norm)
    return found


def summed(values: Mapping[tuple[int, int], float], place_of: Callable[[int], int]) -> dict[tuple[int, int], float]:
    found: defaultdict[tuple[int, int], float] = defaultdict(float)
    for (group, number), value in values.items():
        found[group, place_of(number)] += value
    return found


def plain(index: ExchangeIndex, terms: Sequence[QueryTerm]) -> tuple[dict[int, float], ...]:
    """BM25 of passages, exchanges and conversations."""
    layout, numbers = index.layout(), living(index)
    groups = [*(term.stems for term in terms), *(term.related for term in terms)]
    weights = [1.0] * len(terms) + [RELATED_WEIGHT] * len(terms)
    weight = {each: LONG_ANSWER_WEIGHT if index.is_kind(each, Kind.LONG_ANSWER) else 1.0 for each in numbers}
    exchange_of, conversation_of = layout.passage_exchanges.tolist(), layout.conversation.tolist()

    times = occurrences(index, groups)
    lengths = {number: float(len(index.term_list(number))) for number in numbers}
    counts = summed({key: value * weight[key[1]] for key, value in times.items()}, exchange_of.__getitem__)
    of_exchange: defaultdict[int, float] = defaultdict(float)
    of_conversation: defaultdict[int, float] = defaultdict(float)
    for number in numbers:
        of_exchange[exchange_of[number]] += lengths[number] * weight[number]
        of_conversation[conversation_of[exchange_of[number]]] += lengths[number] * weight[number]
    conversations = {conversation_of[place] for place in np.flatnonzero(layout.alive).tolist()}
    return (
        bm25(times, lengths, weights, len(numbers)),
        bm25(counts, of_exchange, weights, len(index)),
        bm25(summed(counts, conversation_of.__getitem__), of_conversation, weights, len(conversations)),
    )


@given(st.lists(_EXCHANGE, min_size=1, max_size=10), st.sets(st.integers(0, 9), max_size=4), _TEXT)
def test_bm25_is_that_of_a_loop_over_the_passages(
    made: Sequence[tuple[str, str, str]], gone: set[int], question: str
) -> None:
    index = index_of(made, gone)
    if not len(index):
        return
    terms = query_terms(index, question, "en")
    found, wanted = match(index, terms), plain(index, terms)

    def same(values: Sequence[float], by_place: Mapping[int, float]) -> bool:
        return [*values] == pytest.approx([by_place.get(place, 0.0) for place in range(len(values))], abs=1e-3)

    assert same(found.passages.tolist(), wanted[0])
    assert same(found.exchanges.tolist(), wanted[1])
    alive, conversation = index.layout().alive, index.layout().conversation.tolist()
    for place in np.flatnonzero(alive).tolist():
        assert found.conversations[place] == pytest.approx(wanted[2].get(conversation[place], 0.0), abs=1e-3)


@given(
    st.lists(_EXCHANGE, min_size=1, max_size=10),
    st.sets(st.integers(0, 9), max_size=4),
    st.lists(
        st.frozensets(st.sampled_from(["cat", "dog", "bird", "lake", "hous", "run", "no"]), max_size=3), max_size=5
    ),
)
def test_occurrences_are_those_of_a_loop_over_the_passages(
    made: Sequence[tuple[str, str, str]], gone: set[int], groups: Sequence[frozenset[str]]
) -> None:
    index = index_of(made, gone)
    passages, which, times = (each.tolist() for each in index.occurrences(groups))
    keys = [*zip(which, passages, strict=True)]
    assert dict(zip(keys, times, strict=True)) == occurrences(index, groups)
    assert keys == sorted(set(keys))

    terms = index.terms_of(sorted({stem for group in groups for stem in group}))
    single = [each.tolist() for each in index.occurrences_of(terms)]
    wanted = {
        (place, number): count
        for place, term in enumerate(terms)
        for number in living(index)
        if (count := [*index.term_list(number)].count(term))
    }
    assert dict(zip(zip(single[1], single[0], strict=True), single[2], strict=True)) == wanted


@given(st.lists(st.frozensets(st.integers(0, 30), max_size=25), max_size=20), st.integers(0, 3))
def test_two_texts_say_the_same_if_they_do_by_comparing_all(texts: list[frozenset[int]], copies: int) -> None:
    # Nearly the same ones, too.
    texts = [near for text in texts for near in [text, *(text - {number} for number in range(copies))]]
    found, kept = _DistinctTexts(), list[frozenset[int]]()
    for text in texts:
        alike = any(
            len(text & other) * (1 + _DUPLICATE) >= _DUPLICATE * (len(text) + len(other)) for other in kept if text
        )
        assert found.add(text) is not alike
        if text and not alike:
            kept.append(text)
