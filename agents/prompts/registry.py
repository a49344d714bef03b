"""The one way to a prompt: an active override, else Langfuse's text, else the built-in one."""

from agents.prompts.book import IN_FORCE
from agents.prompts.builtin import builtin_text
from agents.prompts.names import PromptName


def get_prompt_or_fallback(name: PromptName, fallback: str) -> str:
    """The text in force for ``name``, or ``fallback`` when there is none. Reads memory, and waits for nothing."""
    page = IN_FORCE.find(name)
    if page is not None:
        return page.text
    try:
        return builtin_text(name)
    except OSError:
        return fallback
