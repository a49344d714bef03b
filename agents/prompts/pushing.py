"""Making the prompts of this release in Langfuse, where they are missing."""

from dataclasses import dataclass

from accounts.progress import Progress
from agents.prompts.builtin import builtin_text
from agents.prompts.names import PromptName
from agents.prompts.source import PromptSource


@dataclass(frozen=True, kw_only=True, slots=True)
class Pushed:
    """Which prompts were made, or would have been, and which were there already."""

    created: tuple[PromptName, ...]
    left: tuple[PromptName, ...]


def push(source: PromptSource, *, label: str, dry_run: bool, progress: Progress) -> Pushed:
    """Create what is missing, with its built-in text and ``label``. A prompt that is there, with whatever label, is
    left as it is. Raises ``PromptSourceAway`` and ``PromptUnusable``; what was made until then stays."""
    there = source.names()
    missing = tuple(name for name in PromptName if name not in there)
    progress.expect(len(missing))
    for name in missing:
        if not dry_run:
            source.create(name, builtin_text(name), label=label)
        progress.advance(1)
    return Pushed(created=missing, left=tuple(name for name in PromptName if name in there))
