"""An index tells what was said from the next turn on, in every process, and nothing that was forgotten before it."""

import asyncio
import logging
import threading
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, LiteralString
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone as clock

from accounts.database import in_database
from accounts.errors import AccountError
from accounts.keys.rotation import rotate_user_key
from accounts.keys.vault import open_vault
from accounts.models import RetiredKey, User
from accounts.statements import Found, ThreadStatements, Value
from agents.prompts.rendering import CLOSING, OPENING, remembered_text
from memory import index_cache
from memory.embedders.hashing import hashed
from memory.exchange import Exchange
from memory.facts import store_fact
from memory.forgetting import drop_old_words, forget_between, forget_everything, forget_exchange
from memory.index import Embedding
from memory.index_cache import MAX_CHANGES, CachedIndex, Changes, IndexCache, StoredExchange
from memory.models import MemoryEpisodic
from memory.recall import TOKENS
from memory.recording import write_episode
from memory.revisions import ForgottenRows
from memory.search.follow_ups import Earlier
from memory.search.index import ExchangeIndex
from memory.search.question import Question
from memory.service import MemoryService
from memory.tiers import edit_episode, set_core
from tests.memory.ports import Embedder, Summarizer
from tests.memory.tampering import damage, half_rotate

pytestmark = pytest.mark.django_db(transaction=True)

CAT = "My cat is called Minou."


class Seconds:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def seconds() -> Seconds:
    return Seconds()


def process(seconds: Seconds | None = None, *, max_bytes: int = index_cache.MAX_BYTES) -> MemoryService:
    """The memory of one process."""
    indexes = IndexCache(max_bytes=max_bytes, away_s=600, clock=seconds or Seconds())
    return MemoryService(embedder=Embedder(), summarizer=Summarizer(), indexes=indexes, budget_s=20.0)


@pytest.fixture
def memory(seconds: Seconds) -> MemoryService:
    return process(seconds)


def say(user: User, message: str, response: str = "Noted.", *, days_ago: int = 0) -> MemoryEpisodic:
    claim = write_episode(user.id, Exchange(message=message, response=response, session_id="s"))
    assert claim is not None
    if days_ago:
        MemoryEpisodic.objects.filter(id=claim.row_id).update(created_at=clock.now() - timedelta(days=days_ago))
    return MemoryEpisodic.objects.get(id=claim.row_id)


async def told(memory: MemoryService, user: User, question: str = "What is my cat called?") -> str:
    return "\n".join((await memory.recall(user.id, question)).episodes)


def conversation(*texts: str) -> list[Earlier]:
    """A conversation in which the user speaks first."""
    return [Earlier(text, is_answer=number % 2 == 1) for number, text in enumerate(texts)]


async def test_the_words_of_an_exchange_are_told_to_its_user_alone(
    alice: User, bob: User, memory: MemoryService
) -> None:
    row = await in_database(say, alice, CAT, days_ago=3)
    assert await told(memory, alice) == f"{row.created_at:%Y-%m-%d}: {CAT} → Noted."
    assert await told(memory, bob) == ""
    assert await told(memory, alice, "What is the boiling point of mercury?") == ""


async def test_what_the_model_reads_in_the_conversation_is_not_told_again(alice: User, memory: MemoryService) -> None:
    await in_database(say, alice, CAT)
    await in_database(say, alice, "The cat Minou eats fish.")
    asked = "What do you know of my cat Minou?"

    remembered = await memory.recall(alice.id, asked, before=conversation(CAT, "Noted."))

    [only] = remembered.episodes
    assert "fish" in only
    assert (
        await memory.recall(alice.id, asked, before=conversation(CAT, "Noted.", "The cat Minou eats fish."))
    ).episodes == []
    assert CAT in await told(memory, alice, asked)


async def test_a_follow_up_is_recalled_for_with_its_conversation(alice: User, memory: MemoryService) -> None:
    await in_database(say, alice, "Ottilie swims on Thursdays.")
    await in_database(say, alice, "Ottilie was born on 5 May.")
    await in_database(say, alice, "The plumber wants 300.")
    before = conversation("When does Ottilie swim?", "On Thursdays.")

    assert (await memory.recall(alice.id, "and what day is it?")).episodes == []
    recalled = await memory.recall(alice.id, "and what day is it?", before=before)
    assert "5 May" in "\n".join(recalled.episodes)


