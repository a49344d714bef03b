"""Who is let in, and in which order."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from chat.admission import AdmissionQueue, QueueFull

LONG_S = 60.0


class Visitor:
    """A task that goes in and stays until it is told to leave."""

    def __init__(self, queue: AdmissionQueue) -> None:
        self.is_in = asyncio.Event()
        self._leave = asyncio.Event()
        self.task = asyncio.create_task(self._visit(queue))

    async def leave(self) -> None:
        self._leave.set()
        await self.task

    async def _visit(self, queue: AdmissionQueue) -> None:
        async with queue.turn():
            self.is_in.set()
            await self._leave.wait()


@asynccontextmanager
async def visitors(queue: AdmissionQueue, count: int) -> AsyncIterator[list[Visitor]]:
    visiting = [Visitor(queue) for _ in range(count)]
    await settled()
    yield visiting
    for each in visiting:
        each.task.cancel()
    await asyncio.gather(*(each.task for each in visiting), return_exceptions=True)


async def settled() -> None:
    """Everything that can go on has."""
    for _ in range(10):
        await asyncio.sleep(0)


def inside(visiting: list[Visitor]) -> list[int]:
    return [number for number, each in enumerate(visiting) if each.is_in.is_set() and not each.task.done()]


async def test_the_next_ones_go_in_as_others_leave_in_the_order_in_which_they_came() -> None:
    async with visitors(AdmissionQueue(2, waiting=10, wait_s=LONG_S), 5) as visiting:
        assert inside(visiting) == [0, 1]
        for leaving, left in ((1, [0, 2]), (0, [2, 3]), (2, [3, 4]), (3, [4])):
            await visiting[leaving].leave()
            await settled()
            assert inside(visiting) == left


async def test_who_is_ahead_goes_in_at_once_and_the_others_wait_for_it() -> None:
    queue = AdmissionQueue(1, waiting=10, wait_s=LONG_S)
    async with visitors(queue, 2) as visiting:
        with queue.at_once():
            await visiting[0].leave()
            await settled()
            assert inside(visiting) == []
        await settled()
        assert inside(visiting) == [1]


async def test_who_has_waited_too_long_or_gone_away_holds_up_no_one() -> None:
    queue = AdmissionQueue(1, waiting=10, wait_s=LONG_S)
    async with visitors(queue, 4) as visiting:
        visiting[1].task.cancel()
        await settled()
        visiting[2].task.cancel()
        # As the one before leaves, so that its turn comes while it goes away.
        await visiting[0].leave()
        await settled()
        assert inside(visiting) == [3]


async def test_who_is_let_in_while_it_goes_away_leaves_its_place_to_the_next() -> None:
    async with visitors(AdmissionQueue(1, waiting=10, wait_s=LONG_S), 3) as visiting:
        await visiting[0].leave()
        visiting[1].task.cancel()
        await settled()
        assert inside(visiting) == [2]


async def test_no_one_waits_for_longer_than_said_nor_behind_too_many() -> None:
    queue = AdmissionQueue(1, waiting=1, wait_s=0.5)
    async with visitors(queue, 3) as visiting:
        assert [each.task.done() for each in visiting] == [False, False, True]
        assert queue.is_full
        for refused in (2, 1):
            with pytest.raises(QueueFull):
                await visiting[refused].task
        await visiting[0].leave()
        async with asyncio.timeout(20), queue.turn():
            pass
