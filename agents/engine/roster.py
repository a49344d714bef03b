"""The agents: which tools each has and which prompt says its role."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from agents.permissions.approvals.boundaries import leaves_viewed_project
from agents.permissions.approvals.reasons import ReasonToAsk
from agents.prompts.names import PromptName
from agents.tools import checkpoints, long, notes, pages, projects, recollection, tasks
from agents.tools.spec.tool import ToolSpec


class AgentName(StrEnum):
    """The agents' names, as a routing model and the client's developers know them."""

    TASK_AGENT = "task_agent"
    PROJECT_AGENT = "project_agent"
    CHECKPOINT_AGENT = "checkpoint_agent"
    NOTE_AGENT = "note_agent"
    GENERAL_AGENT = "general_agent"


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentProfile:
    """An agent: its name, its tools, the prompt that says its role, and why it may have to ask the user first.

    An agent whose system prompt is its own has no role beside it.
    """

    name: str
    tools: tuple[type[ToolSpec], ...]
    role: PromptName | None = None
    reasons_to_ask: tuple[ReasonToAsk, ...] = ()


TASK_TOOLS: Sequence[type[ToolSpec]] = (
    tasks.ListTasks,
    tasks.CreateTask,
    tasks.UpdateTask,
    tasks.DeleteTask,
    tasks.ListTasksDueToday,
    tasks.ListTaskComments,
    tasks.AddTaskComment,
    tasks.DeleteTaskComment,
)
PROJECT_TOOLS: Sequence[type[ToolSpec]] = (
    projects.ListProjects,
    projects.ListAllProjects,
    projects.GetProject,
    projects.CreateProject,
    projects.UpdateProject,
    projects.DeleteProject,
)
CHECKPOINT_TOOLS: Sequence[type[ToolSpec]] = (
    checkpoints.ListCheckpoints,
    checkpoints.CreateCheckpoint,
    checkpoints.UpdateCheckpoint,
    checkpoints.DeleteCheckpoint,
)
NOTE_TOOLS: Sequence[type[ToolSpec]] = (
    notes.ListNotes,
    notes.GetNote,
    notes.CreateNote,
    notes.UpdateNote,
    notes.DeleteNote,
    notes.SearchNotes,
)

MEMORY_TOOLS: Sequence[type[ToolSpec]] = (
    recollection.Remember,
    recollection.Recall,
    recollection.Forget,
    recollection.SearchHistory,
)

# What the other agents file things under: without it they could not turn a project's name into its id.
_LOOKUP = (projects.ListProjects,)

SIDEBAR = AgentProfile(
    name="sidebar_agent",
    tools=(
        pages.GetPageDetails,
        pages.CreatePageTask,
        tasks.UpdateTask,
        pages.CreatePageNote,
        pages.CreateTimelineEvent,
    ),
    reasons_to_ask=(leaves_viewed_project,),
)
"""Answers beside a page. Nobody routes to it."""

BRIEFER = AgentProfile(name="brief_agent", tools=())
"""Writes briefs from the rows that it is given. Nobody routes to it."""

_PROFILES = (
    AgentProfile(
        name=AgentName.TASK_AGENT,
        role=PromptName.TASK_AGENT_SYSTEM,
        tools=(*TASK_TOOLS, *_LOOKUP, *MEMORY_TOOLS, long.WeeklyReview),
    ),
    AgentProfile(
        name=AgentName.PROJECT_AGENT,
        role=PromptName.PROJECT_AGENT_SYSTEM,
        tools=(*PROJECT_TOOLS, *MEMORY_TOOLS, long.SummarizeProject, long.PlanProject),
    ),
    AgentProfile(
        name=AgentName.CHECKPOINT_AGENT,
        role=PromptName.CHECKPOINT_AGENT_SYSTEM,
        tools=(*CHECKPOINT_TOOLS, *_LOOKUP, *MEMORY_TOOLS),
    ),
    AgentProfile(
        name=AgentName.NOTE_AGENT, role=PromptName.NOTE_AGENT_SYSTEM, tools=(*NOTE_TOOLS, *_LOOKUP, *MEMORY_TOOLS)
    ),
    AgentProfile(
        name=AgentName.GENERAL_AGENT,
        role=PromptName.GENERAL_AGENT_SYSTEM,
        tools=(*TASK_TOOLS, *PROJECT_TOOLS, *CHECKPOINT_TOOLS, *NOTE_TOOLS, *MEMORY_TOOLS, *long.LONG_TOOLS),
    ),
)

ASSISTANT_TOOLS: Sequence[type[ToolSpec]] = tuple(
    {tool.tool_name: tool for tool in (*SIDEBAR.tools, *_PROFILES[-1].tools)}.values()
)
"""All that the assistant can do, each tool once; where two bear a name, the general one."""

ROSTER = {AgentName(profile.name): profile for profile in _PROFILES}