async def test_what_is_said_after_the_index_was_built_is_told_in_every_process(
    alice: User, memory: MemoryService
) -> None:
    await in_database(say, alice, CAT)
    other = process()
    assert "Minou" in await told(memory, alice)
    assert "Minou" in await told(other, alice)

    await in_database(say, alice, "The cat eats fish.")

    assert "fish" in await told(memory, alice, "What does the cat eat?")
    assert "fish" in await told(other, alice, "What does the cat eat?")
    assert (len(memory.indexes.find(alice.id).index), memory.indexes.evictions) == (2, 0)  # type: ignore[union-attr]


@pytest.mark.parametrize("everything", [False, True])
async def test_what_is_forgotten_is_told_by_no_process(alice: User, memory: MemoryService, everything: bool) -> None:
    row = await in_database(say, alice, CAT)
    await in_database(say, alice, "The dog is called Rex.")
    other = process()
    assert "Minou" in await told(memory, alice)
    assert "Minou" in await told(other, alice)

    if everything:
        await in_database(forget_everything, alice.id)
    else:
        await in_database(forget_exchange, alice.id, row.id)

    assert "Minou" not in await told(memory, alice, "What are the cat Minou and the dog called?")
    assert "Minou" not in await told(other, alice, "What are the cat Minou and the dog called?")
    assert ("Rex" in await told(other, alice, "What is the dog called?")) is not everything


class Delayed(ThreadStatements):
    """The next statement is answered once ``gate`` is set, as the database was before."""

    def __init__(self) -> None:
        self.read = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()

    async def rows(self, statement: LiteralString, parameters: Sequence[Value]) -> Found:
        found = await super().rows(statement, parameters)
        self.read.set()
        await self.gate.wait()
        return found


async def test_a_turn_that_read_before_others_forgot_does_not_bring_it_back(alice: User) -> None:
    await in_database(say, alice, "The dog is called Rex.")
    statements, indexes = Delayed(), IndexCache()
    slow = MemoryService(
        embedder=Embedder(), summarizer=Summarizer(), statements=statements, indexes=indexes, budget_s=20.0
    )
    fast = MemoryService(embedder=Embedder(), summarizer=Summarizer(), indexes=indexes, budget_s=20.0)
    await told(fast, alice)
    row = await in_database(say, alice, CAT)

    statements.gate.clear()
    statements.read.clear()
    turn = asyncio.create_task(told(slow, alice))
    await statements.read.wait()
    await in_database(forget_exchange, alice.id, row.id)
    assert await told(fast, alice) == ""
    statements.gate.set()

    assert await turn == ""
    assert await told(fast, alice) == ""


