"""Prompt texts that staff put in force, in the database. Every change is recorded."""

from collections.abc import Callable

from django.db import transaction
from django.utils import timezone as clock

from accounts.audit import record_event
from accounts.models import User
from agents.errors import PromptChanged, PromptRefused
from agents.prompts import validation
from agents.prompts.models import PromptAction, PromptChange, PromptSetting, PromptVersion
from agents.prompts.names import PromptName
from agents.prompts.refresher import read_overrides


def write_override(name: PromptName, text: str, *, actor: User, note: str = "", seen: int = 0) -> PromptVersion:
    """Put ``text`` in force as a new version.

    ``seen`` is the last change that ``actor`` knows of (``last_change``). Raises ``PromptRefused`` for an invalid text,
    and ``PromptChanged`` if there has been a later change.
    """
    text = text.replace("\r\n", "\n").strip()
    if problems := validation.problems(name, text):
        raise PromptRefused(problems)

    def written(setting: PromptSetting) -> PromptVersion:
        latest = setting.versions.order_by("-number").first()
        number = 1 if latest is None else latest.number + 1
        return PromptVersion.objects.create(setting=setting, number=number, text=text, note=note, author=actor)

    return _changed(name, PromptAction.WROTE, written, actor=actor, seen=seen)


def go_back(name: PromptName, number: int, *, actor: User, seen: int) -> PromptVersion:
    """Put an earlier version in force. Raises as ``write_override``, and ``PromptVersion.DoesNotExist``."""

    def found(setting: PromptSetting) -> PromptVersion:
        version = setting.versions.get(number=number)
        # An older release may have had other variables.
        if problems := validation.problems(name, version.text):
            raise PromptRefused(problems)
        return version

    return _changed(name, PromptAction.WENT_BACK, found, actor=actor, seen=seen)


def stop_overriding(name: PromptName, *, actor: User, seen: int) -> None:
    """Put Langfuse's text, or else the built-in one, in force.

    Raises ``PromptChanged`` if there is no override, or there has been a later change.
    """

    def active(setting: PromptSetting) -> PromptVersion:
        if setting.active is None:
            raise PromptChanged
        return setting.active

    _changed(name, PromptAction.STOPPED, active, actor=actor, seen=seen)


def last_change(name: PromptName) -> int:
    """A number that increases with every change of this prompt; 0 before the first."""
    latest = PromptChange.objects.filter(setting__name=name).order_by("-id").values_list("id", flat=True).first()
    return latest or 0


def _changed(
    name: PromptName,
    action: PromptAction,
    version_of: Callable[[PromptSetting], PromptVersion],
    *,
    actor: User,
    seen: int,
) -> PromptVersion:
    with transaction.atomic():
        PromptSetting.objects.get_or_create(name=name)
        setting = PromptSetting.objects.select_for_update().get(name=name)
        if last_change(name) != seen:
            raise PromptChanged
        version = version_of(setting)
        now = clock.now()
        stopped = action is PromptAction.STOPPED
        setting.active, setting.since = (None, None) if stopped else (version, now)
        setting.save(update_fields=["active", "since"])
        PromptChange.objects.create(setting=setting, version=version, deed=action, actor=actor, created_at=now)
        # A prompt belongs to no user: the event is recorded with the actor as its subject.
        reason = f"{name}: {version}"
        record_event(actor=actor, subject_id=actor.id, action=action.value, object_id=setting.id, reason=reason)
        # After the commit: an error here is logged, and ``PromptRefresher`` reads again soon.
        transaction.on_commit(read_overrides, robust=True)
    return version
