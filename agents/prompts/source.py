"""A service outside this installation that stores prompts: the port, fetching all texts, creating missing ones."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from accounts.progress import Progress
from agents.errors import PromptSourceAway, PromptUnusable
from agents.prompts.names import PromptName, builtin_text, text_problems
from agents.prompts.rendering import CachedPrompt, CachedPrompts, PromptOrigin


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceText:
    """A text and its version at the source."""

    text: str
    version: int


class PromptSource(Protocol):
    """A service that stores prompts by name. Every call blocks, for a few seconds at most.

    All methods raise ``PromptSourceAway`` if the service is unavailable, and ``PromptUnusable`` if its answer cannot be
    used.
    """

    def fetch(self, name: str) -> SourceText | None:
        """The text with the source's label; None if there is none."""

    def names(self) -> frozenset[str]:
        """The names of all prompts, with any label."""

    def create(self, name: str, text: str, *, label: str) -> None:
        """Create a prompt that does not exist, with this label."""

    def close(self) -> None:
        """Release all resources. Idempotent; no other call may follow."""


def fetch_all(
    source: PromptSource, before: CachedPrompts, *, wanted: Callable[[], bool]
) -> tuple[CachedPrompts, tuple[str, ...]]:
    """Fetch every prompt of ``source``; ``before`` are those of the last time. Blocks.

    Returns the texts from now on, and what was wrong, one sentence each. Keeps the text before where the new one
    cannot be used. Stops if the source is unavailable, or ``wanted`` returns False.
    """
    prompts = dict(before)
    problems: dict[str, list[str]] = {}
    for name in PromptName:
        if not wanted():
            break
        try:
            _update(prompts, name, source.fetch(name))
        except PromptSourceAway as error:
            problems[str(error)] = []
            break
        except PromptUnusable as error:
            problems.setdefault(str(error), []).append(name)
    sentences = [f"{', '.join(names)}: {problem}" if names else problem for problem, names in problems.items()]
    return prompts, tuple(sentences)


def _update(prompts: dict[PromptName, CachedPrompt], name: PromptName, found: SourceText | None) -> None:
    """Raises ``PromptUnusable``."""
    if found is None:
        prompts.pop(name, None)
        return
    text, before = found.text.strip(), prompts.get(name)
    if before is not None and (before.text, before.version) == (text, found.version):
        return
    if wrong := text_problems(name, text):
        raise PromptUnusable(" ".join(wrong))
    prompts[name] = CachedPrompt(
        text=text, origin=PromptOrigin.LANGFUSE, version=found.version, since=datetime.now(UTC)
    )


def push(source: PromptSource, *, label: str, dry_run: bool, progress: Progress) -> list[PromptName]:
    """Create missing prompts in ``source``, with their built-in texts and ``label``; leave existing ones unchanged.

    Returns the missing ones. Raises ``PromptSourceAway`` and ``PromptUnusable``; prompts created before that stay.
    """
    existing = source.names()
    missing = [name for name in PromptName if name not in existing]
    progress.expect(len(missing))
    for name in missing:
        if not dry_run:
            source.create(name, builtin_text(name), label=label)
        progress.advance(1)
    return missing