async def test_what_is_forgotten_while_an_index_is_built_is_not_told(
    alice: User, memory: MemoryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [await in_database(say, alice, f"{CAT} And {number}.") for number in range(3)]
    read, built = index_cache._read_more, list[object]()

    def forget_between_batches(*args: object) -> object:
        found = read(*args)  # type: ignore[arg-type] # handed on
        if not built:
            forget_exchange(alice.id, rows[2].id)
            say(alice, "The cat Minou is grey.")
        built.append(found)
        return found

    monkeypatch.setattr(index_cache, "_ROWS", 1)
    monkeypatch.setattr(index_cache, "_read_more", forget_between_batches)

    recalled = await told(memory, alice, "What do you know about the cat?")
    assert len(built) == 3
    assert ("And 2" in recalled, "And 1" in recalled, "grey" in recalled) == (False, True, True)


async def test_a_corrected_summary_takes_the_place_of_the_words(alice: User, memory: MemoryService) -> None:
    row = await in_database(say, alice, CAT)
    await told(memory, alice)
    await in_database(edit_episode, alice.id, row.id, "The cat is called Luna.", None)
    assert "Luna" in await told(memory, alice)
    assert "Minou" not in await told(memory, alice)


async def test_words_that_are_not_kept_any_longer_are_not_told(alice: User, memory: MemoryService) -> None:
    await in_database(say, alice, f"{CAT} {'And so on. ' * 30} Her vet is Dr Rossi.", days_ago=9)
    assert "Rossi" in await told(memory, alice, "When does Dr Rossi open?")
    await User.objects.filter(id=alice.id).aupdate(memory_words_days=7)
    await in_database(drop_old_words)
    assert await told(memory, alice, "When does Dr Rossi open?") == ""
    assert "Minou" in await told(memory, alice)


async def test_many_changes_are_left_to_a_new_index(alice: User, memory: MemoryService) -> None:
    await in_database(say, alice, CAT)
    await told(memory, alice)
    first = memory.indexes.find(alice.id)

    await in_database(lambda: [say(alice, f"Number {number}.") for number in range(MAX_CHANGES)])
    without = await memory.recall(alice.id, "What is my cat called?")

    assert len(without.episodes) == 5  # the newest summaries
    assert "Minou" in await told(memory, alice)
    assert memory.indexes.find(alice.id) is not first


async def test_forgetting_most_makes_a_new_index(alice: User, memory: MemoryService) -> None:
    await in_database(lambda: [say(alice, f"Number {number}.", days_ago=2) for number in range(2 * MAX_CHANGES)])
    await in_database(say, alice, CAT)
    await told(memory, alice)
    await in_database(forget_between, alice.id, None, clock.now() - timedelta(days=1))
    await told(memory, alice)
    assert "Minou" in await told(memory, alice)
    cached = memory.indexes.find(alice.id)
    assert cached is not None
    assert cached.index.position_count == 1


async def test_days_are_those_of_the_users_time_zone(alice: User, memory: MemoryService) -> None:
    row = await in_database(say, alice, CAT)
    late = clock.now().replace(hour=23, minute=30)
    await MemoryEpisodic.objects.filter(id=row.id).aupdate(created_at=late)
    assert f"{late:%Y-%m-%d}: {CAT}" in await told(memory, alice)

    await User.objects.filter(id=alice.id).aupdate(timezone="Asia/Tokyo")
    await in_database(say, alice, "The dog is called Rex.")
    await told(memory, alice)

    assert f"{late + timedelta(days=1):%Y-%m-%d}: {CAT}" in await told(memory, alice)


async def test_a_row_that_cannot_be_opened_is_left_out_and_named(
    alice: User, memory: MemoryService, caplog: pytest.LogCaptureFixture
) -> None:
    row = await in_database(say, alice, CAT)
    await in_database(say, alice, "The cat eats fish.")
    await in_database(damage, row, "exchange_encrypted")
    caplog.set_level(logging.DEBUG, logger="memory")

    recalled = await told(memory, alice, "What about the cat Minou?")

    assert ("fish" in recalled, "Minou" in recalled) == (True, False)
    assert f"The row {row.id} of memory_memoryepisodic" in caplog.text
    assert "Minou" not in caplog.text


async def test_a_key_that_cannot_be_opened_costs_the_memory_alone(
    alice: User, memory: MemoryService, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: object) -> object:
        raise AccountError("The key cannot be opened.")

    await in_database(say, alice, CAT)
    monkeypatch.setattr(index_cache, "open_vault", fail)

    assert len((await memory.recall(alice.id, "What is my cat called?")).episodes) == 1  # the summary
    assert "an index of exchanges is not built: The key cannot be opened." in caplog.text
    assert memory.indexes.find(alice.id) is None


async def test_a_turn_goes_on_while_another_drops_the_index_that_it_waits_for(
    alice: User, memory: MemoryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, go_on = threading.Event(), threading.Event()
    read_more = index_cache._read_more

    def slow(*which: Any) -> Any:
        reading.set()
        go_on.wait(60)
        return read_more(*which)

    await in_database(say, alice, CAT)
    monkeypatch.setattr(index_cache, "_read_more", slow)
    waiting = asyncio.create_task(memory.recall(alice.id, "What is my cat called?"))
    assert await asyncio.to_thread(reading.wait, 60)
    memory.indexes.drop(alice.id)

    recalled = await waiting
    go_on.set()

    # The summary takes its place, and the next turn builds it again.
    assert len(recalled.episodes) == 1
    assert CAT in await told(memory, alice)
    assert memory.indexes.find(alice.id) is not None


async def test_a_failing_database_costs_the_index_alone(
    alice: User, memory: MemoryService, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> object:
        raise RuntimeError("private words")

    await in_database(say, alice, CAT)
    monkeypatch.setattr(index_cache, "_read_more", fail)

    assert len((await memory.recall(alice.id, "What is my cat called?")).episodes) == 1
    assert "not built: RuntimeError" in caplog.text
    assert "private" not in caplog.text


async def test_a_rotation_changes_nothing(alice: User, memory: MemoryService) -> None:
    await in_database(say, alice, CAT)
    await told(memory, alice)
    await in_database(half_rotate, alice)
    await in_database(say, alice, "The cat eats fish.")
    other = process()
    for each in (memory, other):
        recalled = await told(each, alice, "What about the cat?")
        assert ("Minou" in recalled, "fish" in recalled) == (True, True)

    assert (await in_database(rotate_user_key, alice.id)).finished
    assert not await RetiredKey.objects.aexists()
    await in_database(say, alice, "The cat sleeps.")
    for each in (memory, other, process()):
        recalled = await told(each, alice, "What about the cat?")
        assert ("Minou" in recalled, "fish" in recalled, "sleeps" in recalled) == (True, True, True)


async def test_an_index_goes_when_the_memory_is_turned_off(alice: User, memory: MemoryService) -> None:
    await in_database(say, alice, CAT)
    await told(memory, alice)
    await User.objects.filter(id=alice.id).aupdate(memory_enabled=False)

    assert (await memory.recall(alice.id, "What is my cat called?")).empty
    assert memory.indexes.find(alice.id) is None


async def test_memory_that_is_turned_off_while_an_index_is_built_is_not_told(
    alice: User, memory: MemoryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    await in_database(say, alice, CAT)
    read = index_cache._read_more

    def turn_off(*args: object) -> object:
        found = read(*args)  # type: ignore[arg-type] # handed on
        User.objects.filter(id=alice.id).update(memory_enabled=False)
        return found

    monkeypatch.setattr(index_cache, "_read_more", turn_off)
    assert (await memory.recall(alice.id, "What is my cat called?")).episodes == []


@pytest.mark.parametrize("why", ["away", "off", "erased"])
async def test_a_sweep_drops_indexes_of_users_who_are_not_there(
    alice: User, bob: User, memory: MemoryService, seconds: Seconds, why: str
) -> None:
    for user in (alice, bob):
        await in_database(say, user, CAT)
        await told(memory, user)
    seconds.now = 599
    await told(memory, bob)
    await memory.indexes.sweep()
    assert len(memory.indexes._cached) == 2

    match why:
        case "away":
            seconds.now = 601
        case "off":
            await User.objects.filter(id=alice.id).aupdate(memory_enabled=False)
        case _:
            await User.objects.filter(id=alice.id).aupdate(encryption_key="")
    await memory.indexes.sweep()
    assert list(memory.indexes._cached) == [bob.id]


async def test_the_index_that_was_used_the_longest_time_ago_goes_first(alice: User, bob: User) -> None:
    for user in (alice, bob):
        for number in range(20):
            await in_database(say, user, f"{CAT} {number}")
    one = process()
    await told(one, alice)
    memory = process(max_bytes=int(one.indexes.size * 1.5))

    await told(memory, alice)
    await told(memory, bob)

    assert (list(memory.indexes._cached), memory.indexes.evictions) == ([bob.id], 1)
    assert memory.indexes.size <= memory.indexes.max_bytes
    assert "Minou" in await told(memory, alice)


async def test_of_a_memory_that_is_too_long_the_newest_exchanges_are_told(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_cache, "_ROWS", 10)
    await in_database(
        lambda: [say(alice, f"The cat has number {number}.", days_ago=60 - number) for number in range(60)]
    )
    whole = process()
    await told(whole, alice)
    memory = process(max_bytes=2 * whole.indexes.size)

    assert "number 59" in await told(memory, alice, "Which number has the cat, 59?")
    assert memory.indexes.size <= memory.indexes.max_bytes // 3
    assert "number 3." not in await told(memory, alice, "Which number has the cat, 3?")


async def test_an_index_that_turns_have_made_too_large_is_built_again_of_the_newest_exchanges(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_cache, "_ROWS", 10)
    await in_database(
        lambda: [say(alice, f"The cat has number {number}.", days_ago=99 - number) for number in range(30)]
    )
    whole = process()
    await told(whole, alice)
    memory = process(max_bytes=4 * whole.indexes.size)
    for number in range(30, 60):
        await in_database(say, alice, f"The cat has number {number}.", days_ago=99 - number)
        await told(memory, alice)

    assert memory.indexes.size <= memory.indexes.max_bytes // 3
    assert "number 59" in await told(memory, alice, "Which number has the cat, 59?")
    assert "number 3." not in await told(memory, alice, "Which number has the cat, 3?")


async def test_an_index_that_is_being_built_needs_space_too(
    alice: User, bob: User, sam: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for user in (alice, bob, sam):
        for number in range(20):
            await in_database(say, user, f"{CAT} {number}")
    one = process()
    await told(one, alice)
    memory, most = process(max_bytes=int(one.indexes.size * 2.5)), list[int]()
    read = index_cache._read_more

    def counted(*args: object) -> object:
        most.append(memory.indexes.size)
        return read(*args)  # type: ignore[arg-type] # handed on

    monkeypatch.setattr(index_cache, "_SHARE", 1)
    monkeypatch.setattr(index_cache, "_ROWS", 2)
    monkeypatch.setattr(index_cache, "_read_more", counted)
    for user in (alice, bob, sam):
        await told(memory, user)

    # While the third is built, the first goes.
    assert max(most) > 2 * one.indexes.size
    assert max(most) <= memory.indexes.max_bytes
    assert list(memory.indexes._cached) == [bob.id, sam.id]


async def test_an_index_that_is_not_ready_in_time_is_there_for_a_later_turn(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    await in_database(say, alice, CAT)
    memory = process()
    begun, task = asyncio.Event(), asyncio.Event()
    build = memory.indexes._build

    async def delayed(user_id: object) -> object:
        begun.set()
        await task.wait()
        return await build(user_id)  # type: ignore[arg-type] # handed on

    monkeypatch.setattr(memory.indexes, "_build", delayed)
    monkeypatch.setattr(memory._recall, "_budget_s", 0.0)

    early = await memory.recall(alice.id, "What is my cat called?")
    assert [text[12:26] for text in early.episodes] == ["The user said:"]

    task.set()
    await begun.wait()
    await memory.indexes._building[alice.id]
    assert "Minou" in await told(memory, alice)
    await memory.aclose()
    assert memory.indexes.size == 0


async def test_facts_of_their_own_are_told_besides(alice: User, memory: MemoryService) -> None:
    fact = "The cat Minou is allergic to milk."
    await in_database(store_fact, alice.id, fact, Embedding(vector=hashed(fact), model="hashing-v1"))
    await in_database(say, alice, CAT)
    recalled = await memory.recall(alice.id, "What about the cat Minou?")
    assert ([text[12:] for text in recalled.facts], len(recalled.episodes)) == ([fact], 1)


async def test_an_index_that_is_being_built_tells_what_it_has_and_nothing_that_changed(
    alice: User, memory: MemoryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        await in_database(say, alice, f"The cat has toy number {number}.", days_ago=9 - number) for number in range(4)
    ]
    read, has_read, may_go_on = index_cache._read_more, threading.Event(), threading.Event()

    def stop_after_three(*args: object) -> object:
        found = read(*args)  # type: ignore[arg-type] # handed on
        if len(args[0].index) == 3:  # type: ignore[attr-defined] # a CachedIndex
            has_read.set()
            assert may_go_on.wait(30)
        return found

    monkeypatch.setattr(index_cache, "_ROWS", 1)
    monkeypatch.setattr(index_cache, "_read_more", stop_after_three)
    monkeypatch.setattr(memory._recall, "_budget_s", 0.0)
    question = "Which toy number has the cat, 0, 1, 2 or 3?"

    await told(memory, alice, question)
    await asyncio.to_thread(has_read.wait, 30)
    early = await told(memory, alice, question)
    await in_database(forget_exchange, alice.id, rows[3].id)
    await in_database(edit_episode, alice.id, rows[2].id, "The cat has nothing.", None)
    later = await told(memory, alice, question)

    assert [f"number {number}" in early for number in range(4)] == [False, True, True, True]
    assert [f"number {number}" in later for number in range(4)] == [False, True, False, False]

    may_go_on.set()
    await memory.indexes._building[alice.id]
    whole = await told(memory, alice, question)
    assert [f"number {number}" in whole for number in range(4)] == [True, True, False, False]


@pytest.mark.parametrize("logged", [False, True])
async def test_what_is_forgotten_between_reading_and_the_end_of_building_is_told_by_no_later_turn(
    alice: User, logged: bool
) -> None:
    """Without a log the turn knows what is kept of what the index had when it read, and asks an index that has more."""
    rows = [
        await in_database(say, alice, f"The cat has toy number {number}.", days_ago=9 - number) for number in range(3)
    ]
    statements, indexes = Delayed(), IndexCache()
    memory = MemoryService(
        embedder=Embedder(), summarizer=Summarizer(), statements=statements, indexes=indexes, budget_s=20.0
    )
    await told(memory, alice)
    cached = indexes.find(alice.id)
    assert cached is not None
    whole, cached.complete = cached.index, False
    cached.index = ExchangeIndex()
    cached.index.add(whole.exchange(0))  # the newest
    assert (whole.exchange(0).id, cached.as_of().oldest) == (rows[2].id, whole.exchange(0).at)

    statements.gate.clear()
    statements.read.clear()
    await in_database(forget_exchange, alice.id, rows[0].id)
    if not logged:
        await in_database(ForgottenRows.objects.all().delete)
    question = "Which toy number has the cat, 0, 1 or 2?"
    turn = asyncio.create_task(told(memory, alice, question))
    await statements.read.wait()
    cached.index, cached.complete = whole, True
    statements.gate.set()

    assert [f"number {number}" in await turn for number in range(3)] == [False, logged, True]
    later = await told(memory, alice, question)
    assert [f"number {number}" in later for number in range(3)] == [False, True, True]


async def test_of_a_memory_that_is_too_long_what_is_kept_is_read_as_far_as_the_index_goes(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_cache, "_ROWS", 10)
    rows = await in_database(
        lambda: [say(alice, f"The cat has number {number}.", days_ago=60 - number) for number in range(60)]
    )
    whole = process()
    await told(whole, alice)
    memory = process(max_bytes=2 * whole.indexes.size)
    await told(memory, alice)
    cached = memory.indexes.find(alice.id)
    assert cached is not None
    read, statements = list[Found](), memory._recall._statements

    class Watched(ThreadStatements):
        async def rows(self, statement: LiteralString, parameters: Sequence[Value]) -> Found:
            read.append(await statements.rows(statement, parameters))
            return read[-1]

    monkeypatch.setattr(memory._recall, "_statements", Watched())
    await in_database(forget_exchange, alice.id, rows[59].id)
    await in_database(ForgottenRows.objects.all().delete)

    held = len(cached.index)
    assert "number 59" not in await told(memory, alice, "Which number has the cat, 59?")
    assert (held < 60, len(cached.index)) == (True, held - 1)
    [kept] = [row for found in read for row in found if row[0] == "kept"]
    assert len(kept[4]) == 32 * (held - 1)


def test_too_many_changes_are_not_asked_of_an_index_that_is_being_built(alice: User) -> None:
    many = [StoredExchange(uuid4(), clock.now(), "s", "", "")] * MAX_CHANGES
    zone = ZoneInfo("UTC")
    vault, nothing = open_vault(alice.id), frozenset[int]()
    changes = Changes(latest=1, rows=many, forgotten=nothing, kept=None, vault=vault, zone=zone, complete=False)
    assert CachedIndex(0, zone).ask(changes, Question(text="cat", now=clock.now())) is None


async def test_a_rotation_between_reading_and_telling_costs_nothing(alice: User) -> None:
    statements, indexes = Delayed(), IndexCache()
    memory = MemoryService(
        embedder=Embedder(), summarizer=Summarizer(), statements=statements, indexes=indexes, budget_s=20.0
    )
    await in_database(say, alice, "The cat eats fish.")
    await told(memory, alice)
    await in_database(say, alice, CAT)

    statements.gate.clear()
    statements.read.clear()
    turn = asyncio.create_task(told(memory, alice, "What about the cat?"))
    await statements.read.wait()
    assert (await in_database(rotate_user_key, alice.id)).finished
    statements.gate.set()

    recalled = await turn
    assert ("Minou" in recalled, "fish" in recalled) == (True, True)


async def test_what_two_processes_write_at_once_is_told_by_both(alice: User, memory: MemoryService) -> None:
    other = process()
    await in_database(say, alice, "The cat eats fish.")
    for each in (memory, other):
        await told(each, alice)

    async def write(service: MemoryService, message: str) -> None:
        await service.store(alice.id, Exchange(message=message, response="Noted.", session_id="s"))

    await asyncio.gather(write(memory, CAT), write(other, "The cat sleeps in the shed."))

    for each in (memory, other):
        recalled = await told(each, alice, "What about the cat?")
        assert ("Minou" in recalled, "shed" in recalled) == (True, True)


async def test_all_that_is_told_is_within_the_tokens(alice: User, memory: MemoryService) -> None:
    def live() -> None:
        for number in range(30):
            set_core(alice.id, f"key “{number}”", 'no "nuts" <please> ' * 10)
        for number in range(60):
            say(alice, f"The cat Minou ate fish no. {number} & then slept on the {number}th chair " * 3)
        store_fact(alice.id, "The cat Minou is grey.", Embedding(vector=hashed("cat"), model="hashing-v1"))

    await in_database(live)

    told_to_the_model = remembered_text(await memory.recall(alice.id, "What does the cat Minou do?"))
    document = told_to_the_model.partition(OPENING)[2].partition(CLOSING)[0].strip()

    assert 0.9 * 4 * TOKENS < len(document) <= 4 * TOKENS
