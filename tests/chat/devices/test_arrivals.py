"""Handlers run once for each device that connects, also if they fail for a while."""

import asyncio
from collections.abc import Collection
from typing import Any
from uuid import UUID

import pytest
from django.db import OperationalError

from chat.devices.arrivals import ArrivalHandler, Arrivals
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
    """Has work for every device. The test decides when each run ends, and whether it fails."""

    def __init__(self) -> None:
        self.looked_up: list[set[UUID]] = []
        self.handled: list[DeviceKey] = []
        self._under_way = asyncio.Queue[Outcome]()

    def handler(self, name: str) -> ArrivalHandler:
        return ArrivalHandler(name=name, find=self._find, handle=self._handle)

    async def run(self) -> Outcome:
        """Wait for the next run to begin, and return the future that ends it."""
        async with asyncio.timeout(WAIT_S):
            return await self._under_way.get()

    def _find(self, user_ids: Collection[UUID]) -> list[DeviceKey]:
        self.looked_up.append(set(user_ids))
        return [LAPTOP, PHONE]

    async def _handle(self, connection: Connection) -> None:
        self.handled.append(connection.device)
        outcome = asyncio.get_running_loop().create_future()
        self._under_way.put_nowait(outcome)
        await outcome


async def all_ended(arrivals: Arrivals) -> None:
    """Wait until nothing is looked up, handled or to be tried again."""
    while arrivals._tasks._tasks:
        assert await arrivals._tasks.wait(WAIT_S)


def fail(run: Outcome) -> None:
    run.set_exception(OperationalError("the database is away"))


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.devices.arrivals._GATHER_S", 0)
    monkeypatch.setattr("chat.devices.arrivals._AWAY_S", 0)


def arrivals_of(here: dict[DeviceKey, Connection], *handlers: Controlled) -> Arrivals:
    """``here`` are the devices that are connected."""
    connections = ConnectionManager()
    connections.connection = here.get  # type: ignore[method-assign, assignment]
    return Arrivals(connections=connections, handlers=[each.handler(str(index)) for index, each in enumerate(handlers)])


async def test_handlers_that_fail_at_different_times_run_once_in_each_round() -> None:
    one, other, arrived = Controlled(), Controlled(), connection()
    arrivals = arrivals_of({LAPTOP: arrived}, one, other)
    arrivals.add(arrived)

    run_of_one, run_of_other = await one.run(), await other.run()
    for failures in range(1, 5):
        fail(run_of_one)
        run_of_one = await one.run()
        assert (len(one.handled), len(other.handled)) == (failures + 1, failures)
        fail(run_of_other)
        run_of_other = await other.run()
        assert (len(one.handled), len(other.handled)) == (failures + 1, failures + 1)
    run_of_one.set_result(None)
    run_of_other.set_result(None)

    await all_ended(arrivals)
    assert (len(one.handled), len(other.handled)) == (5, 5)


async def test_only_the_device_whose_handler_failed_is_looked_up_again() -> None:
    handler, laptop, phone = Controlled(), connection(LAPTOP), connection(PHONE)
    arrivals = arrivals_of({LAPTOP: laptop, PHONE: phone}, handler)
    arrivals.add(laptop)
    arrivals.add(phone)

    run_for_laptop, run_for_phone = await handler.run(), await handler.run()
    run_for_laptop.set_result(None)
    fail(run_for_phone)
    (await handler.run()).set_result(None)

    await all_ended(arrivals)
    assert handler.handled == [LAPTOP, PHONE, PHONE]
    assert handler.looked_up == [{ALICE, BOB}, {BOB}]


async def test_device_that_has_left_is_not_handled_again() -> None:
    handler, arrived = Controlled(), connection()
    here = {LAPTOP: arrived}
    arrivals = arrivals_of(here, handler)
    arrivals.add(arrived)

    run = await handler.run()
    del here[LAPTOP]
    fail(run)

    await all_ended(arrivals)
    assert handler.handled == [LAPTOP]
