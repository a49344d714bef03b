"""What is kept of approvals: which tools a user lets run unasked, and the questions that were put to the user."""

from datetime import datetime, timedelta
from typing import ClassVar, Final, Self
from uuid import UUID, uuid4

from django.db import models
from django.db.models import Case, F, Q, Value, When
from django.utils import timezone as clock

from accounts.models import MAX_DEVICE_ID_CHARS, User
from agents.names import MAX_NAME_CHARS, MAX_TOOL_CHARS
from agents.tools.spec.tool import Risk

_HEX_SHA256 = 64
FOLLOWED_WITHIN: Final = timedelta(minutes=1)
"""How long after its question's time an approval can still be used: a turn may have died just after the answer."""


class Decision(models.TextChoices):
    """What happens when a tool is to run."""

    AUTO = "auto", "runs unasked"
    ASK = "ask", "asks first"
    DENY = "deny", "never runs"


class ApprovalState(models.TextChoices):
    """Where a question stands. It leaves ``pending`` once; only an approval that nothing ran by can still lapse."""

    PENDING = "pending"
    APPROVED = "approved"
    REFUSED = "refused"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class ToolPolicyQuerySet(models.QuerySet["ToolPolicy"]):
    """The policies of a user."""

    def for_user(self, user_id: UUID) -> Self:
        return self.filter(user_id=user_id)


class ToolPolicy(models.Model):
    """A user's decision about one tool, or about all tools of one risk. ``remembered`` came of an answer."""

    # Its index serves the reading of a user's policies, before a tool runs.
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tool_policies")
    risk = models.CharField(max_length=16, blank=True, choices=[(risk.value, risk.value) for risk in Risk])
    tool = models.CharField(max_length=MAX_TOOL_CHARS, blank=True)
    decision = models.CharField(max_length=8, choices=Decision.choices)
    remembered = models.BooleanField(default=False, help_text="Comes of an answer, not of the settings.")
    updated_at = models.DateTimeField(auto_now=True)

    objects = ToolPolicyQuerySet.as_manager()

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


class ApprovalQuerySet(models.QuerySet["Approval"]):
    """The questions of a user, as they are looked for."""

    def for_user(self, user_id: UUID) -> Self:
        return self.filter(user_id=user_id)

    def pending(self) -> Self:
        return self.filter(state=ApprovalState.PENDING)

    def unused(self) -> Self:
        """Those that were approved, and nothing has run by it."""
        return self.filter(state=ApprovalState.APPROVED, taken_at=None)

    def unsettled(self) -> Self:
        """Those of which something can still come."""
        return self.filter(Q(state=ApprovalState.PENDING) | Q(state=ApprovalState.APPROVED), taken_at=None)

    def overdue(self, now: datetime) -> Self:
        """Those whose time is over: they were not answered, or approved and not used."""
        unanswered = Q(state=ApprovalState.PENDING, expires_at__lte=now)
        unused = Q(state=ApprovalState.APPROVED, expires_at__lte=now - FOLLOWED_WITHIN)
        return self.unsettled().filter(unanswered | unused)

    def orphaned(self, now: datetime, *, unseen_since: datetime) -> Self:
        """Those that could be used and are not: no turn has looked and no answer has come since ``unseen_since``."""
        unheard = Q(waited_at=None) | Q(waited_at__lt=unseen_since)
        return self.unused().filter(unheard, answered_at__lt=unseen_since, expires_at__gt=now - FOLLOWED_WITHIN)

    def lapsed_before(self, moment: datetime) -> Self:
        """Those whose time was over before ``moment``, in any state."""
        return self.filter(expires_at__lt=moment)

    def pending_first(self) -> Self:
        """Those that wait for an answer, then the others, the newest first."""
        settled = Case(When(state=ApprovalState.PENDING, then=Value(0)), default=Value(1))
        return self.order_by(settled, "-created_at", "id")


class Approval(models.Model):
    """A question that was put to a user before a tool ran: what it would do, and what became of it.

    ``arguments_hash`` is what the answer is for, ``call_key`` what makes two questions of a turn the same; both are
    keyed digests. ``waited_at`` is when a turn was last there to hear the answer or to use it, ``taken_at`` when the
    tool began to run by it. Everything that a user said or that came of it is ciphertext.
    """

    ENCRYPTED: ClassVar[tuple[str, ...]] = (
        "arguments_encrypted",
        "preview_encrypted",
        "summary_encrypted",
        "reason_encrypted",
    )

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    # No index of its own: those below begin with the user.
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="approvals", db_index=False)
    request_id = models.CharField(max_length=MAX_NAME_CHARS)
    session_id = models.CharField(max_length=MAX_NAME_CHARS, blank=True)
    device_id = models.CharField(max_length=MAX_DEVICE_ID_CHARS, blank=True)
    tool = models.CharField(max_length=MAX_TOOL_CHARS)
    risk = models.CharField(max_length=16, choices=[(risk.value, risk.value) for risk in Risk])
    arguments_encrypted = models.TextField(editable=False)
    preview_encrypted = models.TextField(editable=False)
    summary_encrypted = models.TextField(editable=False)
    reason_encrypted = models.TextField(editable=False)
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
            # Its index serves a question that a turn repeats, which must find its row.
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
            # What a device is asked again after its hello, and what is overdue.
            models.Index(
                fields=["user", "device_id"],
                condition=Q(state=ApprovalState.PENDING),
                name="agents_approval_pending",
            ),
            # What is so old that it goes; and what has lost its turn, which is looked for among the latest ones.
            models.Index(fields=["expires_at"], name="agents_approval_expires"),
        ]

    def __str__(self) -> str:
        return f"{self.tool} ({self.state})"
