"""The index counts what the exchanges contain, after rows were added, replaced and removed in any order."""

import gc
import math
import subprocess
import sys
import tracemalloc
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.search.bm25 import K1, B
from memory.search.dates import Span
from memory.search.exchanges import IndexedExchange
from memory.search.index import ExchangeIndex
from memory.search.kinds import Kind
from memory.search.matching import feedback_scores, match, query_terms
from tests.forks import ROOT

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def said(number: int, message: str, response: str = "", *, session: str = "s", days: float = 0) -> IndexedExchange:
    at = START + timedelta(days=days, minutes=number)
    return IndexedExchange(id=UUID(int=number), at=at, session_id=session, message=message, response=response)


def index_of(exchanges: Sequence[IndexedExchange]) -> ExchangeIndex:
    index = ExchangeIndex()
    for each in exchanges:
        index.add(each)
    return index


def ids_in(index: ExchangeIndex) -> list[UUID]:
    return [index.exchange(place).id for place in np.flatnonzero(index.layout().alive).tolist()]


def scores(index: ExchangeIndex, question: str) -> dict[UUID, tuple[float, ...]]:
    matches = match(index, query_terms(index, question, "en"))
    return {
        row_id: tuple(
            round(float(part[place]), 4)
            for part in (matches.exchanges, matches.conversations)
            for place in [index.position_of(row_id)]
        )
        for row_id in ids_in(index)
    }


def test_an_exchange_scores_by_bm25() -> None:
    index = index_of(
        [said(1, "cat lamp", session="a"), said(2, "cat cat bird fish", session="b"), said(3, "tree", session="c")]
    )

    def share(times: int, length: int) -> float:
        idf = math.log1p((3 - 2 + 0.5) / (2 + 0.5))
        return idf * times * (K1 + 1) / (times + K1 * (1 - B + B * length / (7 / 3)))

    found = scores(index, "cat")
    assert found[UUID(int=1)][0] == pytest.approx(share(1, 2), abs=1e-3)
    assert found[UUID(int=2)][0] == pytest.approx(share(2, 4), abs=1e-3)
    assert found[UUID(int=3)] == (0, 0)


def test_exchanges_match_by_the_words_of_their_conversation() -> None:
    talk = [
        said(1, "We went to Lisbon."),
        said(2, "It rained."),
        said(3, "And then home."),
        said(4, "Lisbon", session="t"),
    ]
    found = scores(index_of(talk), "Lisbon")

    assert [bool(own) for own, _ in found.values()] == [True, False, False, True]
    assert [bool(whole) for _, whole in found.values()] == [True, True, True, True]


_WORDS = st.lists(st.sampled_from(["cat", "dog", "bird", "lake", "house", "running", "ran"]), max_size=6).map(" ".join)
_EXCHANGES = st.lists(st.tuples(_WORDS, _WORDS, st.sampled_from("abc"), st.integers(0, 5)), min_size=1, max_size=12)


@given(_EXCHANGES, st.randoms(use_true_random=False), st.sets(st.integers(0, 11)))
def test_order_and_what_was_removed_make_no_difference(
    made: list[tuple[str, str, str, int]], random: object, gone: set[int]
) -> None:
    exchanges = [
        said(number, message, response, session=session, days=day)
        for number, (message, response, session, day) in enumerate(made)
    ]
    kept = [each for number, each in enumerate(exchanges) if number not in gone]
    shuffled = [*exchanges]
    random.shuffle(shuffled)  # type: ignore[attr-defined] # Hypothesis's random
    index = index_of(shuffled)
    assert [index.remove(UUID(int=number)) for number in sorted(gone)] == [
        number < len(made) for number in sorted(gone)
    ]

    for question in ("cat", "lake house", "run with the dog"):
        assert scores(index, question) == scores(index_of(kept), question)


def test_an_exchange_that_is_added_again_takes_its_own_place() -> None:
    index = index_of([said(1, "cat"), said(2, "lamp")])
    index.add(said(1, "bird"))
    assert len(index) == 2
    assert scores(index, "cat") == {UUID(int=2): (0, 0), UUID(int=1): (0, 0)}
    assert scores(index, "bird")[UUID(int=1)][0] > 0
    assert not index.remove(UUID(int=9))


def test_words_of_both_languages_are_found_by_questions_in_either() -> None:
    index = index_of(
        [said(1, "Ho comprato le biciclette nuove per i bambini"), said(2, "We have bought new bicycles for Anna")]
    )
    assert scores(index, "bicicletta")[UUID(int=1)][0] > 0
    assert scores(index, "Anna's bicycle")[UUID(int=2)][0] > 0


def test_other_forms_and_related_words_are_found_and_count_less() -> None:
    index = index_of([said(1, "He bought a lamp"), said(2, "My daughter sings"), said(3, "My child sings")])
    assert scores(index, "buy")[UUID(int=1)] == scores(index, "bought")[UUID(int=1)]
    found = scores(index, "children")
    assert 0 < found[UUID(int=2)][0] < found[UUID(int=3)][0]
    # What is asked for itself is not related besides.
    assert [term.related & {"child"} for term in query_terms(index, "child and daughter", "en")] == [set(), set()]


def test_words_that_the_best_exchanges_share_find_others() -> None:
    index = index_of(
        [
            said(1, "The wedding needs a caterer and a florist."),
            said(2, "The florist wants a deposit."),
            said(3, "It rained, 12 hours.", "Advice. " * 100),
            said(4, "It rained, 12 hours."),
        ]
    )
    terms = query_terms(index, "wedding", "en")
    found = feedback_scores(index, match(index, terms).exchanges, terms)
    assert (found > 0).tolist() == [True, True, *[False] * (len(found) - 2)]
    assert feedback_scores(index, np.zeros(4, np.float32), terms).max() == 0


