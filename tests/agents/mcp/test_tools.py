"""The list of tools, and the results of calls."""

from collections.abc import Iterator

import mcp_types
import pytest

from agents.calls import Table
from agents.engine.roster import ROSTER, SIDEBAR, AgentName
from agents.errors import ClientSilent
from agents.mcp.exposure import exposed_tools
from agents.permissions.approvals.policies import Policies
from agents.permissions.approvals.refusals import Refusal, refusal_in
from agents.permissions.models import Decision
from agents.tools.long import HAS_BEGUN
from agents.tools.rows import ToolResult
from agents.tools.spec import Agent, Risk, ToolSpec, unregister
from tests.agents.mcp.worlds import ALICE, SAMS, World, called, listed, serving


@pytest.fixture
def for_staff() -> Iterator[str]:
    """A tool that only staff may call."""

    class LookBehindTheScenes(ToolSpec):
        """Look behind the scenes."""

        agent = Agent.ALL
        risk = Risk.READ
        staff_only = True

        async def execute(self) -> ToolResult:
            return ToolResult(text="Ropes and pulleys.")

    yield LookBehindTheScenes.tool_name
    unregister(LookBehindTheScenes.tool_name)


def test_all_tools_except_those_of_sidebar_are_exposed() -> None:
    names = {tool.tool_name for tool in exposed_tools(staff=False)}
    assert {tool.tool_name for tool in ROSTER[AgentName.GENERAL_AGENT].tools} - {"find_tools"} <= names
    only_beside_a_page = {tool for tool in SIDEBAR.tools if tool.agent is Agent.SIDEBAR}
    assert only_beside_a_page
    assert {"get_page_details", "create_timeline_event"} & names == set()
    assert not only_beside_a_page & set(exposed_tools(staff=True))


async def test_input_schema_keeps_types() -> None:
    async with serving(World()) as client:
        shown = (await listed(client))["create_task"]["inputSchema"]
    properties = shown["properties"]
    assert shown["type"] == "object"
    assert shown["required"] == ["title"]
    assert properties["title"]["type"] == "string"
    assert "array" in str(properties["assignees"])
    assert "enum" in str(shown)
    assert shown["additionalProperties"] is False


@pytest.mark.parametrize(
    ("tool", "reads", "destroys", "again"),
    [
        ("list_tasks", True, False, True),
        ("create_task", False, False, False),
        ("update_task", False, True, True),
        ("delete_task", False, True, True),
        ("forget", False, True, True),
        ("undo_changes", False, True, False),
        ("weekly_review", False, False, False),
        ("get_job", True, False, True),
    ],
)
async def test_annotations_follow_from_risk(tool: str, *, reads: bool, destroys: bool, again: bool) -> None:
    async with serving(World()) as client:
        shown = (await listed(client))[tool]
    assert shown["annotations"] == {
        "readOnlyHint": reads,
        "destructiveHint": destroys,
        "idempotentHint": again,
        "openWorldHint": False,
    }


async def test_tool_has_readable_title() -> None:
    async with serving(World()) as client:
        assert (await listed(client))["list_tasks"]["title"] == "List tasks"


async def test_staff_only_tool_is_restricted_to_staff(for_staff: str) -> None:
    async with serving(World()) as client:
        assert for_staff not in await listed(client)
        assert for_staff in await listed(client, token=SAMS)
        refused = await called(client, for_staff, {})
        done = await called(client, for_staff, {}, token=SAMS)
    assert refused["error"]["code"] == mcp_types.INVALID_PARAMS
    assert done["result"]["content"] == [{"type": "text", "text": "Ropes and pulleys."}]


async def test_turn_log_is_restricted_to_staff_and_belongs_to_no_agent() -> None:
    async with serving(World()) as client:
        assert "turn_log" not in await listed(client)
        assert "turn_log" in await listed(client, token=SAMS)
        refused = await called(client, "turn_log", {})
    assert refused["error"]["code"] == mcp_types.INVALID_PARAMS
    agents = (*ROSTER.values(), SIDEBAR)
    assert "turn_log" not in {tool.tool_name for agent in agents for tool in agent.tools}


async def test_unknown_tool_gets_json_rpc_error() -> None:
    async with serving(World()) as client:
        answer = await called(client, "turn_water_into_wine", {})
    assert answer["error"]["code"] == mcp_types.INVALID_PARAMS
    assert "list the tools" in answer["error"]["message"]


async def test_call_runs_on_device_in_callers_time_zone() -> None:
    world = World()
    async with serving(world) as client:
        done = await called(client, "list_tasks_due_today", {})
    assert done["result"]["isError"] is False
    assert world.client is not None
    [asked] = world.client.calls
    # In Tokyo, 10:00 UTC on 29 March belongs to a day that began at 15:00 UTC on the 28th.
    assert dict(asked.filters or {})["dueDateFrom"] == 1774710000000
    assert len(world.released) == 1


async def test_invalid_arguments_are_reported_as_tool_error() -> None:
    async with serving(World()) as client:
        answer = (await called(client, "create_task", {"title": 7}))["result"]
    assert answer["isError"] is True
    assert answer["content"][0]["text"].startswith("The arguments of create_task are not right:")


@pytest.mark.parametrize(
    ("decision", "refusal"), [(Decision.AUTO, None), (Decision.DENY, Refusal.DENIED)], ids=["allowed", "denied"]
)
async def test_policies_of_user_apply(decision: Decision, refusal: Refusal | None) -> None:
    world = World(policies=Policies(tools={"delete_task": decision}))
    assert world.client is not None
    world.client.rows[Table.TASKS].append({"id": "t1", "title": "Pay the rent"})
    async with serving(world) as client:
        answer = (await called(client, "delete_task", {"task_id": "t1"}))["result"]
    assert answer["isError"] is (refusal is not None)
    assert refusal_in(answer["content"][0]["text"]) is refusal
    assert bool(world.client.rows[Table.TASKS]) is (refusal is not None)
    # Facts about it go with it.
    assert world.memory.gone == ([] if refusal else ["t1"])


async def test_absent_device_is_reported() -> None:
    async with serving(World(client=None)) as client:
        answer = (await called(client, "list_tasks", {}))["result"]
    assert answer["isError"] is True
    assert "not connected" in answer["content"][0]["text"]


async def test_unanswered_change_is_reported_as_unknown_outcome() -> None:
    world = World()
    assert world.client is not None
    world.client.fail_with = ClientSilent()
    async with serving(world) as client:
        answer = (await called(client, "create_task", {"title": "Pay the rent"}))["result"]
    assert answer["isError"] is True
    assert "outcome is unknown" in answer["content"][0]["text"]


async def test_queued_tool_starts_job_for_device() -> None:
    world = World()
    async with serving(world) as client:
        answer = (await called(client, "weekly_review", {}))["result"]
    [(origin, new)] = world.started
    assert (origin.user_id, origin.device_id, new.tool) == (ALICE.user_id, "laptop", "weekly_review")
    assert (new.asked.language, new.asked.timezone.key) == ("it", "Asia/Tokyo")
    assert answer["isError"] is False
    assert answer["content"][0]["text"].startswith(HAS_BEGUN)


async def test_lone_surrogate_in_row_does_not_break_result() -> None:
    world = World()
    assert world.client is not None
    world.client.rows[Table.TASKS].append({"id": "t1", "title": "half \ud83d here", "status": "todo"})
    async with serving(world) as client:
        answer = (await called(client, "list_tasks", {}))["result"]
    assert "half" in answer["content"][0]["text"]
