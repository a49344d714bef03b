"""The agents, the tools that each has, and which of them answers a message.

Which tools an agent has follows from what the tools declare. Only a new module of tools has to be imported here.
"""

import asyncio
import json
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from agents.adapters.base import ModelAdapter, ModelParams, ModelSize, SystemMessage, UserMessage, whole_text
from agents.errors import ModelError
from agents.permissions.approvals.boundaries import ReasonToAsk, leaves_viewed_project
from agents.prompts.names import PromptName
from agents.prompts.rendering import system_prompt

# Every module of tools: their classes are registered when they are made.
from agents.tools import checkpoints, long, notes, pages, projects, recollection, tasks  # noqa: F401
from agents.tools.spec import DOMAINS, Agent, Execution, ToolSpec, registered_tools

logger = logging.getLogger(__name__)

ROUTING_TIMEOUT_S: Final = 3.0
_MAX_MESSAGE: Final = 2000
_MAX_TOKENS: Final = 50


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

    An agent without a role has a system prompt of its own.
    """

    name: str
    tools: tuple[type[ToolSpec], ...]
    role: PromptName | None = None
    reasons_to_ask: tuple[ReasonToAsk, ...] = ()


def _tools_of(domain: Agent | None) -> tuple[type[ToolSpec], ...]:
    """The tools of a domain's agent, or all: its own, those of other domains, those of all agents, then the queued."""

    def position(tool: type[ToolSpec]) -> tuple[bool, bool, int]:
        return tool.execution is Execution.QUEUED, tool.agent is not domain, list(Agent).index(tool.agent)

    known = [tool for tool in registered_tools().values() if tool.agent in (*DOMAINS, Agent.ALL)]
    return tuple(sorted((tool for tool in known if domain is None or tool.is_for(domain)), key=position))


_DOMAINS: Final = {
    AgentName.TASK_AGENT: Agent.TASKS,
    AgentName.PROJECT_AGENT: Agent.PROJECTS,
    AgentName.CHECKPOINT_AGENT: Agent.CHECKPOINTS,
    AgentName.NOTE_AGENT: Agent.NOTES,
    AgentName.GENERAL_AGENT: None,
}
ROSTER: Final = {
    name: AgentProfile(name=name, tools=_tools_of(domain), role=PromptName[f"{name.name}_SYSTEM"])
    for name, domain in _DOMAINS.items()
}
"""The agents that a message can be routed to."""

SIDEBAR: Final = AgentProfile(
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
"""Answers beside a page. No message is routed to it."""

BRIEFER: Final = AgentProfile(name="brief_agent", tools=())
"""Writes briefs from the rows that it is given. No message is routed to it."""

ASSISTANT_TOOLS: Final[Sequence[type[ToolSpec]]] = tuple(
    {tool.tool_name: tool for tool in (*SIDEBAR.tools, *ROSTER[AgentName.GENERAL_AGENT].tools)}.values()
)
"""Everything that the assistant can do, each tool once; of two with one name, the general one."""


# Stems in the languages we ship. A stem counts when a word begins with it.
_STEMS: Final = {
    AgentName.TASK_AGENT: (
        "task", "todo", "to-do", "due", "overdue", "assign", "comment", "priorit", "urgent",
        "attivit", "compit", "scad", "assegna", "comment", "priorit", "urgent", "cose da fare",
        "weekly", "my week", "review the week", "settimanal", "mia settimana", "rivedi la settimana",
    ),
    AgentName.PROJECT_AGENT: ("project", "client", "customer", "progett", "cliente", "clienti"),
    AgentName.CHECKPOINT_AGENT: (
        "checkpoint", "milestone", "timeline", "deadline",
        "traguard", "tappa", "tappe", "pietra miliare", "pietre miliari",
    ),
    AgentName.NOTE_AGENT: ("note", "notes", "wrote", "written", "nota", "appunt", "scritt"),
}  # fmt: skip
_PATTERNS: Final = {
    agent: re.compile(r"\b(?:" + "|".join(map(re.escape, stems)) + ")", re.IGNORECASE)
    for agent, stems in _STEMS.items()
}

_SCHEMA: Final = {
    "type": "object",
    "properties": {"agent": {"type": "string", "enum": [name.value for name in AgentName]}},
    "required": ["agent"],
    "additionalProperties": False,
}


async def classify_intent(
    message: str, adapter: ModelAdapter, *, language: str, timeout_s: float = ROUTING_TIMEOUT_S
) -> AgentName:
    """The agent for ``message``: by its words where they are clear, else by asking the small model.

    The model has ``timeout_s`` seconds. Never raises: ``general_agent`` is the fallback.
    """
    if known := by_words(message):
        return known
    prompt = system_prompt(PromptName.ROUTER_SYSTEM, {}, language=language)
    conversation = (SystemMessage(text=prompt), UserMessage(text=message[:_MAX_MESSAGE]))
    params = ModelParams(size=ModelSize.SMALL, language=language, max_tokens=_MAX_TOKENS, response_schema=_SCHEMA)
    try:
        async with asyncio.timeout(timeout_s):
            return _named_in(await whole_text(adapter, conversation, params))
    except (ModelError, TimeoutError) as error:
        logger.warning("routing fell back on the general agent: %s", type(error).__name__)
        return AgentName.GENERAL_AGENT


def by_words(message: str) -> AgentName | None:
    """The agent whose words the message holds; ``general_agent`` for words of several; None for words of none."""
    spoken_of = [agent for agent, pattern in _PATTERNS.items() if pattern.search(message)]
    if not spoken_of:
        return None
    return spoken_of[0] if len(spoken_of) == 1 else AgentName.GENERAL_AGENT


def _named_in(answer: str) -> AgentName:
    """The agent that the model's JSON names, or the only one that its text names: models ignore schemas."""
    try:
        return AgentName(json.loads(answer)["agent"])
    except (ValueError, TypeError, KeyError):
        named = [name for name in AgentName if name in answer]
        return named[0] if len(named) == 1 else AgentName.GENERAL_AGENT
