"""The stored conversations with models outside the assistant."""

from typing import ClassVar
from uuid import uuid4

from django.db import models
from django.utils import timezone as clock

from accounts.encryption import EncryptedTextField
from accounts.models import OwnedQuerySet, User
from agents.requests import MAX_NAME_CHARS


class Dialogue(models.Model):
    """A user's conversation with one model. Its turns are one ciphertext."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    # No index of its own: the one below begins with the user.
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="dialogues", db_index=False)
    model = models.CharField(max_length=MAX_NAME_CHARS)
    turns_encrypted = EncryptedTextField(editable=False)
    created_at = models.DateTimeField(default=clock.now)
    updated_at = models.DateTimeField(default=clock.now)

    objects = OwnedQuerySet["Dialogue"].as_manager()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            # Export, rotation, erasure.
            models.Index(fields=["user", "updated_at"], name="agents_dialogue_of_user"),
            # Retention.
            models.Index(fields=["updated_at"], name="agents_dialogue_updated"),
        ]

    def __str__(self) -> str:
        return f"with {self.model}"
