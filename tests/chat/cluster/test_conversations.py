import asyncio
import json
import uuid
from dataclasses import replace

import pytest

from accounts.cipher import new_user_key
from accounts.keys.vault import Vault
from agents.adapters.base import AssistantMessage
from agents.provenance import Provenance
from chat.cluster.conversations import RedisConversations
from chat.cluster.node import ClusterPorts
from chat.protocol.frames.client import HistoryMessage
from chat.turns.conversation_store import ConversationKey, ConversationStore, MemoryConversations
from chat.turns.foreign_marks import ForeignMarks
from tests.chat.cluster.backends import Backend, RedisBackend, in_redis

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

    async def test_changes_that_are_made_at_the_same_moment_all_count(self, backend: Backend) -> None:
        one, other = stores(backend, Clock())
        numbers = [str(number) for number in range(8)]
        await asyncio.gather(
            *(
                store.change(key(), lambda kept, new=each: f"{kept or ''}{new}")  # type: ignore[misc] # its default
                for each, store in zip(numbers, [one, other] * 4, strict=True)
            )
        )

        assert sorted(await one.load(key()) or "") == numbers

    async def test_change_begins_anew_after_an_hour_without_use(self, backend: Backend) -> None:
        clock = Clock()
        one, other = stores(backend, clock)
        await one.save(key(), "kept")
        await one.change(key("s2"), lambda kept: kept or "new")
        clock.now_s += 3601
        await other.change(key(), lambda kept: kept or "new")

        assert await one.load(key()) == "new"

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


HISTORY = [HistoryMessage(role="user", content="What does it say?"), HistoryMessage(role="assistant", content="Go.")]


async def provenances_in(ports: ClusterPorts) -> list[Provenance]:
    """Of the answers in ``HISTORY``, as a process with these ports tells them."""
    marks = ForeignMarks(store=ports.foreign_marks, key=key())
    await marks.load()
    return [message.provenance for message in marks.on(HISTORY) if isinstance(message, AssistantMessage)]


async def mark(ports: ClusterPorts, message: str = HISTORY[0].content, answer: str = HISTORY[1].content) -> None:
    await ForeignMarks(store=ports.foreign_marks, key=key()).add(message, answer)


class TestForeignMarks:
    async def test_answer_is_marked_on_all_processes(self, backend: Backend) -> None:
        one, other = backend.ports(), backend.ports()
        assert await provenances_in(other) == [Provenance.READ]
        await mark(one)
        assert await provenances_in(other) == [Provenance.FOREIGN]

    async def test_marks_stay_when_another_answer_is_marked_without_a_history(self, backend: Backend) -> None:
        one, other = backend.ports(), backend.ports()
        await mark(one)
        await mark(other, "Another question", "Another answer")
        assert await provenances_in(one) == [Provenance.FOREIGN]

    async def test_marks_that_are_added_at_the_same_moment_all_stay(self, backend: Backend) -> None:
        one, other = backend.ports(), backend.ports()
        await asyncio.gather(mark(one), mark(other, "Another question", "Another answer"))
        assert await provenances_in(one) == [Provenance.FOREIGN]
        assert len(json.loads(await one.foreign_marks.load(key()) or "")) == 4

    @pytest.mark.redis
    async def test_after_the_key_was_changed_every_answer_counts_as_foreign(self) -> None:
        async with in_redis() as backend:
            await mark(backend.ports(), "Another question", "Another answer")
            assert await provenances_in(backend.ports()) == [Provenance.READ]
            # The key that made the marks is destroyed.
            backend.vaults[ALICE] = Vault(key=replace(new_user_key(), version=2))
            assert await provenances_in(backend.ports()) == [Provenance.FOREIGN]
            await mark(backend.ports(), "A third question", "A third answer")
            assert await provenances_in(backend.ports()) == [Provenance.FOREIGN]

    async def test_while_redis_is_away_every_answer_counts_as_foreign(self) -> None:
        backend = RedisBackend(url="redis://127.0.0.1:1")
        assert await provenances_in(backend.ports()) == [Provenance.FOREIGN]
        for connection in backend.connections:
            await connection.aclose()

    @pytest.mark.redis
    async def test_what_could_not_be_read_for_a_while_is_read_again(self) -> None:
        async with in_redis() as backend:
            ports, away = backend.ports(), RedisBackend(url="redis://127.0.0.1:1")
            marks = ForeignMarks(store=away.ports().foreign_marks, key=key())
            await marks.load()
            await away.connections[0].aclose()
            marks.store = ports.foreign_marks
            await marks.add("Another question", "Another answer")
            assert await provenances_in(ports) == [Provenance.READ]

    async def test_what_is_no_list_of_marks_marks_every_answer(self, backend: Backend) -> None:
        ports = backend.ports()
        await ports.foreign_marks.save(key(), "{}")
        assert await provenances_in(ports) == [Provenance.FOREIGN]


async def test_a_redis_that_is_away_is_only_missed() -> None:
    backend = RedisBackend(url="redis://127.0.0.1:1")
    store = RedisConversations(redis=backend.connection(), vaults=backend.ports().conversations.vaults)  # type: ignore[attr-defined]
    await store.save(key(), "lost")

    assert await store.load(key()) is None
    for connection in backend.connections:
        await connection.aclose()
