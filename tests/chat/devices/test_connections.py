import asyncio
import logging
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass, field

import pytest

from chat.devices.attendance import Attendance
from chat.devices.connections import Connection, ConnectionManager, DeviceKey
from chat.devices.links import Attachment
from chat.protocol.frames.server import ServerFrame
from chat.protocol.frames.vocabulary import CloseCode
from tests.chat.accounts import ALICE
from tests.chat.sockets import WAIT_S


@dataclass
class Notes:
    """What was said, in the order in which it was; each word of it is answered by what the test has put there."""

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
    """A socket that takes all that it is given."""

    def tell(self, frame: ServerFrame) -> None: ...

    async def put(self, frame: str) -> None: ...

    def close_soon(self, code: CloseCode) -> None: ...

    async def wait_closed(self) -> None: ...


@pytest.fixture
def notes() -> Notes:
    return Notes()


@pytest.fixture
def connections() -> ConnectionManager:
    return ConnectionManager()


@pytest.fixture
async def attendance(notes: Notes, connections: ConnectionManager) -> AsyncIterator[Attendance]:
    attendance = Attendance(connections=connections, note=notes, every_s=0)
    yield attendance
    await attendance.aclose()


async def test_the_devices_that_are_here_are_said_again_and_again(
    attendance: Attendance, notes: Notes, connections: ConnectionManager
) -> None:
    attendance.begin()
    attendance.begin()
    assert await notes.next() == []

    connections.add(
        Connection(
            id="c1",
            device=(ALICE, "laptop"),
            attachment=Attachment(sink=Silent(), capabilities=frozenset()),
            socket=Silent(),
        )
    )
    while not (said := await notes.next()):
        pass
    assert said == [(ALICE, "laptop")]


async def test_a_database_that_is_away_is_asked_again_and_told_of_once(
    attendance: Attendance, notes: Notes, caplog: pytest.LogCaptureFixture
) -> None:
    notes.away = True
    with caplog.at_level(logging.ERROR, "chat.devices.attendance"):
        attendance.begin()
        for _ in range(3):
            await notes.next()

    complaints = [record.message for record in caplog.records if record.name == "chat.devices.attendance"]
    assert complaints == ["saying which devices are online failed; it goes on"]


async def test_nothing_is_said_after_the_end(attendance: Attendance, notes: Notes) -> None:
    attendance.begin()
    await notes.next()

    await attendance.aclose()
    said = notes.said.qsize()
    await asyncio.sleep(0)
    assert notes.said.qsize() == said
