"""System prompts as a model gets them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from agents.prompts.builtin import builtin_text
from agents.prompts.names import PromptName
from agents.prompts.registry import get_prompt_or_fallback
from agents.prompts.variables import render

_LANGUAGES: Final = {"en": "English", "it": "Italian"}


def prompt_text(name: PromptName) -> str:
    """The text in force for ``name``."""
    return get_prompt_or_fallback(name, builtin_text(name))


def moment(now: datetime) -> str:
    """A time as prompts say it."""
    return f"{now:%A} {now:%Y-%m-%d %H:%M}"


def system_prompt(name: PromptName, variables: Mapping[str, str], *, language: str) -> str:
    """The text in force with its variables filled; it ends with the user's language (an IETF tag)."""
    return finished(prompt_text(name), variables, language=language)


def finished(text: str, variables: Mapping[str, str], *, language: str) -> str:
    """``text`` as ``system_prompt`` gives it to a model."""
    spoken = _LANGUAGES.get(language.partition("-")[0].lower())
    tongue = f"{spoken} ({language})" if spoken else language
    return f"{render(text, variables)}\n\nThe user's language is {tongue}. Answer in it."
