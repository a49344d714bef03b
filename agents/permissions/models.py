"""The tables: policies and questions, disclosures, sharing marks and quotas."""

from datetime import datetime, timedelta
from typing import ClassVar, Final, Self
from uuid import uuid4

from django.db import models
from django.db.models import Case, F, Q, Value, When
from django.utils import timezone as clock

from accounts.cursors import Cursor
from accounts.encryption import EncryptedTextField
from accounts.models import OwnedQuerySet, User
from agents.calls import Table
from agents.requests import MAX_NAME_CHARS, MAX_TOOL_CHARS, request_kinds
from agents.tools.spec import Risk

_HEX_SHA256 = 64
FOLLOWED_WITHIN: Final = timedelta(minutes=1)
"""How long after its question expires an approval can be used: its turn may have died just after the answer."""


class Decision(models.TextChoices):
    """Whether a tool may run."""

    AUTO = "auto", "runs unasked"
    ASK = "ask", "asks first"
    DENY = "deny", "never runs"


class ApprovalState(models.TextChoices):
    """The state of a question. It leaves ``pending`` once; only an unused approval can expire or be cancelled later."""

    PENDING = "pending"
    APPROVED = "approved"
    REFUSED = "refused"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class ToolPolicy(models.Model):
    """A user's decision about one tool, or all tools of one risk. With ``remembered`` it comes from an answer."""

    # Its index serves reading a user's policies before a tool runs.
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tool_policies")
    risk = models.CharField(max_length=16, blank=True, choices=[(risk.value, risk.value) for risk in Risk])
    tool = models.CharField(max_length=MAX_TOOL_CHARS, blank=True)
    decision = models.CharField(max_length=8, choices=Decision.choices)
    remembered = models.BooleanField(default=False, help_text="Comes of an answer, not of the settings.")
    updated_at = models.DateTimeField(auto_now=True)

    objects = OwnedQuerySet["ToolPolicy"].as_manager()

    class Meta:
        verbose_name_plural = "tool policies"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=(Q(risk="") & ~Q(tool="")) | (~Q(risk="") & Q(tool="")), name="agents_toolpolicy_one_subject"
            ),
            models.UniqueConstraint(fields=["user", "risk"], condition=~Q(risk=""), name="agents_toolpolicy_of_risk"),
            models.UniqueConstraint(fields=["user", "tool"], condition=~Q(tool=""), name="agents_toolpolicy_of_tool"),
        ]

    def __str__(self) -> str:
        return f"{self.tool or self.risk}: {self.decision}"


_SETTLED: Final = Case(When(state="pending", then=Value(0)), default=Value(1))
"""Orders pending questions before settled ones."""


class ApprovalQuerySet(OwnedQuerySet["Approval"]):
    """Questions, filtered and in order."""

    def pending(self) -> Self:
        return self.filter(state=ApprovalState.PENDING)

    def askable(self, now: datetime, waited_since: datetime | None) -> Self:
        """Questions that can be answered; with ``waited_since``, only if a turn has waited for them since then."""
        askable = self.pending().filter(expires_at__gt=now)
        return askable if waited_since is None else askable.filter(waited_at__gte=waited_since)

    def unused(self) -> Self:
        """Approved questions by which no tool has run."""
        return self.filter(state=ApprovalState.APPROVED, taken_at=None)

    def unsettled(self) -> Self:
        """Questions by which a tool can still run."""
        return self.filter(Q(state=ApprovalState.PENDING) | Q(state=ApprovalState.APPROVED), taken_at=None)

    def overdue(self, now: datetime) -> Self:
        """Questions that have expired unanswered, and approvals that have expired unused."""
        unanswered = Q(state=ApprovalState.PENDING, expires_at__lte=now)
        unused = Q(state=ApprovalState.APPROVED, expires_at__lte=now - FOLLOWED_WITHIN)
        return self.unsettled().filter(unanswered | unused)

    def orphaned(self, now: datetime, *, unseen_since: datetime) -> Self:
        """Unused approvals whose turn has died: it has not polled, and they were answered, before ``unseen_since``."""
        unpolled = Q(waited_at=None) | Q(waited_at__lt=unseen_since)
        return self.unused().filter(unpolled, answered_at__lt=unseen_since, expires_at__gt=now - FOLLOWED_WITHIN)

    def pending_first(self) -> Self:
        """Pending questions first, then the newest."""
        return self.order_by(_SETTLED, "-created_at", "id")

    def after(self, settled: int, cursor: Cursor) -> Self:
        """The rows after ``cursor`` in the order of ``pending_first``. ``settled``: whether that row is, as 0 or 1."""
        later = Q(created_at__lt=cursor.at) | Q(created_at=cursor.at, id__gt=cursor.id)
        return self.alias(settled=_SETTLED).filter(Q(settled__gt=settled) | (Q(settled=settled) & later))


