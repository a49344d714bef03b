"""Prompts as staff see and change them: the texts, their versions, changes and differences, and the overrides.

Every change is recorded.
"""

import difflib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, zip_longest

from django.db import transaction
from django.utils import timezone as clock

from accounts.audit import record_event
from accounts.models import User
from agents.errors import PromptChanged, PromptRefused
from agents.prompts.models import PromptAction, PromptChange, PromptSetting, PromptVersion
from agents.prompts.names import EXAMPLES, PromptName, builtin_text, required, text_problems
from agents.prompts.refresher import read_overrides
from agents.prompts.rendering import IN_FORCE, CachedPrompt, PromptOrigin, finished, render

_CONTEXT_LINES = 2
_FROM_THE_BEGINNING = ("@@ -1 ", "@@ -1,")


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptStatus:
    """A prompt as this process uses it. ``cached`` is the text in force; None if it is the built-in one."""

    name: PromptName
    cached: CachedPrompt | None

    @property
    def text(self) -> str:
        return builtin_text(self.name) if self.cached is None else self.cached.text

    @property
    def origin(self) -> PromptOrigin:
        return PromptOrigin.BUILTIN if self.cached is None else self.cached.origin

    @property
    def source(self) -> str:
        """Where the text comes from, in words."""
        return "Built-in" if self.cached is None else f"{self.origin.capitalize()}, version {self.cached.version}"

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
    compared = difflib.unified_diff(before.split("\n"), after.split("\n"), n=_CONTEXT_LINES, lineterm="")
    lines: list[DiffLine] = []
    for line in islice(compared, 2, None):  # after the header
        if line.startswith("@") and not line.startswith(_FROM_THE_BEGINNING):
            lines.append(DiffLine(mark="@", text="…"))
        elif not line.startswith("@"):
            lines.append(DiffLine(mark=line[0].strip(), text=line[1:]))
    return lines


@dataclass(frozen=True, kw_only=True, slots=True)
class LinePair:
    """A line of two texts, side by side; None where one has no such line."""

    before: str | None
    after: str | None

    @property
    def differs(self) -> bool:
        return self.before != self.after


def side_by_side(before: str, after: str) -> list[LinePair]:
    """Both texts line by line, equal lines beside each other."""
    left, right = before.split("\n"), after.split("\n")
    pairs: list[LinePair] = []
    for _, from_left, to_left, from_right, to_right in difflib.SequenceMatcher(
        None, left, right, autojunk=False
    ).get_opcodes():
        lines = zip_longest(left[from_left:to_left], right[from_right:to_right])
        pairs += [LinePair(before=old, after=new) for old, new in lines]
    return pairs


def write_override(name: PromptName, text: str, *, actor: User, note: str = "", seen: int = 0) -> PromptVersion:
    """Put ``text`` in force as a new version.

    ``seen`` is the last change that ``actor`` knows of (``last_change``). Raises ``PromptRefused`` for an invalid text,
    and ``PromptChanged`` if there has been a later change.
    """
    text = text.replace("\r\n", "\n").strip()
    if problems := text_problems(name, text):
        raise PromptRefused(problems)

    with _change(name, seen=seen) as setting:
        latest = setting.versions.order_by("-number").first()
        number = 1 if latest is None else latest.number + 1
        version = PromptVersion.objects.create(setting=setting, number=number, text=text, note=note, author=actor)
        _record(setting, PromptAction.WROTE, version, actor=actor)
    return version


def go_back(name: PromptName, number: int, *, actor: User, seen: int) -> PromptVersion:
    """Put an earlier version in force. Raises as ``write_override``, and ``PromptVersion.DoesNotExist``."""
    with _change(name, seen=seen) as setting:
        version = setting.versions.get(number=number)
        # An older release may have had other variables.
        if problems := text_problems(name, version.text):
            raise PromptRefused(problems)
        _record(setting, PromptAction.WENT_BACK, version, actor=actor)
    return version


def stop_overriding(name: PromptName, *, actor: User, seen: int) -> None:
    """Put Langfuse's text, or else the built-in one, in force.

    Raises ``PromptChanged`` if there is no override, or there has been a later change.
    """
    with _change(name, seen=seen) as setting:
        if setting.active is None:
            raise PromptChanged
        _record(setting, PromptAction.STOPPED, setting.active, actor=actor)


def last_change(name: PromptName) -> int:
    """A number that increases with every change of this prompt; 0 before the first."""
    latest = PromptChange.objects.filter(setting__name=name).order_by("-id").values_list("id", flat=True).first()
    return latest or 0


@contextmanager
def _change(name: PromptName, *, seen: int) -> Iterator[PromptSetting]:
    with transaction.atomic():
        PromptSetting.objects.get_or_create(name=name)
        setting = PromptSetting.objects.select_for_update().get(name=name)
        if last_change(name) != seen:
            raise PromptChanged
        yield setting
        # After the commit: an error here is logged, and ``PromptRefresher`` reads again soon.
        transaction.on_commit(read_overrides, robust=True)


def _record(setting: PromptSetting, action: PromptAction, version: PromptVersion, *, actor: User) -> None:
    """Put ``version`` in force, or out of force, and record it."""
    now = clock.now()
    setting.active, setting.since = (None, None) if action is PromptAction.STOPPED else (version, now)
    setting.save(update_fields=["active", "since"])
    PromptChange.objects.create(setting=setting, version=version, deed=action, actor=actor, created_at=now)
    # A prompt belongs to no user: the event is recorded with the actor as its subject.
    reason = f"{setting.name}: {version}"
    record_event(actor=actor, subject_id=actor.id, action=action.value, object_id=setting.id, reason=reason)
