"""The memory service: what a turn waits for, and a user's own memory with and without the preference.

``tests/agents/engine/test_user_recollection.py`` has the rest of a user's own memory, by way of the tools' port.
"""

import asyncio
from uuid import UUID

import pytest

from accounts.database import in_database
from accounts.models import User
from memory.errors import InvalidMemory, MemoryOff
from memory.exchange import Exchange
from memory.service import MemoryService, UserMemory
from memory.tiers import list_core
from tests.memory.ports import Embedder, Summarizer

WAIT_S = 20.0


def of(user: User) -> UserMemory:
    return UserMemory(user_id=user.id, embedder=Embedder())


async def kept(user: User) -> list[tuple[str, str]]:
    return [(entry.key, entry.value) for entry in await in_database(list_core, user.id)]


@pytest.mark.django_db(transaction=True)
async def test_a_preference_is_kept_and_replaced(alice: User) -> None:
    await of(alice).remember("tea", "Assam")
    await of(alice).remember("tea", "Oolong")
    assert await kept(alice) == [("tea", "Oolong")]


@pytest.mark.django_db(transaction=True)
async def test_no_preference_is_kept_while_memory_is_off(alice: User) -> None:
    await User.objects.filter(id=alice.id).aupdate(memory_enabled=False)
    with pytest.raises(MemoryOff):
        await of(alice).remember("tea", "Assam")
    assert await kept(alice) == []


@pytest.mark.django_db(transaction=True)
async def test_what_cannot_be_kept_is_refused(alice: User) -> None:
    with pytest.raises(InvalidMemory):
        await of(alice).remember(" ", "Assam")


class Gated(MemoryService):
    """Stores an exchange once ``gate`` is set."""

    def __init__(self) -> None:
        super().__init__(embedder=Embedder(), summarizer=Summarizer())
        self.gate = asyncio.Event()
        self.stored: list[str] = []

    async def store(self, user_id: UUID, exchange: Exchange, *, as_of: int | None = None) -> None:
        await self.gate.wait()
        self.stored.append(exchange.message)


EXCHANGE = Exchange(message="a", response="b")
NOBODY = UUID(int=0)


async def test_a_recording_is_waited_for() -> None:
    memory = Gated()
    memory.gate.set()
    await memory.record(NOBODY, EXCHANGE)

    assert memory.stored == ["a"]


async def test_a_recording_that_takes_longer_goes_on_until_it_is_drained() -> None:
    memory = Gated()
    async with asyncio.timeout(WAIT_S):
        await memory.record(NOBODY, EXCHANGE)
        assert memory.stored == []
        memory.gate.set()
        await memory.drain()

    assert memory.stored == ["a"]


async def test_a_recording_that_takes_too_long_is_cut_off() -> None:
    memory = Gated()
    await memory.record(NOBODY, EXCHANGE)
    await memory.drain(timeout_s=0.01)
    memory.gate.set()
    await asyncio.sleep(0)

    assert memory.stored == []


async def test_draining_without_recordings_ends_at_once() -> None:
    await Gated().drain()
