"""The turn by hand is a fair floor: what it sends is what the server sends."""

from agents.engine.roster import ROSTER, AgentName, tools_to_find
from benchmarks.sdk_loop import tools


def test_tools_that_the_server_only_offers_when_they_are_looked_for_are_left_out() -> None:
    names = {tool["function"]["name"] for tool in tools()}

    assert {tool.tool_name for tool in ROSTER[AgentName.TASK_AGENT].tools} - names == tools_to_find(names)
