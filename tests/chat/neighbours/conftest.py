"""Every test of what processes share runs over both grounds."""

from collections.abc import AsyncIterator

import pytest

from tests.chat.neighbours.grounds import GROUNDS, Ground


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.redis)])
async def ground(request: pytest.FixtureRequest) -> AsyncIterator[Ground]:
    """What the processes of the test share, with a prefix of its own where it is in Redis."""
    async with GROUNDS[request.param]() as made:
        yield made
