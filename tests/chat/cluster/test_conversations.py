import uuid

import pytest

from chat.cluster.conversations import RedisConversations
from chat.turns.conversation_store import ConversationKey, ConversationStore, MemoryConversations
from tests.chat.cluster.backends import Backend, RedisBackend

ALICE, BOB = uuid.uuid4(), uuid.uuid4()


class Clock:
    """Seconds, for stores that are asked for their time."""

    now_s = 1_000_000.0

    def __call__(self) -> float:
        return self.now_s


def key(session: str = "s1", *, user: uuid.UUID = ALICE, device: str = "laptop") -> ConversationKey:
    return ConversationKey(user, device, session)


def stores(backend: Backend, clock: Clock) -> tuple[ConversationStore, ConversationStore]:
    """The stores of two processes."""
    one, other = backend.ports().conversations, backend.ports().conversations
    for store in (one, other):
        assert isinstance(store, MemoryConversations | RedisConversations)
        store.clock = clock
    return one, other


class TestConversations:
    async def test_each_process_reads_what_was_saved_last(self, backend: Backend) -> None:
        one, other = stores(backend, Clock())
        assert await one.load(key()) is None
        await one.save(key(), "first é")
        await other.save(key(), "second")

        assert await one.load(key()) == await other.load(key()) == "second"

    async def test_users_devices_and_sessions_have_their_own(self, backend: Backend) -> None:
        one, other = stores(backend, Clock())
        await one.save(key(), "kept")

        assert await other.load(key(user=BOB)) is None
        assert await other.load(key(device="phone")) is None
        assert await other.load(key("s2")) is None

    async def test_a_conversation_is_kept_for_an_hour_after_its_last_use(self, backend: Backend) -> None:
        clock = Clock()
        one, other = stores(backend, clock)
        await one.save(key(), "kept")
        clock.now_s += 3599
        assert await other.load(key()) == "kept"
        clock.now_s += 2

        assert await other.load(key()) is None

    async def test_a_user_has_sixteen_and_the_least_recently_used_makes_room(self, backend: Backend) -> None:
        clock = Clock()
        one, _ = stores(backend, clock)
        for number in range(17):
            clock.now_s += 1
            await one.save(key(f"s{number % 16 if number < 16 else 16}"), str(number))
            await one.save(key(user=BOB), "another's")

        found = [await one.load(key(f"s{number}")) for number in range(17)]
        assert found == [None, *map(str, range(1, 17))]
        assert await one.load(key(user=BOB)) == "another's"

    async def test_large_ones_pass(self, backend: Backend) -> None:
        one, other = stores(backend, Clock())
        await one.save(key(), "0123456789" * 20_000)

        assert await other.load(key()) == "0123456789" * 20_000


@pytest.mark.parametrize(("dump", "most"), [("x" * 2_000, 2_600), ("[]", 550)], ids=["long", "short"])
async def test_memory_is_bounded_over_all_users(dump: str, most: int) -> None:
    """Also where dumps are shorter than what names them."""
    store = MemoryConversations(max_bytes=3 * most)
    for number in range(5):
        await store.save(key(user=uuid.UUID(int=number)), dump)

    kept = [await store.load(key(user=uuid.UUID(int=number))) for number in range(5)]
    assert kept == [None, None, *[dump] * 3]


async def test_a_redis_that_is_away_is_only_missed() -> None:
    backend = RedisBackend(url="redis://127.0.0.1:1")
    store = RedisConversations(redis=backend.connection(), vaults=backend.ports().conversations.vaults)  # type: ignore[attr-defined]
    await store.save(key(), "lost")

    assert await store.load(key()) is None
    for connection in backend.connections:
        await connection.aclose()
