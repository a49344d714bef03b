"""Vectors: the laws of the veil, and the exact search beside numpy."""

import base64

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase
from numpy.typing import NDArray
from pytest_django import DjangoAssertNumQueries

from accounts.cipher import UserKey
from accounts.keys.rotation import rotate_user_key
from accounts.keys.vault import open_vault
from accounts.models import User
from memory.embedders.hashing import hashed
from memory.facts import About, search_facts, store_fact
from memory.index import (
    DIMENSIONS,
    MAX_DIMENSIONS,
    MIN_DIMENSIONS,
    Embedding,
    Vector,
    Vectors,
    Veil,
    blank_vector,
    nearest,
    unit,
)
from memory.models import MemoryAssociative, MemoryEpisodic, opened
from tests.costs import calls_of
from tests.memory.tampering import half_rotate

secrets = st.binary(min_size=32, max_size=32)
A_KEY = bytes(range(32))
seeds = st.integers(0, 2**32 - 1)


lengths = st.integers(MIN_DIMENSIONS, MAX_DIMENSIONS) | st.sampled_from([384, 512, 768, 1024, DIMENSIONS, 2560, 3072])


def veil_of(secret: bytes, version: int = 1, dimensions: int = DIMENSIONS) -> Veil:
    return Veil(UserKey(version=version, secret=base64.urlsafe_b64encode(secret)), dimensions)


def units(seed: int, count: int, dimensions: int = DIMENSIONS) -> Vectors:
    """Directions drawn evenly, and some that have nearly all their length on a few axes."""
    draw = np.random.default_rng(seed)
    drawn = draw.standard_normal((count, dimensions)).astype(np.float32)
    drawn[::2] *= draw.random((len(drawn[::2]), dimensions)) < 0.01
    drawn[:, 0] += np.float32(1e-3)
    return np.stack([unit(vector) for vector in drawn])


@given(secrets, seeds, lengths)
@settings(max_examples=30)
def test_dot_products_survive_the_veil_and_half_precision(secret: bytes, seed: int, dimensions: int) -> None:
    vectors = units(seed, 8, dimensions)

    stored = veil_of(secret, dimensions=dimensions).apply(vectors).astype(np.float16).astype(np.float32)

    assert np.abs(stored @ stored.T - vectors @ vectors.T).max() < 1e-3


@given(secrets, seeds, lengths)
@settings(max_examples=30)
def test_a_veil_is_lifted_without_a_trace(secret: bytes, seed: int, dimensions: int) -> None:
    vectors = units(seed, 4, dimensions)
    veil = veil_of(secret, dimensions=dimensions)

    assert np.abs(veil.invert(veil.apply(vectors)) - vectors).max() < 1e-6
    assert np.abs(veil.apply(veil.invert(vectors)) - vectors).max() < 1e-6


@given(secrets, secrets, seeds)
@settings(max_examples=30)
def test_another_key_gives_vectors_that_have_nothing_to_do_with_each_other(
    first: bytes, second: bytes, seed: int
) -> None:
    vectors = units(seed, 4)
    if first == second:
        return
    likeness = np.abs(veil_of(first).apply(vectors) @ veil_of(second).apply(vectors).T)

    # Two random directions of 1,536 dimensions have a dot product of 0.026 on average; 0.2 is eight times as much.
    assert likeness.max() < 0.2


@pytest.mark.parametrize("dimensions", [384, 1000, DIMENSIONS, MAX_DIMENSIONS])
def test_a_veil_hides_even_what_stands_on_one_axis(dimensions: int) -> None:
    veiled = veil_of(A_KEY, dimensions=dimensions).apply(blank_vector(dimensions))

    assert np.abs(veiled).max() < 0.35
    assert abs(float(veiled @ blank_vector(dimensions))) < 0.35


def test_the_veils_of_two_lengths_have_nothing_in_common() -> None:
    longer, shorter = units(7, 4, 1536), units(7, 4, 1024)
    longer[:, 1024:] = 0.0

    likeness = np.abs(veil_of(A_KEY).apply(longer)[:, :1024] @ veil_of(A_KEY, dimensions=1024).apply(shorter).T)

    assert likeness.max() < 0.2


def test_many_vectors_are_veiled_as_each_alone() -> None:
    vectors = units(7, 5)
    veil = veil_of(A_KEY)

    together = veil.apply(vectors)

    for vector, veiled in zip(vectors, together, strict=True):
        assert veil.apply(vector) == pytest.approx(veiled, abs=1e-6)


