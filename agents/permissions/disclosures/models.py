"""What is kept of disclosures: which rows of a user's device went to which model, and what must never go to any."""

from datetime import datetime
from typing import ClassVar, Self
from uuid import UUID, uuid4

from django.db import models
from django.utils import timezone as clock

from accounts.models import MAX_DEVICE_ID_CHARS, User
from agents.calls import Table
from agents.kinds import REQUEST_KINDS
from agents.names import MAX_NAME_CHARS
from agents.permissions.disclosures.positions import Position


class DisclosureQuerySet(models.QuerySet["Disclosure"]):
    """The disclosures of a user."""

    def for_user(self, user_id: UUID) -> Self:
        return self.filter(user_id=user_id)

    def newest_first(self) -> Self:
        return self.order_by("-at", "-id")

    def before(self, moment: datetime) -> Self:
        """Those that were written down before ``moment``."""
        return self.filter(at__lt=moment)

    def after(self, position: Position) -> Self:
        """Those that ``newest_first`` gives after ``position``."""
        return self.filter(models.Q(at__lt=position.at) | models.Q(at=position.at, id__lt=position.id))


class Disclosure(models.Model):
    """Rows of one table that a model was sent for the first time in one turn, or one job.

    ``left_server`` is false of a model that is part of the server itself. Which rows they were is ciphertext.
    """

    ENCRYPTED: ClassVar[tuple[str, ...]] = ("row_ids_encrypted",)

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    # No index of its own: those below begin with the user.
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="disclosures", db_index=False)
    request_id = models.CharField(max_length=MAX_NAME_CHARS)
    device_id = models.CharField(max_length=MAX_DEVICE_ID_CHARS, blank=True)
    source = models.CharField(max_length=16, choices=REQUEST_KINDS)
    # Not a foreign key: what was disclosed stays true when the job is forgotten.
    job_id = models.UUIDField(null=True, blank=True)
    model = models.CharField(max_length=MAX_NAME_CHARS)
    left_server = models.BooleanField()
    table = models.CharField(max_length=16, choices=[(table.value, table.value) for table in Table])
    row_count = models.PositiveIntegerField()
    row_ids_encrypted = models.TextField(editable=False)
    at = models.DateTimeField(default=clock.now)

    objects = DisclosureQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=models.Q(row_count__gt=0), name="agents_disclosure_of_rows"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            # The list of a user's disclosures.
            models.Index(fields=["user", "-at", "-id"], name="agents_disclosure_of_user"),
            # What a second run of a job finds that the first has sent already.
            models.Index(
                fields=["user", "job_id"],
                condition=models.Q(job_id__isnull=False),
                name="agents_disclosure_of_job",
            ),
            # What is so old that it goes.
            models.Index(fields=["at"], name="agents_disclosure_at"),
        ]

    def __str__(self) -> str:
        return f"{self.row_count} of {self.table} to {self.model}"


class SharingMarksQuerySet(models.QuerySet["SharingMarks"]):
    """The marks of a user."""

    def for_user(self, user_id: UUID) -> Self:
        return self.filter(user_id=user_id)


class SharingMarks(models.Model):
    """What a user never shares with a model: tables, and projects by their ids. All of it is one ciphertext."""

    ENCRYPTED: ClassVar[tuple[str, ...]] = ("marks_encrypted",)

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="sharing_marks")
    marks_encrypted = models.TextField(editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    objects = SharingMarksQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "sharing marks"

    def __str__(self) -> str:
        return f"marks of {self.user_id}"
