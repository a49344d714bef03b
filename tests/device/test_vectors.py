"""Search by meaning: nearest first, only where requested, and clear errors about invalid vectors."""

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from device.errors import CallRefused
from device.store import Store
from device.vectors import Hit, Vectors

_NUMBERS = st.floats(-1e3, 1e3, allow_nan=False).filter(lambda number: number == 0 or abs(number) > 1e-3)
_VECTORS = st.lists(_NUMBERS, min_size=3, max_size=3).filter(any)


@pytest.fixture
def vectors(store: Store) -> Vectors:
    return Vectors(store)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(stored=st.lists(_VECTORS, max_size=15), query=_VECTORS, limit=st.integers(1, 20))
def test_nearest_is_what_the_cosine_says(
    store: Store, vectors: Vectors, stored: list[list[float]], query: list[float], limit: int
) -> None:
    store.run("DELETE FROM _vectors")
    for number, vector in enumerate(stored):
        vectors.upsert(f"n{number}", vector, project_id=None, content=f"text {number}")
    hits = vectors.nearest(query, limit=limit)
    expected = {f"n{number}": _cosine(vector, query) for number, vector in enumerate(stored)}
    assert [hit.score for hit in hits] == pytest.approx(sorted(expected.values(), reverse=True)[:limit], abs=1e-5)
    assert [hit.score for hit in hits] == pytest.approx([expected[hit.id] for hit in hits], abs=1e-5)
    assert all(-1 <= hit.score <= 1 and hit.content == f"text {hit.id[1:]}" for hit in hits)


def _cosine(one: list[float], other: list[float]) -> float:
    dot = sum(a * b for a, b in zip(one, other, strict=True))
    return dot / (math.hypot(*one) * math.hypot(*other))


def test_nearest_finds_ten_unless_told(vectors: Vectors) -> None:
    for number in range(12):
        vectors.upsert(f"n{number:02}", [1.0], project_id=None, content="")
    assert [hit.id for hit in vectors.nearest([2.0])] == [f"n{number:02}" for number in range(10)]


def test_nearest_stays_within_the_project(vectors: Vectors) -> None:
    vectors.upsert("a", [1.0, 0.0], project_id="p1", content="one")
    vectors.upsert("b", [1.0, 0.0], project_id="p2", content="two")
    vectors.upsert("c", [1.0, 0.0], project_id=None, content="three")
    assert vectors.nearest([2.0, 0.0], project_id="p2") == [Hit(id="b", content="two", score=1.0)]


def test_upsert_replaces_what_was_there(vectors: Vectors) -> None:
    vectors.upsert("a", [1.0, 0.0], project_id="p1", content="one")
    vectors.upsert("a", [0.0, 1.0], project_id="p2", content="two")
    assert vectors.nearest([0.0, 3.0]) == [Hit(id="a", content="two", score=1.0)]


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_vectors_of_any_length_have_a_direction(vectors: Vectors, size: float) -> None:
    vectors.upsert("a", [size, size], project_id=None, content="")
    [hit] = vectors.nearest([size, 0.0])
    assert hit.score == pytest.approx(math.sqrt(0.5))


def test_nearest_among_nothing_is_nothing(vectors: Vectors) -> None:
    assert vectors.nearest([1.0]) == []


@pytest.mark.parametrize(
    ("vector", "sentence"),
    [
        ([0.0, 0.0], "vector is all zeros, so nothing is near to it."),
        ([], "vector must be a list of finite numbers, and not empty."),
        ([math.nan], "vector must be a list of finite numbers, and not empty."),
        ([math.inf], "vector must be a list of finite numbers, and not empty."),
    ],
)
def test_vector_without_a_direction_is_refused(vectors: Vectors, vector: list[float], sentence: str) -> None:
    with pytest.raises(CallRefused) as stored:
        vectors.upsert("a", vector, project_id=None, content="")
    with pytest.raises(CallRefused) as searched:
        vectors.nearest(vector)
    assert [str(stored.value), str(searched.value)] == [sentence, sentence]


def test_vectors_of_another_length_are_left_out(vectors: Vectors) -> None:
    vectors.upsert("a", [1.0, 0.0, 0.0], project_id=None, content="older")
    vectors.upsert("b", [1.0, 0.0], project_id=None, content="newer")

    assert [hit.content for hit in vectors.nearest([1.0, 0.0])] == ["newer"]
    assert vectors.nearest([1.0]) == []


def test_nearest_refuses_a_limit_below_one(vectors: Vectors) -> None:
    with pytest.raises(CallRefused, match="limit must be 1 or more, not 0"):
        vectors.nearest([1.0], limit=0)
