"""The agents and their tools.

An agent's tools follow from the declarations of the tools. Only a new module of tools must be imported here.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from agents.permissions.approvals.boundaries import ReasonToAsk, leaves_viewed_project
from agents.prompts.names import PromptName

# Every module of tools: importing it registers its classes.
from agents.tools import checkpoints, long, notes, pages, projects, recollection, tasks, undo  # noqa: F401
from agents.tools.finding import FindTools
from agents.tools.spec import DOMAINS, Agent, Execution, ToolSpec, registered_tools


class AgentName(StrEnum):
    """The names of the agents, which also the routing model and clients use."""

    TASK_AGENT = "task_agent"
    PROJECT_AGENT = "project_agent"
    CHECKPOINT_AGENT = "checkpoint_agent"
    NOTE_AGENT = "note_agent"
    GENERAL_AGENT = "general_agent"


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentProfile:
    """An agent: its name, its tools, the prompt for its role, and further reasons to ask the user before a tool runs.

    An agent without a role has a system prompt of its own. The tools in ``found`` are offered only after a search.
    """

    name: str
    tools: tuple[type[ToolSpec], ...]
    role: PromptName | None = None
    reasons_to_ask: tuple[ReasonToAsk, ...] = ()
    found: frozenset[type[ToolSpec]] = frozenset()


def _tools_of(domain: Agent | None) -> tuple[type[ToolSpec], ...]:
    """The tools of a domain's agent: its own, those of other domains, those of all agents, then the queued ones.

    Without a domain, all tools. The last one searches for those that the agent seldom needs.
    """

    def position(tool: type[ToolSpec]) -> tuple[bool, bool, int]:
        return tool.execution is Execution.QUEUED, tool.agent is not domain, list(Agent).index(tool.agent)

    known = [tool for tool in registered_tools().values() if tool.agent in (*DOMAINS, Agent.ALL)]
    its_own = (tool for tool in known if domain is None or tool.is_for(domain))
    return (*sorted(its_own, key=position), FindTools)


_SELDOM: Final[frozenset[type[ToolSpec]]] = frozenset(
    {
        *(tasks.ListTasksDueToday, tasks.ListTaskComments, tasks.AddTaskComment, tasks.DeleteTaskComment),
        *(projects.ListAllProjects, projects.GetProject, projects.UpdateProject, projects.DeleteProject),
        *(checkpoints.UpdateCheckpoint, checkpoints.DeleteCheckpoint),
        *(recollection.Recall, recollection.Forget, recollection.SearchHistory, undo.UndoChanges),
        *(long.SummarizeProject, long.PlanProject, long.WeeklyReview),
    }
)
"""The tools that ``general_agent`` must search for. Most requests that need them go to the agent of a domain."""

_SELDOM_IN_DOMAIN: Final[frozenset[type[ToolSpec]]] = frozenset(
    {
        *(tasks.DeleteTaskComment, long.WeeklyReview),
        *(recollection.Recall, recollection.Forget, recollection.SearchHistory),
    }
)
"""The tools that the agent of a domain must search for: small models that are offered more call unrelated ones."""


def _seldom(domain: Agent | None) -> frozenset[type[ToolSpec]]:
    if domain is None:
        return _SELDOM
    # Other agents refer to projects by name, so they seldom list them.
    others = () if domain is Agent.PROJECTS else (projects.ListProjects,)
    return _SELDOM_IN_DOMAIN.union(others)


_DOMAINS: Final = {
    AgentName.TASK_AGENT: Agent.TASKS,
    AgentName.PROJECT_AGENT: Agent.PROJECTS,
    AgentName.CHECKPOINT_AGENT: Agent.CHECKPOINTS,
    AgentName.NOTE_AGENT: Agent.NOTES,
    AgentName.GENERAL_AGENT: None,
}
ROSTER: Final = {
    name: AgentProfile(
        name=name,
        tools=_tools_of(domain),
        role=PromptName[f"{name.name}_SYSTEM"],
        found=_seldom(domain).intersection(_tools_of(domain)),
    )
    for name, domain in _DOMAINS.items()
}
"""The agents that a message can be routed to."""


def tools_to_find(offered: Collection[str]) -> frozenset[str]:
    """The names of the tools that an agent must search for if its request offers the tools named ``offered``."""
    shown = {name: {tool.tool_name for tool in each.tools if tool not in each.found} for name, each in ROSTER.items()}
    fitting = [name for name, names in shown.items() if names <= set(offered)]
    if not fitting:
        return frozenset()
    agent = ROSTER[max(fitting, key=lambda name: len(shown[name]))]
    return frozenset(tool.tool_name for tool in agent.found)


SIDEBAR: Final = AgentProfile(
    name="sidebar_agent",
    tools=(
        pages.GetPageDetails,
        pages.CreatePageTask,
        tasks.UpdateTask,
        pages.CreatePageNote,
        pages.CreateTimelineEvent,
        undo.UndoChanges,
    ),
    reasons_to_ask=(leaves_viewed_project,),
)
"""Answers beside a page. No message is routed to it."""

BRIEFER: Final = AgentProfile(name="brief_agent", tools=())
"""Writes briefs from the rows that it is given. No message is routed to it."""

ASSISTANT_TOOLS: Final[Sequence[type[ToolSpec]]] = tuple(
    {tool.tool_name: tool for tool in (*SIDEBAR.tools, *ROSTER[AgentName.GENERAL_AGENT].tools[:-1])}.values()
)
"""Everything that the assistant can do, each tool once; of two with one name, the general one."""
