"""``GET /api/v1/assistant``."""

from dataclasses import replace

import pytest

from chat.services import AssistantFacts
from tests.chat.http import Tokens, rest, sign_in
from tests.chat.sockets import Server

ADDRESS = "/api/v1/assistant"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def tokens() -> Tokens:
    return await sign_in()


async def test_model_is_named(tokens: Tokens) -> None:
    server = Server()
    server.services = replace(server.services, assistant=AssistantFacts(model="gpt-4.1", offline=False))
    async with rest(server, tokens.alice) as alice:
        response = await alice.get(ADDRESS)
    assert (response.status_code, response.json()) == (200, {"model": "gpt-4.1", "offline": False, "models": []})


async def test_server_without_a_model_says_so(tokens: Tokens) -> None:
    async with rest(Server(), tokens.alice) as alice:
        assert (await alice.get(ADDRESS)).json() == {"model": "offline", "offline": True, "models": []}


async def test_model_is_not_disclosed_without_a_token() -> None:
    async with rest(Server(), None) as anonymous:
        assert (await anonymous.get(ADDRESS)).status_code == 401
