"""How the device package handles each network fault, with the real server."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from device.addresses import server_address
from device.errors import ConnectionFailed
from device.executor import Executor
from device.frames import StreamEnd, StreamText, TurnFrame
from device.hello import Hello
from device.link import Account, Backoff, Link
from device.resuming import LastingAnswer
from device.store import Store, new_uuid
from device.tables import TableName
from tests.agents.scripts import Reply, call, calls, says
from tests.chat.sockets import ALICES_TOKEN, Server
from tests.chat.uvicorn_server import serving
from tests.faults.proxy import FaultProxy, fault_proxy

CREATE = calls(call("create_task", '{"title":"Buy milk"}'))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path / "device.sqlite3")) as store:
        yield store


@dataclass
class DeviceHarness:
    """A device connected to a server through a proxy."""

    link: Link
    proxy: FaultProxy
    server: Server
    losses: list[int] = field(default_factory=list)

    def answer(self, message: str = "my tasks") -> LastingAnswer:
        return LastingAnswer(
            self.link,
            lambda client, request_id: client.home(message, request_id=request_id),
            request_id=new_uuid(),
            on_lost=lambda: self.losses.append(self.proxy.cuts),
        )


@asynccontextmanager
async def connected_device(store: Store, *replies: Reply, patience_s: float = 20.0) -> AsyncIterator[DeviceHarness]:
    server = Server(list(replies))
    async with (
        asyncio.timeout(30),
        serving(server) as address,
        fault_proxy(urlsplit(address).port or 0) as proxy,
        Link(
            Account(server_address(f"http://127.0.0.1:{proxy.port}"), email="", password=""),
            ALICES_TOKEN,
            executor=Executor(store),
            hello=Hello(device_id=store.device_id),
            backoff=Backoff(first_s=0.0, most_s=0.01, patience_s=patience_s),
        ) as link,
    ):
        yield DeviceHarness(link, proxy, server)


async def taken(answer: LastingAnswer) -> list[TurnFrame]:
    return [frame async for frame in answer.frames()]


def text_of(frames: list[TurnFrame]) -> str:
    return "".join(frame.chunk for frame in frames if isinstance(frame, StreamText))


def is_whole(frames: list[TurnFrame]) -> bool:
    """Whether the sequence numbers are complete and in order, and the turn ended well."""
    end = frames[-1]
    numbers = [frame.seq for frame in frames]
    return numbers == list(range(len(frames))) and isinstance(end, StreamEnd) and end.finish_reason == "done"


async def test_proxy_without_fault_changes_nothing(store: Store) -> None:
    async with connected_device(store, CREATE, says("Done.")) as here:
        frames = await taken(here.answer())
    assert (is_whole(frames), text_of(frames), here.losses) == (True, "Done.", [])


async def test_device_recovers_from_cut_during_answer(store: Store) -> None:
    async with connected_device(store, CREATE, says("Done.")) as here:
        frames = []
        async for frame in here.answer().frames():
            frames.append(frame)
            if len(frames) == 1:
                here.proxy.cut()
    assert (is_whole(frames), text_of(frames), here.losses) == (True, "Done.", [1])
    assert store.counts()[TableName.TASKS] == 1


@pytest.mark.parametrize("count", [1, 100, 400, 650, 700, 800, 1000, 1200, 1500])
async def test_device_recovers_from_cut_after_any_number_of_bytes(store: Store, count: int) -> None:
    """In the handshake, the hello, the request, the call, its answer, or the text."""
    async with connected_device(store, CREATE, says("Done.")) as here:
        here.proxy.cut_after(count)
        await here.link.back()
        frames = await taken(here.answer())
    assert (is_whole(frames), text_of(frames), here.proxy.cuts) == (True, "Done.", 1)
    assert store.counts()[TableName.TASKS] == 1


async def test_frames_are_read_byte_by_byte(store: Store) -> None:
    async with connected_device(store, CREATE, says("Done, è vero.")) as here:
        here.proxy.trickling = True
        frames = await taken(here.answer())
    assert (is_whole(frames), text_of(frames), here.losses) == (True, "Done, è vero.", [])


async def test_stall_delays_but_loses_nothing(store: Store) -> None:
    async with connected_device(store, CREATE, says("Done.")) as here:
        await here.link.client()
        here.proxy.stall()
        answering = asyncio.create_task(taken(here.answer()))
        await here.proxy.held.wait()
        assert not answering.done()
        here.proxy.flow()
        frames = await answering
    assert (is_whole(frames), here.losses) == (True, [])


async def test_half_open_connection_is_detected_and_replaced(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.connection._PING_S", 0.2)
    monkeypatch.setattr("device.connection._CLOSING_S", 0.05)
    async with connected_device(store, CREATE, says("Done.")) as here:
        frames = []
        async for frame in here.answer().frames():
            frames.append(frame)
            if len(frames) == 1:
                here.proxy.forget()
    # With such a short ping interval, a pause of the whole process counts as another half-open connection.
    assert (is_whole(frames), text_of(frames), set(here.losses)) == (True, "Done.", {0})
    assert store.counts()[TableName.TASKS] == 1


async def test_device_gives_up_after_endless_stall(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.connection._PING_S", 0.05)
    monkeypatch.setattr("device.connection._CLOSING_S", 0.05)
    async with connected_device(store, CREATE, says("Done."), patience_s=0.2) as here:
        await here.link.client()
        here.proxy.stall()
        with pytest.raises(ConnectionFailed, match="does not come back"):
            await taken(here.answer())
