"""Prompts as staff look at them: what is in force and since when, beside what else there is, and the differences."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from agents.prompts.book import IN_FORCE, Origin, Page
from agents.prompts.builtin import builtin_text
from agents.prompts.models import PromptChange, PromptVersion
from agents.prompts.names import PURPOSES, ROLES, PromptName
from agents.prompts.system import finished
from agents.prompts.variables import EXAMPLES, known, render, required

_CONTEXT_LINES = 2
_FROM_THE_BEGINNING = ("@@ -1 ", "@@ -1,")


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """A prompt in this process, and what is in force."""

    name: PromptName
    page: Page | None

    @property
    def purpose(self) -> str:
        return PURPOSES[self.name]

    @property
    def text(self) -> str:
        return builtin_text(self.name) if self.page is None else self.page.text

    @property
    def origin(self) -> Origin:
        return Origin.BUILTIN if self.page is None else self.page.origin

    @property
    def source(self) -> str:
        """Where the text comes from, in words."""
        match self.origin:
            case Origin.OVERRIDE:
                return f"Override, version {self.page.version if self.page else 0}"
            case Origin.LANGFUSE:
                return f"Langfuse, version {self.page.version if self.page else 0}"
            case Origin.BUILTIN:
                return "Built-in"

    @property
    def since(self) -> datetime | None:
        """When it came into force; of a text of Langfuse's, when this process first saw it."""
        return None if self.page is None else self.page.since

    @property
    def builtin(self) -> str:
        return builtin_text(self.name)

    @property
    def langfuse(self) -> Page | None:
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
        """What a text may use: name, example, whether it has to."""
        needed = required(self.name)
        return [(name, EXAMPLES[name], name in needed) for name in sorted(known(self.name))]


def standing(name: PromptName) -> Standing:
    """What is in force for one prompt."""
    return Standing(name=name, page=IN_FORCE.find(name))


def preview(name: PromptName, text: str) -> str:
    """``text`` as a model would get it, with example values."""
    return render(text, EXAMPLES) if name in ROLES else finished(text, EXAMPLES, language="en")


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """A line of a comparison; ``mark`` is ``+`` for one that comes, ``-`` for one that goes, ``@`` for a gap."""

    mark: str
    text: str


def differences(before: str, after: str) -> list[Line]:
    """What changes from ``before`` to ``after``; empty when nothing does."""
    return list(_lines(before.split("\n"), after.split("\n")))


def _lines(before: list[str], after: list[str]) -> Iterator[Line]:
    compared = difflib.unified_diff(before, after, n=_CONTEXT_LINES, lineterm="")
    for number, line in enumerate(compared):
        if number < len(("---", "+++")):
            continue
        if line.startswith(_FROM_THE_BEGINNING):
            continue
        gap = line.startswith("@")
        yield Line(mark="@" if gap else line[0].strip(), text="…" if gap else line[1:])
