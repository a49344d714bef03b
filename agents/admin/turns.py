"""Answers and runs of jobs, for staff: figures and outcomes, never what was said."""

from django.contrib import admin

from accounts.admin.pages import ReadOnlyInline, ReadOnlyPage
from agents.turn_models import TurnRecord, TurnTool


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
