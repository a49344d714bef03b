"""Structured content, progress, and calls cancelled by a later request."""

import asyncio
import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from agents.calls import Table
from agents.mcp.definitions import output_schema
from agents.mcp.exposure import exposed_tools
from agents.mcp.server import VERSION
from agents.mcp.under_way import CallUnderWay
from tests.agents.mcp.worlds import (
    MODERN,
    SAMS,
    HangingClient,
    World,
    called,
    headers,
    listed,
    request,
    serving,
)

LEGACY = {"mcp-protocol-version": "2025-11-25", "user-agent": "zed/1.2"}


def test_version_equals_that_of_project() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["version"] == VERSION


@pytest.fixture
def world() -> World:
    world = World()
    assert world.client is not None
    world.client.rows[Table.TASKS] += [
        {
            "id": "t1",
            "title": 'Pay the "rent"',
            "status": "in_progress",
            "priority": "high",
            "projectId": "p1",
            "dueDate": 1774710000000,
            "description": "In cash",
            "assignee": '["Anna"]',
        },
        {"id": "t2", "title": "Buy milk", "status": "todo", "projectId": None, "dueDate": 10**18},
    ]
    return world


async def test_structured_content_of_rows_fits_schema(world: World) -> None:
    async with serving(world) as client:
        schema = (await listed(client))["list_tasks"]["outputSchema"]
        result = (await called(client, "list_tasks", {}))["result"]
    jsonschema.validate(result["structuredContent"], schema)
    [part] = result["structuredContent"]["parts"]
    assert (part["name"], part["omitted"], part["complete"]) == ("tasks", 0, True)
    assert part["rows"] == [
        {
            "id": "t1",
            "title": 'Pay the "rent"',
            "status": "in_progress",
            "priority": "high",
            "assignees": ["Anna"],
            "dueDate": "2026-03-29T00:00:00+09:00",
        },
        {"id": "t2", "title": "Buy milk", "status": "todo"},
    ]


async def test_errors_have_no_structured_content(world: World) -> None:
    async with serving(world) as client:
        result = (await called(client, "create_task", {"title": 7}))["result"]
    assert (result["isError"], "structuredContent" in result) == (True, False)


def test_every_tool_for_rows_has_output_schema() -> None:
    without = {tool.tool_name for tool in exposed_tools(staff=True) if output_schema(tool) is None}
    assert without == {"turn_log", "recall", "remember", "forget", "search_history"}


def messages(text: str) -> list[dict[str, Any]]:
    """The messages of a stream."""
    return [json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line.startswith("data: {")]


@pytest.mark.parametrize("revision", [MODERN, "2025-11-25"])
async def test_client_that_requests_progress_gets_it(world: World, revision: str) -> None:
    body = request("tools/call", name="list_tasks", arguments={})
    body["params"]["_meta"] = {**body["params"]["_meta"], "progressToken": "p"}
    given = {**headers("tools/call", "list_tasks"), "mcp-protocol-version": revision}
    async with serving(world) as client:
        answer = await client.post("/mcp", json=body, headers=given)
    *progress, last = messages(answer.text)
    assert [each["params"] for each in progress] == [
        {"progressToken": "p", "progress": step, "message": "Looking up tasks"} for step in range(len(progress))
    ]
    assert len(progress) > 1
    assert "Buy milk" in last["result"]["content"][0]["text"]


async def test_only_increasing_progress_is_reported() -> None:
    told: list[float] = []

    async def report(progress: float, _total: float | None, _message: str) -> None:
        told.append(progress)

    call = CallUnderWay(reporter=report)
    # A job that is tried again begins anew.
    for fraction in (0, 0.4, 0.4, 0.2, 0.6):
        await call.report(fraction, 1.0, "Reading")

    assert told == [0, 0.4, 0.6]


@pytest.mark.parametrize("meta", [{}, {"progressToken": "p"}], ids=["at once", "streamed"])
async def test_cancellation_requires_token_of_call(meta: dict[str, str]) -> None:
    device = HangingClient()
    world = World(client=device)
    cancelling = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    params = {"name": "list_tasks", "arguments": {}, "_meta": meta}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    given = {**headers("tools/call", "list_tasks"), **LEGACY}
    async with serving(world) as client, asyncio.timeout(30):
        call = asyncio.create_task(client.post("/mcp", json=body, headers=given))
        await device.asked.wait()
        others = {**headers(token=SAMS), **LEGACY}
        await client.post("/mcp", json=cancelling, headers=others)
        assert not device.over.is_set()
        said = await client.post("/mcp", json=cancelling, headers={**headers(), **LEGACY})
        answer = await call
        assert device.over.is_set()
    assert said.status_code == 202
    # MCP wants no response to a cancelled request. Clients complain about one to a request that they have forgotten.
    assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (200, "text/event-stream")
    told = [json.loads(line.removeprefix("data: ")) for line in answer.text.splitlines() if line.startswith("data: ")]
    assert [message["method"] for message in told] == ["notifications/progress"] * len(meta)


async def test_program_of_older_revision_is_identified_by_user_agent(world: World) -> None:
    given = {**headers("tools/call", "list_tasks"), **LEGACY}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_tasks", "arguments": {}}}
    async with serving(world) as client:
        await client.post("/mcp", json=body, headers=given)
        await client.post("/mcp", json=body, headers={**given, "user-agent": "python-httpx/1"})
    assert sorted({sent.model for _, sent in world.disclosures.kept}) == ["mcp", "mcp: zed"]
