from threading import Barrier

import numpy as np
import pytest

from accounts.errors import AccountGone
from accounts.models import User
from memory.embedders.hashing import hashed
from memory.errors import InvalidMemory, MemoryNotFound, UnreadableRow
from memory.facts import (
    About,
    FactEntry,
    edit_fact,
    list_facts,
    set_embedding,
    store_fact,
)
from memory.index import Embedding, Vector, unit
from memory.models import MAX_FACT_CHARS, MemoryAssociative, MemoryEpisodic
from tests.accounts.conftest import at_once
from tests.memory.tampering import damage, half_rotate

pytestmark = pytest.mark.django_db


def meaning(text: str, model: str = "hashing-v1") -> Embedding:
    return Embedding(vector=hashed(text), model=model)


def store(user: User, text: str, about: About | None = None) -> FactEntry:
    row_id = store_fact(user.id, text, meaning(text), about=about)
    return next(fact for fact in facts(user) if fact.id == row_id)


def facts(user: User) -> list[FactEntry]:
    return list(list_facts(user.id, after=None, limit=100).items)


def contents(user: User) -> list[str]:
    return [fact.content for fact in facts(user)]


def beside(vector: Vector, cosine: float) -> Vector:
    """A vector whose cosine similarity to ``vector`` is the given one."""
    other = np.random.default_rng(1).standard_normal(len(vector)).astype(np.float32)
    other = unit(other - (other @ vector) * vector)
    return unit(np.float32(cosine) * vector + np.float32(np.sqrt(1 - cosine**2)) * other)


def episode(user: User) -> MemoryEpisodic:
    return MemoryEpisodic.objects.create(user=user, summary_encrypted="x")


def test_a_fact_is_its_owners_alone_and_ciphertext(alice: User, bob: User) -> None:
    fact = store(alice, "The cat is called Minou.")

    assert contents(alice) == ["The cat is called Minou."]
    assert contents(bob) == []
    [row] = MemoryAssociative.objects.values()
    assert (row["veil_version"], row["embedding_model"]) == (1, "hashing-v1")
    assert "Minou" not in str(row)
    assert abs(float(np.array(row["embedding"]) @ hashed("The cat is called Minou."))) < 0.2
    assert not MemoryAssociative.objects.for_user(bob.id).discard(fact.id)
    assert MemoryAssociative.objects.for_user(alice.id).discard(fact.id)
    assert not MemoryAssociative.objects.for_user(alice.id).discard(fact.id)


@pytest.mark.parametrize(
    ("cosine", "text", "rows"),
    [
        (0.97, "the cat is called Minou!", 1),
        (0.93, "the cat is called Minou!", 2),
        (0.99, "The cat is called Felix.", 2),
        (0.99, "The cat is not called Minou.", 2),
    ],
)
def test_the_same_words_with_a_similar_vector_update_the_row(alice: User, cosine: float, text: str, rows: int) -> None:
    first = store(alice, "The cat is called Minou.")
    near = Embedding(vector=beside(hashed("The cat is called Minou."), cosine), model="hashing-v1")

    second = store_fact(alice.id, text, near)

    assert (second == first.id) == (rows == 1)
    assert len(facts(alice)) == rows
    assert contents(alice)[0] == text


def test_late_vectors_of_models_that_find_all_alike_merge_nothing(alice: User) -> None:
    """With some models everything is as similar as the same words are with others."""
    texts = [f"Anna is allergic to {what}." for what in ("nuts", "milk", "eggs")]
    for text in texts:
        row_id = store_fact(alice.id, text, None)
        token = MemoryAssociative.objects.get(id=row_id).content_encrypted
        vector = beside(hashed("Anna is allergic to nuts."), 0.98)
        assert set_embedding(alice.id, row_id, token, Embedding(vector=vector, model="hashing-v1"))

    assert sorted(contents(alice)) == sorted(texts)


@pytest.mark.django_db(transaction=True)
def test_the_same_is_found_under_an_older_key(alice: User) -> None:
    first = store(alice, "The cat is called Minou.")
    half_rotate(alice)

    assert store(alice, "The cat is called Minou.").id == first.id
    assert MemoryAssociative.objects.get().veil_version == 2


@pytest.mark.parametrize(
    "other",
    [About(entity_type="task", entity_id="1"), About(entity_type="project", entity_id="2")],
)
def test_the_same_of_something_else_is_another_fact(alice: User, other: About) -> None:
    store(alice, "It is late.", About(entity_type="task", entity_id="2"))
    store(alice, "It is late.", other)
    assert len(facts(alice)) == 2


def test_another_embedders_vectors_are_not_compared(alice: User) -> None:
    store(alice, "The cat is called Minou.")
    store_fact(alice.id, "The cat is called Minou.", meaning("The cat is called Minou.", model="another"))
    assert len(facts(alice)) == 2


def test_an_episode_never_takes_the_place_of_a_fact_nor_a_fact_of_an_episode(alice: User) -> None:
    told = episode(alice)
    store(alice, "The cat is called Minou.")
    follows = store(alice, "The cat is called Minou.", About(episode_id=told.id))
    again = store(alice, "The cat is called Minou.")

    assert len(facts(alice)) == 2
    assert again.id != follows.id
    told.delete()
    assert contents(alice) == ["The cat is called Minou."]


def test_an_episode_that_says_the_same_takes_over_the_row(alice: User) -> None:
    first, second = episode(alice), episode(alice)
    store(alice, "Asked for the weather.", About(episode_id=first.id))
    store(alice, "Asked for the weather.", About(episode_id=second.id))

    assert MemoryAssociative.objects.get().episode_id == second.id


