"""The system prompts: their names, purposes and variables, and the built-in texts."""

from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final, Self

_TEXTS: Final = Path(__file__).parent / "texts"
_TIME: Final = frozenset({"now", "timezone"})
_ANSWER: Final = _TIME | {"role", "scope"}
_PLAN: Final = _TIME | {"max_tasks", "max_checkpoints"}
_NONE: Final[frozenset[str]] = frozenset()


class PromptName(StrEnum):
    """One system prompt each, by the name that a prompt manager knows; ``texts/<name>.md`` has the built-in text.

    ``purpose`` is what the prompt is for, ``variables`` is what its text may use. A prompt with ``is_role`` is the role
    of an agent, and part of another prompt.
    """

    _value_: str
    purpose: str
    variables: frozenset[str]
    is_role: bool

    def __new__(cls, name: str, purpose: str = "", variables: frozenset[str] = _NONE) -> Self:
        self = str.__new__(cls, name)
        self._value_, self.purpose, self.variables = name, purpose, variables
        self.is_role = name.endswith("_agent_system")
        return self

    HOME_SYSTEM = "home_system", "Answers on the home page", _ANSWER
    POPUP_SYSTEM = "popup_system", "Answers in a popup", _ANSWER
    CHAT_SYSTEM = "chat_system", "Answers in the older chat and over REST", _ANSWER
    CONTEXTUAL_SYSTEM = "contextual_system", "Answers in the sidebar, beside a page", _ANSWER
    BRIEF_SYSTEM = "brief_system", "The brief of a day", _ANSWER
    TASK_BRIEF_SYSTEM = "task_brief_system", "The brief of one task", _ANSWER
    ROUTER_SYSTEM = "router_system", "Which agent answers"
    SUMMARY_SYSTEM = "summary_system", "What is remembered of an exchange"
    GENERAL_AGENT_SYSTEM = "general_agent_system", "The role of the agent with all tools"
    TASK_AGENT_SYSTEM = "task_agent_system", "The role of the agent for tasks"
    PROJECT_AGENT_SYSTEM = "project_agent_system", "The role of the agent for projects"
    CHECKPOINT_AGENT_SYSTEM = "checkpoint_agent_system", "The role of the agent for checkpoints"
    NOTE_AGENT_SYSTEM = "note_agent_system", "The role of the agent for notes"
    PROJECT_SUMMARY_SYSTEM = "project_summary_system", "The summary of a project", _TIME
    PROJECT_PLAN_SYSTEM = "project_plan_system", "The plan of a project", _PLAN
    JOB_SYSTEM = "job_system", "Telling what came of a slow tool", _TIME
    WEEKLY_REVIEW_SYSTEM = "weekly_review_system", "The review of a week", _TIME


def prompt_names() -> list[tuple[str, str]]:
    """The choices of a column. As a function, so that a new prompt needs no migration."""
    return [(name.value, name.value) for name in PromptName]


@cache
def builtin_text(name: PromptName) -> str:
    """The text of this release. Raises ``OSError`` for an unknown name."""
    return (_TEXTS / f"{name}.md").read_text(encoding="utf-8").strip()
