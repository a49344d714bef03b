"""What is kept of conversations with a model alone."""

from datetime import datetime
from typing import ClassVar, Self
from uuid import UUID, uuid4

from django.db import models
from django.utils import timezone as clock

from accounts.models import User
from agents.names import MAX_NAME_CHARS


class DialogueQuerySet(models.QuerySet["Dialogue"]):
    """The conversations of a user."""

    def for_user(self, user_id: UUID) -> Self:
        return self.filter(user_id=user_id)

    def silent_since(self, moment: datetime) -> Self:
        """Those that nobody has gone on with since."""
        return self.filter(updated_at__lt=moment)


class Dialogue(models.Model):
    """A conversation of a user's with one model, outside the assistant. What was said is ciphertext."""

    ENCRYPTED: ClassVar[tuple[str, ...]] = ("turns_encrypted",)

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    # No index of its own: the one below begins with the user.
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="dialogues", db_index=False)
    model = models.CharField(max_length=MAX_NAME_CHARS)
    turns_encrypted = models.TextField(editable=False)
    created_at = models.DateTimeField(default=clock.now)
    updated_at = models.DateTimeField(default=clock.now)

    objects = DialogueQuerySet.as_manager()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            # Export, rotation, erasure.
            models.Index(fields=["user", "updated_at"], name="agents_dialogue_of_user"),
            # What is so old that it goes.
            models.Index(fields=["updated_at"], name="agents_dialogue_updated"),
        ]

    def __str__(self) -> str:
        return f"with {self.model}"