@pytest.mark.django_db(transaction=True)
def test_two_who_say_the_same_at_once_make_one_row(alice: User) -> None:
    barrier = Barrier(2)

    def say() -> None:
        barrier.wait(timeout=20)
        store_fact(alice.id, "The cat is called Minou.", meaning("The cat is called Minou."))

    for _ in range(5):
        at_once(say, say)

    assert len(facts(alice)) == 1


def test_a_row_that_cannot_be_opened_is_not_overwritten_by_what_says_the_same(alice: User) -> None:
    fact = store(alice, "The cat is called Minou.")
    damaged = damage(MemoryAssociative.objects.get(id=fact.id), "content_encrypted")

    store(alice, "The cat is called Minou.")

    assert MemoryAssociative.objects.get(id=fact.id).content_encrypted == damaged
    assert [entry.unreadable for entry in facts(alice)] == [False, True]


def test_a_fact_without_a_vector_waits_for_it(alice: User) -> None:
    row_id = store_fact(alice.id, "The cat is called Minou.", None)
    row = MemoryAssociative.objects.get(id=row_id)
    assert (row.embedding, row.embedding_model, row.veil_version) == (None, "", None)
    assert row.next_attempt_at is not None

    assert set_embedding(alice.id, row_id, row.content_encrypted, meaning("The cat is called Minou."))

    found = MemoryAssociative.objects.get(id=row_id)
    assert (found.embedding_model, found.veil_version, found.next_attempt_at) == ("hashing-v1", 1, None)
    assert found.embedding is not None


def test_a_vector_that_comes_late_is_compared_then(alice: User) -> None:
    older = store(alice, "The cat is called Minou.")
    row_id = store_fact(alice.id, "The cat is called Minou!", None)
    token = MemoryAssociative.objects.get(id=row_id).content_encrypted

    assert set_embedding(alice.id, row_id, token, meaning("The cat is called Minou!"))

    assert [(fact.id, fact.content) for fact in facts(alice)] == [(older.id, "The cat is called Minou!")]


def test_a_vector_of_words_that_were_changed_meanwhile_is_not_set(alice: User) -> None:
    row_id = store_fact(alice.id, "The cat is called Minou.", None)
    token = MemoryAssociative.objects.get(id=row_id).content_encrypted
    edit_fact(alice.id, row_id, "The cat is called Felix.", None)

    assert not set_embedding(alice.id, row_id, token, meaning("The cat is called Minou."))
    assert MemoryAssociative.objects.get(id=row_id).embedding is None


def test_a_vector_for_a_row_that_is_gone_is_nothing(alice: User, bob: User) -> None:
    row_id = store_fact(alice.id, "The cat is called Minou.", None)
    token = MemoryAssociative.objects.get(id=row_id).content_encrypted
    assert not set_embedding(bob.id, row_id, token, meaning("x"))
    MemoryAssociative.objects.for_user(alice.id).discard(row_id)
    assert not set_embedding(alice.id, row_id, token, meaning("x"))


def test_a_fact_is_corrected_by_its_owner_alone(alice: User, bob: User) -> None:
    fact = store(alice, "The cat is called Minou.")

    with pytest.raises(MemoryNotFound):
        edit_fact(bob.id, fact.id, "x", None)
    assert edit_fact(alice.id, fact.id, "The cat is called Felix.", meaning("Felix")).content == (
        "The cat is called Felix."
    )
    assert contents(alice) == ["The cat is called Felix."]


def test_a_fact_that_cannot_be_opened_is_deleted_not_corrected(alice: User) -> None:
    fact = store(alice, "The cat is called Minou.")
    damaged = damage(MemoryAssociative.objects.get(), "content_encrypted")

    with pytest.raises(UnreadableRow, match=f"{fact.id} of memory_memoryassociative"):
        edit_fact(alice.id, fact.id, "x", None)

    assert MemoryAssociative.objects.get().content_encrypted == damaged
    assert MemoryAssociative.objects.for_user(alice.id).discard(fact.id)


@pytest.mark.parametrize("text", ["", "  ", "x" * (MAX_FACT_CHARS + 1)])
def test_what_is_blank_or_too_long_is_no_fact(alice: User, text: str) -> None:
    with pytest.raises(InvalidMemory):
        store_fact(alice.id, text, None)
    assert facts(alice) == []


def test_any_name_of_what_a_fact_is_about_is_taken(alice: User) -> None:
    fact = store(alice, "It is late.", About(entity_type="t\0" + "x" * 99, entity_id="\ud83d" + "y" * 999))
    assert (fact.entity_type, fact.entity_id) == ("t" + "x" * 31, "?" + "y" * 199)


def test_pages_are_true_while_rows_come(alice: User) -> None:
    for number in range(5):
        store(alice, f"{number} {'abcde'[number] * 9}")
    page = list_facts(alice.id, after=None, limit=2)
    store(alice, "something new altogether")

    seen = [fact.content[0] for fact in page.items]
    while page.after is not None:
        page = list_facts(alice.id, after=page.after, limit=2)
        seen += [fact.content[0] for fact in page.items]

    assert seen == ["4", "3", "2", "1", "0"]


def test_a_fact_of_a_deleted_account_is_not_stored(alice: User) -> None:
    user_id = alice.id
    alice.delete()
    with pytest.raises(AccountGone):
        store_fact(user_id, "x", None)
