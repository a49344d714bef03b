"""What is kept of prompts that staff have changed: every version, which one is in force, and who did what when.

These are texts of the installation, not of a user, so they are not encrypted.
"""

from typing import ClassVar, Self
from uuid import uuid4

from django.db import models
from django.utils import timezone as clock

from accounts.models import User
from agents.prompts.names import PromptName

MAX_PROMPT_NAME_CHARS = 64
MAX_NOTE_CHARS = 200


class PromptSettingQuerySet(models.QuerySet["PromptSetting"]):
    """Prompts that staff have changed at some time."""

    def overriding(self) -> Self:
        """Those whose override is in force, with its text."""
        return self.filter(active__isnull=False).select_related("active")


class PromptSetting(models.Model):
    """One prompt, and which version of it overrides what Langfuse or this release say: ``active``, or none."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    name = models.CharField(
        max_length=MAX_PROMPT_NAME_CHARS, unique=True, choices=[(name.value, name.value) for name in PromptName]
    )
    active = models.ForeignKey("PromptVersion", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    since = models.DateTimeField(null=True, blank=True, help_text="When the active version came into force.")

    objects = PromptSettingQuerySet.as_manager()

    class Meta:
        verbose_name = "prompt"

    def __str__(self) -> str:
        return self.name


class PromptVersion(models.Model):
    """A text as somebody wrote it; it does not change. ``number`` counts from 1 for each prompt."""

    # No index of its own: the constraint's begins with it.
    setting = models.ForeignKey(PromptSetting, on_delete=models.CASCADE, related_name="versions", db_index=False)
    number = models.PositiveIntegerField()
    text = models.TextField()
    note = models.CharField(max_length=MAX_NOTE_CHARS, blank=True)
    author = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            # Its index serves the list of a prompt's versions.
            models.UniqueConstraint(fields=["setting", "number"], name="agents_promptversion_number"),
        ]

    def __str__(self) -> str:
        return f"version {self.number}"


class PromptDeed(models.TextChoices):
    """What can be done to a prompt."""

    WROTE = "write-prompt", "wrote"
    WENT_BACK = "go-back-to-prompt", "went back to"
    STOPPED = "stop-prompt", "stopped"


class PromptChange(models.Model):
    """Who put which version in force, or the last one out of it, and when. What is in force began with the last."""

    # Its index serves a prompt's history.
    setting = models.ForeignKey(PromptSetting, on_delete=models.CASCADE, related_name="changes")
    version = models.ForeignKey(PromptVersion, on_delete=models.CASCADE, related_name="+")
    deed = models.CharField(max_length=32, choices=PromptDeed.choices)
    actor = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=clock.now)

    def __str__(self) -> str:
        return f"{self.get_deed_display()} version {self.version.number}"
