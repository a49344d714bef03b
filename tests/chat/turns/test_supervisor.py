import asyncio
import gc
import uuid
import weakref
from contextvars import ContextVar
from uuid import UUID

import pytest

from chat.protocol.frames.errors import FrameRejected
from chat.protocol.frames.vocabulary import ErrorCode
from chat.turns.frame_log import FrameLog
from chat.turns.supervisor import Turn, TurnSupervisor
from tests.chat.sockets import WAIT_S, leap

ALICE, BOB = uuid.uuid4(), uuid.uuid4()


def turn(request_id: str = "r", *, user: UUID = ALICE, device_id: str = "laptop", fingerprint: str = "same") -> Turn:
    return Turn(key=(user, request_id), device=(user, device_id), fingerprint=fingerprint)


class Work:
    """Writes a first frame, waits until it is released, and always writes a last one."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.released = asyncio.Event()

    async def __call__(self, log: FrameLog) -> None:
        log.append("first")
        self.begun.set()
        try:
            await self.released.wait()
            log.append("done")
        except asyncio.CancelledError:
            log.append("cancelled")
            raise


async def frames(log: FrameLog) -> list[str]:
    async with asyncio.timeout(WAIT_S):
        return [frame async for batch in log.read() for frame in batch]


async def test_a_turn_runs_to_its_end_and_stays_for_a_while() -> None:
    supervisor, work = TurnSupervisor(), Work()
    started = supervisor.start(turn(), work)
    assert supervisor.running((ALICE, "laptop")) == [started]
    work.released.set()

    assert await frames(started.log) == ["first", "done"]
    assert supervisor.running((ALICE, "laptop")) == []
    leap(300)
    await asyncio.sleep(0.01)
    assert supervisor.find((ALICE, "r")) is started
    leap(300)
    async with asyncio.timeout(WAIT_S):
        while supervisor.find((ALICE, "r")) is not None:  # noqa: ASYNC110 - forgetting a turn sends no event
            await asyncio.sleep(0)
    await supervisor.drain(0)


async def test_an_ended_turn_keeps_nothing_that_its_work_used() -> None:
    supervisor, used = TurnSupervisor(), ContextVar[Work]("used")
    references = list[weakref.ref[Work]]()

    async def working(log: FrameLog) -> None:
        used.set(Work())
        references.append(weakref.ref(used.get()))
        log.append("done")

    started = supervisor.start(turn(), working)
    assert await frames(started.log) == ["done"]
    await asyncio.sleep(0)
    gc.collect()

    assert [reference() for reference in references] == [None]
    assert supervisor.find((ALICE, "r")) is started
    await supervisor.drain(0)


async def test_turns_are_forgotten_each_in_its_time() -> None:
    supervisor, forgotten = TurnSupervisor(), list[str]()
    supervisor.on_forgotten = lambda key, _: forgotten.append(key[1])
    for request_id in ("first", "second", "third"):
        work = Work()
        work.released.set()
        started = supervisor.start(turn(request_id), work)
        assert await frames(started.log) == ["first", "done"]
        leap(250)
        await asyncio.sleep(0.01)

    assert forgotten == ["first"]
    assert supervisor.find((ALICE, "second")) is not None
    leap(600)
    async with asyncio.timeout(WAIT_S):
        while len(forgotten) < 3:  # noqa: ASYNC110 - forgetting a turn sends no event
            await asyncio.sleep(0)
    assert forgotten == ["first", "second", "third"]
    await supervisor.drain(0)


async def test_the_same_request_runs_once_and_another_one_may_not_take_its_id() -> None:
    supervisor, work = TurnSupervisor(), Work()
    first = supervisor.start(turn(), work)

    assert supervisor.start(turn(), Work()) is first
    with pytest.raises(FrameRejected) as rejected:
        supervisor.start(turn(fingerprint="other"), Work())
    assert rejected.value.code is ErrorCode.REQUEST_ID_REUSED
    work.released.set()
    assert await frames(first.log) == ["first", "done"]
    assert supervisor.start(turn(), Work()) is first
    await supervisor.drain(0)


async def test_ids_are_per_user() -> None:
    supervisor = TurnSupervisor()

    assert supervisor.start(turn(), Work()) is not supervisor.start(turn(user=BOB), Work())
    assert supervisor.find((BOB, "other")) is None
    await supervisor.drain(0)


async def test_a_user_runs_only_so_many_at_once_on_all_devices() -> None:
    supervisor = TurnSupervisor(max_running=2)
    for request_id, device_id in (("a", "laptop"), ("b", "phone")):
        supervisor.start(turn(request_id, device_id=device_id), Work())

    with pytest.raises(FrameRejected) as rejected:
        supervisor.start(turn("c"), Work())
    assert (rejected.value.code, rejected.value.request_id, rejected.value.retryable) == (ErrorCode.BUSY, "c", True)
    supervisor.start(turn("c", user=BOB), Work())
    await supervisor.drain(0)


@pytest.mark.parametrize("begun", [True, False])
async def test_a_cancelled_turn_writes_its_last_frame(begun: bool) -> None:
    supervisor, work = TurnSupervisor(), Work()
    started = supervisor.start(turn(), work)
    if begun:
        await work.begun.wait()

    assert supervisor.cancel((ALICE, "r"))
    assert not supervisor.cancel((ALICE, "r"))
    assert await frames(started.log) == ["first", "cancelled"]
    assert not supervisor.cancel((ALICE, "r"))
    await supervisor.drain(0)


async def test_draining_lets_turns_end_then_cuts_them_off() -> None:
    supervisor, quick, slow = TurnSupervisor(), Work(), Work()
    ending = supervisor.start(turn("quick"), quick)
    cut = supervisor.start(turn("slow"), slow)
    await slow.begun.wait()
    quick.released.set()
    await supervisor.drain(0.05)

    assert await frames(ending.log) == ["first", "done"]
    assert await frames(cut.log) == ["first", "cancelled"]
    with pytest.raises(FrameRejected) as rejected:
        supervisor.start(turn("new"), Work())
    assert rejected.value.code is ErrorCode.SHUTTING_DOWN


async def test_a_failing_turn_is_logged_and_its_log_ends(caplog: pytest.LogCaptureFixture) -> None:
    async def failing(log: FrameLog) -> None:
        raise RuntimeError("boom")

    supervisor = TurnSupervisor()
    started = supervisor.start(turn(), failing)

    assert await frames(started.log) == []
    await supervisor.drain(0)
    assert "turn r failed" in caplog.text