class Approval(models.Model):
    """A question to a user before a tool runs, and its answer.

    ``arguments_hash`` identifies the arguments, ``call_key`` the call within a request; both are keyed digests.
    Questions that were asked together have the same ``group``. ``source_encrypted`` is empty if the user's own words
    led to the call. ``waited_at`` is the last time when a turn waited for the answer or was about to use it.
    ``taken_at`` is the time when the tool began to run by it. All texts are ciphertext.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    # No index of its own: those below begin with the user.
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="approvals", db_index=False)
    request_id = models.CharField(max_length=MAX_NAME_CHARS)
    session_id = models.CharField(max_length=MAX_NAME_CHARS, blank=True)
    # ``Device.id``. Not a foreign key: the row outlives the device. Empty: no device in particular.
    device_id = models.CharField(max_length=36, blank=True)
    # The program that called over MCP. Processes of the previous release do not write it.
    program = models.CharField(max_length=MAX_NAME_CHARS, blank=True, default="", db_default="")
    tool = models.CharField(max_length=MAX_TOOL_CHARS)
    risk = models.CharField(max_length=16, choices=[(risk.value, risk.value) for risk in Risk])
    arguments_encrypted = EncryptedTextField(editable=False)
    preview_encrypted = EncryptedTextField(editable=False)
    summary_encrypted = EncryptedTextField(editable=False)
    reason_encrypted = EncryptedTextField(editable=False)
    # Processes of the previous release write neither this nor the group.
    source_encrypted = EncryptedTextField(editable=False, db_default="", default="")
    group = models.UUIDField(null=True, editable=False)
    arguments_hash = models.CharField(max_length=_HEX_SHA256, editable=False)
    call_key = models.CharField(max_length=_HEX_SHA256, editable=False)
    repetition = models.PositiveSmallIntegerField(default=0, editable=False)
    state = models.CharField(max_length=16, choices=ApprovalState.choices, default=ApprovalState.PENDING)
    created_at = models.DateTimeField(default=clock.now)
    expires_at = models.DateTimeField()
    waited_at = models.DateTimeField(null=True, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    taken_at = models.DateTimeField(null=True, blank=True)

    objects = ApprovalQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            # Its index serves finding the row of a repeated question.
            models.UniqueConstraint(
                fields=["user", "request_id", "call_key", "repetition"], name="agents_approval_of_call"
            ),
            models.CheckConstraint(
                condition=Q(taken_at=None) | Q(state=ApprovalState.APPROVED), name="agents_approval_taken_if_approved"
            ),
            models.CheckConstraint(condition=Q(expires_at__gt=F("created_at")), name="agents_approval_has_time"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            # The list of a user's approvals.
            models.Index(fields=["user", "-created_at"], name="agents_approval_of_user"),
            # The questions shown on a device after its hello, and overdue ones.
            models.Index(
                fields=["user", "device_id"],
                condition=Q(state=ApprovalState.PENDING),
                name="agents_approval_pending",
            ),
            # Retention; and orphaned approvals, which are among the latest.
            models.Index(fields=["expires_at"], name="agents_approval_expires"),
        ]

    def __str__(self) -> str:
        return f"{self.tool} ({self.state})"


class DisclosureQuerySet(OwnedQuerySet["Disclosure"]):
    """Disclosures, filtered and in order."""

    def newest_first(self) -> Self:
        return self.order_by("-at", "-id")

    def after(self, cursor: Cursor) -> Self:
        """The rows after ``cursor`` in the order of ``newest_first``."""
        return self.filter(Q(at__lt=cursor.at) | Q(at=cursor.at, id__lt=cursor.id))


class Disclosure(models.Model):
    """Rows of one table that a model was sent for the first time in one turn, or one job.

    ``left_server`` is False for a model that is part of the server. The ids of the rows are ciphertext.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    # No index of its own: those below begin with the user.
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="disclosures", db_index=False)
    request_id = models.CharField(max_length=MAX_NAME_CHARS)
    # ``Device.id``. Not a foreign key: the row outlives the device. Empty: no device in particular.
    device_id = models.CharField(max_length=36, blank=True)
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
            models.CheckConstraint(condition=Q(row_count__gt=0), name="agents_disclosure_of_rows"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            # The list of a user's disclosures.
            models.Index(fields=["user", "-at", "-id"], name="agents_disclosure_of_user"),
            # The rows that an earlier run of a job has sent.
            models.Index(
                fields=["user", "job_id"],
                condition=Q(job_id__isnull=False),
                name="agents_disclosure_of_job",
            ),
            # Retention.
            models.Index(fields=["at"], name="agents_disclosure_at"),
        ]

    def __str__(self) -> str:
        return f"{self.row_count} of {self.table} to {self.model}"


class SharingMarks(models.Model):
    """The tables, and the ids of the projects, that a user never shares with a model, as one ciphertext."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="sharing_marks")
    marks_encrypted = EncryptedTextField(editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    objects = OwnedQuerySet["SharingMarks"].as_manager()

    class Meta:
        verbose_name_plural = "sharing marks"

    def __str__(self) -> str:
        return f"marks of {self.user_id}"


class UserQuota(models.Model):
    """A user's daily limits of turns and tokens. None means the installation's limit, 0 no limit."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="quota")
    turns = models.PositiveIntegerField(
        "turns a day", null=True, blank=True, help_text="Empty: as everybody. 0: no limit."
    )
    tokens = models.PositiveBigIntegerField(
        "tokens a day", null=True, blank=True, help_text="Of all models together. Empty: as everybody. 0: no limit."
    )
    updated_at = models.DateTimeField(auto_now=True)

    objects = OwnedQuerySet["UserQuota"].as_manager()

    class Meta:
        verbose_name = "quota"

    def __str__(self) -> str:
        return f"turns {_shown(self.turns)}, tokens {_shown(self.tokens)}"


def _shown(limit: int | None) -> str:
    if limit is None:
        return "as everybody"
    return str(limit) if limit else "without a limit"
