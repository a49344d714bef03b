from collections.abc import Iterator
from uuid import uuid4

import pytest
from pytest_django import Settings

from accounts.models import User
from adiuva.metrics import metrics
from adiuva.wiring.observation import observation
from agents.telemetry.models import TurnRecord
from tests.agents.turns import turn
from tests.langfuse_server.ingestion import Ingestion, ingestion


@pytest.fixture
def taking(settings: Settings) -> Iterator[Ingestion]:
    with ingestion() as server:
        settings.LANGFUSE_HOST, settings.LANGFUSE_PUBLIC_KEY = server.url, server.public_key
        settings.LANGFUSE_SECRET_KEY = server.secret_key
        yield server


async def test_without_settings_turns_are_only_written_down() -> None:
    made = observation()
    assert made.observers.listeners == (made.recorder,)
    assert made.tracers == ()
    assert not made.observers.keep_content
    await made.aclose()


@pytest.mark.parametrize("missing", ["LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY"])
async def test_half_of_the_keys_sends_nothing(taking: Ingestion, settings: Settings, missing: str) -> None:
    setattr(settings, missing, "")
    assert observation().tracers == ()


@pytest.mark.django_db(transaction=True)
async def test_leaving_writes_and_sends_what_is_left(taking: Ingestion, alice: User, settings: Settings) -> None:
    settings.METRICS_TOKEN = "a token"
    made = observation()
    assert len(made.tracers) == 1
    assert metrics in made.observers.listeners
    made.observers._tell(turn(alice.id))
    await made.aclose()
    assert [row.user_id async for row in TurnRecord.objects.all()] == [alice.id]
    assert [span.name for span in taking.spans] == ["home turn"]


async def test_content_goes_along_only_when_it_is_asked_for(taking: Ingestion, settings: Settings) -> None:
    kept = []
    for settings.TRACE_CONTENT in (False, True):
        made = observation()
        kept.append(made.observers.keep_content)
        await made.aclose()
    assert kept == [False, True]


async def test_traces_go_to_every_place_that_is_set(taking: Ingestion, settings: Settings) -> None:
    with ingestion(path="/v1/traces", credentials="api-key=abc") as collector:
        settings.OTLP_ENDPOINT, settings.OTLP_HEADERS = collector.url, {"authorization": "api-key=abc"}
        settings.ENVIRONMENT, settings.RELEASE = "staging", "7"
        made = observation()
        made.observers._tell(turn(uuid4()))
        await made.aclose()
    assert [span.name for span in taking.spans] == ["home turn"]
    assert [span.name for span in collector.spans] == ["invoke_agent task_agent"]
    assert collector.resource == {
        "service.name": "adiuva",
        "deployment.environment.name": "staging",
        "service.version": "7",
    }
