"""The names of all prompts, as a prompt manager knows them."""

from enum import StrEnum


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
