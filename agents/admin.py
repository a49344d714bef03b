"""Policies, approvals and jobs, for staff: states and times only. What was asked or done the user alone is shown."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.admin.pages import Page, ReadOnlyPage
from agents.job_models import ToolJob
from agents.models import Approval, ToolPolicy


@admin.register(ToolPolicy)
class PoliciesPage(Page[ToolPolicy]):
    section = "Assistant"
    icon = "rule"
    purpose = "Which tools run unasked, ask first or never run, user by user. Who has decided nothing is not listed."

    list_display = ("user", "risk", "tool", "decision", "remembered", "updated_at")
    list_filter = ("decision", "risk", "remembered")
    list_select_related = ("user",)
    search_fields = ("user__email", "tool")
    autocomplete_fields = ("user",)
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
