import asyncio
import logging
import threading
from collections.abc import Sequence
from uuid import uuid4

import pytest

from agents.telemetry.recorder import BATCH, TurnRecorder
from agents.telemetry.turns import ObservedTurn
from tests.agents.turns import turn
from tests.contexts import is_kept


class FlakyWriter:
    """Records batches. It can fail a few times, or block until it is opened."""

    def __init__(self, *, failures: int = 0) -> None:
        self.batches: list[list[ObservedTurn]] = []
        self.failures = failures
        self.open = threading.Event()
        self.open.set()

    def __call__(self, turns: Sequence[ObservedTurn]) -> None:
        self.open.wait(30)
        if self.failures:
            self.failures -= 1
            raise OSError("the database is away")
        self.batches.append(list(turns))


def some(number: int) -> list[ObservedTurn]:
    return [turn(uuid4()) for _ in range(number)]


def recorder(writer: FlakyWriter, *, capacity: int = 1000) -> TurnRecorder:
    return TurnRecorder(writer, capacity=capacity, gather_s=60, retry_s=0.01)


async def test_turns_are_written_in_ordered_batches() -> None:
    writer, turns = FlakyWriter(), some(BATCH + 1)
    record = recorder(writer)
    for one in turns:
        record(one)
    assert len(record) == BATCH + 1
    await record.flush()
    assert writer.batches == [turns[:BATCH], turns[BATCH:]]
    assert len(record) == 0


async def test_turn_after_flush_is_in_next_batch() -> None:
    writer, [first, second] = FlakyWriter(), some(2)
    record = recorder(writer)
    record(first)
    await record.flush()
    record(second)
    await record.flush()
    assert writer.batches == [[first], [second]]


async def test_failed_write_is_logged_and_retried(caplog: pytest.LogCaptureFixture) -> None:
    writer, turns = FlakyWriter(failures=2), some(2)
    record = recorder(writer)
    for one in turns:
        record(one)
    with caplog.at_level(logging.WARNING):
        await record.flush()
    assert writer.batches == [turns]
    assert [entry.message for entry in caplog.records] == [
        "turns could not be stored, and are tried again: the database is away"
    ]


async def test_full_queue_drops_newest_turns_and_warns_once(caplog: pytest.LogCaptureFixture) -> None:
    writer, turns = FlakyWriter(), some(5)
    record = recorder(writer, capacity=2)
    with caplog.at_level(logging.WARNING):
        for one in turns:
            record(one)
    await record.flush()
    assert writer.batches == [turns[:2]]
    assert record.lost == 3
    assert [entry.message for entry in caplog.records] == [
        "turns that are lost, because they could not be stored in time: 1"
    ]


async def test_close_writes_remaining_turns() -> None:
    writer, turns = FlakyWriter(), some(2)
    record = recorder(writer)
    for one in turns:
        record(one)
    await record.aclose(within_s=30)
    assert writer.batches == [turns]


async def test_close_does_not_wait_for_unavailable_database(caplog: pytest.LogCaptureFixture) -> None:
    writer = FlakyWriter()
    writer.open.clear()
    record = recorder(writer)
    record(some(1)[0])
    try:
        async with asyncio.timeout(20):
            with caplog.at_level(logging.WARNING):
                await record.aclose(within_s=0.01)
    finally:
        writer.open.set()
    assert (len(record), record.lost) == (0, 1)
    assert "turns that are lost, because they could not be stored in time: 1" in caplog.messages


async def test_writing_does_not_keep_context_of_first_turn() -> None:
    record = recorder(FlakyWriter())

    async def come() -> None:
        record(some(1)[0])

    assert not await is_kept(come)
    assert len(record) == 1
    await record.flush()
