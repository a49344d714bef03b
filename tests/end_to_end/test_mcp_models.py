"""Models as tools: what an SDK client lists and calls, compared with the requests that each model's server received."""

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import mcp_types
import pytest
from mcp.shared.exceptions import MCPError

from tests.adiuva.production import manage
from tests.adiuva.servers import lines_until_ready, serving
from tests.conftest import PASSWORD
from tests.databases import fresh_database
from tests.end_to_end.conftest import Account, Running, environment, register
from tests.end_to_end.mcp_clients import bearer, mcp_client, personal_token, text_of
from tests.end_to_end.midnight import wait_for_a_new_day
from tests.end_to_end.test_device import device, drawn
from tests.model_server.recorded import Recorded
from tests.model_server.scripts import Status, says
from tests.model_server.server import ModelServer

pytestmark = pytest.mark.end_to_end


@dataclass(frozen=True)
class Several(Running):
    """A server with models at two addresses: the assistant's own at ``model``, another at ``beside``."""

    beside: ModelServer
    env: dict[str, str]


@pytest.fixture(scope="module")
def several(database_server: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Several]:
    with ModelServer() as own, ModelServer() as beside, fresh_database() as url:
        models = [
            {"name": "large", "model": "vendor/large-1", "description": "Writes well."},
            {
                "name": "beside",
                "model": "beside-1",
                "base_url": beside.base_url,
                "api_key": "sk-beside",
                "parameters": ["max_tokens"],
            },
        ]
        env = environment(
            url,
            tmp_path_factory.mktemp("server"),
            OPENAI_BASE_URL=own.base_url,
            OPENAI_API_KEY="sk-own",
            ADIUVA_MODELS=json.dumps(models),
        )
        with serving("--port", "0", env=env) as process:
            _, address = lines_until_ready(process)
            yield Several(url=address, model=own, beside=beside, env=env)
            process.terminate()
            assert process.wait(30) == 0


@pytest.fixture
def alice(several: Several) -> Account:
    return register(several.url)


def about(server: ModelServer, word: str) -> list[Recorded]:
    """The requests that contain ``word``."""
    return [request for request in server.requests if word in json.dumps(request.messages)]


def session_in(result: mcp_types.CallToolResult) -> str:
    found = re.search(r"\[session: ([0-9a-f-]{36})\]$", text_of(result))
    assert found is not None, text_of(result)
    return found[1]


async def test_each_model_is_listed_with_its_parameters_as_they_are(several: Several, alice: Account) -> None:
    async with mcp_client(several.url, personal_token(several.url, alice).text) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools if tool.name.startswith("chat_with_")}

    assert listed.keys() == {"chat_with_gpt_4_1", "chat_with_gpt_4_1_mini", "chat_with_large", "chat_with_beside"}
    large, beside = listed["chat_with_large"], listed["chat_with_beside"]
    assert large.description == "Talk with the model vendor/large-1. Writes well."
    assert large.annotations is not None
    # Each answer takes the conversation further, and is a model's, beyond the user's own data.
    assert (large.annotations.read_only_hint, large.annotations.open_world_hint) == (False, True)
    properties = large.input_schema["properties"]
    kinds = {name: {key: each[key] for key in each if key != "description"} for name, each in properties.items()}
    assert kinds == {
        "prompt": {"type": "string"},
        "session": {"type": "string", "format": "uuid"},
        "temperature": {"type": "number", "minimum": 0, "maximum": 2},
        "max_tokens": {"type": "integer", "minimum": 1},
    }
    assert large.input_schema["required"] == ["prompt"]
    assert beside.input_schema["properties"].keys() == {"prompt", "session", "max_tokens"}


async def test_a_session_goes_on_and_each_server_is_sent_what_is_for_it(several: Several, alice: Account) -> None:
    word = drawn("Which colour?")
    several.model.when(lambda request: word in json.dumps(request.messages), says("Blue."), says("The sky."))
    async with mcp_client(several.url, personal_token(several.url, alice).text) as client:
        first = await client.call_tool("chat_with_large", {"prompt": word, "temperature": 0.5, "max_tokens": None})
        session = session_in(first)
        second = await client.call_tool("chat_with_large", {"prompt": "Why?", "session": session, "max_tokens": 7})

    assert (first.is_error, second.is_error) == (False, False)
    assert text_of(second) == f"The sky.\n\n[session: {session}]"
    asked, asked_again = about(several.model, word)
    assert asked.messages == [{"role": "user", "content": word}]
    assert asked_again.messages == [
        {"role": "user", "content": word},
        {"role": "assistant", "content": "Blue."},
        {"role": "user", "content": "Why?"},
    ]
    assert {request.body["model"] for request in (asked, asked_again)} == {"vendor/large-1"}
    given = [
        {
            name: value
            for name, value in request.body.items()
            if name in {"temperature", "max_completion_tokens", "tools"}
        }
        for request in (asked, asked_again)
    ]
    assert given == [{"temperature": 0.5}, {"max_completion_tokens": 7}]
    assert about(several.beside, word) == []


