"""Recording: an episode is stored at once and completed in the background, by another process if the first one ends."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import LiteralString, TypeVar

import pytest
from channels.db import database_sync_to_async
from django.db import DatabaseError
from django.db.models import F
from django.utils import timezone as clock
from pytest_django import Settings

from accounts.keys.vault import open_vault
from accounts.models import User
from accounts.statements import Found, ThreadStatements, Value
from memory import recording
from memory.exchange import MAX_SIDE_BYTES, Exchange
from memory.facts import About, edit_fact, list_facts, store_fact
from memory.forgetting import forget_everything, forget_rows
from memory.models import MAX_ID_CHARS, MemoryAssociative, MemoryEpisodic, opened
from memory.pending import complete, exchange_of
from memory.recording import write_episode
from memory.service import MemoryService
from memory.tiers import delete_core, delete_core_row, edit_episode, list_episodes, set_core
from memory.waiting import LEASE, RETRIES, Claim, claim_due
from tests.accounts.conftest import at_once
from tests.memory.ports import UNREACHABLE, Embedder, Summarizer
from tests.memory.tampering import damage, half_rotate

pytestmark = pytest.mark.django_db(transaction=True)

MESSAGE, ANSWER = "Book the plumber", "Done: on Tuesday at nine."
_T = TypeVar("_T")


@pytest.fixture
def embedder() -> Embedder:
    return Embedder()


@pytest.fixture
def summarizer() -> Summarizer:
    return Summarizer()


@pytest.fixture
def memory(embedder: Embedder, summarizer: Summarizer) -> MemoryService:
    return MemoryService(embedder=embedder, summarizer=summarizer)


async def done(work: Callable[[], _T]) -> _T:
    made: _T = await database_sync_to_async(work, thread_sensitive=False)()
    return made


async def summaries(user: User) -> list[str]:
    return [episode.summary for episode in (await done(lambda: list_episodes(user.id, after=None, limit=50))).items]


async def facts(user: User) -> list[str]:
    return [fact.content for fact in (await done(lambda: list_facts(user.id, after=None, limit=50))).items]


async def time_passes(by: timedelta = LEASE) -> None:
    """Rows that wait until then become due."""
    await MemoryEpisodic.objects.aupdate(next_attempt_at=F("next_attempt_at") - by)
    await MemoryAssociative.objects.aupdate(next_attempt_at=F("next_attempt_at") - by)


async def store(memory: MemoryService, user: User, message: str = MESSAGE) -> None:
    await memory.store(user.id, Exchange(message=message, response=ANSWER, session_id="session"))


async def test_an_episode_is_there_at_once_with_a_plain_summary(
    alice: User, bob: User, memory: MemoryService, summarizer: Summarizer
) -> None:
    await store(memory, alice)

    assert await summaries(alice) == [f"The user said: “{MESSAGE}” The answer: “{ANSWER}”"]
    assert await summaries(bob) == []
    assert summarizer.asked == []
    row = await MemoryEpisodic.objects.aget()
    assert (row.session_id, row.summarised_at) == ("session", None)
    assert MESSAGE not in str(vars(row))
    vault = await done(lambda: open_vault(alice.id))
    assert Exchange.from_text(opened(vault, row, "exchange_encrypted")) == Exchange(message=MESSAGE, response=ANSWER)


async def test_the_plain_summary_speaks_the_users_language(alice: User, memory: MemoryService) -> None:
    await memory.store(alice.id, Exchange(message="Chiama l'idraulico", response="Fatto.", language="it-IT"))
    assert await summaries(alice) == ["L'utente ha detto: “Chiama l'idraulico” La risposta: “Fatto.”"]


async def test_a_sweep_summarises_what_a_process_left_and_keeps_the_words(
    alice: User, memory: MemoryService, summarizer: Summarizer
) -> None:
    await store(memory, alice)
    assert await memory.recorder.sweep() == 0  # the recording process holds the claim

    await time_passes()
    assert await memory.recorder.sweep() == 1

    assert summarizer.asked == [(MESSAGE, ANSWER, "en")]
    assert await summaries(alice) == await facts(alice) == [f"About {MESSAGE}"]
    row = await MemoryEpisodic.objects.aget()
    assert row.next_attempt_at is None
    assert row.summarised_at is not None
    vault = await done(lambda: open_vault(alice.id))
    assert Exchange.from_text(opened(vault, row, "exchange_encrypted")) == Exchange(message=MESSAGE, response=ANSWER)
    fact = await MemoryAssociative.objects.aget()
    assert (fact.episode_id, fact.embedding_model) == (row.id, "hashing-v1")
    assert await memory.recorder.sweep() == 0


@pytest.mark.parametrize("character", ["x", "è", "→", "🙂", "\ud83d"])
def test_of_each_side_eight_kibibytes_are_kept(character: str) -> None:
    kept = Exchange.from_text(Exchange(message=f"a{character * 9_000}", response="Done.").as_text())
    size = len(kept.message.encode("utf-8", "surrogatepass"))
    assert MAX_SIDE_BYTES - 4 < size <= MAX_SIDE_BYTES
    assert set(kept.message) == {"a", character}
    assert kept.response == "Done."


class Awaited(Summarizer):
    """One that says when it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.was_asked = asyncio.Event()

    async def summarise(self, message: str, response: str, language: str) -> str:
        self.was_asked.set()
        return await super().summarise(message, response, language)


