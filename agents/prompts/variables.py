"""The variables of prompts: how they are filled, and which a text must and may use."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from agents.prompts.builtin import builtin_text
from agents.prompts.names import PromptName

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
"""Every variable there is, with a value to look at."""

_ANSWERS: Final = frozenset({"now", "timezone", "role", "scope"})
_TIMED: Final = frozenset({"now", "timezone"})
_KNOWN: Final[Mapping[PromptName, frozenset[str]]] = MappingProxyType(
    {
        PromptName.HOME_SYSTEM: _ANSWERS,
        PromptName.POPUP_SYSTEM: _ANSWERS,
        PromptName.CHAT_SYSTEM: _ANSWERS,
        PromptName.CONTEXTUAL_SYSTEM: _ANSWERS,
        PromptName.BRIEF_SYSTEM: _ANSWERS,
        PromptName.TASK_BRIEF_SYSTEM: _ANSWERS,
        PromptName.PROJECT_SUMMARY_SYSTEM: _TIMED,
        PromptName.PROJECT_PLAN_SYSTEM: _TIMED | {"max_tasks", "max_checkpoints"},
        PromptName.WEEKLY_REVIEW_SYSTEM: _TIMED,
        PromptName.JOB_SYSTEM: _TIMED,
    }
)
_VARIABLE: Final = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def render(text: str, variables: Mapping[str, str]) -> str:
    """``text`` with each ``{{ name }}`` replaced; a variable that is not given stays as it is.

    Values are put in once and not read again, so a value that looks like a variable stays a value.
    """
    return _VARIABLE.sub(lambda match: variables.get(match[1], match[0]), text)


@cache
def required(name: PromptName) -> frozenset[str]:
    """What every text of this prompt has to use: what the built-in text uses."""
    return frozenset(_VARIABLE.findall(builtin_text(name)))


def known(name: PromptName) -> frozenset[str]:
    """What a text of this prompt may use: what is filled in when it is asked with."""
    return _KNOWN.get(name, frozenset())


def problems(name: PromptName, text: str) -> tuple[str, ...]:
    """Why ``text`` cannot be the text of this prompt, a sentence each; empty when it can."""
    if not text.strip():
        return ("The text is empty.",)
    return tuple(_problems(name, text))


def _problems(name: PromptName, text: str) -> Iterator[str]:
    if len(text) > MAX_PROMPT_CHARS:
        yield f"The text has {len(text):,} characters; at most {MAX_PROMPT_CHARS:,} are allowed."
    if not _is_text(text):
        yield "The text holds characters that are not text."
    used = set(_VARIABLE.findall(text))
    if missing := sorted(required(name) - used):
        yield f"The text has to use {_listed(missing)}."
    if strange := sorted(used - known(name)):
        allowed = sorted(known(name))
        may = f"only {_listed(allowed)} can be used here" if allowed else "this prompt has no variables"
        yield f"Nothing is known of {_listed(strange)}: {may}."
    if "{{" in _VARIABLE.sub("", text):
        yield "A “{{” begins no variable: write variables as {{ name }}, and nothing else between two braces."


def _is_text(text: str) -> bool:
    """Whether a database and a request can hold it: no NUL, no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def _listed(names: list[str]) -> str:
    return ", ".join(f"{{{{ {name} }}}}" for name in names)
