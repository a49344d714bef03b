"""The admin page of approvals: the tool and the times, never the content."""

from datetime import datetime

from django.contrib import admin

from accounts.admin.pages import ReadOnlyPage
from agents.permissions.approvals.models import Approval


@admin.register(Approval)
class ApprovalsPage(ReadOnlyPage[Approval]):
    section = "Assistant"
    icon = "approval_delegation"
    purpose = "What the assistant asked before it acted: when, about which tool and how it ended, never what."

    list_display = ("created_at", "user", "tool", "risk", "state", "answered_at", "ran_at")
    list_filter = ("state", "risk")
    list_select_related = ("user",)
    search_fields = ("user__email", "tool")
    search_help_text = "The address of who was asked, or a tool"
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
        "ran_at",
    )
    readonly_fields = fields

    @admin.display(description="ran at", ordering="taken_at")
    def ran_at(self, approval: Approval) -> datetime | None:
        return approval.taken_at
