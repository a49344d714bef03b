"""Prompts as staff see them: the text in force, the other texts, versions, changes and differences."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from agents.prompts.models import PromptChange, PromptVersion
from agents.prompts.names import PromptName, builtin_text
from agents.prompts.rendering import IN_FORCE, CachedPrompt, PromptOrigin, finished, render
from agents.prompts.validation import EXAMPLES, required

_CONTEXT_LINES = 2
_FROM_THE_BEGINNING = ("@@ -1 ", "@@ -1,")


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptStatus:
    """A prompt in this process. ``cached`` is the text in force, None if it is the built-in one."""

    name: PromptName
    cached: CachedPrompt | None

    @property
    def purpose(self) -> str:
        return self.name.purpose

    @property
    def text(self) -> str:
        return builtin_text(self.name) if self.cached is None else self.cached.text

    @property
    def origin(self) -> PromptOrigin:
        return PromptOrigin.BUILTIN if self.cached is None else self.cached.origin

    @property
    def source(self) -> str:
        """Where the text comes from, in words."""
        match self.origin:
            case PromptOrigin.OVERRIDE:
                return f"Override, version {self.cached.version if self.cached else 0}"
            case PromptOrigin.LANGFUSE:
                return f"Langfuse, version {self.cached.version if self.cached else 0}"
            case PromptOrigin.BUILTIN:
                return "Built-in"

    @property
    def since(self) -> datetime | None:
        """When it came into force; for a text from Langfuse, when this process first fetched it."""
        return None if self.cached is None else self.cached.since

    @property
    def builtin(self) -> str:
        return builtin_text(self.name)

    @property
    def langfuse(self) -> CachedPrompt | None:
        return IN_FORCE.langfuse.get(self.name)

    @property
    def versions(self) -> list[PromptVersion]:
        """The newest first."""
        found = PromptVersion.objects.filter(setting__name=self.name).select_related("author", "setting")
        return list(found.order_by("-number"))

    @property
    def changes(self) -> list[PromptChange]:
        """The newest first."""
        found = PromptChange.objects.filter(setting__name=self.name).select_related("actor", "version")
        return list(found.order_by("-id"))

    @property
    def variables(self) -> list[tuple[str, str, bool]]:
        """The variables that a text may use: name, example, whether it must."""
        needed = required(self.name)
        return [(name, EXAMPLES[name], name in needed) for name in sorted(self.name.variables)]


def prompt_status(name: PromptName) -> PromptStatus:
    """The present status of one prompt."""
    return PromptStatus(name=name, cached=IN_FORCE.find(name))


def preview(name: PromptName, text: str) -> str:
    """``text`` as a model would get it, with example values."""
    return render(text, EXAMPLES) if name.is_role else finished(text, EXAMPLES, language="en")


@dataclass(frozen=True, kw_only=True, slots=True)
class DiffLine:
    """A line of a diff; ``mark`` is ``+`` for an added line, ``-`` for a removed one, ``@`` for a gap."""

    mark: str
    text: str


def differences(before: str, after: str) -> list[DiffLine]:
    """The diff from ``before`` to ``after``; empty if they are equal."""
    return list(_lines(before.split("\n"), after.split("\n")))


def _lines(before: list[str], after: list[str]) -> Iterator[DiffLine]:
    compared = difflib.unified_diff(before, after, n=_CONTEXT_LINES, lineterm="")
    for number, line in enumerate(compared):
        if number < len(("---", "+++")):
            continue
        if line.startswith(_FROM_THE_BEGINNING):
            continue
        gap = line.startswith("@")
        yield DiffLine(mark="@" if gap else line[0].strip(), text="…" if gap else line[1:])
