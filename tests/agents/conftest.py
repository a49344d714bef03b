import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from agents.tools.client import RecordingClient, using_client
from agents.tools.context import CallContext
from tests.agents.embedding import RecordingEmbedder
from tests.agents.tables import InMemoryClient

NOW = datetime(2026, 3, 29, 10, 0, tzinfo=UTC)
"""A Sunday in Rome on which the day has 23 hours."""


@pytest.fixture
def embedder() -> RecordingEmbedder:
    return RecordingEmbedder()


@pytest.fixture
def context(embedder: RecordingEmbedder) -> CallContext:
    rome = ZoneInfo("Europe/Rome")
    return CallContext(
        user_id=uuid.uuid4(),
        timezone=rome,
        language="en",
        now=lambda: NOW.astimezone(rome),
        embedder=embedder,
    )


@pytest.fixture
def client() -> InMemoryClient:
    return InMemoryClient()


@pytest.fixture
def run(client: InMemoryClient) -> Iterator[RecordingClient]:
    run = RecordingClient(client)
    with using_client(run):
        yield run


@pytest.fixture
def milliseconds() -> Callable[[str], int]:
    def convert(text: str) -> int:
        return round(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo("Europe/Rome")).timestamp() * 1000)

    return convert
