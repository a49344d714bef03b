"""Prompts that staff have changed: every version, the one in force, and who did what when.

The texts belong to the installation, not to a user, so they are not encrypted.
"""

from typing import ClassVar
from uuid import uuid4

from django.db import models
from django.utils import timezone as clock

from accounts.models import User
from agents.prompts.names import prompt_names

MAX_PROMPT_NAME_CHARS = 64
MAX_NOTE_CHARS = 200


class PromptSetting(models.Model):
    """One prompt. ``active`` is the version that overrides the texts of Langfuse and of this release, if any."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    name = models.CharField(max_length=MAX_PROMPT_NAME_CHARS, unique=True, choices=prompt_names)
    active = models.ForeignKey("PromptVersion", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    since = models.DateTimeField(null=True, blank=True, help_text="When the active version came into force.")

    class Meta:
        verbose_name = "prompt"

    def __str__(self) -> str:
        return self.name


class PromptVersion(models.Model):
    """An immutable text. ``number`` counts from 1 for each prompt."""

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


class PromptAction(models.TextChoices):
    """What staff can do to a prompt."""

    WROTE = "write-prompt", "wrote"
    WENT_BACK = "go-back-to-prompt", "went back to"
    STOPPED = "stop-prompt", "stopped"


class PromptChange(models.Model):
    """Who put which version in force, or out of force, and when. The last change decides what is in force."""

    # Its index serves a prompt's history.
    setting = models.ForeignKey(PromptSetting, on_delete=models.CASCADE, related_name="changes")
    version = models.ForeignKey(PromptVersion, on_delete=models.CASCADE, related_name="+")
    deed = models.CharField(max_length=32, choices=PromptAction.choices)
    actor = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=clock.now)

    def __str__(self) -> str:
        return f"{self.get_deed_display()} version {self.version.number}"
