from collections.abc import AsyncIterator

import pytest

from tests.agents.jobs.queue_backends import BACKENDS, QueueBackend, RabbitQueueBackend, in_rabbitmq


@pytest.fixture(params=["memory", pytest.param("rabbitmq", marks=pytest.mark.rabbitmq)])
async def backend(request: pytest.FixtureRequest) -> AsyncIterator[QueueBackend]:
    async with BACKENDS[request.param]() as backend:
        yield backend


@pytest.fixture
async def broker() -> AsyncIterator[RabbitQueueBackend]:
    async with in_rabbitmq() as backend:
        yield backend
