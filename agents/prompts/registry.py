"""Where a prompt's text comes from, and how its variables are filled."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from agents.prompts.names import PromptName

_TEXTS = Path(__file__).parent / "texts"
_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


@cache
def builtin_text(name: PromptName) -> str:
    """The text that comes with this release."""
    return (_TEXTS / f"{name}.md").read_text(encoding="utf-8").strip()


def get_prompt_or_fallback(name: PromptName, fallback: str) -> str:
    """The text in force for ``name``, or ``fallback`` when there is none.

    The one way to a prompt. This release knows no other source than the built-in texts, so the fallback is the answer
    for every name that has no file.
    """
    try:
        return builtin_text(name)
    except OSError:
        return fallback


def render(text: str, variables: Mapping[str, str]) -> str:
    """``text`` with each ``{{ name }}`` replaced; a variable that is not given stays as it is.

    Values are put in once and not read again, so a value that looks like a variable stays a value.
    """
    return _VARIABLE.sub(lambda match: variables.get(match[1], match[0]), text)
