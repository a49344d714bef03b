import asyncio

from chat.replay import FrameLog


async def read(log: FrameLog, *, after_seq: int = -1) -> list[str]:
    return [frame async for batch in log.read(after_seq=after_seq) for frame in batch]


async def test_a_reader_gets_what_was_and_what_comes() -> None:
    log = FrameLog()
    log.append("a")
    reader = asyncio.create_task(read(log))
    late = asyncio.create_task(read(log, after_seq=1))
    await asyncio.sleep(0)
    for frame in ("b", "c", "d"):
        log.append(frame)
        await asyncio.sleep(0)
    log.close()

    assert await reader == ["a", "b", "c", "d"]
    assert await late == ["c", "d"]


async def test_a_closed_log_is_read_to_its_end() -> None:
    log = FrameLog()
    log.append("a")
    log.append("b")
    log.close()

    assert await read(log) == ["a", "b"]
    assert await read(log, after_seq=0) == ["b"]
    assert await read(log, after_seq=1) == []
    assert await read(log, after_seq=99) == []


def test_the_position_is_the_number() -> None:
    log = FrameLog()
    assert (len(log), log.last_seq, log.closed) == (0, -1, False)

    log.append("a")
    log.close()
    assert (len(log), log.last_seq, log.closed) == (1, 0, True)
