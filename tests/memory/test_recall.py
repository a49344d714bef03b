"""What is recalled before an answer, within a bounded number of queries and time, even when something fails.

``tests/memory/test_index_cache.py`` has what an index tells; here it is mostly about what needs none.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import LiteralString

import numpy as np
import pytest
from channels.db import database_sync_to_async
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone as clock
from pytest_django import Settings

from accounts.keys.vault import open_vault
from accounts.models import User
from accounts.statements import Found, ThreadStatements, Value
from agents.prompts.rendering import CLOSING, OPENING, remembered_text
from memory import recall as recalling
from memory import stored_tiers
from memory.embedders.hashing import hashed
from memory.facts import About, near_facts, opened_facts, store_fact
from memory.index import Embedding, Vector, unit
from memory.models import (
    MemoryAssociative,
    MemoryCore,
    MemoryEpisodic,
    MemoryProactive,
    Source,
)
from memory.recalled import ItemKind, Recalled
from memory.service import MemoryService
from memory.tiers import set_core
from tests.memory.ports import UNREACHABLE, Embedder, NoIndexes, Summarizer
from tests.memory.tampering import damage, half_rotate

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def embedder() -> Embedder:
    return Embedder()


@pytest.fixture
def memory(embedder: Embedder, statements: "CountedStatements") -> MemoryService:
    return MemoryService(embedder=embedder, summarizer=Summarizer(), statements=statements, budget_s=20.0)


@pytest.fixture
def cold(embedder: Embedder, statements: "CountedStatements") -> MemoryService:
    """A memory whose indexes are never built in time."""
    return MemoryService(
        embedder=embedder, summarizer=Summarizer(), statements=statements, indexes=NoIndexes(), budget_s=20.0
    )


def tell(user: User, text: str, about: About | None = None) -> None:
    store_fact(user.id, text, Embedding(vector=hashed(text), model="hashing-v1"), about=about)


def happen(user: User, summary: str, *, days_ago: int = 0) -> MemoryEpisodic:
    row = MemoryEpisodic(user=user, created_at=clock.now() - timedelta(days=days_ago))
    row.summary_encrypted = open_vault(user.id).seal(row, "summary_encrypted", summary)
    row.save(force_insert=True)
    return row


def habit(user: User, pattern: str, confidence: float) -> MemoryProactive:
    row = MemoryProactive(user=user, pattern_index=pattern, confidence=confidence, source=Source.MINED)
    vault = open_vault(user.id)
    row.pattern_encrypted = vault.seal(row, "pattern_encrypted", pattern)
    row.basis_encrypted = vault.seal(row, "basis_encrypted", pattern)
    row.save(force_insert=True)
    return row


def fill(user: User) -> None:
    """A row in every tier."""
    set_core(user.id, "tea", "Assam")
    tell(user, "The cat is called Minou.")
    happen(user, "Asked for the weather.")
    habit(user, "Asks for the weather on Mondays.", 0.9)


async def in_database(work: Callable[[], object]) -> None:
    await database_sync_to_async(work, thread_sensitive=False)()


def core_of(remembered: Recalled) -> list[tuple[str, str]]:
    return list(remembered.core)


async def test_every_tier_is_recalled_for_its_owner_alone(alice: User, bob: User, memory: MemoryService) -> None:
    await in_database(lambda: fill(alice))

    remembered = await memory.recall(alice.id, "what is my cat called, and how was the weather?")

    day = f"{(await MemoryEpisodic.objects.aget()).created_at:%Y-%m-%d}"
    assert core_of(remembered) == [("tea", "Assam")]
    assert list(remembered.facts) == [f"{day}: The cat is called Minou."]
    assert list(remembered.episodes) == [f"{day}: Asked for the weather."]
    assert list(remembered.habits) == ["Asks for the weather on Mondays."]
    assert (await memory.recall(bob.id, "what is my cat called?")).empty


async def test_long_preferences_hide_no_short_ones(alice: User, memory: MemoryService) -> None:
    def prefer() -> None:
        set_core(alice.id, "food", "no nuts")
        for number in range(3):
            set_core(alice.id, f"letters {number}", "x" * 1_990)

    await in_database(prefer)

    told = [key for key, _ in core_of(await memory.recall(alice.id, "what can I eat?"))]

    assert "food" in told
    assert 0 < len(told) < 4


@pytest.mark.parametrize(("tokens", "sign"), [(6_000, "x"), (1_500, "記"), (6_000, "記"), (100, "“")])
async def test_a_model_gets_all_that_clients_are_shown_as_recalled_and_no_more_than_the_tokens(
    alice: User, tokens: int, sign: str
) -> None:
    def live() -> None:
        for number in range(100):
            set_core(alice.id, f"letters {number}", sign * 190)
        for number in range(9):
            habit(alice, f"{number} {sign * 60}", 0.9)

    await in_database(live)
    memory = MemoryService(embedder=Embedder(), summarizer=Summarizer(), budget_s=20.0, tokens=tokens)

    recalled = await memory.recall(alice.id, "Which letters?")

    document = remembered_text(recalled).partition(OPENING)[2].partition(CLOSING)[0].strip()
    data = json.loads(document)
    given = [*(f"{each['key']}: {each['value']}" for each in data["preferences"]), *data.get("habits", [])]
    assert given == [item.shown for item in recalled.items]
    assert given
    # Two thirds of four characters a token; the rest is for what is found.
    assert len(document) <= 4 * tokens * 2 / 3


async def test_a_user_with_nothing_waits_for_no_vector(alice: User, memory: MemoryService, embedder: Embedder) -> None:
    await in_database(lambda: set_core(alice.id, "tea", "Assam"))
    embedder.gate = asyncio.Event()

    assert core_of(await memory.recall(alice.id, "hello")) == [("tea", "Assam")]

    assert embedder.texts == []


async def test_nothing_is_read_nor_embedded_while_memory_is_off(
    alice: User, memory: MemoryService, embedder: Embedder
) -> None:
    await in_database(lambda: fill(alice))
    await User.objects.filter(id=alice.id).aupdate(memory_enabled=False)

    recalled = await memory.recall(alice.id, "what is my cat called?")

    assert (recalled.empty, recalled.off) == (True, True)
    assert embedder.texts == []


async def test_without_an_index_the_last_five_episodes_newest_first_and_habits_above_the_limit(
    alice: User, cold: MemoryService
) -> None:
    def remember() -> None:
        for day in range(7):
            happen(alice, f"Day {day}", days_ago=day)
        for confidence in (0.6, 0.61, 0.95):
            habit(alice, f"Sure {confidence}", confidence)
        habit(alice, "Dismissed", 0.99)
        MemoryProactive.objects.filter(pattern_index="Dismissed").update(dismissed_at=clock.now())

    await in_database(remember)
    remembered = await cold.recall(alice.id, "hello")

    assert [text[-5:] for text in remembered.episodes] == [f"Day {day}" for day in range(5)]
    assert list(remembered.habits) == ["Sure 0.95", "Sure 0.61"]


async def test_the_five_nearest_facts_that_have_anything_to_do_with_it(alice: User, memory: MemoryService) -> None:
    def remember() -> None:
        for number in range(7):
            tell(alice, f"The cat Minou{'!' * number} likes fish number {number * 111}.")
        tell(alice, "Invoice overdue since September.")

    await in_database(remember)

    facts = (await memory.recall(alice.id, "which fish does the cat Minou like?")).facts
    assert len(facts) == 5
    assert all("Minou" in fact for fact in facts)
    assert (await memory.recall(alice.id, "zzyzx qwrt")).facts == []


class ModelEmbedder(Embedder):
    """As some models make vectors: those of unrelated texts have a similarity of about 0.8. ``synonyms`` is what it
    knows of meaning: texts, each with another one that means the same.
    """

    def __init__(self, synonyms: Mapping[str, str]) -> None:
        super().__init__("model")
        self._synonyms = synonyms

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Vector]:
        found = await super().embed([self._synonyms.get(text, text) for text in texts], query=query)
        return [unit(np.float32(2.0) * unit(np.ones_like(vector)) + vector) for vector in found]


@pytest.mark.parametrize("is_episode", [False, True])
async def test_what_stands_out_by_its_meaning_is_told_without_common_words(alice: User, is_episode: bool) -> None:
    texts = [f"Invoice {number} of {word} is overdue." for number, word in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZ")]
    texts += ["Kim gets a rash from peanuts."]
    embedder = ModelEmbedder({"Satay for supper?": "a rash from peanuts", "Which film?": "the cinema"})
    vectors = await embedder.embed(texts)

    def remember() -> None:
        for text, vector in zip(texts, vectors, strict=True):
            about = About(episode_id=happen(alice, text).id) if is_episode else None
            store_fact(alice.id, text, Embedding(vector=vector, model="model"), about=about)

    await in_database(remember)
    memory = MemoryService(embedder=embedder, summarizer=Summarizer(), budget_s=20.0)
    asked = {text: await memory.recall(alice.id, text) for text in ("Satay for supper?", "Which film?")}

    told = asked["Satay for supper?"]
    assert [text[12:] for text in (told.episodes if is_episode else told.facts)] == ["Kim gets a rash from peanuts."]
    assert asked["Which film?"].empty


async def test_without_an_index_what_an_episode_tells_is_not_told_twice(alice: User, cold: MemoryService) -> None:
    def remember() -> None:
        episode = happen(alice, "Asked for the weather in Rome.")
        tell(alice, "Asked for the weather in Rome.", About(episode_id=episode.id))
        for day in range(5):
            happen(alice, f"Day {day}")

    await in_database(remember)
    memory_of_weather = await cold.recall(alice.id, "the weather in Rome?")
    assert [text[12:] for text in memory_of_weather.episodes].count("Asked for the weather in Rome.") == 1

    await MemoryEpisodic.objects.exclude(associative=None).aupdate(created_at=clock.now() + timedelta(seconds=1))
    again = await cold.recall(alice.id, "the weather in Rome?")
    assert [text[12:] for text in again.episodes].count("Asked for the weather in Rome.") == 1


class CountedStatements(ThreadStatements):
    """Counts the statements; with ``broken`` they fail."""

    def __init__(self) -> None:
        self.run: list[str] = []
        self.broken: Exception | None = None

    async def rows(self, statement: LiteralString, parameters: Sequence[Value]) -> Found:
        self.run.append(statement)
        if self.broken is not None:
            raise self.broken
        return await super().rows(statement, parameters)


@pytest.fixture
def statements() -> CountedStatements:
    return CountedStatements()


@pytest.mark.parametrize("number", [1, 3])
async def test_everything_takes_one_statement_once_there_is_an_index(
    alice: User, memory: MemoryService, statements: CountedStatements, number: int
) -> None:
    def remember() -> None:
        for each in range(number):
            set_core(alice.id, f"key {each}", "value")
            happen(alice, f"Day {each}")
            habit(alice, f"Habit {each}", 0.9)

    await in_database(remember)
    await memory.recall(alice.id, "Which day?")
    statements.run.clear()
    recalled = await memory.recall(alice.id, "Which day?")

    assert (len(recalled.core), len(recalled.episodes), len(recalled.habits)) == (number, number, number)
    assert len(statements.run) == 1


def test_the_nearest_facts_take_one_query_more(alice: User) -> None:
    fill(alice)
    vault = open_vault(alice.id)
    with CaptureQueriesContext(connection) as captured:
        asked = Embedding(vector=hashed("cat Minou"), model="hashing-v1")
        assert opened_facts(vault, near_facts(alice.id, vault, asked, limit=5))
    assert len(captured) == 1


async def test_as_much_is_recalled_when_a_thread_decrypts_it(
    alice: User, memory: MemoryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    await in_database(lambda: fill(alice))
    on_the_loop = await memory.recall(alice.id, "what is my cat called?")
    monkeypatch.setattr(recalling, "_FEW", 0)
    assert await memory.recall(alice.id, "what is my cat called?") == on_the_loop


async def test_without_an_index_a_vector_that_is_late_costs_the_facts_alone(alice: User, embedder: Embedder) -> None:
    await in_database(lambda: fill(alice))
    embedder.gate = asyncio.Event()
    memory = MemoryService(embedder=embedder, summarizer=Summarizer(), indexes=NoIndexes(), budget_s=0.02)

    async with asyncio.timeout(20):  # it would never have come
        remembered = await memory.recall(alice.id, "what is my cat called?")

    assert (core_of(remembered), list(remembered.facts)) == ([("tea", "Assam")], [])
    assert embedder.texts == ["what is my cat called?"]
    assert embedder.cancelled


async def test_who_leaves_takes_the_question_for_a_vector_along(
    alice: User, memory: MemoryService, embedder: Embedder
) -> None:
    await in_database(lambda: fill(alice))
    embedder.gate = asyncio.Event()
    asking = asyncio.create_task(memory.recall(alice.id, "what is my cat called?"))
    await embedder.asked.wait()

    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking

    assert embedder.cancelled


@pytest.mark.parametrize("broken", [UNREACHABLE, RuntimeError("private words")])
async def test_without_an_index_an_embedder_that_fails_costs_the_facts_alone(
    alice: User,
    cold: MemoryService,
    embedder: Embedder,
    broken: Exception,
    caplog: pytest.LogCaptureFixture,
) -> None:
    await in_database(lambda: fill(alice))
    embedder.broken = broken

    remembered = await cold.recall(alice.id, "what is my cat called?")

    assert (core_of(remembered), list(remembered.facts)) == ([("tea", "Assam")], [])
    assert "nothing is found by its meaning" in caplog.text
    assert "private" not in caplog.text


async def test_facts_are_found_by_their_words_without_a_vector(
    alice: User, memory: MemoryService, embedder: Embedder
) -> None:
    await in_database(lambda: fill(alice))
    embedder.broken = UNREACHABLE
    found = await memory.recall(alice.id, "what is my cat called?")
    assert [(item.text[12:], item.why) for item in found.of(ItemKind.FACT)] == [
        ("The cat is called Minou.", ("words",))
    ]


async def test_a_row_that_cannot_be_opened_is_left_out_and_named(
    alice: User, cold: MemoryService, caplog: pytest.LogCaptureFixture
) -> None:
    def spoil() -> list[object]:
        fill(alice)
        set_core(alice.id, "coffee", "black")
        tell(alice, "The cat Minou is grey.")
        happen(alice, "Wrote a letter.")
        habit(alice, "Writes letters.", 0.8)
        rows: list[tuple[MemoryCore | MemoryAssociative | MemoryEpisodic | MemoryProactive, str]] = [
            (MemoryCore.objects.order_by("created_at")[0], "value_encrypted"),
            (MemoryAssociative.objects.order_by("created_at")[0], "content_encrypted"),
            (MemoryEpisodic.objects.order_by("created_at")[0], "summary_encrypted"),
            (MemoryProactive.objects.order_by("created_at")[0], "pattern_encrypted"),
        ]
        for row, column in rows:
            damage(row, column)
        return [row.id for row, _ in rows]

    ids = await database_sync_to_async(spoil, thread_sensitive=False)()
    caplog.set_level(logging.DEBUG, logger="memory")
    remembered = await cold.recall(alice.id, "what is my cat Minou called?")

    assert core_of(remembered) == [("coffee", "black")]
    assert [text[12:] for text in remembered.facts] == ["The cat Minou is grey."]
    assert [text[12:] for text in remembered.episodes] == ["Wrote a letter."]
    assert list(remembered.habits) == ["Writes letters."]
    for row_id in ids:
        assert f"The row {row_id} of memory_" in caplog.text
    assert not any(word in caplog.text for word in ("Assam", "Minou", "weather"))


async def test_facts_that_cannot_be_searched_cost_the_facts_alone(
    alice: User, cold: MemoryService, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> object:
        raise DatabaseError("DETAIL: private words")

    await in_database(lambda: fill(alice))
    monkeypatch.setattr(recalling, "near_facts", fail)

    remembered = await cold.recall(alice.id, "what is my cat called?")

    assert not remembered.facts
    assert remembered.core
    assert remembered.episodes
    assert remembered.habits
    assert "private" not in caplog.text


async def test_nothing_is_recalled_when_the_tiers_cannot_be_read(
    alice: User, memory: MemoryService, statements: CountedStatements, caplog: pytest.LogCaptureFixture
) -> None:
    await in_database(lambda: fill(alice))
    statements.broken = DatabaseError("DETAIL: private words")

    assert (await memory.recall(alice.id, "what is my cat called?")).empty
    assert "nothing is recalled: DatabaseError" in caplog.text
    assert "private" not in caplog.text


async def test_nothing_is_recalled_without_the_master_key_and_the_answer_goes_on(
    alice: User, memory: MemoryService, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    await in_database(lambda: fill(alice))
    settings.MASTER_KEYS = "Nd1yHUuVc5vpjXKFVdeq2TzkYmYhBjqVvdd8G3EHmrQ="

    assert (await memory.recall(alice.id, "what is my cat called?")).empty

    assert f"The master key with the fingerprint {alice.master_key_id} is not configured." in caplog.text


async def test_nothing_is_recalled_of_who_is_gone(alice: User, memory: MemoryService) -> None:
    user_id = alice.id
    await in_database(alice.delete)
    assert (await memory.recall(user_id, "hello")).empty


async def test_any_other_failure_does_not_stop_the_answer(
    alice: User, memory: MemoryService, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> object:
        raise RuntimeError("private words")

    await in_database(lambda: fill(alice))
    monkeypatch.setattr(stored_tiers, "vault_of", fail)
    assert (await memory.recall(alice.id, "hello")).empty
    assert "nothing is recalled: RuntimeError" in caplog.text
    assert "private" not in caplog.text


async def test_everything_is_recalled_while_the_key_changes(alice: User, memory: MemoryService) -> None:
    def change() -> None:
        fill(alice)
        half_rotate(alice)
        tell(alice, "The cat Minou is grey.")

    await in_database(change)
    remembered = await memory.recall(alice.id, "my cat Minou")

    assert core_of(remembered) == [("tea", "Assam")]
    assert {text[12:] for text in remembered.facts} == {"The cat is called Minou.", "The cat Minou is grey."}
    assert len(remembered.habits) == 1
    assert len((await memory.recall(alice.id, "the weather")).episodes) == 1


@pytest.mark.parametrize("message", ["", " \n", "\0", "\ud83d", "x" * 300_000])
async def test_any_message_is_taken(alice: User, memory: MemoryService, embedder: Embedder, message: str) -> None:
    await in_database(lambda: fill(alice))
    assert core_of(await memory.recall(alice.id, message)) == [("tea", "Assam")]
    assert all(len(text) <= 20_000 for text in embedder.texts)
