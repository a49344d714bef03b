"""The application's background work: starts with the first event, ends with the process."""

import asyncio
from dataclasses import dataclass, field

import pytest
from asgiref.testing import ApplicationCommunicator
from pytest_django import Settings

from adiuva.server.asgi import Application
from adiuva.wiring import composition
from adiuva.wiring.composition import Parts
from adiuva.wiring.models import models
from agents.allowances import Quota
from agents.engine.summarizer import ModelSummarizer, PlainSummarizer
from agents.permissions.quotas import OverrideCache, QuotaService
from memory.embedders.hashing import HashingEmbedder
from memory.service import MemoryService
from tests.chat.sockets import Server


@dataclass
class Watched(MemoryService):
    """A memory that records when it was started and stopped."""

    events: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(embedder=HashingEmbedder(), summarizer=PlainSummarizer())

    def begin(self) -> None:
        self.events.append("started")

    async def aclose(self) -> None:
        self.events.append("closed")


async def probe(application: Application) -> int:
    """The status of the liveness probe."""
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "path": "/healthz",
        "headers": [],
        "query_string": b"",
    }
    communicator = ApplicationCommunicator(application, scope)
    await communicator.send_input({"type": "http.request", "body": b""})
    answer = await communicator.receive_output(timeout=30)
    await communicator.wait(30)
    status: int = answer["status"]
    return status


async def test_the_memory_works_from_the_first_event_to_the_end() -> None:
    memory = Watched()
    application = Application(Parts(services=Server().services, memory=memory))
    assert memory.events == []

    assert await probe(application) == 200
    assert memory.events == ["started"]
    await application.drain()
    assert memory.events == ["started", "closed"]

    assert await probe(application) == 200
    assert memory.events == ["started", "closed"], "what has ended does not begin again"


async def test_what_fails_to_end_keeps_no_other_from_ending(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail() -> None:
        raise RuntimeError("away")

    memory = Watched()
    application = Application(Parts(services=Server().services, memory=memory))
    assert await probe(application) == 200
    monkeypatch.setattr(application.services.cluster, "aclose", fail)
    await application.drain()

    assert memory.events == ["started", "closed"]


async def test_an_application_without_a_memory_serves_and_leaves() -> None:
    application = Application(Parts(services=Server().services, memory=None))
    async with asyncio.timeout(60):
        assert await probe(application) == 200
        await application.drain()


def test_the_memory_is_wired_into_the_turns(settings: Settings) -> None:
    settings.EMBEDDING_BUDGET_MS = 250
    parts = composition.parts()
    kept = parts.services.turns.memory

    assert parts.memory is kept
    assert isinstance(parts.memory, MemoryService)
    assert parts.memory._recall._budget_s == 0.25
    assert parts.memory._recall._chars == 4 * settings.MEMORY_TOKENS
    assert parts.memory.indexes.max_bytes == 256 * 2**20
    assert isinstance(models().summarizer, PlainSummarizer)


def test_a_model_that_is_connected_writes_the_summaries(settings: Settings) -> None:
    settings.OPENAI_BASE_URL = "http://127.0.0.1:9/v1"
    chosen = models()

    assert chosen.adapter.name == settings.OPENAI_MODEL
    assert isinstance(chosen.summarizer, ModelSummarizer)


def test_an_installation_may_do_without(settings: Settings) -> None:
    settings.MEMORY = False
    parts = composition.parts()

    assert (parts.memory, parts.services.turns.memory) == (None, None)


async def test_quotas_are_kept_up_with_from_the_first_event_to_the_end() -> None:
    book = OverrideCache(read=dict)
    application = Application(Parts(services=Server(quotas=QuotaService(overrides=book)).services, memory=None))
    async with asyncio.timeout(60):
        assert await probe(application) == 200
        assert "reading quotas" in {task.get_name() for task in asyncio.all_tasks()}
        await application.drain()
    assert "reading quotas" not in {task.get_name() for task in asyncio.all_tasks()}


def test_the_settings_set_the_default_quota(settings: Settings) -> None:
    settings.DAILY_TURNS, settings.DAILY_TOKENS = 3, 700

    assert composition.parts().services.turns.run.quotas.installation == Quota(turns=3, tokens=700)
