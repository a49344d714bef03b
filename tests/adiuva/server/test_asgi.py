"""The application's background work: starts with the first event, ends with the process."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import httpx
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
from tests.agents.test_images import drawn
from tests.chat.http import sign_in
from tests.chat.rest.test_api_fuzz import serving
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


async def pieces(body: bytes) -> AsyncIterator[bytes]:
    """A body that a client sends in chunks, because it does not know how long it is."""
    for start in range(0, len(body), 10_000):
        yield body[start : start + 10_000]


@pytest.mark.django_db(transaction=True)
async def test_a_body_in_chunks_is_read_as_one_with_a_length() -> None:
    tokens = await sign_in()
    async with serving(Server()) as address, httpx.AsyncClient(base_url=f"{address}/api/v1/") as client:
        client.headers["authorization"] = f"Bearer {tokens.alice}"
        bodies = (b'{"timezone":"Asia/Tokyo"}', b'{"unheard":1}', b"{", b'{"timezone":"%s"}' % (b"x" * 300_000))
        json = {"content-type": "application/json"}
        changed = [await client.patch("auth/me", content=pieces(body), headers=json) for body in bodies]
        image = await client.post("images", content=pieces(drawn("PNG")), headers={"content-type": "image/png"})
        account = (await client.get("auth/me")).json()

    assert [answer.status_code for answer in changed] == [200, 400, 400, 413]
    assert (image.status_code, account["timezone"]) == (201, "Asia/Tokyo")
