"""The page about tools lists exactly the registered tools."""

import re
from pathlib import Path

import pytest

from agents.engine.roster import ROSTER, SIDEBAR, AgentName
from agents.mcp.exposure import exposed_tools
from agents.tools.routes import REQUIRED
from agents.tools.spec import Agent, ToolSpec

pytestmark = pytest.mark.contracts

PAGE = (Path(__file__).parents[2] / "docs" / "tools.md").read_text(encoding="utf-8")


def test_every_tool_is_documented_with_its_arguments_and_risk() -> None:
    rows = re.findall(r"^\| (\w*) ?\| `(\w+)` \| ([^|]*)\| (\w+) \|$", PAGE, re.MULTILINE)
    documented, agent = [], ""
    for named, tool, arguments, risk in rows:
        agent = named or agent
        documented.append((agent, tool, arguments.strip(), risk))

    declared = [
        *((tool.agent.value, *_declared(tool)) for tool in ROSTER[AgentName.GENERAL_AGENT].tools[:-1]),
        *(("sidebar", *_declared(tool)) for tool in SIDEBAR.tools),
        *(
            (tool.agent.value, *_declared(tool))
            for tool in exposed_tools(staff=True)
            if tool.staff_only or tool.agent is Agent.PROGRAMS
        ),
    ]
    assert sorted(documented) == sorted(declared)


def _declared(tool: type[ToolSpec]) -> tuple[str, str, str]:
    """A tool's name, its arguments and its risk."""
    shown = {name: route for name, route in tool.routes.items() if route.shown}
    arguments = (name if route.default is REQUIRED else f"{name}?" for name, route in shown.items())
    return tool.tool_name, ", ".join(arguments), tool.risk.value
