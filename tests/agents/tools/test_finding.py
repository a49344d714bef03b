"""Tools that an agent offers only after a search."""

import json
from collections.abc import Sequence

import pytest

from agents.adapters.base import ToolSchema
from agents.engine.executor import ToolExecutor
from agents.engine.roster import ROSTER, AgentName, AgentProfile, tools_to_find
from agents.events import ToolCall
from agents.tools.client import RecordingClient
from agents.tools.context import CallContext
from agents.tools.finding import FindTools, matching_tools

GENERAL = ROSTER[AgentName.GENERAL_AGENT]
HIDDEN = [tool.schema() for tool in GENERAL.tools if tool in GENERAL.found]


def names(tools: Sequence[ToolSchema]) -> list[str]:
    return [tool.name for tool in tools]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("delete a comment", "delete_task_comment"),
        ("add comment to task", "add_task_comment"),
        ("read comments", "list_task_comments"),
        ("plan the project", "plan_project"),
        ("summarise a project", "summarize_project"),
        ("review my week", "weekly_review"),
        ("forget a preference", "forget"),
        ("undo that", "undo_changes"),
        ("earlier conversation about tea", "search_history"),
        ("move a checkpoint to another date", "update_checkpoint"),
        ("remove checkpoint", "update_checkpoint"),
    ],
)
def test_best_matching_tools_are_found(query: str, first: str) -> None:
    found = names(matching_tools(query, HIDDEN))
    assert first in found
    assert len(found) <= 5


def test_all_tools_are_found_for_unknown_words() -> None:
    assert matching_tools("qualcosa", HIDDEN) == HIDDEN
    assert matching_tools("", HIDDEN) == HIDDEN
    assert not matching_tools("delete", [])


def executor(context: CallContext) -> ToolExecutor:
    return ToolExecutor(GENERAL.tools, context, found=GENERAL.found)


def call(name: str, **arguments: object) -> ToolCall:
    return ToolCall(id="1", name=name, arguments=json.dumps(arguments))


async def test_found_tools_are_appended_to_offered_ones(context: CallContext) -> None:
    tools = executor(context)
    before = list(tools.schemas)
    assert not {tool.tool_name for tool in GENERAL.found} & set(names(before))

    outcome = await tools.dispatch(call("find_tools", query="delete a comment"))

    assert outcome.ok
    assert outcome.text.startswith("From now on you also have: delete_task_comment")
    assert list(tools.schemas[: len(before)]) == before
    assert "delete_task_comment" in names(tools.schemas[len(before) :])


async def test_repeated_search_finds_each_tool_once(context: CallContext) -> None:
    tools = executor(context)
    for _ in range(len(HIDDEN)):
        await tools.dispatch(call("find_tools", query="comment"))

    assert sorted(names(tools.schemas)) == sorted(tool.tool_name for tool in GENERAL.tools)
    outcome = await tools.dispatch(call("find_tools", query="comment"))
    assert (outcome.ok, outcome.text) == (False, "You have all the tools that there are.")


async def test_tool_runs_without_being_found_first(context: CallContext, run: RecordingClient) -> None:
    outcome = await executor(context).dispatch(call("list_all_projects"))
    assert outcome.text == "Found no projects."


@pytest.mark.parametrize("profile", ROSTER.values(), ids=lambda profile: profile.name)
def test_each_agent_finds_exactly_tools_that_it_does_not_offer(profile: AgentProfile) -> None:
    offered = [tool.tool_name for tool in profile.tools if tool not in profile.found]

    assert profile.found < set(profile.tools)
    assert FindTools.tool_name in offered
    assert tools_to_find(offered) == {tool.tool_name for tool in profile.found}
    assert tools_to_find([*offered, "recall"]) == {tool.tool_name for tool in profile.found}


def test_sidebar_tools_cannot_be_found() -> None:
    assert tools_to_find(["find_tools", "get_page_details"]) == frozenset()
