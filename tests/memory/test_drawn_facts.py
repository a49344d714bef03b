"""Facts that are drawn from exchanges: dated, superseded, restored, and gone with what they come from."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar
from uuid import UUID

import pytest
from channels.db import database_sync_to_async
from django.utils import timezone as clock

from accounts.keys.vault import open_vault
from accounts.models import User
from agents.engine.run import UserRecollection
from memory.drawn import DrawnFact, KnownFact, Relation
from memory.embedders.hashing import HashingEmbedder
from memory.exchange import Exchange, TouchedRow
from memory.facts import FactEntry, FactKind, edit_fact, list_facts
from memory.forgetting import drop_old_words, forget_exchange, forget_fact, forget_rows
from memory.models import MemoryAssociative, MemoryEpisodic, opened
from memory.recalled import ItemKind
from memory.recording import write_episode
from memory.service import MemoryService, UserMemory
from memory.supersession import restore_fact
from memory.tiers import edit_episode
from memory.waiting import LEASE
from tests.memory.ports import UNREACHABLE, Embedder, NoIndexes, Summarizer

pytestmark = pytest.mark.django_db(transaction=True)
_T = TypeVar("_T")
ROME, MILAN, TURIN = "I live in Rome with my cat.", "I have moved to Milan!", "I moved to Turin."


class Reader:
    """Reads ``found``, and records what it is shown; it fails ``failures`` times."""

    def __init__(self, *found: DrawnFact) -> None:
        self.found = found
        self.shown: list[list[str]] = []
        self.failures = 0

    async def read(self, exchange: Exchange, known: Sequence[KnownFact]) -> list[DrawnFact]:
        self.shown.append([fact.statement for fact in known])
        if self.failures:
            self.failures -= 1
            raise ConnectionError("private words")
        by_words = {fact.statement: fact.id for fact in known}
        return [replace(fact, known=by_words.get(fact.holds), holds="") for fact in self.found]


def service(reader: Reader | None = None, *, cold: bool = False) -> MemoryService:
    return MemoryService(
        embedder=Embedder(),
        summarizer=Summarizer(),
        reader=reader,
        indexes=NoIndexes() if cold else None,
        budget_s=20.0,
    )


@pytest.fixture
def memory() -> MemoryService:
    return service()


async def done(work: Callable[..., _T], *args: object) -> _T:
    made: _T = await database_sync_to_async(work, thread_sensitive=False)(*args)
    return made


async def say(
    memory: MemoryService, user: User, message: str, *, days_ago: int = 0, touched: tuple[TouchedRow, ...] = ()
) -> UUID:
    """Have an exchange recorded, and everything made of it. Return the id of its episode."""
    exchange = Exchange(message=message, response="Noted.", touched=touched)
    claim = await done(write_episode, user.id, exchange)
    assert claim is not None
    at = clock.now() - timedelta(days=days_ago)
    due = clock.now() - LEASE
    await MemoryEpisodic.objects.filter(id=claim.row_id).aupdate(created_at=at, next_attempt_at=due)
    await memory.recorder.sweep()
    return claim.row_id


async def facts(user: User, *, superseded: bool | None = False) -> list[FactEntry]:
    page = await done(lambda: list_facts(user.id, after=None, limit=50, kind=FactKind.FACT, superseded=superseded))
    return list(page.items)


async def statements(user: User, *, superseded: bool | None = False) -> list[str]:
    return sorted(fact.content for fact in await facts(user, superseded=superseded))


async def told(memory: MemoryService, user: User, question: str) -> str:
    recalled = await memory.recall(user.id, question)
    return "\n".join([*recalled.facts, *recalled.episodes])


@pytest.mark.parametrize("by_rules", [False, True])
async def test_a_preference_is_told_for_what_a_model_says_that_it_applies_to(alice: User, by_rules: bool) -> None:
    said = "I love fennel" if by_rules else "Theo has been sober for two years."
    memory = service(Reader(DrawnFact(statement=said, evidence=said, applies_to="bars, to celebrate, Nachtlokal")))
    said_in = await say(memory, alice, said)
    # Without the words of the exchange, only the fact can tell it.
    await MemoryEpisodic.objects.filter(id=said_in).aupdate(exchange_encrypted="")

    for ask in ("Where should the band celebrate?", "Find us a Nachtlokal"):
        assert said in await told(memory, alice, ask)
    assert said not in await told(memory, alice, "Who invented bars?")
    assert said not in await told(memory, alice, "Where should the band rehearse?")


async def test_a_word_in_common_with_a_fact_is_chance_where_no_exchange_has_to_do_with_the_message(alice: User) -> None:
    said = "The mechanic from Perugia says that the magnet will be ready in January."
    reader = Reader(DrawnFact(statement="Magnet: ready in January", evidence=said))
    memory = MemoryService(embedder=HashingEmbedder(), summarizer=Summarizer(), reader=reader, budget_s=20.0)
    await say(memory, alice, said)

    assert "January" in await told(memory, alice, "when will our magnet be ready")
    assert await told(memory, alice, "a poem about a magnet") == ""


@pytest.mark.parametrize("ask", ["how do I get wax off a dinner table?", "recipe for a marble cake please, 1lb tin"])
async def test_no_fact_is_told_as_a_preference_for_what_is_the_same_for_everyone(alice: User, ask: str) -> None:
    said = "I'm allergic to shellfish"
    memory = MemoryService(
        embedder=HashingEmbedder(), summarizer=Summarizer(), reader=Reader(DrawnFact(statement=said, evidence=said))
    )
    await say(memory, alice, said)

    assert said in await told(memory, alice, "where shall we have dinner on Friday?")
    assert await told(memory, alice, ask) == ""


async def test_a_fact_that_was_corrected_needs_no_exchange_with_its_words(alice: User) -> None:
    said = "The magnet will be ready in January."
    reader = Reader(DrawnFact(statement=said, evidence=said))
    memory = MemoryService(embedder=HashingEmbedder(), summarizer=Summarizer(), reader=reader)
    await say(memory, alice, said)
    [fact] = await facts(alice)
    await done(lambda: edit_fact(alice.id, fact.id, "Alternator: ready in March", None))

    assert "March" in await told(memory, alice, "a poem about an alternator")


async def test_a_fact_whose_exchange_is_gone_is_told_for_a_question_about_ones_life(alice: User) -> None:
    said = "The spare key is with Ugo."
    memory = service(Reader(DrawnFact(statement=said, evidence=said)))
    said_in = await say(memory, alice, said)
    await MemoryEpisodic.objects.filter(id=said_in).aupdate(exchange_encrypted="", summary_encrypted="")

    assert said in await told(memory, alice, "who has our spare key?")


async def test_a_statement_becomes_a_fact_with_its_evidence(alice: User, bob: User, memory: MemoryService) -> None:
    said_in = await say(memory, alice, "Thanks. My sister is called Anna, you know. Which tasks are due?", days_ago=3)

    [fact] = await facts(alice)
    assert (fact.content, fact.said_in, fact.superseded_by) == ("My sister is called Anna", said_in, None)
    assert fact.created_at.date() == (clock.now() - timedelta(days=3)).date()
    row = await MemoryAssociative.objects.aget(id=fact.id)
    assert "Anna" not in str(vars(row))
    vault = await done(open_vault, alice.id)
    assert opened(vault, row, "evidence_encrypted") == "My sister is called Anna"
    assert row.embedding_model == "hashing-v1"
    episode = await MemoryEpisodic.objects.aget(id=said_in)
    assert (episode.facts_at is not None, episode.next_attempt_at) == (True, None)
    assert await facts(bob) == []
    recalled = await memory.recall(alice.id, "What is my sister's name?")
    # Once: the passage says the same, and more.
    assert [(item.kind, item.said_in) for item in recalled.items if "Anna" in item.text] == [
        (ItemKind.EXCHANGE, said_in)
    ]


async def test_a_fact_alone_is_told_with_its_date_and_its_source(alice: User, memory: MemoryService) -> None:
    said_in = await say(memory, alice, "My sister is called Anna.", days_ago=3)
    [fact] = await facts(alice)
    [item] = (await memory.recall(alice.id, "What is my sister's name?")).items
    day = (clock.now() - timedelta(days=3)).date().isoformat()
    assert (item.kind, item.id, item.text) == (ItemKind.FACT, fact.id, f"{day}: My sister is called Anna")
    assert (item.said_in, item.why) == (said_in, ("words",))


@pytest.mark.parametrize("cold", [False, True])
async def test_what_was_superseded_is_left_out_unless_the_past_is_asked_about(alice: User, cold: bool) -> None:
    memory = service(cold=cold)
    await say(memory, alice, ROME, days_ago=30)
    await say(memory, alice, MILAN, days_ago=10)

    assert await statements(alice) == ["I have moved to Milan"]
    [older] = await facts(alice, superseded=True)
    since = (clock.now() - timedelta(days=10)).date().isoformat()
    assert (older.content, older.superseded_as) == ("I live in Rome with my cat", "contradicts")
    now = await told(memory, alice, "In which city do I live?")
    assert ("Milan" in now, "Rome" in now) == (True, False)
    before = await told(memory, alice, "In which city did I live before Milan?")
    assert "Rome" in before or cold
    for line in before.splitlines():
        assert "Rome" not in line or f"until {since}" in line or f"no longer true since {since}" in line


@pytest.mark.parametrize("unreachable", [None, UNREACHABLE])
async def test_what_tools_find_is_marked_where_it_is_no_longer_true(
    alice: User, memory: MemoryService, unreachable: Exception | None
) -> None:
    await say(memory, alice, "I live in Rome.", days_ago=30)
    await say(memory, alice, MILAN)
    embedder = Embedder()
    embedder.broken = unreachable
    mine = UserRecollection(UserMemory(user_id=alice.id, embedder=embedder))

    facts = await mine.facts("I live in Rome", limit=9)
    episodes = await mine.episodes("Rome", since=None, limit=9)

    found = [each.content for each in facts if "Rome" in each.content] + [each.summary for each in episodes]
    assert len(found) == 2
    assert all("no longer true since" in text for text in found)


async def test_the_rest_of_a_message_is_told_without_what_is_no_longer_true(alice: User, memory: MemoryService) -> None:
    await say(memory, alice, "I live in Rome. My dentist appointment at Bianchi's was moved again.", days_ago=9)
    await say(memory, alice, MILAN)
    assert "Rome" in await told(memory, alice, "Where did I live before?")
    line = await told(memory, alice, "What about the dentist appointment?")
    assert ("Bianchi" in line, "Rome" in line) == (True, False)


async def test_while_an_index_is_built_the_newest_words_stand_beside_a_fact(alice: User, memory: MemoryService) -> None:
    await say(memory, alice, "My dentist is called Bruni.")
    await told(memory, alice, "What is my dentist called?")
    cached = memory.indexes.find(alice.id)
    assert cached is not None
    cached.complete = False

    # Nothing is drawn from it yet.
    await done(write_episode, alice.id, Exchange(message="My dentist is called Landi now.", response="Noted."))
    line = await told(memory, alice, "What is my dentist called?")
    assert (line.count("Bruni"), line.count("Landi")) == (1, 1)


async def test_an_older_statement_that_is_drawn_later_does_not_take_the_place(
    alice: User, memory: MemoryService
) -> None:
    await say(memory, alice, MILAN)
    await say(memory, alice, ROME, days_ago=30)
    assert await statements(alice) == ["I have moved to Milan"]
    assert "Rome" not in await told(memory, alice, "In which city do I live?")


async def test_the_same_said_twice_is_told_once(alice: User, memory: MemoryService) -> None:
    await say(memory, alice, "My sister is called Anna.", days_ago=5)
    await say(memory, alice, "As I said, my sister's name is Anna.")
    assert len(await statements(alice)) == 1
    assert [fact.superseded_as for fact in await facts(alice, superseded=True)] == ["same"]
    assert (await told(memory, alice, "Who is my sister?")).count("Anna") <= 2  # the fact, and the first passage


async def test_what_is_more_precise_stays(alice: User, memory: MemoryService) -> None:
    await say(memory, alice, "I live in Reggio Emilia.", days_ago=5)
    await say(memory, alice, "I live in Reggio.")
    assert await statements(alice) == ["I live in Reggio Emilia"]


async def test_forgetting_an_exchange_takes_its_facts_and_restores_what_they_superseded(
    alice: User, memory: MemoryService
) -> None:
    await say(memory, alice, ROME, days_ago=30)
    milan = await say(memory, alice, MILAN, days_ago=20)
    turin = await say(memory, alice, TURIN)
    assert await statements(alice) == ["I moved to Turin"]
    await told(memory, alice, "Where do I live?")

    await done(forget_exchange, alice.id, milan)
    # Something else still supersedes it.
    assert await statements(alice) == ["I moved to Turin"]
    assert [fact.content[10:14] for fact in await facts(alice, superseded=True)] == ["Rome"]
    assert "Milan" not in await told(memory, alice, "Where did I live before?")

    await done(forget_exchange, alice.id, turin)
    assert await statements(alice) == ["I live in Rome with my cat"]
    now = await told(memory, alice, "In which city do I live?")
    assert ("Rome" in now, "until" in now, "Turin" in now) == (True, False, False)


async def test_forgetting_a_fact_takes_what_says_the_same_and_leaves_the_rest_of_its_exchange(
    alice: User, memory: MemoryService
) -> None:
    await say(memory, alice, "My sister is called Anna.", days_ago=5)
    await say(memory, alice, "My sister is called Anna and I'm allergic to peanuts.")
    [anna] = [fact for fact in await facts(alice) if "Anna" in fact.content]
    assert "Anna" in await told(memory, alice, "Who is my sister?")

    assert await done(forget_fact, alice.id, anna.id)

    assert await statements(alice, superseded=None) == ["I'm allergic to peanuts"]
    assert "Anna" not in await told(memory, alice, "Who is my sister?")
    assert "peanuts" in await told(memory, alice, "What am I allergic to?")


async def test_a_restored_fact_is_told_again_and_stays(alice: User, memory: MemoryService) -> None:
    await say(memory, alice, "I like tea.", days_ago=9)
    await say(memory, alice, "I don't like tea.", days_ago=8)
    [older] = await facts(alice, superseded=True)

    restored = await done(restore_fact, alice.id, older.id)

    assert (restored.superseded_by, restored.superseded_at) == (None, None)
    await say(memory, alice, "I don't like tea at all.", days_ago=7)
    assert "I like tea" in await statements(alice)
    assert "I like tea" in await told(memory, alice, "Do I drink tea?")


async def test_the_owners_correction_is_final(alice: User, memory: MemoryService) -> None:
    await say(memory, alice, ROME, days_ago=30)
    [fact] = await facts(alice)
    corrected = await done(lambda: edit_fact(alice.id, fact.id, "I live in Romeo, Michigan.", None))
    assert (corrected.id, corrected.content) == (fact.id, "I live in Romeo, Michigan.")

    await say(memory, alice, "I moved to Paris.", days_ago=20)
    assert await statements(alice) == ["I live in Romeo, Michigan."]
    for question in ("Where do I live?", "Where did I live before?"):
        line = await told(memory, alice, question)
        assert "Romeo" in line
        assert all("no longer true" in each for each in line.splitlines() if "in Rome with" in each)

    await done(forget_fact, alice.id, fact.id)
    assert "Rome" not in " ".join(await statements(alice, superseded=None))


async def test_a_fact_goes_with_the_row_that_it_is_about(alice: User, memory: MemoryService) -> None:
    apollo = (TouchedRow(entity_type="project", entity_id="p1", title="Apollo"),)
    await say(memory, alice, "The budget of Apollo is 5,000.", days_ago=3, touched=apollo)
    await say(memory, alice, "The budget of Apollo is 7,000. I live in Rome.", touched=apollo)
    assert {(fact.about or {}).get("entity_id") for fact in await facts(alice)} == {"p1", None}

    assert await done(forget_rows, alice.id, ["p1", ""]) == 2

    assert await statements(alice, superseded=None) == ["I live in Rome"]


async def test_a_corrected_exchange_loses_what_was_drawn_from_it(alice: User, memory: MemoryService) -> None:
    said_in = await say(memory, alice, ROME)
    await done(edit_episode, alice.id, said_in, "Talked about a cat.", None)
    assert await statements(alice, superseded=None) == []


async def test_words_that_are_kept_no_longer_are_no_evidence(alice: User, memory: MemoryService) -> None:
    await say(memory, alice, ROME, days_ago=30)
    await say(memory, alice, MILAN)
    await User.objects.filter(id=alice.id).aupdate(memory_words_days=7)
    await done(drop_old_words)
    assert await MemoryAssociative.objects.exclude(evidence_encrypted="").acount() == 1
    assert "Rome" not in await told(memory, alice, "In which city do I live?")


async def test_a_reader_is_shown_what_is_known_and_says_how_it_relates(alice: User) -> None:
    reader = Reader(DrawnFact(statement="The office closes at noon.", evidence="We close at noon"))
    memory = service(reader)
    await say(memory, alice, "We close at noon now.", days_ago=2)
    assert await statements(alice) == ["The office closes at noon."]

    reader.found = (
        DrawnFact(
            statement="The office closes at one.",
            evidence="We close at one",
            relation=Relation.CONTRADICTS,
            holds="The office closes at noon.",
        ),
    )
    await say(memory, alice, "We close at one from today.")

    assert reader.shown == [[], ["The office closes at noon."]]
    assert await statements(alice) == ["The office closes at one."]
    assert await statements(alice, superseded=True) == ["The office closes at noon."]


async def test_commands_and_questions_are_not_read_by_a_model(alice: User) -> None:
    reader = Reader()
    await say(service(reader), alice, "Create a task called Buy milk. Which tasks are due?")
    assert reader.shown == []
    assert (await MemoryEpisodic.objects.aget()).facts_at is not None


async def test_what_the_rules_find_does_not_wait_for_a_model_that_fails(
    alice: User, caplog: pytest.LogCaptureFixture
) -> None:
    reader = Reader(DrawnFact(statement="Anna is the user's sister.", evidence="my sister is called Anna"))
    reader.failures = 1
    memory = service(reader)
    await say(memory, alice, "By the way, my sister is called Anna.")
    assert await statements(alice) == ["my sister is called Anna"]
    assert (await MemoryEpisodic.objects.aget()).facts_at is None
    assert "the facts of episode" in caplog.text
    assert "private" not in caplog.text

    await MemoryEpisodic.objects.aupdate(next_attempt_at=clock.now())
    assert await memory.recorder.sweep() == 1
    # Found by the rules already.
    assert await statements(alice) == ["my sister is called Anna"]
    assert (await MemoryEpisodic.objects.aget()).facts_at is not None


async def test_nothing_is_drawn_while_memory_is_off(alice: User, memory: MemoryService) -> None:
    claim = await done(write_episode, alice.id, Exchange(message=ROME, response="Noted."))
    assert claim is not None
    await User.objects.filter(id=alice.id).aupdate(memory_enabled=False)
    await MemoryEpisodic.objects.aupdate(next_attempt_at=clock.now())
    await memory.recorder.sweep()
    assert await MemoryAssociative.objects.acount() == 0
