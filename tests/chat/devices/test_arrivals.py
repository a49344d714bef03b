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
from tests.chat.accounts import ALICE

LAPTOP: DeviceKey = (ALICE, "laptop")
WAIT_S = 20


def connection() -> Connection:
    unused: Any = None
    return Connection(id="one", device=LAPTOP, attachment=unused, socket=unused)


class Failing:
    """Concerns every device, and fails to tell it of itself the first ``failures`` times."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.at_once = 0
        self.most_at_once = 0
        self.was_told = asyncio.Event()

    def concern(self, name: str) -> Concern:
        return Concern(name=name, find=self._find, tell=self._tell)

    def _find(self, _user_ids: Collection[UUID]) -> list[DeviceKey]:
        return [LAPTOP]

    async def _tell(self, _connection: Connection) -> None:
        self.at_once += 1
        self.most_at_once = max(self.at_once, self.most_at_once)
        # Long enough for all that is told in this round to begin.
        await asyncio.sleep(0.05)
        self.at_once -= 1
        self.failures -= 1
        if self.failures >= 0:
            raise OperationalError("the database is away")
        self.was_told.set()


async def test_device_of_which_all_telling_fails_is_told_once_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.devices.arrivals._AWAY_S", 0.05)
    # However late one of them fails, what the other one has asked for has not begun.
    monkeypatch.setattr("chat.devices.arrivals._GATHER_S", 0.5)
    arrived, one, other = connection(), Failing(3), Failing(3)
    here = ConnectionManager()
    monkeypatch.setattr(here, "connection", {LAPTOP: arrived}.get)
    arrivals = Arrivals(connections=here, concerns=[one.concern("one"), other.concern("other")])

    arrivals.add(arrived)
    async with asyncio.timeout(WAIT_S):
        await asyncio.gather(one.was_told.wait(), other.was_told.wait())
    await arrivals.aclose()

    assert (one.most_at_once, other.most_at_once) == (1, 1)