class HeldStatements(ThreadStatements):
    """The statements of recalls, which wait until ``held`` is set."""

    def __init__(self) -> None:
        self.held = asyncio.Event()

    async def rows(self, statement: LiteralString, parameters: Sequence[Value]) -> Found:
        await self.held.wait()
        return await super().rows(statement, parameters)


async def test_the_background_summarises_without_being_asked(alice: User, embedder: Embedder) -> None:
    summarizer = Awaited()
    memory = MemoryService(embedder=embedder, summarizer=summarizer)
    memory.begin()
    memory.begin()
    try:
        await store(memory, alice)
        await asyncio.wait_for(summarizer.was_asked.wait(), 20)
    finally:
        await memory.aclose()
    await memory.aclose()


async def test_the_background_does_not_hold_up_who_waits_for_an_answer(
    alice: User, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.recording._GIVE_WAY_S", 60.0)
    summarizer, statements = Awaited(), HeldStatements()
    memory = MemoryService(embedder=embedder, summarizer=summarizer, statements=statements)
    memory.begin()
    try:
        recalling = asyncio.create_task(memory.recall(alice.id, "What is due?"))
        await store(memory, alice)
        await asyncio.sleep(0.5)
        assert not summarizer.was_asked.is_set()
        statements.held.set()
        await recalling
        await asyncio.wait_for(summarizer.was_asked.wait(), 20)
    finally:
        await memory.aclose()


@pytest.mark.parametrize("is_turned_off", [False, True])
async def test_no_model_reads_what_was_forgotten_before_the_background_began(
    alice: User, bob: User, embedder: Embedder, monkeypatch: pytest.MonkeyPatch, *, is_turned_off: bool
) -> None:
    monkeypatch.setattr("memory.recording._GIVE_WAY_S", 60.0)
    monkeypatch.setattr("memory.pending._FRESH_S", 0.0)
    summarizer = Awaited()
    memory = MemoryService(embedder=embedder, summarizer=summarizer)
    memory.begin()
    try:
        with memory.recorder.ahead():
            await store(memory, alice, "Forget this")
            if is_turned_off:
                await User.objects.filter(id=alice.id).aupdate(memory_enabled=False)
            else:
                await MemoryEpisodic.objects.filter(user_id=alice.id).adelete()
            await store(memory, bob)
        await asyncio.wait_for(summarizer.was_asked.wait(), 20)
    finally:
        await memory.aclose()
    assert [message for message, _, _ in summarizer.asked] == [MESSAGE]


async def test_the_background_goes_on_where_someone_always_waits(
    alice: User, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.recording._GIVE_WAY_S", 0.3)
    summarizer = Awaited()
    memory = MemoryService(embedder=embedder, summarizer=summarizer)
    memory.begin()
    try:
        with memory.recorder.ahead():
            await store(memory, alice)
            await asyncio.wait_for(summarizer.was_asked.wait(), 20)
    finally:
        await memory.aclose()


async def test_work_that_was_cut_off_is_gone_on_with(alice: User, memory: MemoryService, embedder: Embedder) -> None:
    embedder.gate = asyncio.Event()
    memory.begin()
    await store(memory, alice)
    await asyncio.wait_for(embedder.asked.wait(), 20)
    await memory.aclose()
    assert embedder.cancelled
    assert await facts(alice) == []

    embedder.gate = None
    await time_passes()
    assert await memory.recorder.sweep() == 1
    assert await facts(alice) == [f"About {MESSAGE}"]


async def test_a_failure_is_tried_again_later_and_later_and_told_without_words(
    alice: User, memory: MemoryService, summarizer: Summarizer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    summarizer.failures = 2
    await store(memory, alice)
    await time_passes()

    for number, pause in enumerate(RETRIES[1:3], start=1):
        before = clock.now()
        assert await memory.recorder.sweep() == 1
        row = await MemoryEpisodic.objects.aget()
        assert row.next_attempt_at is not None
        assert pause <= row.next_attempt_at - before < pause + timedelta(minutes=1)
        assert memory.recorder.failures == number
        assert await memory.recorder.sweep() == 0
        await time_passes(pause)

    assert await memory.recorder.sweep() == 1
    assert memory.recorder.failures == 0
    assert await summaries(alice) == [f"About {MESSAGE}"]
    assert f"the summary of episode {row.id} failed: ConnectionError" in caplog.text
    assert not any(word in caplog.text for word in ("plumber", "Tuesday", "private"))


async def test_after_the_last_attempt_the_plain_summary_stays_and_so_do_the_words(
    alice: User, memory: MemoryService, summarizer: Summarizer
) -> None:
    summarizer.failures = 100
    await store(memory, alice)
    for _ in range(len(RETRIES)):
        await time_passes(max(RETRIES) + LEASE)
        assert await memory.recorder.sweep() == 1

    await time_passes(max(RETRIES) + LEASE)
    assert await memory.recorder.sweep() == 0
    plain = f"The user said: “{MESSAGE}” The answer: “{ANSWER}”"
    assert await summaries(alice) == await facts(alice) == [plain]
    assert (await MemoryEpisodic.objects.aget()).exchange_encrypted


async def test_a_summary_that_says_nothing_leaves_the_plain_one(
    alice: User, embedder: Embedder, caplog: pytest.LogCaptureFixture
) -> None:
    memory = MemoryService(embedder=embedder, summarizer=Summarizer("  ".format))
    await store(memory, alice)
    await time_passes()
    await memory.recorder.sweep()
    assert await summaries(alice) == [f"The user said: “{MESSAGE}” The answer: “{ANSWER}”"]


async def test_a_vector_that_cannot_be_made_follows_when_it_can(
    alice: User, memory: MemoryService, embedder: Embedder
) -> None:
    embedder.broken = UNREACHABLE
    await store(memory, alice)
    await time_passes()
    assert await memory.recorder.sweep() == 2  # the summary, and the vector at once again
    assert await facts(alice) == [f"About {MESSAGE}"]
    fact = await MemoryAssociative.objects.aget()
    assert (fact.embedding, fact.attempts) == (None, 1)

    embedder.broken = None
    assert await memory.recorder.sweep() == 0
    await time_passes()
    assert await memory.recorder.sweep() == 1
    fact = await MemoryAssociative.objects.aget()
    assert (fact.embedding_model, fact.next_attempt_at) == ("hashing-v1", None)


async def test_a_vector_that_can_never_be_made_is_left_to_the_command(
    alice: User, memory: MemoryService, embedder: Embedder
) -> None:
    embedder.broken = UNREACHABLE
    await store(memory, alice)
    for _ in range(len(RETRIES) + 2):
        await time_passes(max(RETRIES) + LEASE)
        await memory.recorder.sweep()
    assert (await MemoryAssociative.objects.aget()).next_attempt_at is None


async def test_the_same_asked_twice_is_two_episodes_and_one_fact(alice: User, memory: MemoryService) -> None:
    for _ in range(2):
        await store(memory, alice)
    await time_passes()
    assert await memory.recorder.sweep() == 2

    assert len(await summaries(alice)) == 2
    assert await facts(alice) == [f"About {MESSAGE}"]


async def test_a_fact_in_new_words_gets_its_vector_by_the_sweep(
    alice: User, memory: MemoryService, embedder: Embedder
) -> None:
    await store(memory, alice)
    await time_passes()
    await memory.recorder.sweep()
    fact = await MemoryAssociative.objects.aget()

    await done(lambda: edit_fact(alice.id, fact.id, "The plumber comes on Friday.", None))
    assert await memory.recorder.sweep() == 1

    assert embedder.texts[-1] == "The plumber comes on Friday."
    assert (await MemoryAssociative.objects.aget()).embedding is not None


async def test_what_the_owner_wrote_is_not_summarised_over(
    alice: User, memory: MemoryService, summarizer: Summarizer
) -> None:
    await store(memory, alice)
    row = await MemoryEpisodic.objects.aget()
    await done(lambda: edit_episode(alice.id, row.id, "Mine.", None))
    await time_passes()

    await memory.recorder.sweep()

    assert (await summaries(alice), summarizer.asked) == (["Mine."], [])


async def test_what_the_owner_writes_while_a_summary_is_being_made_stays(alice: User, embedder: Embedder) -> None:
    async def edit_first(self: Summarizer, message: str, response: str, language: str) -> str:
        row = await MemoryEpisodic.objects.aget()
        await done(lambda: edit_episode(alice.id, row.id, "Mine.", None))
        return "The model's"

    class Slow(Summarizer):
        summarise = edit_first

    memory = MemoryService(embedder=embedder, summarizer=Slow())
    await store(memory, alice)
    await time_passes()
    await memory.recorder.sweep()
    assert await summaries(alice) == ["Mine."]


async def test_nothing_is_recorded_while_memory_is_off(alice: User, memory: MemoryService) -> None:
    await User.objects.filter(id=alice.id).aupdate(memory_enabled=False)
    await store(memory, alice)
    assert await MemoryEpisodic.objects.acount() == 0


async def test_nothing_more_is_written_once_memory_is_off_and_it_goes_on_when_it_is_on_again(
    alice: User, memory: MemoryService, summarizer: Summarizer
) -> None:
    await store(memory, alice)
    waiting = (await done(lambda: _claimed_soon(alice)))[0]
    await User.objects.filter(id=alice.id).aupdate(memory_enabled=False)

    assert not await done(lambda: complete(waiting, "too late", None))
    await time_passes()
    assert await memory.recorder.sweep() == 0
    assert (await MemoryAssociative.objects.acount(), summarizer.asked) == (0, [])

    await User.objects.filter(id=alice.id).aupdate(memory_enabled=True)
    assert await memory.recorder.sweep() == 1
    assert await summaries(alice) == [f"About {MESSAGE}"]


def _claimed_soon(user: User) -> list[Claim]:
    MemoryEpisodic.objects.for_user(user.id).update(next_attempt_at=clock.now())
    return list(claim_due(MemoryEpisodic.objects.all(), limit=5))


async def test_nothing_is_written_for_who_was_erased_meanwhile(
    alice: User, memory: MemoryService, caplog: pytest.LogCaptureFixture
) -> None:
    await store(memory, alice)
    [waiting] = await done(lambda: _claimed_soon(alice))
    user_id = alice.id
    await done(alice.delete)

    await memory.recorder._attempt(memory.recorder._summaries, waiting)
    await memory.store(user_id, Exchange(message=MESSAGE, response=ANSWER, session_id="session"))

    assert await MemoryEpisodic.objects.acount() == await MemoryAssociative.objects.acount() == 0
    assert "plumber" not in caplog.text


async def test_words_that_cannot_be_opened_are_left_and_named(
    alice: User, memory: MemoryService, summarizer: Summarizer, caplog: pytest.LogCaptureFixture
) -> None:
    await store(memory, alice)
    row = await MemoryEpisodic.objects.aget()
    damaged = await done(lambda: damage(row, "exchange_encrypted"))
    await time_passes()

    assert await memory.recorder.sweep() == 1
    await time_passes(max(RETRIES))
    assert await memory.recorder.sweep() == 0

    left = await MemoryEpisodic.objects.aget()
    assert (left.exchange_encrypted, left.summary_encrypted) == (damaged, row.summary_encrypted)
    assert f"The row {row.id} of memory_memoryepisodic cannot be opened." in caplog.text
    assert summarizer.asked == []


async def test_a_missing_master_key_gives_nothing_up(
    alice: User, memory: MemoryService, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    keys = settings.MASTER_KEYS
    await store(memory, alice)
    await time_passes()
    settings.MASTER_KEYS = "Nd1yHUuVc5vpjXKFVdeq2TzkYmYhBjqVvdd8G3EHmrQ="

    assert await memory.recorder.sweep() == 1
    await store(memory, alice)
    assert alice.master_key_id in caplog.text

    settings.MASTER_KEYS = keys
    await time_passes(max(RETRIES))
    assert await memory.recorder.sweep() == 1
    assert await summaries(alice) == [f"About {MESSAGE}"]


async def test_recording_goes_on_while_the_key_changes(alice: User, memory: MemoryService) -> None:
    await store(memory, alice)
    await done(lambda: half_rotate(alice))
    await store(memory, alice, "Feed the cat")
    await time_passes()
    assert await memory.recorder.sweep() == 2
    assert await summaries(alice) == ["About Feed the cat", f"About {MESSAGE}"]


def test_a_row_is_claimed_by_one_alone(alice: User) -> None:
    for _ in range(20):
        write_episode(alice.id, Exchange(message=MESSAGE, response=ANSWER))
    MemoryEpisodic.objects.update(next_attempt_at=clock.now())

    def claim_all() -> list[object]:
        claimed: list[object] = []
        while some := claim_due(MemoryEpisodic.objects.all(), limit=3):
            claimed += [each.row_id for each in some]
        return claimed

    first, second = at_once(claim_all, claim_all)

    assert len(first) + len(second) == len({*first, *second}) == 20


def test_the_longest_waiting_are_claimed_first(alice: User) -> None:
    now = clock.now()
    for minutes in (1, 3, 2):
        waiting = write_episode(alice.id, Exchange(message=f"{minutes}", response=""))
        assert waiting is not None
        MemoryEpisodic.objects.filter(id=waiting.row_id).update(next_attempt_at=now - timedelta(minutes=minutes))

    exchanges = [exchange_of(each) for each in claim_due(MemoryEpisodic.objects.all(), limit=2)]

    assert [exchange.message for exchange in exchanges if exchange] == ["3", "2"]


@pytest.mark.parametrize("text", ["", "\0", "\ud83d half", "x" * 100_000, "“quoted” {braces} %s"])
async def test_any_words_are_recorded(alice: User, memory: MemoryService, text: str) -> None:
    await memory.store(alice.id, Exchange(message=text, response=text, language=text, session_id=text))
    await time_passes()
    assert await memory.recorder.sweep() == 1
    [summary] = await summaries(alice)
    assert summary.startswith("About")
    assert len((await MemoryEpisodic.objects.aget()).session_id) <= MAX_ID_CHARS


async def test_what_fails_without_an_end_is_tried_again_after_the_longest_pause(
    alice: User, bob: User, memory: MemoryService
) -> None:
    await store(memory, alice)
    await User.objects.filter(id=alice.id).aupdate(master_key_id="0" * 16)
    for _ in range(2 * len(RETRIES)):
        await time_passes(max(RETRIES))
        assert await memory.recorder.sweep() == 1
    row = await MemoryEpisodic.objects.aget()
    assert row.attempts == len(RETRIES) + 1

    # It does not hold up others.
    await store(memory, bob)
    await time_passes()
    assert await memory.recorder.sweep() == 1
    await time_passes(max(RETRIES))
    assert await memory.recorder.sweep() == 1


@pytest.mark.parametrize("answered", [True, False])
async def test_an_exchange_during_which_something_was_forgotten_is_not_recorded(
    alice: User, memory: MemoryService, answered: bool
) -> None:
    if answered:
        await store(memory, alice)
    as_of = (await memory.recall(alice.id, MESSAGE)).as_of
    assert as_of is not None
    await done(lambda: forget_everything(alice.id))
    exchange = Exchange(message=MESSAGE, response=ANSWER)

    await memory.store(alice.id, exchange, as_of=as_of)
    assert await MemoryEpisodic.objects.acount() == 0

    await memory.store(alice.id, exchange, as_of=(await memory.recall(alice.id, MESSAGE)).as_of)
    assert await MemoryEpisodic.objects.acount() == 1


@pytest.mark.parametrize("by_id", [False, True])
async def test_an_exchange_during_which_a_preference_was_forgotten_is_not_recorded(
    alice: User, memory: MemoryService, by_id: bool
) -> None:
    kept = await done(lambda: set_core(alice.id, "tea", "Assam"))
    as_of = (await memory.recall(alice.id, MESSAGE)).as_of
    assert await done(lambda: delete_core_row(alice.id, kept.id) if by_id else delete_core(alice.id, "tea"))

    await memory.store(alice.id, Exchange(message=MESSAGE, response="You like Assam."), as_of=as_of)
    assert await MemoryEpisodic.objects.acount() == 0


async def test_an_exchange_during_which_a_row_was_deleted_is_recorded(alice: User, memory: MemoryService) -> None:
    about = About(entity_type="task", entity_id="t1")
    await done(lambda: store_fact(alice.id, "The plumber is paid.", None, about=about))
    as_of = (await memory.recall(alice.id, MESSAGE)).as_of
    assert await done(lambda: forget_rows(alice.id, ["t1"])) == 1

    await memory.store(alice.id, Exchange(message=MESSAGE, response=ANSWER), as_of=as_of)
    assert await MemoryEpisodic.objects.acount() == 1


async def test_words_are_dropped_although_the_sweep_fails(
    alice: User, memory: MemoryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    dropped = asyncio.Event()
    loop = asyncio.get_running_loop()

    def fail(*_: object, **__: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(recording, "claim_due", fail)
    monkeypatch.setattr(recording, "drop_old_words", lambda: loop.call_soon_threadsafe(dropped.set))
    memory.recorder.begin()
    try:
        await asyncio.wait_for(dropped.wait(), 60)
    finally:
        await memory.recorder.aclose()
