"""Policies, approvals, jobs and disclosures, for staff: states and times only.

What was asked, done or read the user alone is shown.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from accounts.admin.events import events_of
from accounts.admin.pages import Page, ReadOnlyPage
from accounts.audit import record_event
from accounts.models import AuditEvent, User
from agents.disclosure_models import Disclosure, SharingMarks
from agents.job_models import ToolJob
from agents.models import Approval, ToolPolicy
from agents.specs import registry

if TYPE_CHECKING:
    _ModelForm = forms.ModelForm[ToolPolicy]
else:
    _ModelForm = forms.ModelForm  # Django's classes are generic for type checkers only


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
class PoliciesPage(Page[ToolPolicy]):
    """Whatever is done here lets an assistant do more or less to somebody's rows, so it is recorded as done to them."""

    section = "Assistant"
    icon = "rule"
    purpose = "Which tools run unasked, ask first or never run, user by user. Who has decided nothing is not listed."

    form = PolicyForm
    list_display = ("user", "risk", "tool", "decision", "remembered", "updated_at")
    list_filter = ("decision", "risk", "remembered")
    list_select_related = ("user",)
    search_fields = ("user__email", "tool")
    autocomplete_fields = ("user",)
    fields = ("user", "risk", "tool", "decision", "remembered", "updated_at")
    readonly_fields = ("remembered", "updated_at")
    ordering = ("user__email", "risk", "tool")

    def log_addition(self, request: HttpRequest, obj: ToolPolicy, message: object) -> AuditEvent:  # type: ignore[override]
        return _recorded(request, "add-policy", obj)

    def log_change(self, request: HttpRequest, obj: ToolPolicy, message: object) -> AuditEvent:  # type: ignore[override]
        return _recorded(request, "change-policy", obj)

    def log_deletions(self, request: HttpRequest, queryset: Iterable[ToolPolicy]) -> list[AuditEvent]:  # type: ignore[override]
        return [_recorded(request, "remove-policy", policy) for policy in queryset]

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        policy = self.get_object(request, object_id)
        return super().history_view(request, object_id) if policy is None else redirect(events_of(policy.user_id))


def _recorded(request: HttpRequest, action: str, policy: ToolPolicy) -> AuditEvent:
    actor = cast("User", request.user)
    return record_event(actor=actor, subject_id=policy.user_id, action=action, reason=str(policy))


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
        "state",
        "attempts",
        "started_at",
        "finished_at",
        "delivered_at",
        "waiting_since",
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
        "state",
        "fraction",
        "attempts",
        "claimed_by",
        "lease_until",
        "waiting_since",
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
