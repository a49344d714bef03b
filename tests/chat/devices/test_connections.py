import asyncio
import logging
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass, field

import pytest

from chat.devices.connections import Connection, ConnectionManager, OnlineReporter
from chat.devices.links import Attachment, DeviceKey
from chat.protocol.frames.server import ServerFrame
from chat.protocol.frames.vocabulary import CloseCode
from tests.chat.accounts import ALICE
from tests.chat.sockets import WAIT_S


@dataclass
class Notes:
    """Records the noted devices; ``away`` makes it fail."""

    said: asyncio.Queue[list[DeviceKey]] = field(default_factory=asyncio.Queue)
    away: bool = False

    async def __call__(self, devices: Collection[DeviceKey]) -> None:
        self.said.put_nowait(list(devices))
        if self.away:
            raise OSError("the database is away")

    async def next(self) -> list[DeviceKey]:
        async with asyncio.timeout(WAIT_S):
            return await self.said.get()


class Silent:
    """A socket that accepts everything and sends nothing."""

    closed: CloseCode | None = None

    def send_soon(self, frame: ServerFrame) -> None: ...

    async def put(self, frame: str) -> None: ...

    def close_soon(self, code: CloseCode) -> None:
        self.closed = code

    async def wait_closed(self) -> None: ...


@pytest.fixture
def notes() -> Notes:
    return Notes()


@pytest.fixture
def connections() -> ConnectionManager:
    return ConnectionManager()


@pytest.fixture
async def reporter(notes: Notes, connections: ConnectionManager) -> AsyncIterator[OnlineReporter]:
    reporter = OnlineReporter(connections=connections, store=notes, every_s=0)
    yield reporter
    await reporter.aclose()


async def test_the_devices_that_are_here_are_said_again_and_again(
    reporter: OnlineReporter, notes: Notes, connections: ConnectionManager
) -> None:
    reporter.begin()
    reporter.begin()
    assert await notes.next() == []

    connections.add(
        Connection(
            id="c1",
            device=(ALICE, "laptop"),
            attachment=Attachment(sink=Silent(), capabilities=frozenset()),
            socket=Silent(),
            opened_at=0.0,
        )
    )
    while not (said := await notes.next()):
        pass
    assert said == [(ALICE, "laptop")]


async def test_of_two_sockets_of_a_device_the_one_that_was_opened_later_stays(connections: ConnectionManager) -> None:
    older, newer = Silent(), Silent()
    attached = [
        Connection(
            id=name,
            device=(ALICE, "laptop"),
            attachment=Attachment(sink=socket, capabilities=frozenset()),
            socket=socket,
            opened_at=opened_at,
        )
        for name, socket, opened_at in (("newer", newer, 2.0), ("older", older, 1.0))
    ]
    for each in attached:
        connections.add(each)

    assert (older.closed, newer.closed) == (CloseCode.REPLACED, None)
    assert connections.all() == attached[:1]


async def test_a_database_that_is_away_is_asked_again_and_told_of_once(
    reporter: OnlineReporter, notes: Notes, caplog: pytest.LogCaptureFixture
) -> None:
    notes.away = True
    with caplog.at_level(logging.ERROR, "chat.devices.connections"):
        reporter.begin()
        for _ in range(3):
            await notes.next()

    complaints = [record.message for record in caplog.records if record.name == "chat.devices.connections"]
    assert complaints == ["reporting which devices are online failed; it is tried again"]


async def test_nothing_is_said_after_the_end(reporter: OnlineReporter, notes: Notes) -> None:
    reporter.begin()
    await notes.next()

    await reporter.aclose()
    said = notes.said.qsize()
    await asyncio.sleep(0)
    assert notes.said.qsize() == said
