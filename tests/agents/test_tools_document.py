"""The page about tools lists exactly the tools there are."""

import re
from pathlib import Path

from agents.roster import ROSTER, AgentName
from agents.specs.route import REQUIRED

PAGE = (Path(__file__).parents[2] / "docs" / "tools.md").read_text(encoding="utf-8")


def test_every_tool_is_documented_with_its_arguments_and_risk() -> None:
    rows = re.findall(r"^\| (\w*) ?\| `(\w+)` \| ([^|]*)\| (\w+) \|$", PAGE, re.MULTILINE)
    documented, agent = [], ""
    for named, tool, arguments, risk in rows:
        agent = named or agent
        documented.append((agent, tool, arguments.strip(), risk))

    declared = [
        (
            tool.agent.value,
            tool.tool_name,
            ", ".join(
                name if route.default is REQUIRED else f"{name}?" for name, route in tool.routes.items() if route.shown
            ),
            tool.risk.value,
        )
        for tool in ROSTER[AgentName.GENERAL_AGENT].tools
    ]
    assert sorted(documented) == sorted(declared)
