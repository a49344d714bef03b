"""The exact search, beside numpy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase
from numpy.typing import NDArray
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from accounts.rotation import rotate_user_key
from accounts.vault import open_vault
from memory.embedders.base import DIMENSIONS, Vector, unit
from memory.facts import Meaning, store_fact
from memory.models import MemoryAssociative
from memory.nearest import nearest
from memory.sealing import opened
from tests.memory.tampering import half_rotate


def drawn(count: int, seed: int = 1) -> list[Vector]:
    draw = np.random.default_rng(seed)
    return [unit(draw.standard_normal(DIMENSIONS).astype(np.float32)) for _ in range(count)]


def keep(user: User, vectors: list[Vector], model: str = "m") -> None:
    for number, vector in enumerate(vectors):
        store_fact(user.id, str(number), Meaning(vector=vector, model=model))


def found(user: User, vector: Vector, limit: int, model: str = "m") -> list[tuple[str, float]]:
    vault = open_vault(user.id)
    return [
        (opened(vault, each.row, "content_encrypted"), each.score)
        for each in nearest(user.id, vault, vector, model=model, limit=limit)
    ]


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
        assert len(nearest(alice.id, vault, drawn(1)[0], model="m", limit=2)) == 2


@pytest.mark.django_db
def test_rows_of_another_embedder_and_without_a_vector_are_not_found(alice: User) -> None:
    [vector] = drawn(1)
    keep(alice, [vector], model="another")
    store_fact(alice.id, "waits", None)
    assert found(alice, vector, 5) == []


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
        store_fact(alice.id, str(number), Meaning(vector=vector, model="m"))
    asked = unit(vectors[1] * np.float32(1.5) + vectors[4])
    expected = [text for text, _ in exactly(vectors, asked, 2)]
    assert set(MemoryAssociative.objects.values_list("veil_version", flat=True)) == {1, 2}

    vault = open_vault(alice.id)
    with django_assert_num_queries(1):
        nearest(alice.id, vault, asked, model="m", limit=2)
    assert [text for text, _ in found(alice, asked, 2)] == expected

    assert rotate_user_key(alice.id).finished
    assert set(MemoryAssociative.objects.values_list("veil_version", flat=True)) == {2}
    near = found(alice, asked, 2)
    assert [text for text, _ in near] == expected
    assert [score for _, score in near] == pytest.approx(np.array([1.5, 1.0]) / np.sqrt(3.25), abs=5e-2)
