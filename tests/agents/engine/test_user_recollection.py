"""``UserRecollection``, the memory port of the tools, on the stored memory of a user."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import TypeVar
from uuid import UUID

import pytest
from channels.db import database_sync_to_async
from cryptography.fernet import Fernet
from django.utils import timezone as clock
from pytest_django import Settings

from accounts.keys.vault import open_vault
from accounts.models import User
from agents.engine.run import UserRecollection
from agents.errors import ModelRetry, ToolFailed
from memory.embedders.hashing import HashingEmbedder, hashed
from memory.facts import store_fact
from memory.index import Embedding
from memory.models import MemoryCore, MemoryEpisodic
from memory.service import UserMemory
from memory.tiers import set_core
from tests.agents.embedding import RecordingEmbedder

pytestmark = pytest.mark.django_db(transaction=True)
_T = TypeVar("_T")
EMBEDDER = HashingEmbedder()


async def done(work: Callable[[], _T]) -> _T:
    """The result of ``work``, run where database access is allowed."""
    made: _T = await database_sync_to_async(work)()
    return made


def fact(user: User, content: str) -> UUID:
    return store_fact(user.id, content, Embedding(vector=hashed(content), model=EMBEDDER.name))


def episode(user: User, summary: str, *, days_ago: int = 0) -> None:
    row = MemoryEpisodic(user_id=user.id, created_at=clock.now() - timedelta(days=days_ago))
    row.summary_encrypted = open_vault(user.id).seal(row, "summary_encrypted", summary)
    row.save(force_insert=True)


def of(user: User) -> UserRecollection:
    return UserRecollection(UserMemory(user_id=user.id, embedder=EMBEDDER))


async def kept_by(user: User) -> dict[str, str]:
    return {entry.key: entry.value for entry in await of(user).preferences()}


@pytest.mark.parametrize(
    "other", ["favourite_tea", "Favourite-Tea", "favourite  tea", '"favourite tea"', "“Favourite_tea”", "favoúrite tea"]
)
async def test_key_matches_despite_other_punctuation(alice: User, other: str) -> None:
    await of(alice).remember("favourite tea", "Assam")
    await of(alice).remember(other, "Darjeeling")
    assert list((await kept_by(alice)).values()) == ["Darjeeling"]

    assert await of(alice).forget(other.swapcase())
    assert await of(alice).forget(other) is False
    assert await kept_by(alice) == {}


@pytest.mark.parametrize("key", ["favourite tea", "favourite_tea", "Favourite_Tea"])
async def test_exact_key_is_used_if_two_keys_have_same_words(alice: User, key: str) -> None:
    for each in ("favourite tea", "favourite_tea"):
        await done(partial(set_core, alice.id, each, "Assam"))
    await of(alice).remember(key, "Darjeeling")

    assert {each for each, value in (await kept_by(alice)).items() if value == "Darjeeling"} == {key.lower()}


async def test_memory_of_user_is_private(alice: User, bob: User) -> None:
    await of(alice).remember("tea", "Assam")
    await of(bob).remember("tea", "none")

    assert (await kept_by(alice), await kept_by(bob)) == ({"tea": "Assam"}, {"tea": "none"})
    assert await of(bob).forget("tea")
    assert (await kept_by(alice), await kept_by(bob)) == ({"tea": "Assam"}, {})


async def test_key_is_normalized_to_one_printable_line(alice: User) -> None:
    await of(alice).remember(" favourite\n\ttea\0 ", "Assam")

    assert await kept_by(alice) == {"favourite tea": "Assam"}
    assert await of(alice).forget("Favourite  TEA")
    assert not await of(alice).forget("favourite tea")


@pytest.mark.parametrize(("key", "value"), [("x" * 101, "v"), ("\n", "v"), ("k", " "), ("k", "x" * 2001)])
async def test_invalid_key_or_value_asks_model_to_retry(alice: User, key: str, value: str) -> None:
    with pytest.raises(ModelRetry):
        await of(alice).remember(key, value)
    assert await kept_by(alice) == {}


async def test_facts_are_found_by_meaning_and_forgotten_by_id(alice: User, bob: User) -> None:
    leak = await done(lambda: fact(alice, "The roof of the barn leaks."))
    await done(lambda: fact(alice, "Anna likes tea."))
    await done(lambda: fact(bob, "The roof of the house leaks."))

    [found] = await of(alice).facts("the roof leaks", limit=1)
    assert (found.id, found.content, found.score > 0.5) == (str(leak), "The roof of the barn leaks.", True)
    assert not await of(bob).forget(str(leak))
    assert await of(alice).forget(str(leak))
    assert "The roof of the barn leaks." not in [each.content for each in await of(alice).facts("roof leaks", limit=5)]


async def test_episodes_are_filtered_by_time_and_words(alice: User, bob: User) -> None:
    await done(lambda: episode(alice, "Planned the roof.", days_ago=1))
    await done(lambda: episode(alice, "Spoke of the roof.", days_ago=9))
    await done(lambda: episode(bob, "Bob and the roof."))

    since = clock.now() - timedelta(days=2)
    assert [each.summary for each in await of(alice).episodes("ROOF", since=None, limit=9)] == [
        "Planned the roof.",
        "Spoke of the roof.",
    ]
    assert [each.summary for each in await of(alice).episodes("", since=since, limit=9)] == ["Planned the roof."]
    assert [each.summary for each in await of(alice).episodes("", since=None, limit=1)] == ["Planned the roof."]


Act = Callable[[UserRecollection], Awaitable[object]]
ACTS: dict[str, Act] = {
    "remember": lambda memory: memory.remember("tea", "none"),
    "preferences": lambda memory: memory.preferences(),
    "facts": lambda memory: memory.facts("tea", limit=5),
    "forget": lambda memory: memory.forget("tea"),
    "episodes": lambda memory: memory.episodes("", since=None, limit=5),
}


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS.keys())
async def test_disabled_memory_refuses_every_operation(alice: User, act: Act) -> None:
    await of(alice).remember("tea", "Assam")
    await done(lambda: User.objects.filter(id=alice.id).update(memory_enabled=False))

    with pytest.raises(ToolFailed, match="turned memory off"):
        await act(of(alice))
    await done(lambda: User.objects.filter(id=alice.id).update(memory_enabled=True))
    assert await kept_by(alice) == {"tea": "Assam"}


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS.keys())
async def test_undecryptable_memory_is_reported_and_nothing_is_lost(alice: User, act: Act, settings: Settings) -> None:
    await of(alice).remember("tea", "Assam")
    kept, settings.MASTER_KEYS = settings.MASTER_KEYS, Fernet.generate_key().decode()

    with pytest.raises(ToolFailed, match=r"^The memory cannot be used right now\."):
        await act(of(alice))
    settings.MASTER_KEYS = kept
    assert await kept_by(alice) == {"tea": "Assam"}


async def test_unreadable_preference_is_left_out(alice: User) -> None:
    await of(alice).remember("tea", "Assam")
    await of(alice).remember("coffee", "none")
    newest = await done(lambda: MemoryCore.objects.latest("created_at").id)
    await done(lambda: MemoryCore.objects.filter(id=newest).update(value_encrypted="v1:x"))

    assert await kept_by(alice) == {"tea": "Assam"}


async def test_unreadable_preference_is_not_replaced(alice: User) -> None:
    await of(alice).remember("tea", "Assam")
    await done(lambda: MemoryCore.objects.for_user(alice.id).update(value_encrypted="v1:x"))

    with pytest.raises(ToolFailed, match="cannot be decrypted, so it is not replaced"):
        await of(alice).remember("tea", "Darjeeling")


async def test_facts_are_found_by_words_without_vectors(alice: User) -> None:
    await done(lambda: store_fact(alice.id, "Assam is the tea for Sundays.", None))
    embedder = RecordingEmbedder()
    embedder.broken = True
    mine = UserRecollection(UserMemory(user_id=alice.id, embedder=embedder))

    assert [fact.content for fact in await mine.facts("tea", limit=5)] == ["Assam is the tea for Sundays."]
