"""The stored turn records: counts, tokens and times, without any content."""

from datetime import datetime
from typing import ClassVar, Self
from uuid import uuid4

from django.db import models
from django.db.models import Q

from accounts.models import OwnedQuerySet, User
from agents.requests import MAX_NAME_CHARS, MAX_TOOL_CHARS, request_kinds
from agents.telemetry.turns import TurnOutcome, TurnSource

MAX_CODE_CHARS = 64


class TurnRecordQuerySet(OwnedQuerySet["TurnRecord"]):
    """Turn records, filtered."""

    def since(self, moment: datetime) -> Self:
        """The turns that began at ``moment`` or later."""
        return self.filter(started_at__gte=moment)


class TurnRecord(models.Model):
    """One turn, or one run of a job, that has ended.

    ``model`` is the one that wrote last. ``model_requests`` counts routing, each round of the answer, and a job's
    requests. Tokens are counted by the providers; 0 may mean that they do not count. ``first_text_ms`` is None if no
    text was written. Times include waiting for approvals, and for earlier requests of the session.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    # No index of its own: the one below begins with the user.
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="turns", db_index=False)
    request_id = models.CharField(max_length=MAX_NAME_CHARS)
    kind = models.CharField(max_length=16, choices=request_kinds)
    source = models.CharField(max_length=16, choices=[(source.value, source.value) for source in TurnSource])
    agent = models.CharField(max_length=MAX_TOOL_CHARS, blank=True)
    model = models.CharField(max_length=MAX_NAME_CHARS, blank=True)
    started_at = models.DateTimeField()
    duration_ms = models.PositiveIntegerField()
    first_text_ms = models.PositiveIntegerField(null=True, blank=True)
    model_requests = models.PositiveIntegerField(default=0)
    input_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    tool_calls = models.PositiveIntegerField(default=0)
    tool_failures = models.PositiveIntegerField(default=0)
    outcome = models.CharField(max_length=16, choices=[(outcome.value, outcome.value) for outcome in TurnOutcome])
    error_code = models.CharField(max_length=MAX_CODE_CHARS, blank=True)

    objects = TurnRecordQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=Q(error_code="") | Q(outcome=TurnOutcome.ERROR.value), name="agents_turnrecord_code_if_error"
            ),
            models.CheckConstraint(
                condition=Q(tool_failures__lte=models.F("tool_calls")), name="agents_turnrecord_failures"
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            # A user's usage since midnight, for quotas; a user's turns, newest first; export and erasure.
            models.Index(fields=["user", "-started_at"], name="agents_turnrecord_of_user"),
            # The dashboard's charts: all turns of some days. Retention.
            models.Index(fields=["-started_at"], name="agents_turnrecord_started"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} ({self.outcome})"


class TurnTool(models.Model):
    """A turn's calls of one tool. ``started_at`` is the turn's; ``duration_ms`` is the sum of all calls."""

    # No index of its own: that of the constraint below begins with the turn.
    turn = models.ForeignKey(TurnRecord, on_delete=models.CASCADE, related_name="tools", db_index=False)
    started_at = models.DateTimeField()
    tool = models.CharField(max_length=MAX_TOOL_CHARS)
    calls = models.PositiveIntegerField()
    failures = models.PositiveIntegerField(default=0)
    duration_ms = models.PositiveIntegerField(default=0)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            # Its index serves the tools of one turn.
            models.UniqueConstraint(fields=["turn", "tool"], name="agents_turntool_of_turn"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            # The dashboard's chart of tools, from the index alone. Retention.
            models.Index(fields=["started_at", "tool"], include=["calls", "failures"], name="agents_turntool_started"),
        ]

    def __str__(self) -> str:
        return f"{self.tool} ({self.calls})"
