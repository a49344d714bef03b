import asyncio
import uuid
from collections.abc import Callable

import pytest
from channels.layers import InMemoryChannelLayer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chat.cluster.frame_streams import TurnRecord
from chat.cluster.leases import MemoryLeases
from chat.cluster.node import ClusterPorts
from chat.cluster.notifications import NotificationBus
from chat.cluster.remote_turns import MemoryDirectory, RemoteTurns
from chat.errors import FramesLost
from chat.protocol.frames.errors import FrameRejected
from chat.turns.frame_log import FrameLog
from chat.turns.supervisor import Turn, TurnKey
from tests.chat.cluster.backends import Backend
from tests.chat.cluster.waiting import until
from tests.chat.sockets import WAIT_S
from tests.contexts import is_kept

ALICE, BOB = uuid.uuid4(), uuid.uuid4()


def new_key(user: uuid.UUID = ALICE) -> TurnKey:
    return (user, str(uuid.uuid4()))


def record(process: str, *, fingerprint: str = "f", device_id: str = "laptop") -> TurnRecord:
    return TurnRecord(process=process, device_id=device_id, fingerprint=fingerprint)


async def read(ports: ClusterPorts, key: TurnKey, *, after_seq: int = -1) -> list[str]:
    frames = list[str]()
    async with asyncio.timeout(WAIT_S):
        async for batch in ports.directory.read(key, after_seq=after_seq, pause_s=0.05):
            frames.extend(batch)
    return frames


async def ended(ports: ClusterPorts, key: TurnKey) -> None:
    """Wait until other processes know the end of the turn."""

    async def known() -> bool:
        found = await ports.directory.find(key)
        return found is not None and found.ended

    await until(known)


async def published(ports: ClusterPorts, key: TurnKey, *, last_seq: int) -> None:
    """Wait until other processes know the frames up to ``last_seq``."""

    async def known() -> bool:
        return (await ports.directory.running("laptop", user_id=key[0])).get(key[1]) == last_seq

    await until(known)


class TestTurnDirectory:
    async def test_id_is_taken_once_over_all_processes(self, backend: Backend) -> None:
        processes = [backend.ports() for _ in range(5)]
        key, logs = new_key(), [FrameLog() for _ in processes]
        outcomes = await asyncio.gather(
            *(ports.directory.claim(key, record(str(number)), logs[number]) for number, ports in enumerate(processes))
        )
        [winner] = [number for number, taken in enumerate(outcomes) if taken is None]
        assert [taken for taken in outcomes if taken is not None] == [record(str(winner))] * 4
        assert await processes[0].directory.claim((BOB, key[1]), record("0"), FrameLog()) is None
        for ports in processes:
            await ports.directory.aclose()

    async def test_turn_is_found_until_it_ended_and_after(self, backend: Backend) -> None:
        one, other = backend.ports(), backend.ports()
        key, log = new_key(), FrameLog()
        assert await other.directory.find(key) is None
        await one.directory.claim(key, record("p"), log)
        assert await other.directory.find(key) == record("p")
        assert await other.directory.find((BOB, key[1])) is None
        log.append("{}")
        log.close()
        await ended(other, key)
        assert await read(other, key) == ["{}"]

    async def test_running_turns_of_a_device_are_known_by_their_last_frame(self, backend: Backend) -> None:
        one, other = backend.ports(), backend.ports()
        key, log = new_key(), FrameLog()
        await one.directory.claim(key, record("p"), log)
        assert await other.directory.running("laptop", user_id=ALICE) == {key[1]: -1}
        for number in range(3):
            log.append(str(number))
        await published(other, key, last_seq=2)
        assert await other.directory.running("phone", user_id=ALICE) == {}
        assert await other.directory.running("laptop", user_id=BOB) == {}
        log.close()
        await ended(other, key)
        assert await other.directory.running("laptop", user_id=ALICE) == {}

    async def test_writers_are_the_processes_of_a_users_running_turns(self, backend: Backend) -> None:
        one, other = backend.ports(), backend.ports()
        first, log = FrameLog(), FrameLog()
        assert set(await other.directory.writers(ALICE)) == set()
        await one.directory.claim(new_key(), record("p"), first)
        await other.directory.claim(new_key(), record("q", device_id="phone"), log)
        assert set(await one.directory.writers(ALICE)) == {"p", "q"}
        assert set(await one.directory.writers(BOB)) == set()
        log.close()
        await other.directory.aclose()
        assert set(await one.directory.writers(ALICE)) == {"p"}
        first.close()
        await one.directory.aclose()

    async def test_reader_elsewhere_gets_what_was_and_what_comes(self, backend: Backend) -> None:
        one, other = backend.ports(), backend.ports()
        key, log = new_key(), FrameLog()
        log.append('{"half a pair": "\\ud800"}')
        await one.directory.claim(key, record("p"), log)
        readers = [asyncio.create_task(read(other, key, after_seq=after)) for after in (-1, 0, 7, 99)]
        frames = ['{"half a pair": "\\ud800"}', *(f'{{"seq": {number}, "è": "🎨"}}' for number in range(1, 300))]
        for frame in frames[1:]:
            log.append(frame)
            await asyncio.sleep(0)
        log.close()
        assert await asyncio.gather(*readers) == [frames, frames[1:], frames[8:], frames[100:]]

    async def test_publishing_does_not_keep_the_request_that_came_first(self, backend: Backend) -> None:
        ports, log = backend.ports(), FrameLog()
        # A socket keeps the context in which it was opened.
        await ports.directory.find(new_key())
        assert not await is_kept(lambda: ports.directory.claim(new_key(), record("p"), log))
        log.close()
        await ports.directory.aclose()

    async def test_pause_is_an_empty_batch_and_no_end(self, backend: Backend) -> None:
        one, other = backend.ports(), backend.ports()
        key, log = new_key(), FrameLog()
        await one.directory.claim(key, record("p"), log)
        batches = other.directory.read(key, after_seq=-1, pause_s=0.01)
        assert [list(await anext(batches)), list(await anext(batches))] == [[], []]
        log.close()
        assert [batch async for batch in batches if batch] == []
        await one.directory.aclose()

    async def test_reading_what_was_never_claimed_finds_it_lost(self, backend: Backend) -> None:
        with pytest.raises(FramesLost):
            await read(backend.ports(), new_key())

    async def test_log_that_another_process_keeps_is_not_forgotten(self, backend: Backend) -> None:
        one, other = backend.ports(), backend.ports()
        key, log = new_key(), FrameLog()
        await one.directory.claim(key, record("p"), log)
        other.directory.forget(key, FrameLog())
        assert await other.directory.find(key) == record("p")
        log.close()
        await ended(other, key)

    @settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(steps=st.lists(st.one_of(st.integers(1, 40), st.just(None), st.integers(-1, 60).map(str)), max_size=12))
    async def test_reader_from_anywhere_gets_the_rest_once_and_in_order(
        self, backend: Backend, steps: list[int | str | None]
    ) -> None:
        one, other = backend.ports(), backend.ports()
        key, log, readers = new_key(), FrameLog(), list[tuple[int, asyncio.Task[list[str]]]]()
        await one.directory.claim(key, record("p"), log)
        for step in steps:
            match step:
                case int():
                    for _ in range(step):
                        log.append(str(len(log)))
                case None:
                    # As if the processes had forgotten what was published.
                    await published(other, key, last_seq=log.last_seq)
                    await one.directory.renew(forgotten=True)
                case str():
                    readers.append((int(step), asyncio.create_task(read(other, key, after_seq=int(step)))))
        log.close()
        for after_seq, reading in readers:
            assert await reading == [str(number) for number in range(after_seq + 1, len(log))]
        await one.directory.aclose()


