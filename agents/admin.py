"""Policies, approvals, jobs and disclosures, for staff: states and times only.

What was asked, done or read the user alone is shown.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone as clock

from accounts.admin.decisions import DecisionsPage
from accounts.admin.pages import ReadOnlyInline, ReadOnlyPage
from agents.disclosure_models import Disclosure, SharingMarks
from agents.job_models import OVER, JobState, ToolJob
from agents.models import Approval, ToolPolicy
from agents.prompts import admin as prompts_admin  # noqa: F401 - registers its page
from agents.quota_admin import QuotasPage  # noqa: F401 - as above
from agents.spans import span_text
from agents.specs import registry
from agents.turn_models import TurnRecord, TurnTool

if TYPE_CHECKING:
    _ModelForm = forms.ModelForm[ToolPolicy]
else:
    _ModelForm = forms.ModelForm  # Django's classes are generic for type checkers only


_COLOURS: Final[Mapping[str, str]] = {
    JobState.WAITING_APPROVAL: "warning",
    JobState.QUEUED: "info",
    JobState.RUNNING: "primary",
    JobState.WAITING_DEVICE: "warning",
    JobState.DONE: "success",
    JobState.DELIVERED: "success",
    JobState.FAILED: "danger",
}
"""Of the states of jobs, as django-unfold names them; one that is cancelled has none."""


class PolicyForm(_ModelForm):
    """A policy is about one tool, by its name, or about all tools of one risk."""

    class Meta:
        model = ToolPolicy
        fields = ("user", "risk", "tool", "decision")

    def clean_tool(self) -> str:
        tool: str = self.cleaned_data["tool"]
        if tool and tool not in registry.registered():
            raise ValidationError("There is no such tool.")
        return tool

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if not self.errors and bool(self.cleaned_data["risk"]) == bool(self.cleaned_data["tool"]):
            raise ValidationError("A policy is about one risk or about one tool: choose one of them.")
        return cleaned


@admin.register(ToolPolicy)
class PoliciesPage(DecisionsPage[ToolPolicy]):
    """Whatever is done here lets an assistant do more or less to somebody's rows, so it is recorded as done to them."""

    section = "Assistant"
    icon = "rule"
    purpose = "Which tools run unasked, ask first or never run, user by user. Who has decided nothing is not listed."
    noun = "policy"

    form = PolicyForm
    list_display = ("user", "risk", "tool", "decision", "remembered", "updated_at")
    list_filter = ("decision", "risk", "remembered")
    list_select_related = ("user",)
    search_fields = ("user__email", "tool")
    autocomplete_fields = ("user",)
    fields = ("user", "risk", "tool", "decision", "remembered", "updated_at")
    readonly_fields = ("remembered", "updated_at")
    ordering = ("user__email", "risk", "tool")


@admin.register(Approval)
class ApprovalsPage(ReadOnlyPage[Approval]):
    section = "Assistant"
    icon = "approval_delegation"
    purpose = "What the assistant asked before it acted: when, about which tool and how it ended, never what."

    list_display = ("created_at", "user", "tool", "risk", "state", "expires_at", "answered_at", "taken_at")
    list_filter = ("state", "risk")
    list_select_related = ("user",)
    search_fields = ("user__email", "tool")
    date_hierarchy = "created_at"
    ordering = ("-created_at",)
    fields = (
        "id",
        "user",
        "request_id",
        "session_id",
        "device_id",
        "tool",
        "risk",
        "state",
        "created_at",
        "expires_at",
        "answered_at",
        "taken_at",
    )
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Approval]:
        return super().get_queryset(request).defer(*Approval.ENCRYPTED)