def test_the_veil_of_a_key_is_the_same_everywhere_and_for_good() -> None:
    veiled = veil_of(A_KEY, version=3).apply(hashed("buy milk"))

    # What was stored with an earlier version of this code must be found with a later one.
    assert veiled[:4] == pytest.approx([0.0230378, 0.0079552, 0.0098631, -0.0390563], abs=1e-6)


def test_the_version_alone_changes_nothing() -> None:
    vector = hashed("buy milk")
    assert np.array_equal(veil_of(A_KEY, 1).apply(vector), veil_of(A_KEY, 2).apply(vector))


def test_a_thousand_vectors_are_veiled_at_once_with_what_was_drawn_before() -> None:
    veil, vectors = veil_of(A_KEY), units(7, 1000)

    alone = calls_of(lambda: veil.apply(vectors[0]))

    assert calls_of(lambda: veil.apply(vectors)) < alone + 100
    assert alone + 50 < calls_of(lambda: veil_of(A_KEY))


def drawn(count: int, seed: int = 1, dimensions: int = DIMENSIONS) -> list[Vector]:
    draw = np.random.default_rng(seed)
    return [unit(draw.standard_normal(dimensions).astype(np.float32)) for _ in range(count)]


def keep(user: User, vectors: list[Vector], model: str = "m") -> None:
    for number, vector in enumerate(vectors):
        store_fact(user.id, str(number), Embedding(vector=vector, model=model))


def found(user: User, vector: Vector, limit: int, model: str = "m") -> list[tuple[str, float]]:
    vault = open_vault(user.id)
    near = nearest(user.id, vault, Embedding(vector=vector, model=model), limit=limit)
    rows = [MemoryAssociative(id=match.id, content_encrypted=match.content_encrypted) for match in near]
    texts = [opened(vault, row, "content_encrypted") for row in rows]
    return list(zip(texts, [match.score for match in near], strict=True))


def exactly(vectors: list[Vector], vector: Vector, limit: int) -> list[tuple[str, float]]:
    scores: NDArray[np.float32] = np.stack(vectors) @ vector
    return [(str(number), float(scores[number])) for number in np.argsort(-scores)[:limit]]


class Exactness(TestCase):
    @given(st.integers(0, 2**32 - 1), st.integers(1, 12))
    @settings(max_examples=5)
    def test_the_nearest_are_those_that_numpy_finds(self, seed: int, limit: int) -> None:
        alice, bob = (User.objects.create_user(f"{name}@example.com") for name in ("alice", "bob"))
        vectors = drawn(10, seed)
        keep(alice, vectors)
        asked = unit(vectors[0] + vectors[3] + drawn(1, seed + 1)[0])
        keep(bob, [asked])

        near = found(alice, asked, limit)

        expected = exactly(vectors, asked, len(vectors))
        # Of two that are as near as half precision can tell, either may come first.
        assert [score for _, score in near] == pytest.approx([score for _, score in expected[:limit]], abs=1e-3)
        assert dict(near) == pytest.approx({text: dict(expected)[text] for text, _ in near}, abs=1e-3)
        assert len(dict(near)) == len(near)


