"""The contract of frame logs."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.errors import LogClosed
from chat.turns.frame_log import FrameLog
from tests.chat.sockets import WAIT_S


async def read(log: FrameLog, *, after_seq: int = -1) -> list[str]:
    """Everything that a socket would receive."""
    async with asyncio.timeout(WAIT_S):
        return [frame async for batch in log.read(after_seq=after_seq) for frame in batch]


async def test_a_reader_gets_what_was_and_what_comes() -> None:
    written = FrameLog()
    written.append("a")
    reader = asyncio.create_task(read(written))
    late = asyncio.create_task(read(written, after_seq=1))
    await asyncio.sleep(0)
    for frame in ("b", "c", "d"):
        written.append(frame)
        await asyncio.sleep(0)
    written.close()

    assert await reader == ["a", "b", "c", "d"]
    assert await late == ["c", "d"]


async def test_a_closed_log_is_read_to_its_end() -> None:
    written = FrameLog()
    written.append("a")
    written.append("b")
    written.close()

    assert await read(written) == ["a", "b"]
    assert await read(written, after_seq=0) == ["b"]
    assert await read(written, after_seq=1) == []
    assert await read(written, after_seq=99) == []


async def test_the_position_is_the_number() -> None:
    written = FrameLog()
    assert (len(written), written.last_seq, written.closed) == (0, -1, False)

    written.append("a")
    written.close()
    assert (len(written), written.last_seq, written.closed) == (1, 0, True)


async def test_nothing_comes_after_the_end() -> None:
    written = FrameLog()
    written.append("a")
    written.close()
    written.close()

    with pytest.raises(LogClosed):
        written.append("b")
    assert await read(written) == ["a"]


async def test_an_open_log_does_not_end() -> None:
    written = FrameLog()
    written.append("a")
    batches = written.read(pause_s=0.01)

    assert list(await anext(batches)) == ["a"]
    assert list(await anext(batches)) == []
    written.close()
    assert [batch async for batch in batches if batch] == []


async def test_a_pause_is_an_empty_batch() -> None:
    written = FrameLog()
    batches = written.read(pause_s=0.01)
    assert await anext(batches) == ()
    written.append("a")
    assert list(await anext(batches)) == ["a"]
    written.close()
    assert [batch async for batch in batches if batch] == []


async def test_a_reader_that_leaves_takes_nothing_along() -> None:
    written = FrameLog()
    leaving = asyncio.create_task(read(written))
    await asyncio.sleep(0)
    leaving.cancel()
    await asyncio.gather(leaving, return_exceptions=True)
    written.append("a")
    written.close()

    assert await read(written) == ["a"]


async def test_appending_does_not_wait_for_readers() -> None:
    written = FrameLog()
    stopped = written.read()
    written.append("0")
    assert list(await anext(stopped)) == ["0"]
    for number in range(1, 5000):
        written.append(str(number))
    written.close()

    assert [frame async for batch in stopped for frame in batch] == [str(number) for number in range(1, 5000)]


@settings(max_examples=50)
@given(
    steps=st.lists(st.one_of(st.just("append"), st.just("yield"), st.integers(-1, 12)), max_size=40),
)
async def test_a_reader_from_any_position_gets_the_rest_once_and_in_order(steps: list[str | int]) -> None:
    written, readers, number = FrameLog(), list[tuple[int, asyncio.Task[list[str]]]](), 0
    for step in steps:
        match step:
            case "append":
                written.append(str(number))
                number += 1
            case "yield":
                await asyncio.sleep(0)
            case int():
                readers.append((step, asyncio.create_task(read(written, after_seq=step))))
    written.close()

    for after_seq, reading in readers:
        assert await reading == [str(each) for each in range(after_seq + 1, number)]


async def test_a_log_that_failed_gives_what_it_has_and_then_raises() -> None:
    written = FrameLog()
    written.append("a")
    reader = asyncio.create_task(read(written))
    await asyncio.sleep(0)
    written.fail(ValueError("gone"))
    written.close()

    with pytest.raises(ValueError, match="gone"):
        await reader
    with pytest.raises(ValueError, match="gone"):
        await read(written)
    assert (written.failed, written.closed, list(written.since(0))) == (True, True, ["a"])


@pytest.mark.parametrize("size", [10, 400_000], ids=["short", "long"])
async def test_a_closed_log_gives_the_very_frames_that_were_appended(size: int) -> None:
    frames = ["", "perché\u2028no", "\ud800", "x" * size]
    written = FrameLog()
    for frame in frames:
        written.append(frame)
    written.close()

    assert await read(written) == frames
    assert list(written.since(2)) == frames[2:]
    assert len(written) == 4


async def test_an_empty_log_stays_empty() -> None:
    written = FrameLog()
    written.close()

    assert await read(written) == []
    assert list(written.since(0)) == []


async def test_a_log_that_ended_well_cannot_fail() -> None:
    written = FrameLog()
    written.append("a")
    written.close()
    written.fail(ValueError("gone"))

    assert await read(written) == ["a"]
    assert written.failed is False
