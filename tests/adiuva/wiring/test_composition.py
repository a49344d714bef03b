"""Which implementation is behind each port."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from adiuva.server import asgi
from adiuva.server.health import NotReady
from adiuva.wiring import composition
from chat.protocol.frames.server import ModelInfo
from chat.services import AssistantFacts
from tests.adiuva.servers import reserved_port
from tests.chat.cluster.backends import REDIS_URL


@pytest.fixture
def own_line() -> Iterator[None]:
    """A Redis connection pool on this test's loop."""
    composition.redis_connection.cache_clear()
    yield
    composition.redis_connection.cache_clear()


def test_processes_share_their_state_where_redis_is_configured(own_line: None, settings: Settings) -> None:
    assert composition.cluster_ports().shared is False
    assert composition.parts().services.turns.run.approvals.alone is True

    settings.REDIS_URL = REDIS_URL
    assert composition.cluster_ports().shared is True
    assert composition.parts().services.turns.run.approvals.alone is False


async def test_redis_that_is_away_is_not_ready(own_line: None, settings: Settings) -> None:
    with reserved_port() as port:
        settings.REDIS_URL = f"redis://127.0.0.1:{port}"
        with pytest.raises(NotReady, match=r"^cannot be reached$"):
            await asgi.check_redis()
        await composition.redis_connection().aclose()


@pytest.mark.redis
async def test_redis_that_is_there_is_ready(own_line: None, settings: Settings) -> None:
    settings.REDIS_URL = REDIS_URL
    await asgi.check_redis()
    await composition.redis_connection().aclose()


@pytest.mark.parametrize(("url", "started"), [("", ["the folder"]), ("postgresql://db.example.com/adiuva", [])])
def test_only_the_embedded_database_is_started_again(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, url: str, started: list[str]
) -> None:
    done: list[object] = []
    monkeypatch.setattr(composition, "drop_pool", lambda: done.append("dropped"))
    monkeypatch.setattr("adiuva.database.embedded.start_again", done.append)
    settings.DATABASE_URL, settings.DATA_DIR = url, "the folder"
    composition.database_gone()
    assert done == ["dropped", *started]


def test_clients_are_told_which_model_answers(settings: Settings) -> None:
    assert composition.parts().services.assistant == AssistantFacts(model="offline", offline=True)

    settings.OPENAI_BASE_URL, settings.OPENAI_MODEL = "http://127.0.0.1:9/v1", "gpt-4.1"
    models = [ModelInfo(name="gpt_4_1", display_name="gpt-4.1", default=True, images=True)]
    facts = AssistantFacts(model="gpt-4.1", offline=False, models=models)
    assert composition.parts().services.assistant == facts