@pytest.mark.django_db
def test_one_query_finds_them(alice: User, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    keep(alice, drawn(3))
    vault = open_vault(alice.id)
    with django_assert_num_queries(1):
        assert len(nearest(alice.id, vault, Embedding(vector=drawn(1)[0], model="m"), limit=2)) == 2


@pytest.mark.django_db
def test_standard_scores_are_those_of_numpy_among_facts_and_among_summaries(alice: User) -> None:
    common, facts, summaries = drawn(1, 7)[0], drawn(15, 8), drawn(14, 9)
    # As with some models, all have much in common; one of the summaries is meant.
    vectors = [unit(3 * common + each) for each in facts] + [unit(2 * common + each) for each in summaries]
    asked = unit(3 * common + summaries[4])
    for number, vector in enumerate(vectors):
        episode = MemoryEpisodic.objects.create(user=alice, summary_encrypted="x") if number >= len(facts) else None
        about = About(episode_id=episode.id if episode else None)
        store_fact(alice.id, str(number), Embedding(vector=vector, model="m"), about=about)

    matches = nearest(alice.id, open_vault(alice.id), Embedding(vector=asked, model="m"), limit=99)

    for is_fact, of_kind in ((True, vectors[: len(facts)]), (False, vectors[len(facts) :])):
        scores = np.stack(of_kind) @ asked
        expected = sorted((scores - scores.mean()) / scores.std(), reverse=True)
        found = [match for match in matches if (match.episode_id is None) is is_fact]
        assert [match.standard_score for match in found] == pytest.approx(expected, abs=0.02)
        assert {match.compared for match in found} == {len(of_kind)}
        assert [match.stands_out for match in found] == [not is_fact, *[False] * (len(of_kind) - 1)]


@pytest.mark.django_db
def test_a_search_finds_what_is_nearer_than_most_where_all_are_near(alice: User) -> None:
    common, drawn_ones = drawn(1, 7)[0], drawn(15, 8)
    keep(alice, [unit(3 * common + each) for each in drawn_ones])
    asked = Embedding(vector=unit(3 * common + drawn_ones[4]), model="m")

    found = [each.content for each in search_facts(alice.id, "", asked, limit=99)]

    assert (found[0], len(nearest(alice.id, open_vault(alice.id), asked, limit=99))) == ("4", 15)
    assert len(found) < 6


@pytest.mark.django_db
def test_of_few_rows_none_stands_out(alice: User) -> None:
    vectors = drawn(11)
    keep(alice, vectors)
    [first, *_] = nearest(alice.id, open_vault(alice.id), Embedding(vector=vectors[3], model="m"), limit=11)
    assert (first.score > 0.99, first.stands_out) == (True, False)


@pytest.mark.django_db
def test_a_single_row_has_no_standard_score(alice: User) -> None:
    [vector] = drawn(1)
    keep(alice, [vector])
    [match] = nearest(alice.id, open_vault(alice.id), Embedding(vector=vector, model="m"), limit=1)
    assert (match.standard_score, match.compared, match.stands_out) == (0.0, 1, False)


@pytest.mark.django_db
def test_rows_of_another_embedder_and_without_a_vector_are_not_found(alice: User) -> None:
    [vector] = drawn(1)
    keep(alice, [vector], model="another")
    store_fact(alice.id, "waits", None)
    assert found(alice, vector, 5) == []


@pytest.mark.django_db
@pytest.mark.parametrize("dimensions", [MIN_DIMENSIONS, 384, 1000, 2560, MAX_DIMENSIONS])
def test_vectors_of_any_length_are_found_beside_others(alice: User, dimensions: int) -> None:
    vectors = drawn(4, dimensions=dimensions)
    keep(alice, drawn(3), model="older")
    keep(alice, vectors, model=f"m@{dimensions}")
    MemoryAssociative.objects.update(entity_type="t" * 32, entity_id="ì" * 200)

    near = found(alice, vectors[2], 2, model=f"m@{dimensions}")

    assert near[0][0] == "2"
    assert [score for _, score in near] == pytest.approx(
        [score for _, score in exactly(vectors, vectors[2], 2)], abs=3e-3
    )


@pytest.mark.django_db
def test_a_plain_vector_finds_nothing_of_its_own(alice: User) -> None:
    """What is stored is veiled: the vector itself is no nearer to its row than any other."""
    [vector] = drawn(1)
    keep(alice, [vector])
    stored = np.array(MemoryAssociative.objects.get().embedding, dtype=np.float32)
    assert abs(float(stored @ vector)) < 0.2


@pytest.mark.django_db(transaction=True)
def test_rows_are_found_before_during_and_after_a_change_of_key(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    vectors = drawn(6)
    keep(alice, vectors[:3])
    half_rotate(alice)
    for number, vector in enumerate(vectors[3:], start=3):
        store_fact(alice.id, str(number), Embedding(vector=vector, model="m"))
    asked = unit(vectors[1] * np.float32(1.5) + vectors[4])
    expected = [text for text, _ in exactly(vectors, asked, 2)]
    assert set(MemoryAssociative.objects.values_list("veil_version", flat=True)) == {1, 2}

    vault = open_vault(alice.id)
    with django_assert_num_queries(1):
        nearest(alice.id, vault, Embedding(vector=asked, model="m"), limit=2)
    assert [text for text, _ in found(alice, asked, 2)] == expected

    assert rotate_user_key(alice.id).finished
    assert set(MemoryAssociative.objects.values_list("veil_version", flat=True)) == {2}
    near = found(alice, asked, 2)
    assert [text for text, _ in near] == expected
    assert [score for _, score in near] == pytest.approx(np.array([1.5, 1.0]) / np.sqrt(3.25), abs=5e-2)
