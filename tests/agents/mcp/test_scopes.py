"""What the scopes of a personal token allow: the list of tools, and calls."""

from typing import Any

import pytest

from accounts.auth.token_scopes import known_scopes
from agents.calls import Table
from agents.mcp.exposure import exposed_tools, group_scopes, scopes_needed
from agents.tools.client import RowTool
from agents.tools.spec import Agent, Execution, Risk
from tests.agents.mcp.worlds import ALICES, SAMS, World, called, listed, serving

GROUP_OF = {Table.TASK_COMMENTS: Agent.TASKS.value, **{Table(table): table for table in ("tasks", "projects")}}
GROUP_OF |= {Table(table): table for table in ("checkpoints", "notes")}
TASK = {"title": "Pay the rent"}


async def names(scopes: str, *, token: str = ALICES) -> set[str]:
    """The tools that a token with these scopes sees."""
    async with serving(World()) as client:
        return set(await listed(client, token=f"{token}/{scopes}"))


def exposed(*, staff: bool = False) -> list[Any]:
    return list(exposed_tools(staff=staff))


@pytest.mark.contracts
def test_every_tool_has_known_scopes_and_group() -> None:
    for staff in (False, True):
        for tool in exposed(staff=staff):
            assert set(scopes_needed(tool)) <= set(known_scopes(staff=staff)), tool
            assert tool.group or tool.agent is not Agent.ALL, tool


@pytest.mark.contracts
def test_scope_of_tool_follows_from_table_and_risk() -> None:
    for tool in exposed():
        access = "read" if tool.risk is Risk.READ else "write"
        assert scopes_needed(tool)[0].endswith(f":{access}")
        if issubclass(tool, RowTool):
            assert scopes_needed(tool) == [f"{GROUP_OF[tool.changes]}:{access}"]


def test_group_scopes_are_derived_from_tools() -> None:
    both = [
        f"{group}:{access}" for group in ("tasks", "projects", "checkpoints", "notes") for access in ("read", "write")
    ]
    assert group_scopes(staff=False) == [
        *both,
        "memory:read",
        "memory:write",
        "undo:write",
        "jobs:read",
        "jobs:write",
        "models:read",
    ]
    assert set(group_scopes(staff=True)) - set(group_scopes(staff=False)) == {"staff:read"}


async def test_token_with_all_scopes_sees_every_tool() -> None:
    every = {tool.tool_name for tool in exposed()}
    assert await names("read,write") == every
    assert await names(",".join(group_scopes(staff=False))) == every


async def test_read_token_sees_only_reading_tools() -> None:
    assert await names("read") == {tool.tool_name for tool in exposed() if tool.risk is Risk.READ}
    assert await names("write") == {
        tool.tool_name for tool in exposed() if tool.risk is not Risk.READ and tool.execution is Execution.INLINE
    }


async def test_token_of_one_group_sees_only_its_tools() -> None:
    assert await names("tasks:read") == {"list_tasks", "list_tasks_due_today", "list_task_comments"}
    assert await names("memory:read") == {"recall", "search_history"}
    assert await names("memory:write") == {"remember", "forget"}
    assert all(name.startswith("chat_with_") for name in await names("models:read"))
    assert await names("staff:read") == set()
    assert await names("staff:read", token=SAMS) == {"turn_log"}


async def test_staff_tool_requires_staff_scope() -> None:
    assert "turn_log" not in await names("read,write", token=SAMS)
    async with serving(World()) as client:
        error = (await called(client, "turn_log", {}, token=f"{SAMS}/read"))["error"]
    assert error["data"]["missing"] == ["staff:read"]


async def test_tool_of_several_groups_requires_all_their_scopes() -> None:
    assert await names("tasks:read,checkpoints:read") >= {"list_checkpoints"}
    assert "weekly_review" not in await names("tasks:read,checkpoints:read")
    assert "weekly_review" in await names("tasks:read,checkpoints:read,projects:read")
    assert {"summarize_project", "plan_project"} & await names("projects:read,projects:write") == set()
    assert "summarize_project" in await names("read,projects:write")
    assert "plan_project" not in await names("read,projects:write")
    assert "plan_project" in await names("read,projects:write,tasks:write,checkpoints:write")


@pytest.mark.parametrize("tool", [tool.tool_name for tool in exposed()])
async def test_tool_cannot_be_called_without_its_scope(tool: str) -> None:
    world = World()
    async with serving(world) as client:
        error = (await called(client, tool, {}, token=f"{ALICES}/nothing:read"))["error"]
    missing = error["data"]["missing"]
    assert (error["code"], error["data"]["code"]) == (-32000, "insufficient_scope")
    assert missing
    assert all(scope in error["message"] for scope in missing)
    assert world.client is not None
    assert (world.client.calls, world.started, world.turns) == ([], [], [])


async def test_refusal_names_missing_scopes() -> None:
    async with serving(World()) as client:
        error = (await called(client, "create_task", TASK, token=f"{ALICES}/tasks:read,notes:write"))["error"]
        done = await called(client, "create_task", TASK, token=f"{ALICES}/tasks:write")
    assert error["data"]["missing"] == ["tasks:write"]
    assert error["message"] == (
        "This personal token may not call create_task: that needs the scope tasks:write. The user can make another "
        "token."
    )
    assert done["result"]["isError"] is False


async def test_refusal_does_not_reveal_staff_tool() -> None:
    async with serving(World()) as client:
        error = (await called(client, "turn_log", {}, token=f"{ALICES}/tasks:read"))["error"]
    assert "There is no tool" in error["message"]
