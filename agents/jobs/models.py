"""The stored form of slow tool calls: the job, and the journal from which a later run of it continues."""

from datetime import datetime
from typing import ClassVar, Final, Self
from uuid import uuid4

from django.db import models
from django.db.models import Q
from django.utils import timezone as clock

from accounts.cursors import Cursor
from accounts.encryption import EncryptedTextField
from accounts.models import OwnedQuerySet, User
from agents.requests import MAX_NAME_CHARS, MAX_TOOL_CHARS

_HEX_SHA256: Final = 64


class JobState(models.TextChoices):
    """The state of a job. ``delivered`` is done, and received by its device."""

    WAITING_APPROVAL = "waiting_approval", "waiting for approval"
    QUEUED = "queued", "queued"
    RUNNING = "running", "running"
    WAITING_DEVICE = "waiting_device", "waiting for its device"
    DONE = "done", "done"
    FAILED = "failed", "failed"
    CANCELLED = "cancelled", "cancelled"
    DELIVERED = "delivered", "delivered"


WAITING: Final = (JobState.WAITING_APPROVAL, JobState.WAITING_DEVICE)
OVER: Final = (JobState.DONE, JobState.FAILED, JobState.CANCELLED, JobState.DELIVERED)
_UNDER_WAY: Final = (JobState.QUEUED, JobState.RUNNING, *WAITING)
_TO_TELL: Final = (JobState.DONE, JobState.FAILED, JobState.CANCELLED)
_UNTOLD: Final = Q(state__in=_TO_TELL, delivered_at=None)
_CONCERNS_ARRIVAL: Final = Q(state=JobState.WAITING_DEVICE) | _UNTOLD


class ToolJobQuerySet(OwnedQuerySet["ToolJob"]):
    """The queries for jobs."""

    def held_by(self, owner: str) -> Self:
        """The jobs that ``owner`` still holds."""
        return self.filter(state=JobState.RUNNING, claimed_by=owner)

    def claimable(self, now: datetime, *, attempts: int) -> Self:
        """The jobs that a run may claim: queued ones, and those of dead workers with fewer than ``attempts`` runs."""
        expired = Q(state=JobState.RUNNING, lease_until__lte=now, attempts__lt=attempts, cancel_requested_at=None)
        return self.filter(Q(state=JobState.QUEUED) | expired)

    def waiting_for(self, device_id: str) -> Self:
        """The jobs that wait for this device, and those that wait for any of the user's devices."""
        return self.filter(state=JobState.WAITING_DEVICE, device_id__in=(device_id, ""))

    def of_arriving(self) -> Self:
        """The jobs that concern a connecting device: those that wait for it, and those whose end it does not know."""
        return self.filter(_CONCERNS_ARRIVAL)

    def under_way(self) -> Self:
        return self.filter(state__in=_UNDER_WAY)

    def untold(self) -> Self:
        """The ended jobs whose device does not know yet."""
        return self.filter(_UNTOLD)

    def lapsed(self, now: datetime) -> Self:
        """The jobs whose lease has expired."""
        return self.filter(state=JobState.RUNNING, lease_until__lte=now)

    def away_since(self, moment: datetime) -> Self:
        """The jobs that wait for their device, and did so for the first time at ``moment`` or before."""
        # Jobs that wait since before this column existed have no value in it.
        began = Q(first_away_at__lte=moment) | Q(first_away_at=None, waiting_since__lte=moment)
        return self.filter(began, state=JobState.WAITING_DEVICE)

    def unpublished(self, *, made_before: datetime, published_before: datetime) -> Self:
        """The queued jobs that were never published, or so long ago that the message may be lost."""
        never = Q(published_at=None, created_at__lte=made_before)
        return self.filter(never | Q(published_at__lte=published_before), state=JobState.QUEUED)

    def newest_first(self) -> Self:
        return self.order_by("-created_at", "id")

    def after(self, cursor: Cursor) -> Self:
        """The jobs after ``cursor`` in the order of ``newest_first``."""
        return self.filter(Q(created_at__lt=cursor.at) | Q(created_at=cursor.at, id__gt=cursor.id))


