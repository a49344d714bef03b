"""Tools search what was said by the same index as turns, without what a turn leaves out."""

from datetime import timedelta

import pytest
from django.utils import timezone as clock

from accounts.database import in_database
from accounts.models import User
from memory.errors import MemoryOff
from memory.exchange import Exchange
from memory.forgetting import forget_exchange
from memory.models import MemoryEpisodic
from memory.recording import write_episode
from memory.service import MemoryService, UserMemory
from tests.memory.ports import Embedder, Summarizer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def memory() -> MemoryService:
    return MemoryService(embedder=Embedder(), summarizer=Summarizer(), budget_s=20.0)


def say(user: User, message: str, response: str = "Noted.", *, days_ago: int) -> MemoryEpisodic:
    claim = write_episode(user.id, Exchange(message=message, response=response, session_id="s"))
    assert claim is not None
    MemoryEpisodic.objects.filter(id=claim.row_id).update(created_at=clock.now() - timedelta(days=days_ago))
    return MemoryEpisodic.objects.get(id=claim.row_id)


async def found(memory: UserMemory, query: str, *, days: int | None = None, limit: int = 9) -> list[str]:
    since = None if days is None else clock.now() - timedelta(days=days)
    return [episode.summary for episode in await memory.episodes(query, since=since, limit=limit)]


async def test_words_are_found_in_any_form_newest_first(alice: User, bob: User, memory: MemoryService) -> None:
    await in_database(lambda: say(alice, "The plumber wants 300 for the boiler.", days_ago=9))
    await in_database(lambda: say(alice, "We water the tomatoes on Fridays.", days_ago=5))
    await in_database(lambda: say(alice, "Paid the plumbers.", "Good.", days_ago=2))
    await in_database(lambda: say(bob, "Bob's plumber is called Rossi.", days_ago=1))
    plumbers = ["Paid the plumbers. → Good.", "The plumber wants 300 for the boiler. → Noted."]

    mine = memory.of(alice.id)
    assert await found(mine, "plumber") == plumbers
    assert await found(mine, "PLUMBRE") == plumbers
    assert await found(mine, "plumber", limit=1) == plumbers[:1]
    assert await found(mine, "plumber", days=5) == plumbers[:1]
    assert await found(mine, "zzyzx") == []
    assert len(await found(mine, " ")) == 3


async def test_without_an_index_summaries_with_all_words_are_found(alice: User, memory: MemoryService) -> None:
    await in_database(lambda: say(alice, "The plumber wants 300.", days_ago=9))

    without = UserMemory(user_id=alice.id, embedder=Embedder())
    [summary] = await found(without, "")
    word = summary.split()[0]
    assert (await found(without, word), await found(without, f"{word} zzyzx")) == ([summary], [])
    assert await found(memory.of(alice.id), "plumber zzyzx") == ["The plumber wants 300. → Noted."]


async def test_what_no_longer_holds_is_found_with_a_note(alice: User, memory: MemoryService) -> None:
    await in_database(lambda: say(alice, "The pottery class is on Tuesday.", days_ago=9))
    await in_database(lambda: say(alice, "Pottery class: let's go for Friday instead.", days_ago=2))

    newer, older = await found(memory.of(alice.id), "pottery class")
    assert ("Friday" in newer, "Tuesday" in older, "no longer true since" in older) == (True, True, True)


async def test_what_was_forgotten_is_not_found_and_nothing_is_while_the_memory_is_off(
    alice: User, memory: MemoryService
) -> None:
    row = await in_database(lambda: say(alice, "The plumber wants 300.", days_ago=2))
    assert len(await found(memory.of(alice.id), "plumber")) == 1

    await in_database(lambda: forget_exchange(alice.id, row.id))
    assert await found(memory.of(alice.id), "plumber") == []
    await in_database(lambda: User.objects.filter(id=alice.id).update(memory_enabled=False))
    with pytest.raises(MemoryOff):
        await found(memory.of(alice.id), "plumber")
