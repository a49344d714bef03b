"""The system prompts: their names, purposes and variables, the built-in texts, and what a text must be."""

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, Self

_TEXTS: Final = Path(__file__).parent / "texts"
_TIME: Final = frozenset({"now", "timezone"})
_ANSWER: Final = _TIME | {"role", "scope"}
_PLAN: Final = _TIME | {"max_tasks", "max_checkpoints"}
_NONE: Final[frozenset[str]] = frozenset()

VARIABLE: Final = re.compile(r"\{\{\s*(\w+)\s*\}\}")
MAX_PROMPT_CHARS: Final = 32_000

EXAMPLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "now": "Tuesday 2026-11-24 09:30",
        "timezone": "Europe/Rome",
        "role": "You look after the user's tasks: what is to be done, by when, by whom, how urgent.",
        "scope": "project “Website relaunch” (id p-17), status active",
        "max_tasks": "8",
        "max_checkpoints": "4",
    }
)
"""All variables, with example values for previews."""


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
    HOME_BLOCKS = "home_blocks", "How charts and timelines are written, told with the first rows of an answer on Home"
    BRIEF_SYSTEM = "brief_system", "The brief of a day", _ANSWER
    TASK_BRIEF_SYSTEM = "task_brief_system", "The brief of one task", _ANSWER
    ROUTER_SYSTEM = "router_system", "Which agent answers"
    SUMMARY_SYSTEM = "summary_system", "What is remembered of an exchange"
    FACTS_SYSTEM = "facts_system", "Which facts an exchange states"
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


@cache
def required(name: PromptName) -> frozenset[str]:
    """The variables that every text of this prompt must use: those of the built-in text."""
    return frozenset(VARIABLE.findall(builtin_text(name)))


def text_problems(name: PromptName, text: str) -> tuple[str, ...]:
    """Why ``text`` cannot be the text of this prompt, one sentence each; empty if it can."""
    if not text.strip():
        return ("The text is empty.",)
    found: list[str] = []
    if len(text) > MAX_PROMPT_CHARS:
        found.append(f"The text has {len(text):,} characters; at most {MAX_PROMPT_CHARS:,} are allowed.")
    if not _is_text(text):
        found.append("The text holds characters that are not text.")
    used = set(VARIABLE.findall(text))
    if missing := sorted(required(name) - used):
        found.append(f"The text has to use {_listed(missing)}.")
    if strange := sorted(used - name.variables):
        allowed = sorted(name.variables)
        may = f"only {_listed(allowed)} can be used here" if allowed else "this prompt has no variables"
        found.append(f"Nothing is known of {_listed(strange)}: {may}.")
    if "{{" in VARIABLE.sub("", text):
        found.append("A “{{” begins no variable: write variables as {{ name }}, and nothing else between two braces.")
    return tuple(found)


def _is_text(text: str) -> bool:
    """Whether PostgreSQL and JSON accept it: no NUL, no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def _listed(names: list[str]) -> str:
    return ", ".join(f"{{{{ {name} }}}}" for name in names)
