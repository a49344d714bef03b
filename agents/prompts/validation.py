"""Whether a text can be the text of a prompt: its length, its characters and its variables."""

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from agents.prompts.names import PromptName, builtin_text
from agents.prompts.rendering import VARIABLE

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


@cache
def required(name: PromptName) -> frozenset[str]:
    """The variables that every text of this prompt must use: those of the built-in text."""
    return frozenset(VARIABLE.findall(builtin_text(name)))


def problems(name: PromptName, text: str) -> tuple[str, ...]:
    """Why ``text`` cannot be the text of this prompt, one sentence each; empty if it can."""
    if not text.strip():
        return ("The text is empty.",)
    return tuple(_problems(name, text))


def _problems(name: PromptName, text: str) -> Iterator[str]:
    if len(text) > MAX_PROMPT_CHARS:
        yield f"The text has {len(text):,} characters; at most {MAX_PROMPT_CHARS:,} are allowed."
    if not _is_text(text):
        yield "The text holds characters that are not text."
    used = set(VARIABLE.findall(text))
    if missing := sorted(required(name) - used):
        yield f"The text has to use {_listed(missing)}."
    if strange := sorted(used - name.variables):
        allowed = sorted(name.variables)
        may = f"only {_listed(allowed)} can be used here" if allowed else "this prompt has no variables"
        yield f"Nothing is known of {_listed(strange)}: {may}."
    if "{{" in VARIABLE.sub("", text):
        yield "A “{{” begins no variable: write variables as {{ name }}, and nothing else between two braces."


def _is_text(text: str) -> bool:
    """Whether PostgreSQL and JSON accept it: no NUL, no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def _listed(names: list[str]) -> str:
    return ", ".join(f"{{{{ {name} }}}}" for name in names)
