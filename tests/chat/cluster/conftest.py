"""Every test of shared state runs with both backends."""

from collections.abc import AsyncIterator

import pytest

from tests.chat.cluster.backends import BACKENDS, Backend
from tests.chat.sockets import WAIT_S


@pytest.fixture(autouse=True)
def _patient_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Generous time-outs: Redis counts as away when a connection fails, not when the machine is busy."""
    monkeypatch.setattr("chat.cluster.redis_connection._WAIT_S", WAIT_S)
    monkeypatch.setattr("chat.cluster.leases._RENEW_S", WAIT_S)


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.redis)])
async def backend(request: pytest.FixtureRequest) -> AsyncIterator[Backend]:
    """The shared state of the test's processes, with its own prefix in Redis."""
    async with BACKENDS[request.param]() as made:
        yield made
