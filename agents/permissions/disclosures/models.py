"""The stored disclosures: which rows of a user's device went to which model."""

from datetime import datetime
from typing import ClassVar, Self
from uuid import uuid4

from django.db import models
from django.utils import timezone as clock

from accounts.encryption import EncryptedTextField
from accounts.models import MAX_DEVICE_ID_CHARS, OwnedQuerySet, User
from agents.calls import Table
from agents.requests import MAX_NAME_CHARS, request_kinds
from memory.models import Cursor


class DisclosureQuerySet(OwnedQuerySet["Disclosure"]):
    """Disclosures, filtered and in order."""

    def newest_first(self) -> Self:
        return self.order_by("-at", "-id")

    def before(self, moment: datetime) -> Self:
        """Those recorded before ``moment``."""
        return self.filter(at__lt=moment)

    def after(self, cursor: Cursor) -> Self:
        """Those after ``cursor`` in the order of ``newest_first``."""
        return self.filter(models.Q(at__lt=cursor.at) | models.Q(at=cursor.at, id__lt=cursor.id))


class Disclosure(models.Model):
    """Rows of one table that a model was sent for the first time in one turn, or one job.

    ``left_server`` is False for a model that is part of the server. The ids of the rows are ciphertext.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    # No index of its own: those below begin with the user.
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="disclosures", db_index=False)
    request_id = models.CharField(max_length=MAX_NAME_CHARS)
    device_id = models.CharField(max_length=MAX_DEVICE_ID_CHARS, blank=True)
    source = models.CharField(max_length=16, choices=request_kinds)
    # Not a foreign key: the disclosure outlives the job.
    job_id = models.UUIDField(null=True, blank=True)
    model = models.CharField(max_length=MAX_NAME_CHARS)
    left_server = models.BooleanField()
    table = models.CharField(max_length=16, choices=[(table.value, table.value) for table in Table])
    row_count = models.PositiveIntegerField()
    row_ids_encrypted = EncryptedTextField(editable=False)
    at = models.DateTimeField(default=clock.now)

    objects = DisclosureQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=models.Q(row_count__gt=0), name="agents_disclosure_of_rows"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            # The list of a user's disclosures.
            models.Index(fields=["user", "-at", "-id"], name="agents_disclosure_of_user"),
            # What an earlier run of a job has sent.
            models.Index(
                fields=["user", "job_id"],
                condition=models.Q(job_id__isnull=False),
                name="agents_disclosure_of_job",
            ),
            # Retention.
            models.Index(fields=["at"], name="agents_disclosure_at"),
        ]

    def __str__(self) -> str:
        return f"{self.row_count} of {self.table} to {self.model}"