@admin.register(ToolJob)
class JobsPage(ReadOnlyPage[ToolJob]):
    section = "Assistant"
    icon = "pending_actions"
    purpose = "Tools that take longer: when they ran, how often it was tried and how it ended, never what was done."

    list_display = (
        "created_at",
        "user",
        "tool",
        "state_label",
        "attempts",
        "began_after",
        "took",
        "told_after",
    )
    list_filter = ("state",)
    list_select_related = ("user",)
    search_fields = ("user__email", "tool")
    date_hierarchy = "created_at"
    ordering = ("-created_at",)
    fields = (
        "id",
        "user",
        "request_id",
        "session_id",
        "device_id",
        "tool",
        "label",
        "standing",
        "attempts",
        "began_after",
        "took",
        "told_after",
        "claimed_by",
        "lease_until",
        "waiting_since",
        "first_away_at",
        "published_at",
        "cancel_requested_at",
        "created_at",
        "started_at",
        "finished_at",
        "delivered_at",
    )
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[ToolJob]:
        return super().get_queryset(request).defer(*ToolJob.ENCRYPTED)

    @admin.display(description="state", ordering="state")
    def state_label(self, job: ToolJob) -> tuple[str, str]:
        return job.state, self.standing(job)

    state_label.label = _COLOURS  # type: ignore[attr-defined] # how django-unfold is told of colours

    @admin.display(description="state")
    def standing(self, job: ToolJob) -> str:
        words = job.get_state_display()
        if job.state == JobState.RUNNING and job.cancel_requested_at is not None:
            return f"{words}, to be cancelled"
        if job.state == JobState.RUNNING and job.fraction is not None:
            return f"{words}, {job.fraction:.0%}"
        return words

    @admin.display(description="began after", empty_value="–")
    def began_after(self, job: ToolJob) -> str | None:
        return _span(job.created_at, job.started_at, goes_on=job.state not in OVER)

    @admin.display(description="took", empty_value="–")
    def took(self, job: ToolJob) -> str | None:
        """From its first beginning, with all that it waited meanwhile."""
        return _span(job.started_at, job.finished_at, goes_on=job.state not in OVER)

    @admin.display(description="told after", empty_value="–")
    def told_after(self, job: ToolJob) -> str | None:
        return _span(job.finished_at, job.delivered_at, goes_on=job.state in OVER)


def _span(since: datetime | None, until: datetime | None, *, goes_on: bool) -> str | None:
    """How long it took from the one to the other; without the other until now, if it ``goes_on``."""
    if since is None or (until is None and not goes_on):
        return None
    return f"{span_text(clock.now() - since)} so far" if until is None else span_text(until - since)


class ToolsOfTurn(ReadOnlyInline[TurnTool, TurnRecord]):
    model = TurnTool
    verbose_name_plural = "tools"
    fields = ("tool", "calls", "failures", "duration_ms")
    readonly_fields = fields
    ordering = ("tool",)


@admin.register(TurnRecord)
class TurnsPage(ReadOnlyPage[TurnRecord]):
    section = "Assistant"
    icon = "monitoring"
    purpose = "Answers and runs of jobs: how long they took, what they used and how they ended, never what was said."

    inlines = (ToolsOfTurn,)
    list_display = (
        "started_at",
        "user",
        "kind",
        "agent",
        "model",
        "outcome",
        "error_code",
        "duration_ms",
        "first_text_ms",
        "model_requests",
        "input_tokens",
        "output_tokens",
        "tool_calls",
        "tool_failures",
    )
    list_filter = ("outcome", "kind", "source", "error_code")
    list_select_related = ("user",)
    search_fields = ("user__email", "request_id")
    date_hierarchy = "started_at"
    ordering = ("-started_at",)
    fields = ("id", "request_id", "source", *list_display)
    readonly_fields = fields


@admin.register(Disclosure)
class DisclosuresPage(ReadOnlyPage[Disclosure]):
    section = "Assistant"
    icon = "outgoing_mail"
    purpose = "How many rows of which table went to which model, and when; never which rows."

    list_display = ("at", "user", "source", "model", "left_server", "table", "row_count")
    list_filter = ("source", "table", "left_server")
    list_select_related = ("user",)
    search_fields = ("user__email", "model", "request_id")
    date_hierarchy = "at"
    ordering = ("-at",)
    fields = (
        "id",
        "user",
        "request_id",
        "device_id",
        "source",
        "job_id",
        "model",
        "left_server",
        "table",
        "row_count",
        "at",
    )
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Disclosure]:
        return super().get_queryset(request).defer(*Disclosure.ENCRYPTED)


@admin.register(SharingMarks)
class SharingMarksPage(ReadOnlyPage[SharingMarks]):
    section = "Assistant"
    icon = "visibility_lock"
    purpose = "Who has marked tables or projects as never to be shared with a model, and when; never which."

    list_display = ("user", "updated_at")
    list_select_related = ("user",)
    search_fields = ("user__email",)
    ordering = ("user__email",)
    fields = ("id", "user", "updated_at")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[SharingMarks]:
        return super().get_queryset(request).defer(*SharingMarks.ENCRYPTED)
