from collections.abc import AsyncIterator

import pytest

from tests.agents.jobs.grounds import GROUNDS, Ground, RabbitGround, in_rabbitmq


@pytest.fixture(params=["memory", pytest.param("rabbitmq", marks=pytest.mark.rabbitmq)])
async def ground(request: pytest.FixtureRequest) -> AsyncIterator[Ground]:
    async with GROUNDS[request.param]() as ground:
        yield ground


@pytest.fixture
async def broker() -> AsyncIterator[RabbitGround]:
    async with in_rabbitmq() as ground:
        yield ground