async def test_log_in_memory_is_forgotten_when_it_is_kept_no_longer() -> None:
    directory, key, log = MemoryDirectory(), new_key(), FrameLog()
    await directory.claim(key, record("p"), log)
    log.close()
    directory.forget(key, log)
    assert await directory.find(key) is None
    assert await directory.claim(key, record("q"), FrameLog()) is None


class SlowDirectory(MemoryDirectory):
    """The answer to a claim comes when a test allows it, after the claim was made."""

    def __init__(self) -> None:
        super().__init__()
        self.made, self.answers = asyncio.Event(), asyncio.Event()

    async def claim(self, key: TurnKey, record: TurnRecord, log: FrameLog) -> TurnRecord | None:
        known = await super().claim(key, record, log)
        self.made.set()
        await self.answers.wait()
        return known


async def test_claim_that_is_cancelled_before_it_is_answered_is_this_process_to_end() -> None:
    directory, told = SlowDirectory(), list[bool]()
    turns = RemoteTurns(
        directory=directory, leases=MemoryLeases(), bus=NotificationBus(InMemoryChannelLayer()), secret=b"s"
    )
    turn = Turn(key=new_key(), device=(ALICE, "laptop"), fingerprint="f")

    async def work() -> None:
        told.append(await turns.claim(turn, turn.log))
        await asyncio.Event().wait()

    working = asyncio.create_task(work())
    await directory.made.wait()
    for _ in range(2):
        working.cancel()
        await asyncio.sleep(0)
    assert (told, working.done()) == ([], False)
    directory.answers.set()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert told == [True]
    found = await directory.find(turn.key)
    assert found is not None
    assert found.process == turns.bus.name


class Looks(MemoryLeases):
    """What looks for a process find, one after the other, then always that it is alive."""

    def __init__(self, *found: Callable[[], bool]) -> None:
        super().__init__()
        self.found = list(found)

    async def alive(self, process: str) -> bool:
        return not self.found or self.found.pop(0)()


async def test_turn_is_lost_only_if_two_looks_in_a_row_find_its_process_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.cluster.remote_turns._PAUSE_S", 0.001)
    directory, key, log = MemoryDirectory(), new_key(), FrameLog()

    def dead() -> bool:
        return False

    def dead_and_then_it_writes() -> bool:
        log.append("1")
        return False

    def over() -> bool:
        log.close()
        return True

    looks = Looks(dead, lambda: True, dead_and_then_it_writes, dead, over)
    turns = RemoteTurns(directory=directory, leases=looks, bus=NotificationBus(InMemoryChannelLayer()), secret=b"s")
    await directory.claim(key, record("p"), log)
    log.append("0")
    assert [frame async for batch in turns.frames(key, after_seq=-1) for frame in batch] == ["0", "1"]
    assert looks.found == []

    lost = new_key()
    await directory.claim(lost, record("p"), FrameLog())
    looks.found = [dead, dead]
    with pytest.raises(FrameRejected):
        assert [frame async for batch in turns.frames(lost, after_seq=-1) for frame in batch] == []
