"""Texts that staff have put in force, in the database: written, gone back to, stopped. Every change is recorded."""

import threading
from collections.abc import Callable
from typing import Final

from django.db import transaction
from django.utils import timezone as clock

from accounts.audit import record_event
from accounts.models import User
from agents.errors import PromptChanged, PromptRefused
from agents.prompts import variables
from agents.prompts.book import IN_FORCE, Origin, Page, Pages
from agents.prompts.models import PromptChange, PromptDeed, PromptSetting, PromptVersion
from agents.prompts.names import PromptName

_reading: Final = threading.Lock()


def read_overrides() -> None:
    """Put what the database says into this process's book. Blocks.

    One reader at a time, so that nobody puts back what another has read since.
    """
    with _reading:
        IN_FORCE.put_overrides(_overrides())


def _overrides() -> Pages:
    names = set(PromptName)
    found: dict[PromptName, Page] = {}
    for setting in PromptSetting.objects.overriding():
        # A name of an older or a newer release is left alone, and so is a text that this release cannot fill.
        if setting.name in names and (page := _page(setting)) is not None:
            found[PromptName(setting.name)] = page
    return found


def _page(setting: PromptSetting) -> Page | None:
    version = setting.active
    if version is None or variables.problems(PromptName(setting.name), version.text):
        return None
    return Page(
        text=version.text, origin=Origin.OVERRIDE, version=version.number, since=setting.since or version.created_at
    )


def write_override(name: PromptName, text: str, *, actor: User, note: str = "", seen: int = 0) -> PromptVersion:
    """Have ``text`` be in force from now on, as a new version.

    ``seen`` is the last change that ``actor`` knows of (``last_change``). Raises ``PromptRefused`` for a text that
    cannot be filled, and ``PromptChanged`` when somebody else was faster.
    """
    text = text.replace("\r\n", "\n").strip()
    if problems := variables.problems(name, text):
        raise PromptRefused(problems)

    def written(setting: PromptSetting) -> PromptVersion:
        latest = setting.versions.order_by("-number").first()
        number = 1 if latest is None else latest.number + 1
        return PromptVersion.objects.create(setting=setting, number=number, text=text, note=note, author=actor)

    return _changed(name, PromptDeed.WROTE, written, actor=actor, seen=seen)


def go_back(name: PromptName, number: int, *, actor: User, seen: int) -> PromptVersion:
    """Have this version be in force again. Raises as ``write_override``, and ``PromptVersion.DoesNotExist``."""

    def found(setting: PromptSetting) -> PromptVersion:
        version = setting.versions.get(number=number)
        # An older release may have known other variables.
        if problems := variables.problems(name, version.text):
            raise PromptRefused(problems)
        return version

    return _changed(name, PromptDeed.WENT_BACK, found, actor=actor, seen=seen)


def stop_overriding(name: PromptName, *, actor: User, seen: int) -> None:
    """Have Langfuse's text, or else the built-in one, be in force. Raises ``PromptChanged`` when there is no override,
    or somebody else was faster."""

    def active(setting: PromptSetting) -> PromptVersion:
        if setting.active is None:
            raise PromptChanged
        return setting.active

    _changed(name, PromptDeed.STOPPED, active, actor=actor, seen=seen)


def last_change(name: PromptName) -> int:
    """A number that grows with every change of this prompt; 0 before the first."""
    latest = PromptChange.objects.filter(setting__name=name).order_by("-id").values_list("id", flat=True).first()
    return latest or 0


def _changed(
    name: PromptName, deed: PromptDeed, version_of: Callable[[PromptSetting], PromptVersion], *, actor: User, seen: int
) -> PromptVersion:
    with transaction.atomic():
        PromptSetting.objects.get_or_create(name=name)
        setting = PromptSetting.objects.select_for_update().get(name=name)
        if last_change(name) != seen:
            raise PromptChanged
        version = version_of(setting)
        now = clock.now()
        stopped = deed is PromptDeed.STOPPED
        setting.active, setting.since = (None, None) if stopped else (version, now)
        setting.save(update_fields=["active", "since"])
        PromptChange.objects.create(setting=setting, version=version, deed=deed, actor=actor, created_at=now)
        # A prompt is nobody's: it is recorded with those who changed it.
        reason = f"{name}: {version}"
        record_event(actor=actor, subject_id=actor.id, action=deed.value, object_id=setting.id, reason=reason)
        # It is committed by then: what goes wrong here is logged, and the keeper reads again soon.
        transaction.on_commit(read_overrides, robust=True)
    return version
