"""The view of MCP Apps, and the blocks in results for it."""

import json
from typing import Any

import pytest
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID

from agents.calls import Table
from agents.mcp.apps import BLOCKS, QUESTION, VIEW
from agents.mcp.definitions import output_schema
from agents.mcp.exposure import exposed_tools
from agents.mcp.structured import ROWS_SCHEMA
from agents.permissions.approvals.policies import Policies
from agents.permissions.models import Decision
from agents.permissions.sharing import Marks
from tests.agents.mcp.worlds import ALICES, SAMS, World, answered, headers, listed, read_at, request, serving

TITLE = "Pay the “rent”"


@pytest.fixture
def world() -> World:
    """An endpoint whose device has tasks."""
    world = World()
    assert world.client is not None
    world.client.rows[Table.TASKS] += [
        {"id": "t1", "title": TITLE, "status": "todo", "projectId": "p1", "description": "In cash"},
        {"id": "t2", "title": "half \ud83d here", "status": "todo", "projectId": None},
    ]
    return world


async def result_of(
    world: World, tool: str = "list_tasks", *, shows: bool = True, **arguments: object
) -> dict[str, Any]:
    """The result of a call by a client that ``shows`` pages."""
    body = request("tools/call", name=tool, arguments=arguments)
    if shows:
        capabilities = body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]
        capabilities["extensions"][EXTENSION_ID] = {"mimeTypes": [APP_MIME_TYPE]}
    async with serving(world) as client:
        answer = await client.post("/mcp", json=body, headers=headers("tools/call", tool))
    result: dict[str, Any] = answer.json()["result"]
    return result


async def test_tools_that_return_rows_declare_view() -> None:
    with_rows = {tool.tool_name for tool in exposed_tools(staff=False) if output_schema(tool) is ROWS_SCHEMA}
    async with serving(World()) as client:
        known = (await answered(client, "server/discover"))["result"]["capabilities"]["extensions"]
        tools = await listed(client)
    assert EXTENSION_ID in known
    assert {name for name, tool in tools.items() if "_meta" in tool} == with_rows
    assert tools["list_tasks"]["_meta"] == {"ui": {"resourceUri": VIEW}}


async def test_view_is_the_same_for_all_users_of_a_language(world: World) -> None:
    async with serving(world) as client:
        [italian] = (await read_at(client, VIEW))["result"]["contents"]
        [english] = (await read_at(client, VIEW, token=SAMS))["result"]["contents"]
        [again] = (await read_at(client, VIEW, token=f"{ALICES}/memory:read"))["result"]["contents"]
    assert (english["mimeType"], english["_meta"]) == (APP_MIME_TYPE, {"ui": {"prefersBorder": True}})
    assert ("da fare" in italian["text"], "to do" in english["text"]) == (True, True)
    assert again == italian
    assert "{{" not in english["text"]
    assert world.client is not None
    assert world.client.calls == []


async def test_result_contains_blocks_for_view(world: World) -> None:
    assert (await result_of(world))["_meta"][BLOCKS] == [
        {
            "block_type": "entity_ref",
            "data": {
                "entity": "task",
                "items": [
                    {"id": "t1", "title": TITLE, "status": "todo"},
                    {"id": "t2", "title": "half \ufffd here", "status": "todo"},
                ],
            },
        }
    ]


async def test_blocks_contain_no_hidden_rows(world: World) -> None:
    world.marks.held = Marks(projects=frozenset({"p1"}))
    result = await result_of(world)
    assert TITLE not in json.dumps(result, ensure_ascii=False)
    assert len(result["_meta"][BLOCKS][0]["data"]["items"]) == 1


async def test_client_without_apps_extension_gets_no_blocks(world: World) -> None:
    assert BLOCKS not in (await result_of(world, shows=False))["_meta"]


async def test_client_of_older_revision_gets_blocks(world: World) -> None:
    body = request("tools/call", name="list_tasks", arguments={})
    del body["params"]["_meta"]
    given = {**headers("tools/call", "list_tasks"), "mcp-protocol-version": "2025-11-25"}
    async with serving(world) as client:
        result = (await client.post("/mcp", json=body, headers=given)).json()["result"]
    assert BLOCKS in result["_meta"]


async def test_errors_have_no_blocks(world: World) -> None:
    assert BLOCKS not in (await result_of(world, "create_task", title=7))["_meta"]


async def test_open_question_has_address_on_server(world: World) -> None:
    asked = World(client=world.client, asks=True, policies=Policies(tools={"delete_task": Decision.ASK}))
    result = await result_of(asked, "delete_task", task_id="t1")
    assert result["isError"] is True
    assert result["_meta"][QUESTION] == "http://localhost/app/"
    assert result["content"][0]["text"].endswith("The user answers at http://localhost/app/")
    assert BLOCKS not in result["_meta"]
