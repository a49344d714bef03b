"""The source of prompts besides this release, chosen from settings."""

from django.conf import settings

from agents.prompts.refresher import PromptRefresher
from agents.prompts.source import PromptSource


def prompt_source() -> PromptSource | None:
    """Langfuse if its keys are set."""
    if not settings.LANGFUSE_SECRET_KEY:
        return None
    # Imported here: the SDK is slow to import, and most servers do not use it.
    from agents.prompts.langfuse import LangfusePrompts

    return LangfusePrompts(
        public_key=settings.LANGFUSE_PUBLIC_KEY,
        secret_key=settings.LANGFUSE_SECRET_KEY,
        host=settings.LANGFUSE_HOST,
        label=settings.PROMPT_LABEL,
    )


def prompt_refresher() -> PromptRefresher:
    return PromptRefresher(source=prompt_source(), refresh_s=settings.PROMPT_REFRESH_S)
