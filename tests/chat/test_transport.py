import asyncio

import pytest

from chat.errors import SocketClosed
from chat.sockets.transport import Outbox
from tests.chat.sockets import WAIT_S, leap


class Socket:
    """Takes frames while it is open to them."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.reads = asyncio.Event()
        self.reads.set()
        self.stalled = asyncio.Event()

    async def send(self, frame: str) -> None:
        await self.reads.wait()
        self.sent.append(frame)

    def send_now(self, frame: str) -> bool:
        if self.reads.is_set():
            self.sent.append(frame)
        return self.reads.is_set()

    def outbox(self, *, limit_bytes: int = 10, stall_s: float = 30.0) -> Outbox:
        return Outbox(self.send, on_stalled=self.stalled.set, limit_bytes=limit_bytes, stall_s=stall_s)


async def test_frames_go_out_in_order() -> None:
    socket = Socket()
    outbox = socket.outbox()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(outbox.run())
        for number in range(100):
            await outbox.put(str(number))
        await outbox.flush()
        outbox.close()

    assert socket.sent == [str(number) for number in range(100)]


async def test_frames_go_out_at_once_unless_earlier_ones_wait() -> None:
    socket = Socket()
    outbox = socket.outbox(limit_bytes=100)
    outbox.send_now = socket.send_now
    writer = asyncio.create_task(outbox.run())

    await outbox.put("one")
    assert socket.sent == ["one"]
    socket.reads.clear()
    await outbox.put("two")
    await asyncio.sleep(0)
    socket.reads.set()
    await outbox.put("three")
    assert socket.sent == ["one"]
    await outbox.flush()
    await outbox.put("four")
    assert socket.sent == ["one", "two", "three", "four"]

    outbox.close()
    with pytest.raises(SocketClosed):
        await outbox.put("five")
    await writer


async def test_put_waits_while_the_client_does_not_read() -> None:
    socket = Socket()
    socket.reads.clear()
    outbox = socket.outbox(limit_bytes=4)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(outbox.run())
        await outbox.put("éé")  # four bytes: full
        waiting = tasks.create_task(outbox.put("next"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not waiting.done()

        socket.reads.set()
        await waiting
        await outbox.flush()
        outbox.close()

    assert socket.sent == ["éé", "next"]


async def test_small_answers_do_not_wait() -> None:
    socket = Socket()
    socket.reads.clear()
    outbox = socket.outbox(limit_bytes=1)

    outbox.put_now("a")
    outbox.put_now("b")
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(outbox.run())
        socket.reads.set()
        await outbox.flush()
        outbox.close()

    assert socket.sent == ["a", "b"]


async def test_a_client_that_does_not_read_is_reported() -> None:
    socket = Socket()
    outbox = socket.outbox(limit_bytes=1, stall_s=0.01)

    await outbox.put("full")

    async with asyncio.timeout(WAIT_S):
        await socket.stalled.wait()


async def test_a_client_that_reads_again_is_not_reported() -> None:
    socket = Socket()
    outbox = socket.outbox(limit_bytes=1)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(outbox.run())
        await outbox.put("full")
        await outbox.flush()
        leap(60)
        await asyncio.sleep(0.05)
        assert not socket.stalled.is_set()
        outbox.close()


async def test_a_closed_outbox_takes_nothing_and_frees_who_waits() -> None:
    outbox = Socket().outbox(limit_bytes=1)
    await outbox.put("full")
    waiting = asyncio.create_task(outbox.put("next"))
    await asyncio.sleep(0)
    outbox.close()

    with pytest.raises(SocketClosed):
        await waiting
    with pytest.raises(SocketClosed):
        outbox.put_now("later")


async def test_closing_during_a_send_ends_the_writer() -> None:
    socket = Socket()
    socket.reads.clear()
    outbox = socket.outbox()
    writer = asyncio.create_task(outbox.run())
    outbox.put_now("a")
    outbox.put_now("b")
    await asyncio.sleep(0)
    outbox.close()
    socket.reads.set()
    async with asyncio.timeout(WAIT_S):
        await writer

    assert socket.sent == ["a"]
