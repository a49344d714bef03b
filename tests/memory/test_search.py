"""Searching facts by meaning, as far as the hashing embedder can tell."""

import pytest
from pytest_django import Settings

from accounts.database import in_database
from accounts.errors import AccountGone, MissingMasterKey
from accounts.models import User
from memory.embedders.hashing import hashed
from memory.facts import About, store_fact
from memory.index import Embedding
from memory.models import MemoryAssociative
from memory.service import search
from memory.tiers import set_core
from tests.memory.ports import UNREACHABLE, Embedder
from tests.memory.tampering import damage

pytestmark = pytest.mark.django_db(transaction=True)

FACTS = (
    "The cat is called Minou and eats fish.",
    "My sister Anna lives in Turin.",
    "The office rent is due on the fifth of each month.",
    "I am allergic to peanuts.",
    "The server room key is with Bruno.",
    "Prefer trains to planes.",
    "My favourite tea is Assam.",
    "The user asked for the sales report of October and got it.",
    "Mia sorella Anna abita a Torino.",
    "La riunione con Bianchi è ogni lunedì mattina.",
)


def tell(user: User, text: str, about: About | None = None) -> None:
    store_fact(user.id, text, Embedding(vector=hashed(text), model="hashing-v1"), about=about)


async def tell_all(user: User) -> None:
    for text in FACTS:
        await in_database(lambda text=text: tell(user, text))  # type: ignore[misc] # bound at once


async def found(user: User, query: str, limit: int = 5) -> list[str]:
    return [each.content for each in await search(Embedder(), user.id, query, limit=limit)]


async def test_what_was_asked_about_comes_first(alice: User, bob: User) -> None:
    await tell_all(alice)
    questions = {
        "what is my cat called?": 0,
        "where does my sister live?": 1,
        "when is the rent due?": 2,
        "what am I allergic to": 3,
        "who has the key of the server room?": 4,
        "train or plane?": 5,
        "which tea do I like best?": 6,
        "sales report October": 7,
        "dove abita mia sorella?": 8,
        "quando è la riunione con Bianchi?": 9,
    }
    assert {query: (await found(alice, query))[:1] for query in questions} == {
        query: [FACTS[number]] for query, number in questions.items()
    }
    assert await found(bob, "what is my cat called?") == []


@pytest.mark.parametrize(
    "query",
    ["what's the weather tomorrow", "write a poem about the sea", "hello", "zzyzx", "mostrami i progetti aperti", "?!"],
)
async def test_what_has_nothing_to_do_with_it_is_not_found(alice: User, query: str) -> None:
    await tell_all(alice)
    assert await found(alice, query) == []


async def test_found_facts_say_how_near_they_are_and_what_they_are_about(alice: User) -> None:
    await in_database(lambda: tell(alice, FACTS[0], About(entity_type="note", entity_id="n1")))

    [fact] = await search(Embedder(), alice.id, FACTS[0], limit=5)

    row = await MemoryAssociative.objects.aget()
    assert fact.score == pytest.approx(1.0, abs=1e-3)
    assert (fact.id, fact.content, fact.entity_type, fact.entity_id) == (row.id, FACTS[0], "note", "n1")
    assert (fact.episode_id, fact.updated_at) == (None, row.updated_at)


async def test_no_more_are_found_than_were_asked_for(alice: User) -> None:
    await tell_all(alice)
    assert await found(alice, "my sister Anna in Torino or Turin", limit=1) == [FACTS[1]]


async def test_a_fact_that_cannot_be_opened_is_left_out_and_named(
    alice: User, caplog: pytest.LogCaptureFixture
) -> None:
    await in_database(lambda: tell(alice, FACTS[0]))
    row = await MemoryAssociative.objects.aget()
    await in_database(lambda: damage(row, "content_encrypted"))

    assert await found(alice, "what is my cat called?") == []

    assert f"The row {row.id} of memory_memoryassociative" in caplog.text
    assert "Minou" not in caplog.text


async def test_without_a_vector_of_the_query_facts_are_found_by_their_words(
    alice: User, bob: User, caplog: pytest.LogCaptureFixture
) -> None:
    await tell_all(alice)
    embedder = Embedder()
    embedder.broken = UNREACHABLE

    found = await search(embedder, alice.id, "what is my cat called?", limit=5)

    assert ([each.content for each in found], found[0].score) == ([FACTS[0]], 1.0)
    assert await search(embedder, bob.id, "what is my cat called?", limit=5) == []
    assert await search(embedder, alice.id, "write a poem about the sea", limit=5) == []
    assert "only by their words: The embedding server cannot be reached." in caplog.text


async def test_facts_whose_vectors_are_not_made_yet_come_after_what_is_near(alice: User) -> None:
    await tell_all(alice)
    await in_database(lambda: store_fact(alice.id, "Minou the cat sleeps on the boiler.", None))

    assert await found(alice, "my cat Minou", limit=2) == [FACTS[0], "Minou the cat sleeps on the boiler."]
    assert await found(alice, "my cat Minou", limit=1) == [FACTS[0]]


async def test_who_is_gone_has_nothing(alice: User) -> None:
    user_id = alice.id
    await in_database(alice.delete)
    with pytest.raises(AccountGone):
        await search(Embedder(), user_id, "cat", limit=5)


async def test_without_the_master_key_nothing_is_found_and_it_is_said(alice: User, settings: Settings) -> None:
    await in_database(lambda: set_core(alice.id, "tea", "Assam"))
    settings.MASTER_KEYS = "Nd1yHUuVc5vpjXKFVdeq2TzkYmYhBjqVvdd8G3EHmrQ="
    with pytest.raises(MissingMasterKey):
        await search(Embedder(), alice.id, "tea", limit=5)
