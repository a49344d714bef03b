"""Rows as resources: in lists, by their addresses, and completed. None of them contains hidden rows."""

from typing import Any

import mcp_types
import pytest

from agents.calls import ClientCall, Table
from agents.errors import ClientRefused
from agents.mcp import resources
from agents.permissions.sharing import Marks
from agents.requests import RequestKind
from agents.telemetry.turns import PROGRAM_READS
from agents.tools.client import OnLate
from tests.agents.mcp.worlds import ALICE, ALICES, World, answered, completed, headers, read_at, request, serving
from tests.agents.tables import InMemoryClient

TASKS, NOTES = (
    {"type": "ref/resource", "uri": "adiuva://task/{id}"},
    {"type": "ref/resource", "uri": "adiuva://note/{id}"},
)


@pytest.fixture
def world() -> World:
    """An endpoint whose device has rows of each kind, some of the project p1."""
    world = World()
    assert world.client is not None
    rows = world.client.rows
    rows[Table.PROJECTS].append({"id": "p1", "name": "Website", "status": "active", "aiSummary": "It goes well."})
    rows[Table.TASKS] += [
        {"id": "t1", "title": "Pay the rent", "status": "todo", "projectId": "p1", "description": "In cash."},
        {"id": "t/2", "title": "Buy milk", "status": "todo", "projectId": None},
    ]
    rows[Table.TASK_COMMENTS].append({"id": "c1", "taskId": "t1", "author": "Anna", "content": "By Friday"})
    rows[Table.NOTES].append({"id": "n1", "title": "Ideas", "content": "# Wood", "projectId": "p1"})
    rows[Table.CHECKPOINTS].append({"id": "k1", "title": "Beta", "date": 1774710000000, "projectId": "p1"})
    return world


def text_of(answer: dict[str, Any]) -> str:
    [contents] = answer["result"]["contents"]
    text: str = contents["text"]
    return text


async def test_resources_are_listed_by_kind_with_titles(world: World) -> None:
    listed: list[tuple[str, str]] = []
    cursor: dict[str, str] = {}
    async with serving(world) as client:
        while True:
            page = (await answered(client, "resources/list", **cursor))["result"]
            listed += [(each["uri"], each["title"]) for each in page["resources"]]
            if page.get("nextCursor") is None:
                break
            cursor = {"cursor": page["nextCursor"]}
    assert listed == [
        ("adiuva://task/t1", "Pay the rent"),
        ("adiuva://task/t%2F2", "Buy milk"),
        ("adiuva://project/p1", "Website"),
        ("adiuva://note/n1", "Ideas"),
        ("adiuva://checkpoint/k1", "Beta"),
    ]
    assert {row_id for _, _, row_id in world.disclosures.listed} == {"t1", "t/2", "p1", "n1", "k1"}


async def test_long_list_is_paginated(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "PAGE_ROWS", 1)
    async with serving(world) as client:
        first = (await answered(client, "resources/list"))["result"]
        second = (await answered(client, "resources/list", cursor=first["nextCursor"]))["result"]
    assert [page["resources"][0]["title"] for page in (first, second)] == ["Pay the rent", "Buy milk"]
    assert (first["nextCursor"], second["nextCursor"]) == ("task:1", "project:0")
    assert {row_id for _, _, row_id in world.disclosures.listed} == {"t1", "t/2"}


@pytest.mark.parametrize("cursor", ["", "task", "task:9999", "person:0", "task:-1"])
async def test_invalid_cursor_is_refused(world: World, cursor: str) -> None:
    async with serving(world) as client:
        error = (await answered(client, "resources/list", cursor=cursor))["error"]
    assert error["code"] == mcp_types.INVALID_PARAMS


@pytest.mark.parametrize("method", ["tools/list", "prompts/list", "resources/templates/list"])
async def test_cursor_of_single_page_list_is_refused(world: World, method: str) -> None:
    async with serving(world) as client:
        assert "error" not in await answered(client, method)
        error = (await answered(client, method, cursor="2"))["error"]
    assert error["code"] == mcp_types.INVALID_PARAMS


@pytest.mark.parametrize("address", ["adiuva://task/nobody", "file:///etc/passwd"])
async def test_code_of_unknown_resource_depends_on_protocol_revision(world: World, address: str) -> None:
    legacy = {**headers("resources/read", address), "mcp-protocol-version": "2025-11-25"}
    async with serving(world) as client:
        older = await client.post("/mcp", json=request("resources/read", uri=address), headers=legacy)
        newer = await read_at(client, address)
    assert (older.json()["error"]["code"], newer["error"]["code"]) == (-32002, mcp_types.INVALID_PARAMS)


async def test_task_is_read_with_its_text_and_comments(world: World) -> None:
    async with serving(world) as client:
        text = text_of(await read_at(client, "adiuva://task/t1"))
    line, description, comments = text.split("\n\n")
    assert line == '"Pay the rent" (todo, project "Website" [id p1]) [id t1]'
    assert description == "In cash."
    assert comments == 'Found 1 comment:\n- "By Friday" (by Anna) [id c1]'
    assert {(table, row_id) for _, table, row_id in world.disclosures.listed} == {
        (Table.TASKS, "t1"),
        (Table.PROJECTS, "p1"),
        (Table.TASK_COMMENTS, "c1"),
    }


@pytest.mark.parametrize(
    ("address", "end"),
    [
        ("adiuva://project/p1", "It goes well."),
        ("adiuva://note/n1", "# Wood"),
        ("adiuva://checkpoint/k1", "[id k1]"),
        ("adiuva://task/t%2F2", '- "By Friday" (by Anna) [id c1]'),
    ],
)
async def test_each_kind_is_read_by_uri(world: World, address: str, end: str) -> None:
    async with serving(world) as client:
        assert text_of(await read_at(client, address)).endswith(end)


