"""Every test of what processes share runs over both grounds."""

from collections.abc import AsyncIterator

import pytest

from tests.chat.cluster.grounds import GROUNDS, Ground
from tests.chat.sockets import WAIT_S


@pytest.fixture(autouse=True)
def _patient_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Redis is away when a connection fails, not when the machine is busy."""
    monkeypatch.setattr("chat.cluster.over_redis.line._WAIT_S", WAIT_S)


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.redis)])
async def ground(request: pytest.FixtureRequest) -> AsyncIterator[Ground]:
    """What the processes of the test share, with a prefix of its own where it is in Redis."""
    async with GROUNDS[request.param]() as made:
        yield made
