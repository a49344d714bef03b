"""An MCP client, the real server, and the real device with its own SQLite file."""

import asyncio
import json
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest

from agents.permissions.approvals.refusals import Refusal
from device.tables import TableName
from tests.end_to_end.conftest import Account, Running
from tests.end_to_end.mcp_clients import bearer, mcp_client, personal_token, text_of
from tests.end_to_end.test_device import device, drawn, in_file, requests_about
from tests.model_server.scripts import says

pytestmark = pytest.mark.end_to_end


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "device.sqlite3"


async def test_each_tool_is_listed_as_a_model_gets_it(running: Running, alice: Account, data: Path) -> None:
    """The SDK client's list of tools, compared with the ``tools`` that the model server received."""
    word = drawn("hello")
    running.model.when(lambda request: word in request.asked, says("Hello."))
    async with (
        device(running, alice, data),
        httpx.AsyncClient(base_url=running.url, headers=bearer(alice.access), timeout=30) as rest,
        mcp_client(running.url, personal_token(running.url, alice).text) as client,
    ):
        assert (await rest.post("/api/v1/chat", json={"message": word})).json()["agent"] == "general_agent"
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert client.protocol_version == "2026-07-28"

    sent: dict[str, Any] = {
        tool["function"]["name"]: tool["function"] for tool in requests_about(running, word)[-1].body["tools"]
    }
    assert len(sent) > 10
    # Only this agent has it, to look for the tools that its requests leave out.
    del sent["find_tools"]
    for name, function in sent.items():
        shown = {"name": name, "description": listed[name].description, "parameters": listed[name].input_schema}
        # A model's schema leaves out that nothing else is taken.
        assert shown == {**function, "parameters": {**function["parameters"], "additionalProperties": False}}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_task_that_is_created_is_in_the_devices_file(
    running: Running, alice: Account, data: Path, mode: Literal["auto", "legacy"]
) -> None:
    title = drawn("Pay the “rent” ∑")
    async with (
        device(running, alice, data),
        mcp_client(running.url, personal_token(running.url, alice).text, mode=mode) as client,
    ):
        created = await client.call_tool("create_task", {"title": title, "priority": "high", "is_ai_suggested": 1})
        listed = await client.call_tool("list_tasks", {"search": title})
    assert (created.is_error, listed.is_error) == (False, False)
    assert title in text_of(created)
    assert title in text_of(listed)
    assert in_file(data, "SELECT title, priority, isAiSuggested FROM tasks") == [(title, "high", 1)]


async def test_what_must_be_asked_about_waits_for_rest(running: Running, alice: Account, data: Path) -> None:
    title = drawn("Pay the rent")
    async with (
        device(running, alice, data) as (_, store),
        httpx.AsyncClient(base_url=running.url, headers=bearer(alice.access), timeout=30) as rest,
        mcp_client(running.url, personal_token(running.url, alice).text) as client,
    ):
        task_id = store.insert(TableName.TASKS, {"title": title})["id"]
        asked = await client.call_tool("delete_task", {"task_id": task_id})
        [waiting] = (await rest.get("/api/v1/approvals")).json()["results"]
        assert asked.is_error
        assert text_of(asked).startswith(Refusal.PENDING)
        assert f"It waits as approval {waiting['id']}" in text_of(asked)
        assert in_file(data, "SELECT title FROM tasks") == [(title,)]

        answer = await rest.post(f"/api/v1/approvals/{waiting['id']}", json={"approved": True})
        assert answer.status_code == 200, answer.text
        async with asyncio.timeout(60):
            while in_file(data, "SELECT title FROM tasks"):
                # A round trip to the device that ends by itself.
                await client.call_tool("list_tasks", {})


async def test_wrong_arguments_are_reported_so_that_they_can_be_corrected(
    running: Running, alice: Account, data: Path
) -> None:
    async with (
        device(running, alice, data),
        mcp_client(running.url, personal_token(running.url, alice).text) as client,
    ):
        wrong = await client.call_tool("create_task", {"title": 7, "colour": "red"})
    assert wrong.is_error
    assert text_of(wrong).startswith("The arguments of create_task are not right:")
    assert "colour" in text_of(wrong)
    assert in_file(data, "SELECT count(*) FROM tasks") == [(0,)]


async def test_a_device_that_is_away_is_said_to_be(running: Running, alice: Account) -> None:
    async with mcp_client(running.url, personal_token(running.url, alice).text) as client:
        result = await client.call_tool("list_tasks", {})
    assert result.is_error
    assert "device is not connected" in text_of(result)


async def test_a_slow_tool_begins_as_a_job(running: Running, alice: Account, data: Path) -> None:
    async with (
        device(running, alice, data),
        httpx.AsyncClient(base_url=running.url, headers=bearer(alice.access), timeout=30) as rest,
        mcp_client(running.url, personal_token(running.url, alice).text) as client,
    ):
        begun = await client.call_tool("weekly_review", {})
        jobs = (await rest.get("/api/v1/jobs")).json()["results"]
    assert not begun.is_error
    assert [job["tool"] for job in jobs] == ["weekly_review"]
    assert f"It is job {jobs[0]['id']}" in text_of(begun)


async def test_users_cannot_reach_each_others_rows(running: Running, alice: Account, bob: Account, data: Path) -> None:
    title = drawn("Pay the rent")
    async with (
        device(running, alice, data) as (_, store),
        mcp_client(running.url, personal_token(running.url, bob).text) as client,
    ):
        store.insert(TableName.TASKS, {"title": title})
        assert title not in text_of(await client.call_tool("list_tasks", {}))


def discover(url: str, token: str | None, **headers: str) -> httpx.Response:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    given = {"accept": "application/json, text/event-stream", "content-type": "application/json", **headers}
    authorization = {} if token is None else bearer(token)
    return httpx.post(f"{url}/mcp", content=json.dumps(body), headers={**given, **authorization}, timeout=30)


def test_a_revoked_token_opens_nothing_more(running: Running, alice: Account) -> None:
    token = personal_token(running.url, alice)
    assert discover(running.url, token.text).status_code == 200
    revoked = httpx.delete(f"{running.url}/api/v1/auth/tokens/{token.id}", headers=bearer(alice.access), timeout=30)
    refused = [discover(running.url, text) for text in (token.text, "adv_" + "a" * 43, alice.access, None)]
    assert (revoked.status_code, [answer.status_code for answer in refused]) == (204, [401] * 4)
    metadata = f"{running.url}/.well-known/oauth-protected-resource/mcp"
    wrong, absent = (
        f'Bearer realm="adiuva", {error}scope="read write", resource_metadata="{metadata}"'
        for error in ('error="invalid_token", ', "")
    )
    assert [answer.headers["www-authenticate"] for answer in refused] == [wrong, wrong, wrong, absent]
    assert len({answer.text for answer in refused}) == 1