async def test_each_server_is_sent_its_own_key(several: Several, alice: Account) -> None:
    word = drawn("Which key?")
    async with mcp_client(several.url, personal_token(several.url, alice).text) as client:
        await client.call_tool("chat_with_large", {"prompt": word})
        await client.call_tool("chat_with_beside", {"prompt": word})

    [own], [beside] = about(several.model, word), about(several.beside, word)
    assert (own.headers["authorization"], beside.headers["authorization"]) == ("Bearer sk-own", "Bearer sk-beside")
    assert beside.body["model"] == "beside-1"


async def test_a_session_is_with_one_model_and_of_one_user(several: Several, alice: Account) -> None:
    word = drawn("Keep this")
    async with (
        mcp_client(several.url, personal_token(several.url, alice).text) as hers,
        mcp_client(several.url, personal_token(several.url, register(several.url)).text) as his,
    ):
        session = session_in(await hers.call_tool("chat_with_large", {"prompt": word}))
        other_model = await hers.call_tool("chat_with_beside", {"prompt": "Why?", "session": session})
        other_user = await his.call_tool("chat_with_large", {"prompt": "Why?", "session": session})

    assert (other_model.is_error, other_user.is_error) == (True, True)
    assert text_of(other_model).startswith(f"There is no session {session} with beside")
    assert len(about(several.model, word)) == 1
    assert about(several.beside, word) == []


async def test_what_a_model_does_not_take_is_named_with_the_model(several: Several, alice: Account) -> None:
    word = drawn("Which colour?")
    refusal = Status(400, code="unsupported_value", parameter="temperature", message="Only 1 is supported")
    several.model.when(lambda request: word in request.asked, [refusal])
    async with mcp_client(several.url, personal_token(several.url, alice).text) as client:
        unknown = await client.call_tool("chat_with_beside", {"prompt": word, "temperature": 0.5})
        refused = await client.call_tool("chat_with_large", {"prompt": word, "temperature": 0.5})

    assert (unknown.is_error, refused.is_error) == (True, True)
    assert text_of(unknown) == "beside-1 takes no temperature: leave it out."
    assert text_of(refused) == "The model vendor/large-1 does not take this temperature."
    assert about(several.beside, word) == []


async def test_no_agent_of_the_assistant_is_offered_a_model(several: Several, alice: Account, tmp_path: Path) -> None:
    word = drawn("hello")
    async with (
        device(several, alice, tmp_path / "device.sqlite3"),
        httpx.AsyncClient(base_url=several.url, headers=bearer(alice.access), timeout=30) as rest,
    ):
        assert (await rest.post("/api/v1/chat", json={"message": word})).status_code == 200

    offered = {tool for request in about(several.model, word) for tool in request.tools}
    assert "list_tasks" in offered
    assert {tool for tool in offered if tool.startswith("chat_with_") or tool == "turn_log"} == set()


async def test_tokens_count_and_turns_do_not(several: Several, alice: Account) -> None:
    wait_for_a_new_day()
    async with (
        mcp_client(several.url, personal_token(several.url, alice).text) as client,
        httpx.AsyncClient(base_url=several.url, headers=bearer(alice.access), timeout=30) as rest,
    ):
        await client.call_tool("chat_with_large", {"prompt": drawn("Which colour?")})
        used = (await rest.get("/api/v1/usage")).json()
    # As the model server counts them: 11 in, 7 out.
    assert (used["turns"], used["tokens"]) == (0, 18)


@pytest.fixture
def sam(several: Several) -> Account:
    """A staff member."""
    email = f"{drawn().strip()}@example.com"
    made = manage(
        "createsuperuser", "--no-input", "--email", email, env={**several.env, "DJANGO_SUPERUSER_PASSWORD": PASSWORD}
    )
    assert made.returncode == 0, made.stderr
    answer = httpx.post(f"{several.url}/api/v1/auth/token", json={"email": email, "password": PASSWORD}, timeout=30)
    assert answer.status_code == 200, answer.text
    return Account(email=email, password=PASSWORD, access=answer.json()["access"])


async def test_staff_find_a_users_call_in_the_log_of_turns(several: Several, alice: Account, sam: Account) -> None:
    word = drawn("Which colour?")
    async with (
        mcp_client(several.url, personal_token(several.url, alice).text) as hers,
        mcp_client(several.url, personal_token(several.url, sam, "staff:read").text) as his,
    ):
        called = await hers.call_tool("chat_with_beside", {"prompt": word})
        assert called.meta is not None
        named = called.meta["adiuva/request_id"]
        async with asyncio.timeout(60):
            # Records are written in the background.
            while "Found no turns." in (found := text_of(await his.call_tool("turn_log", {"request_id": named}))):
                pass
        assert "turn_log" not in {tool.name for tool in (await hers.list_tools()).tools}
        with pytest.raises(MCPError, match="There is no tool named 'turn_log'"):
            await hers.call_tool("turn_log", {})

    assert found.startswith("Found 1 turn")
    assert " mcp: done, " in found
    assert "1 request to models with beside-1 last, 11 tokens in and 7 out, chat_with_beside (1×, " in found
    assert word not in found
