"""Devices that connect are told of what concerns them, once, also where telling fails for a while."""

import asyncio
from collections.abc import Collection
from typing import Any
from uuid import UUID

import pytest
from django.db import OperationalError

from chat.devices.arrivals import Arrivals, Concern
from chat.devices.connections import Connection, ConnectionManager
from chat.devices.links import DeviceKey
from tests.chat.accounts import ALICE, BOB

LAPTOP: DeviceKey = (ALICE, "laptop")
PHONE: DeviceKey = (BOB, "phone")
WAIT_S = 30

Outcome = asyncio.Future[None]


def connection(device: DeviceKey = LAPTOP) -> Connection:
    unused: Any = None
    return Connection(id=device[1], device=device, attachment=unused, socket=unused, opened_at=0.0)


class Controlled:
    """Concerns every device. The test decides when each telling ends, and whether it fails."""

    def __init__(self) -> None:
        self.looked_up: list[set[UUID]] = []
        self.told: list[DeviceKey] = []
        self._under_way = asyncio.Queue[Outcome]()

    def concern(self, name: str) -> Concern:
        return Concern(name=name, find=self._find, tell=self._tell)

    async def telling(self) -> Outcome:
        """Wait for the next telling to begin, and return what ends it."""
        async with asyncio.timeout(WAIT_S):
            return await self._under_way.get()

    def _find(self, user_ids: Collection[UUID]) -> list[DeviceKey]:
        self.looked_up.append(set(user_ids))
        return [LAPTOP, PHONE]

    async def _tell(self, connection: Connection) -> None:
        self.told.append(connection.device)
        outcome = asyncio.get_running_loop().create_future()
        self._under_way.put_nowait(outcome)
        await outcome


async def all_ended(arrivals: Arrivals) -> None:
    """Wait until nothing is looked up, told or to be tried again."""
    while arrivals._tasks._tasks:
        assert await arrivals._tasks.wait(WAIT_S)


def fail(telling: Outcome) -> None:
    telling.set_exception(OperationalError("the database is away"))


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.devices.arrivals._GATHER_S", 0)
    monkeypatch.setattr("chat.devices.arrivals._AWAY_S", 0)


def arrivals_of(here: dict[DeviceKey, Connection], *concerns: Controlled) -> Arrivals:
    """``here`` are the devices that are connected."""
    connections = ConnectionManager()
    connections.connection = here.get  # type: ignore[method-assign, assignment]
    return Arrivals(connections=connections, concerns=[each.concern(str(at)) for at, each in enumerate(concerns)])


async def test_concerns_that_fail_at_different_times_are_each_told_once_a_round() -> None:
    one, other, arrived = Controlled(), Controlled(), connection()
    arrivals = arrivals_of({LAPTOP: arrived}, one, other)
    arrivals.add(arrived)

    telling_one, telling_other = await one.telling(), await other.telling()
    for failures in range(1, 5):
        fail(telling_one)
        telling_one = await one.telling()
        assert (len(one.told), len(other.told)) == (failures + 1, failures)
        fail(telling_other)
        telling_other = await other.telling()
        assert (len(one.told), len(other.told)) == (failures + 1, failures + 1)
    telling_one.set_result(None)
    telling_other.set_result(None)

    await all_ended(arrivals)
    assert (len(one.told), len(other.told)) == (5, 5)


async def test_only_the_device_that_was_not_told_is_looked_up_and_told_again() -> None:
    concern, laptop, phone = Controlled(), connection(LAPTOP), connection(PHONE)
    arrivals = arrivals_of({LAPTOP: laptop, PHONE: phone}, concern)
    arrivals.add(laptop)
    arrivals.add(phone)

    telling_laptop, telling_phone = await concern.telling(), await concern.telling()
    telling_laptop.set_result(None)
    fail(telling_phone)
    (await concern.telling()).set_result(None)

    await all_ended(arrivals)
    assert concern.told == [LAPTOP, PHONE, PHONE]
    assert concern.looked_up == [{ALICE, BOB}, {BOB}]


async def test_device_that_has_left_is_not_told_again() -> None:
    concern, arrived = Controlled(), connection()
    here = {LAPTOP: arrived}
    arrivals = arrivals_of(here, concern)
    arrivals.add(arrived)

    telling = await concern.telling()
    del here[LAPTOP]
    fail(telling)

    await all_ended(arrivals)
    assert concern.told == [LAPTOP]
