"""The texts that come with this release."""

from functools import cache
from pathlib import Path

from agents.prompts.names import PromptName

_TEXTS = Path(__file__).parent / "texts"


@cache
def builtin_text(name: PromptName) -> str:
    """The text that comes with this release. Raises ``OSError`` for a name that has none."""
    return (_TEXTS / f"{name}.md").read_text(encoding="utf-8").strip()