class ToolJob(models.Model):
    """A tool call that outlives the turn that made it. This row is the truth; a message about it is only a hint.

    ``call_key`` is a keyed digest of the call: two calls of a request with the same key are the same call.
    ``claimed_by`` is the run that holds the job, until ``lease_until`` unless it renews; empty if none does.
    ``attempts`` counts the runs, except those that ended because the device was away or the worker stopped.
    ``first_away_at`` is when the device was first away; it is never cleared except by a retry. ``queued_at`` is when
    the job was queued for its current or latest run; None if that is unknown, while the job waits for something else,
    and if a run took it over from a dead one. ``label`` is the tool's fixed label.
    What a user said, and what was made from it, is encrypted; empty if there is none.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    # No index of its own, because indexes below begin with the user.
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tool_jobs", db_index=False)
    request_id = models.CharField(max_length=MAX_NAME_CHARS)
    session_id = models.CharField(max_length=MAX_NAME_CHARS, blank=True)
    # ``Device.id``. Not a foreign key, because the row outlives the device. Empty for any device of the user.
    device_id = models.CharField(max_length=36, blank=True)
    # The program that called over MCP. Processes of the previous release do not set it.
    program = models.CharField(max_length=MAX_NAME_CHARS, blank=True, default="", db_default="")
    tool = models.CharField(max_length=MAX_TOOL_CHARS)
    call_key = models.CharField(max_length=_HEX_SHA256, editable=False)
    state = models.CharField(max_length=16, choices=JobState.choices, default=JobState.QUEUED)
    arguments_encrypted = EncryptedTextField(editable=False)
    asked_encrypted = EncryptedTextField(editable=False)
    response_encrypted = EncryptedTextField(editable=False, blank=True)
    failure_encrypted = EncryptedTextField(editable=False, blank=True)
    fraction = models.FloatField(null=True, blank=True)
    label = models.CharField(max_length=MAX_NAME_CHARS, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    claimed_by = models.CharField(max_length=MAX_NAME_CHARS, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    waiting_since = models.DateTimeField(null=True, blank=True)
    first_away_at = models.DateTimeField(null=True, blank=True)
    queued_at = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    cancel_requested_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=clock.now)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    delivered_at = models.DateTimeField(null=True, blank=True)

    objects = ToolJobQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            # Its index serves repeated calls of a request, which must find their row.
            models.UniqueConstraint(fields=["user", "request_id", "call_key"], name="agents_tooljob_of_call"),
            models.CheckConstraint(
                condition=Q(
                    ~Q(claimed_by=""),
                    state=JobState.RUNNING,
                    attempts__gt=0,
                    lease_until__isnull=False,
                    started_at__isnull=False,
                )
                | Q(~Q(state=JobState.RUNNING), claimed_by="", lease_until=None),
                name="agents_tooljob_held_if_running",
            ),
            models.CheckConstraint(
                condition=Q(state__in=WAITING, waiting_since__isnull=False)
                | Q(~Q(state__in=WAITING), waiting_since=None),
                name="agents_tooljob_waits_since",
            ),
            models.CheckConstraint(
                condition=Q(state__in=OVER, finished_at__isnull=False) | Q(~Q(state__in=OVER), finished_at=None),
                name="agents_tooljob_finished_if_over",
            ),
            models.CheckConstraint(
                condition=Q(state=JobState.DELIVERED, delivered_at__isnull=False)
                | Q(state__in=(JobState.FAILED, JobState.CANCELLED))
                | Q(~Q(state=JobState.DELIVERED), delivered_at=None),
                name="agents_tooljob_delivered_if_over",
            ),
            models.CheckConstraint(
                condition=Q(cancel_requested_at=None) | Q(state__in=(JobState.RUNNING, *OVER)),
                name="agents_tooljob_cancelled_at_once",
            ),
            models.CheckConstraint(
                condition=Q(~Q(response_encrypted=""), state__in=(JobState.DONE, JobState.DELIVERED))
                | Q(~Q(state__in=(JobState.DONE, JobState.DELIVERED)), response_encrypted=""),
                name="agents_tooljob_response_if_done",
            ),
            models.CheckConstraint(
                condition=Q(failure_encrypted="") | Q(state=JobState.FAILED), name="agents_tooljob_failure_if_failed"
            ),
            models.CheckConstraint(
                condition=Q(fraction=None) | Q(fraction__gte=0, fraction__lte=1), name="agents_tooljob_fraction"
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            # For the list of a user's jobs, and for export, key rotation and erasure.
            models.Index(fields=["user", "-created_at"], name="agents_tooljob_of_user"),
            # For the sweep, which looks only at jobs that have not ended.
            models.Index(
                fields=["state", "created_at"],
                condition=Q(state__in=_UNDER_WAY),
                name="agents_tooljob_under_way",
            ),
            # For a device that says hello: jobs that wait for it, and reports that it has not received.
            models.Index(fields=["user", "device_id"], condition=_CONCERNS_ARRIVAL, name="agents_tooljob_of_device"),
            # For the deletion of old jobs.
            models.Index(
                fields=["finished_at"], condition=Q(finished_at__isnull=False), name="agents_tooljob_finished"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tool} ({self.state})"


class ToolJobStep(models.Model):
    """A step of a job, recorded before the job acts on it: what a model wrote, that a write is sent to the device, the
    device's answer, the tool's result, or that foreign text was read. Numbers count from 1.

    ``name`` is plain text, and holds nothing of the user's.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    # No index of its own, because those of the constraints below begin with the job.
    job = models.ForeignKey(ToolJob, on_delete=models.CASCADE, related_name="steps", db_index=False)
    # Its index serves export, key rotation and erasure.
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=MAX_NAME_CHARS)
    content_encrypted = EncryptedTextField(editable=False)
    created_at = models.DateTimeField(default=clock.now)

    objects = OwnedQuerySet["ToolJobStep"].as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            # Its index serves the lookup of a step by name.
            models.UniqueConstraint(fields=["job", "name"], name="agents_tooljobstep_name"),
            # Its index serves reading a job's journal in order.
            models.UniqueConstraint(fields=["job", "number"], name="agents_tooljobstep_number"),
        ]

    def __str__(self) -> str:
        return f"{self.number}. {self.name}"