@pytest.mark.parametrize(
    "address", ["adiuva://task/nowhere", "adiuva://person/t1", "adiuva://task/", "file:///etc/passwd", "task"]
)
async def test_unknown_uri_gets_json_rpc_error(world: World, address: str) -> None:
    async with serving(world) as client:
        assert (await read_at(client, address))["error"]["code"] == mcp_types.INVALID_PARAMS


async def test_read_is_observed_as_turn(world: World) -> None:
    async with serving(world) as client:
        await read_at(client, "adiuva://note/n1")
    [turn] = world.turns
    assert (turn.origin.user_id, turn.origin.kind) == (ALICE.user_id, RequestKind.MCP)
    assert [(use.tool, use.ok) for use in turn.tools] == [("resources/read", True)]
    assert turn.tools[0].tool in PROGRAM_READS


async def test_rows_that_cannot_be_recorded_are_not_returned(world: World) -> None:
    world.disclosures.away = True
    async with serving(world) as client:
        answers = [
            await read_at(client, "adiuva://note/n1"),
            await answered(client, "resources/list"),
            await completed(client, NOTES, "id", ""),
        ]
    assert [answer["error"]["data"]["code"] for answer in answers] == ["not_recorded"] * 3


async def test_ids_are_completed_by_prefix_and_by_title(world: World) -> None:
    async with serving(world) as client:
        found = [(await completed(client, TASKS, "id", said))["result"] for said in ("t1", "MILK", "t", "zz")]
    assert [each["completion"]["values"] for each in found] == [["t1"], ["t/2"], ["t1", "t/2"], []]
    assert found[2]["completion"] == {"values": ["t1", "t/2"], "total": 2, "hasMore": False}
    assert {row_id for _, _, row_id in world.disclosures.listed} == {"t1", "t/2"}


async def test_unknown_argument_has_no_completion(world: World) -> None:
    async with serving(world) as client:
        other = await completed(client, TASKS, "colour", "")
        unknown = await completed(client, {"type": "ref/resource", "uri": "adiuva://person/{id}"}, "id", "")
    assert other["result"]["completion"]["values"] == []
    assert unknown["error"]["code"] == mcp_types.INVALID_PARAMS


async def test_hidden_rows_are_unknown(world: World) -> None:
    world.marks.held = Marks(projects=frozenset({"p1"}))
    async with serving(world) as client:
        listed = [(await answered(client, "resources/list", cursor=f"{kind}:0"))["result"] for kind in ("task", "note")]
        hidden, unknown = await read_at(client, "adiuva://note/n1"), await read_at(client, "adiuva://note/zz")
        found = (await completed(client, NOTES, "id", ""))["result"]["completion"]
    assert [each["title"] for page in listed for each in page["resources"]] == ["Buy milk"]
    assert hidden["error"] == unknown["error"]
    assert found == {"values": [], "total": 0, "hasMore": False}
    assert {row_id for _, _, row_id in world.disclosures.listed} == {"t/2"}


async def test_marked_table_is_not_read(world: World) -> None:
    world.marks.held = Marks(tables=frozenset({Table.NOTES, Table.TASK_COMMENTS}))
    async with serving(world) as client:
        page = (await answered(client, "resources/list", cursor="note:0"))["result"]
        refused = (await read_at(client, "adiuva://note/n1"))["error"]
        found = (await completed(client, NOTES, "id", ""))["result"]["completion"]["values"]
        task = text_of(await read_at(client, "adiuva://task/t1"))
    assert [each["uri"] for each in page["resources"]] == ["adiuva://checkpoint/k1"]
    assert refused["data"] == {"code": "never_shared"}
    assert (found, "Friday" in task) == ([], False)
    assert world.client is not None
    assert {call.table for call in world.client.calls} & {Table.NOTES, Table.TASK_COMMENTS} == set()


async def test_token_reads_only_kinds_of_its_scopes(world: World) -> None:
    token = f"{ALICES}/tasks:read,notes:write"
    async with serving(world) as client:
        page = (await answered(client, "resources/list", token=token))["result"]
        templates = (await answered(client, "resources/templates/list", token=token))["result"]["resourceTemplates"]
        refused = [
            (await read_at(client, "adiuva://note/n1", token=token))["error"],
            (await completed(client, NOTES, "id", "", token=token))["error"],
        ]
        beyond = (await answered(client, "resources/list", token=token, cursor="note:0"))["error"]
    assert {each["uri"].split("/")[2] for each in page["resources"]} == {"task"}
    assert page.get("nextCursor") is None
    assert [each["uriTemplate"] for each in templates] == ["adiuva://task/{id}"]
    assert [error["data"] for error in refused] == [{"code": "insufficient_scope", "missing": ["notes:read"]}] * 2
    assert beyond["code"] == mcp_types.INVALID_PARAMS


async def test_token_without_read_scope_lists_nothing(world: World) -> None:
    async with serving(world) as client:
        page = (await answered(client, "resources/list", token=f"{ALICES}/memory:read"))["result"]
    assert page["resources"] == []


async def test_absent_device_is_reported() -> None:
    async with serving(World(client=None)) as client:
        error = (await answered(client, "resources/list"))["error"]
    assert error["data"]["code"] == "device_not_connected"


async def test_refusal_of_device_is_reported(world: World) -> None:
    class Refusing(InMemoryClient):
        async def execute(self, call: ClientCall, *, on_late: OnLate) -> Any:
            raise ClientRefused("the disk is full.")

    world.client = Refusing()
    async with serving(world) as client:
        error = (await read_at(client, "adiuva://note/n1"))["error"]
    assert error["data"]["code"] == "device_failed"
    assert "the disk is full" in error["message"]
