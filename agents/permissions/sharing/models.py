"""The stored sharing marks: what a user never shares with a model."""

from uuid import uuid4

from django.db import models

from accounts.encryption import EncryptedTextField
from accounts.models import OwnedQuerySet, User


class SharingMarks(models.Model):
    """Tables, and projects by their ids, that a user never shares with a model. All of it is one ciphertext."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="sharing_marks")
    marks_encrypted = EncryptedTextField(editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    objects = OwnedQuerySet["SharingMarks"].as_manager()

    class Meta:
        verbose_name_plural = "sharing marks"

    def __str__(self) -> str:
        return f"marks of {self.user_id}"
