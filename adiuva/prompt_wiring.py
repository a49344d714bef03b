"""Where prompts come from beside this release: chosen here, from settings."""

from django.conf import settings

from agents.prompts.keeper import PromptKeeper
from agents.prompts.source import PromptSource


def prompt_source() -> PromptSource | None:
    """Langfuse, where its keys are set."""
    if not settings.LANGFUSE_SECRET_KEY:
        return None
    # Here and not at the top: the SDK takes a while to import, and most servers have no use for it.
    from agents.prompts.langfuse import LangfusePrompts

    return LangfusePrompts(
        public_key=settings.LANGFUSE_PUBLIC_KEY,
        secret_key=settings.LANGFUSE_SECRET_KEY,
        host=settings.LANGFUSE_HOST,
        label=settings.PROMPT_LABEL,
    )


def prompt_keeper() -> PromptKeeper:
    """What keeps the prompts of a process up to date."""
    return PromptKeeper(source=prompt_source(), refresh_s=settings.PROMPT_REFRESH_S)
