import hashlib
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.embedders import hashing
from memory.embedders.hashing import HashingEmbedder, hashed
from memory.index import DIMENSIONS, Embedder, Vector, blank_vector
from tests.costs import calls_of


def nearness(one: str, other: str) -> float:
    return float(hashed(one) @ hashed(other))


@given(st.text())
def test_every_text_has_a_unit_vector(text: str) -> None:
    vector = hashed(text)

    assert vector.shape == (DIMENSIONS,)
    assert vector.dtype == np.float32
    assert float(np.linalg.norm(vector)) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(
    ("near", "text", "far"),
    [
        ("buy milk", "buying milk", "quarterly report"),
        ("riunione di progetto", "riunioni dei progetti", "comprare il latte"),
        ("attività urgente", "attivita urgenti", "note di viaggio"),
        ("When is the dentist?", "Dentist appointment on Friday", "When is the release of the app?"),
        ("Perché è in ritardo?", "PERCHE ritardo", "Che cosa compro?"),
        ("straße", "STRASSE", "stress"),
    ],
)
def test_texts_that_share_words_are_nearer(near: str, text: str, far: str) -> None:
    assert nearness(near, text) > nearness(far, text) + 0.2


def test_the_order_and_the_case_of_words_do_not_count() -> None:
    assert nearness("Acme budget review", "REVIEW, budget: acme!") == pytest.approx(1.0, abs=1e-5)


def test_a_word_said_often_counts_more_but_not_as_often() -> None:
    often = hashed("milk " * 50 + "report")

    assert float(often @ hashed("milk")) > float(often @ hashed("report")) > 0.1


def test_words_that_say_nothing_count_only_alone() -> None:
    assert nearness("the milk of the house", "milk house") == pytest.approx(1.0, abs=1e-5)
    assert nearness("to be", "to be") == pytest.approx(1.0, abs=1e-5)
    assert not np.array_equal(hashed("to be"), blank_vector())


@pytest.mark.parametrize("text", ["", " \n", "…!?", "🎉"])
def test_a_text_that_says_nothing_has_the_blank_vector(text: str) -> None:
    assert np.array_equal(hashed(text), blank_vector())


def test_half_a_character_is_embedded_all_the_same() -> None:
    assert nearness("milk \ud83c", "milk") == pytest.approx(1.0, abs=1e-5)


def test_one_long_word_is_embedded() -> None:
    assert nearness("x" * 20_000, "x" * 20_001) > 0.5


def fingerprint(vector: Vector) -> str:
    places = np.flatnonzero(vector)
    told = ",".join(f"{place}:{vector[place]:+.4f}" for place in places)
    return hashlib.blake2b(told.encode(), digest_size=8).hexdigest()


def test_vectors_are_the_same_in_every_process_and_on_every_machine() -> None:
    assert fingerprint(hashed("Buy milk, perché è finito")) == "8e844688159c4dda"


async def test_texts_are_embedded_in_order() -> None:
    embedder: Embedder = HashingEmbedder()
    texts = ["buy milk", "", "quarterly report"]

    vectors = await embedder.embed(texts)

    assert (embedder.name, embedder.dimensions) == ("hashing-v1", DIMENSIONS)
    assert [vector.tolist() for vector in vectors] == [hashed(text).tolist() for text in texts]
    assert await embedder.embed([]) == []


@pytest.mark.parametrize(("text", "aside"), [("milk", False), ("milk " * 1000, True)])
async def test_only_long_texts_leave_the_event_loop(text: str, aside: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []

    def noting(text: str) -> Vector:
        threads.append(threading.get_ident())
        return blank_vector()

    monkeypatch.setattr(hashing, "hashed", noting)
    await HashingEmbedder().embed([text])

    assert (threads != [threading.get_ident()]) == aside


def test_the_features_of_a_text_are_hashed_all_at_once() -> None:
    def cost(text: str) -> int:
        return calls_of(lambda: hashed(text))

    words = [f"word{number}" for number in range(800)]
    accented = " ".join(f"{word} così" for word in words[:80])

    assert cost(" ".join(words)) < 2 * cost(" ".join(words[:8]))
    # Only accents are handled character by character. A kilobyte has some 3,000 features.
    assert cost(accented) < 3 * len(accented) < 3000