def test_passages_of_a_speaker_are_found_by_the_name() -> None:
    index = index_of(
        [said(1, "(9:15 am)\nAnna Berti: I moved to Rome.", "Bruno: When?"), said(2, "See https://a.example")]
    )
    assert index.spoken_by(["anna"]).tolist() == index.spoken_by(["berti", "x"]).tolist()
    assert [index.spoken_by([name]).any() for name in ("anna", "bruno", "rome", "https")] == [True, True, False, False]


def test_novelty_counts_for_the_first_use_of_a_word() -> None:
    exchanges = [said(1, "lake boat"), said(2, "lake boat"), said(3, "lake boat mountain")]
    assert index_of(exchanges).novelty()[[0, 1, 2]].tolist() == pytest.approx([0.35, 0, 1], abs=0.2)
    late = index_of(exchanges[::-1]).novelty()
    assert late[1] == 0 < late[2] < late[0]
    index = index_of(exchanges[:2])
    index.novelty()
    index.add(exchanges[2])
    assert index.novelty()[2] > index.novelty()[1]


def test_passages_have_kinds() -> None:
    index = index_of([said(1, "Always be brief. " * 30, "Very well. " * 80), said(2, "Hello", "Hi")])
    kinds = {kind: index.of_kind(kind).tolist() for kind in Kind}
    assert kinds[Kind.OPENING] == [True, False, False, False, False, False, False]
    assert kinds[Kind.PREFERENCE] == [True, True, False, False, False, False, False]
    assert kinds[Kind.STANDING] == [True, True, False, False, False, False, False]
    assert kinds[Kind.LONG_ANSWER] == [False, False, True, True, True, False, False]
    assert [index.passage(number).is_answer for number in range(7)] == [False, False, True, True, True, False, True]


def test_dates_are_found_by_the_time_of_an_exchange_and_in_its_text() -> None:
    index = index_of([said(1, "Dinner with Bruno on Friday."), said(2, "Nothing.", days=4)])
    friday = Span(date(2026, 3, 6), date(2026, 3, 6))
    assert index.said_within([friday]).tolist() == [0, 1]
    assert index.naming([friday]).tolist() == [1, 0]
    index.remove(UUID(int=1))
    assert index.naming([friday]).max() == 0


def test_an_index_takes_at_most_twice_its_text_and_four_kibibytes_an_exchange() -> None:
    """As ``tracemalloc`` counts, and its own ``size`` is within a fifth of that."""
    draw = np.random.default_rng(1)
    vocabulary = [f"word{number}" for number in range(4_000)]

    def text(words: int) -> str:
        return " ".join(vocabulary[place] for place in draw.zipf(1.3, words) % 4_000)

    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    index = index_of([said(number, text(30), text(10 + number % 200)) for number in range(500)])
    match(index, query_terms(index, "word1 word2 word77", "en"))
    size = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()

    texts = sum(len(each.message) + len(each.response) for each in map(index.exchange, range(500)))
    assert size <= 2 * texts + 4_096 * 500
    assert index.size == pytest.approx(size, rel=0.25)


def test_an_index_has_few_objects_for_the_garbage_collector() -> None:
    """It stops all threads meanwhile."""

    def objects() -> int:
        gc.collect()
        return len(gc.get_objects())

    exchanges = [said(number, f"word{number} and more", f"Noted {number}.") for number in range(500)]
    index_of(exchanges)  # makes the stemmer
    before = objects()
    index = index_of(exchanges)

    assert len(index) == 500
    assert objects() - before < 50


def test_only_exchanges_that_are_kept_stay() -> None:
    index = index_of([said(number, f"Lunch number {number}", "Noted.") for number in range(6)])
    index.remove_others({1, 4, 77})

    assert (len(index), {each.int for each in ids_in(index)}) == (2, {1, 4})
    assert (UUID(int=2) in index, index.exchange(index.position_of(UUID(int=4)) or 0).message) == (
        False,
        "Lunch number 4",
    )


def test_a_first_recall_imports_nothing() -> None:
    """Importing blocks the interpreter for milliseconds, while a turn waits."""
    code = """
import sys
from datetime import datetime, UTC
from uuid import UUID
from memory.search.index import ExchangeIndex
from memory.search.exchanges import IndexedExchange
from memory.search.ranking import recalled
from memory.search.question import Question
imported, now = set(sys.modules), datetime(2026, 3, 2, tzinfo=UTC)
index = ExchangeIndex()
index.add(IndexedExchange(id=UUID(int=1), at=now, session_id="", message="My cat is called Minou.", response="Noted."))
assert recalled(index, Question(text="What is my cat called?", now=now))
print(sorted(set(sys.modules) - imported))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True, cwd=ROOT)

    assert found.stdout == "[]\n"


def test_labels_are_no_speakers_of_a_pasted_chat() -> None:
    labels = [said(n, f"Note: paint wall {n}", f"Update: wall {n} is noted.") for n in range(12)]
    begins = [said(n, f"But: not wall {n}", f"So: wall {n} stays.") for n in range(12)]
    chat = [said(n, f"Nadia: lane {n}", f"Piotr: and lane {n}") for n in range(12, 24)]

    assert index_of(labels).speakers() == index_of(begins).speakers() == []
    assert set(index_of([*labels, *chat]).speakers()) == {"nadia", "piotr"}


def test_a_speaker_may_have_a_common_word_for_a_name() -> None:
    chat = [said(n, f"Tom: lane {n}", f"Mia: and lane {n}") for n in range(12)]

    assert set(index_of(chat).speakers()) == {"tom", "mia"}
