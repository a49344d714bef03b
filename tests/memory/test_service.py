import pytest

from accounts.models import User
from memory.core import list_core
from memory.errors import MemoryOff, Unfit
from memory.middleware import MemoryMiddleware
from memory.threads import in_thread
from tests.memory.ports import Embedder, Summarizer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def memory() -> MemoryMiddleware:
    return MemoryMiddleware(embedder=Embedder(), summarizer=Summarizer())


async def kept(user: User) -> list[tuple[str, str]]:
    return [(entry.key, entry.value) for entry in await in_thread(lambda: list_core(user.id))]


async def test_a_preference_is_kept_and_replaced(alice: User, memory: MemoryMiddleware) -> None:
    await memory.update_core(alice.id, "tea", "Assam")
    await memory.update_core(alice.id, "tea", "Oolong")
    assert await kept(alice) == [("tea", "Oolong")]


async def test_no_preference_is_kept_while_memory_is_off(alice: User, memory: MemoryMiddleware) -> None:
    await User.objects.filter(id=alice.id).aupdate(memory_enabled=False)
    with pytest.raises(MemoryOff):
        await memory.update_core(alice.id, "tea", "Assam")
    assert await kept(alice) == []


async def test_what_cannot_be_kept_is_refused(alice: User, memory: MemoryMiddleware) -> None:
    with pytest.raises(Unfit):
        await memory.update_core(alice.id, " ", "Assam")
