"""The agents: which tools each has and which prompt says its role."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from agents.prompts.names import PromptName
from agents.specs.spec import ToolSpec
from agents.tools import checkpoints, notes, projects, tasks


class AgentName(StrEnum):
    """The agents' names, as a routing model and the client's developers know them."""

    TASK_AGENT = "task_agent"
    PROJECT_AGENT = "project_agent"
    CHECKPOINT_AGENT = "checkpoint_agent"
    NOTE_AGENT = "note_agent"
    GENERAL_AGENT = "general_agent"


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentProfile:
    """An agent: its name, the prompt that says its role, its tools."""

    name: AgentName
    role: PromptName
    tools: tuple[type[ToolSpec], ...]


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

# What the other agents file things under: without it they could not turn a project's name into its id.
_LOOKUP = (projects.ListProjects,)

_PROFILES = (
    AgentProfile(name=AgentName.TASK_AGENT, role=PromptName.TASK_AGENT_SYSTEM, tools=(*TASK_TOOLS, *_LOOKUP)),
    AgentProfile(name=AgentName.PROJECT_AGENT, role=PromptName.PROJECT_AGENT_SYSTEM, tools=tuple(PROJECT_TOOLS)),
    AgentProfile(
        name=AgentName.CHECKPOINT_AGENT,
        role=PromptName.CHECKPOINT_AGENT_SYSTEM,
        tools=(*CHECKPOINT_TOOLS, *_LOOKUP),
    ),
    AgentProfile(name=AgentName.NOTE_AGENT, role=PromptName.NOTE_AGENT_SYSTEM, tools=(*NOTE_TOOLS, *_LOOKUP)),
    AgentProfile(
        name=AgentName.GENERAL_AGENT,
        role=PromptName.GENERAL_AGENT_SYSTEM,
        tools=(*TASK_TOOLS, *PROJECT_TOOLS, *CHECKPOINT_TOOLS, *NOTE_TOOLS),
    ),
)

ROSTER = {profile.name: profile for profile in _PROFILES}
