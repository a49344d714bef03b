"""Which implementation is behind each port."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from adiuva import wiring
from adiuva.health import NotReady
from chat.services import AssistantFacts
from tests.adiuva.servers import reserved_port
from tests.chat.cluster.grounds import REDIS_URL


@pytest.fixture
def own_line() -> Iterator[None]:
    """A connection pool to Redis that belongs to this test's loop."""
    wiring.redis_line.cache_clear()
    yield
    wiring.redis_line.cache_clear()


def test_processes_share_their_state_where_redis_is_configured(own_line: None, settings: Settings) -> None:
    assert wiring.commons().shared is False
    assert wiring.parts().services.turns.kit.approvals.alone is True

    settings.REDIS_URL = REDIS_URL
    assert wiring.commons().shared is True
    assert wiring.parts().services.turns.kit.approvals.alone is False


async def test_redis_that_is_away_is_not_ready(own_line: None, settings: Settings) -> None:
    with reserved_port() as port:
        settings.REDIS_URL = f"redis://127.0.0.1:{port}"
        with pytest.raises(NotReady, match=r"^cannot be reached$"):
            await wiring.check_redis()
        await wiring.redis_line().aclose()


@pytest.mark.redis
async def test_redis_that_is_there_is_ready(own_line: None, settings: Settings) -> None:
    settings.REDIS_URL = REDIS_URL
    await wiring.check_redis()
    await wiring.redis_line().aclose()


def test_clients_are_told_which_model_answers(settings: Settings) -> None:
    assert wiring.parts().services.assistant == AssistantFacts(model="offline", offline=True)

    settings.OPENAI_BASE_URL, settings.OPENAI_MODEL = "http://127.0.0.1:9/v1", "gpt-4.1"
    assert wiring.parts().services.assistant == AssistantFacts(model="gpt-4.1", offline=False)
