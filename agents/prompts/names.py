"""The names of all prompts, as a prompt manager knows them."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class PromptName(StrEnum):
    """One system prompt each; the built-in text lies in ``texts/<name>.md``."""

    HOME_SYSTEM = "home_system"
    POPUP_SYSTEM = "popup_system"
    CHAT_SYSTEM = "chat_system"
    CONTEXTUAL_SYSTEM = "contextual_system"
    BRIEF_SYSTEM = "brief_system"
    TASK_BRIEF_SYSTEM = "task_brief_system"
    ROUTER_SYSTEM = "router_system"
    SUMMARY_SYSTEM = "summary_system"
    GENERAL_AGENT_SYSTEM = "general_agent_system"
    TASK_AGENT_SYSTEM = "task_agent_system"
    PROJECT_AGENT_SYSTEM = "project_agent_system"
    CHECKPOINT_AGENT_SYSTEM = "checkpoint_agent_system"
    NOTE_AGENT_SYSTEM = "note_agent_system"
    PROJECT_SUMMARY_SYSTEM = "project_summary_system"
    PROJECT_PLAN_SYSTEM = "project_plan_system"
    JOB_SYSTEM = "job_system"
    WEEKLY_REVIEW_SYSTEM = "weekly_review_system"


ROLES: Final = frozenset(
    {
        PromptName.GENERAL_AGENT_SYSTEM,
        PromptName.TASK_AGENT_SYSTEM,
        PromptName.PROJECT_AGENT_SYSTEM,
        PromptName.CHECKPOINT_AGENT_SYSTEM,
        PromptName.NOTE_AGENT_SYSTEM,
    }
)
"""Those that stand within another prompt, as the role of an agent."""

PURPOSES: Final[Mapping[PromptName, str]] = MappingProxyType(
    {
        PromptName.HOME_SYSTEM: "Answers on the home page",
        PromptName.POPUP_SYSTEM: "Answers in a popup",
        PromptName.CHAT_SYSTEM: "Answers in the older chat and over REST",
        PromptName.CONTEXTUAL_SYSTEM: "Answers in the sidebar, beside a page",
        PromptName.BRIEF_SYSTEM: "The brief of a day",
        PromptName.TASK_BRIEF_SYSTEM: "The brief of one task",
        PromptName.ROUTER_SYSTEM: "Which agent answers",
        PromptName.SUMMARY_SYSTEM: "What is remembered of an exchange",
        PromptName.GENERAL_AGENT_SYSTEM: "The role of the agent with all tools",
        PromptName.TASK_AGENT_SYSTEM: "The role of the agent for tasks",
        PromptName.PROJECT_AGENT_SYSTEM: "The role of the agent for projects",
        PromptName.CHECKPOINT_AGENT_SYSTEM: "The role of the agent for checkpoints",
        PromptName.NOTE_AGENT_SYSTEM: "The role of the agent for notes",
        PromptName.PROJECT_SUMMARY_SYSTEM: "The summary of a project",
        PromptName.PROJECT_PLAN_SYSTEM: "The plan of a project",
        PromptName.JOB_SYSTEM: "Telling what came of a slow tool",
        PromptName.WEEKLY_REVIEW_SYSTEM: "The review of a week",
    }
)
"""What each is for, in a few words."""
