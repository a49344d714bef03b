from collections.abc import Iterator

import pytest
from pytest_django import Settings

from accounts.models import User
from adiuva.metrics import metrics
from adiuva.wiring.observation import observation
from agents.telemetry.models import TurnRecord
from agents.telemetry.tracing.langfuse import LangfuseTracer
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
    assert made.tracer is None
    assert not made.observers.keep_content
    await made.aclose()


@pytest.mark.parametrize("missing", ["LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY"])
async def test_half_of_the_keys_sends_nothing(taking: Ingestion, settings: Settings, missing: str) -> None:
    setattr(settings, missing, "")
    assert observation().tracer is None


@pytest.mark.django_db(transaction=True)
async def test_leaving_writes_and_sends_what_is_left(taking: Ingestion, alice: User, settings: Settings) -> None:
    settings.METRICS_TOKEN = "a token"
    made = observation()
    assert isinstance(made.tracer, LangfuseTracer)
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
