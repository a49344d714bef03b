"""The admin page of turn records: figures and outcomes, never the content."""

from typing import Final

from django.contrib import admin
from django.utils.html import format_html, format_html_join

from accounts.admin.pages import ReadOnlyInline, ReadOnlyPage
from agents.telemetry.models import TurnRecord, TurnTool
from agents.telemetry.turns import TurnOutcome

_SPACE: Final = "\N{NO-BREAK SPACE}"


class ToolsOfTurn(ReadOnlyInline[TurnTool, TurnRecord]):
    model = TurnTool
    verbose_name_plural = "tools"
    fields = ("tool", "calls", "failures", "took")
    readonly_fields = fields
    ordering = ("tool",)

    @admin.display(description="took altogether")
    def took(self, tool: TurnTool) -> str:
        return _ms(tool.duration_ms)


@admin.register(TurnRecord)
class TurnsPage(ReadOnlyPage[TurnRecord]):
    section = "Assistant"
    icon = "monitoring"
    purpose = "Answers and runs of jobs: how long they took, what they used and how they ended, never what was said."

    inlines = (ToolsOfTurn,)
    list_display = ("started_at", "user", "kind", "model", "ending", "took", "first_text", "tokens", "tools")
    list_filter = ("outcome", "kind", "source", "error_code")
    list_select_related = ("user",)
    search_fields = ("user__email__exact", "request_id")
    search_help_text = "The whole address of who asked, or a request"
    date_hierarchy = "started_at"
    ordering = ("-started_at",)
    fields = (
        "id",
        "request_id",
        "source",
        "started_at",
        "user",
        "kind",
        "agent",
        "model",
        "outcome",
        "error_code",
        "took",
        "first_text",
        "model_requests",
        "tokens",
        "tools",
    )
    readonly_fields = fields

    @admin.display(description="outcome", ordering="outcome")
    def ending(self, turn: TurnRecord) -> str:
        if turn.outcome != TurnOutcome.ERROR:
            return turn.outcome
        words = (turn.error_code or turn.outcome).replace("_", " ")
        return format_html('<span class="text-red-700 dark:text-red-400">{}</span>', words)

    @admin.display(description="took", ordering="duration_ms")
    def took(self, turn: TurnRecord) -> str:
        return _ms(turn.duration_ms)

    @admin.display(description="first text", ordering="first_text_ms", empty_value="–")
    def first_text(self, turn: TurnRecord) -> str | None:
        return None if turn.first_text_ms is None else _ms(turn.first_text_ms)

    @admin.display(ordering="input_tokens")
    def tokens(self, turn: TurnRecord) -> str:
        # In a narrow column these take two lines.
        parts = ((f"{turn.input_tokens:,} in,",), (f"{turn.output_tokens:,} out",))
        return format_html_join(" ", '<span class="whitespace-nowrap">{}</span>', parts)

    @admin.display(description="tools", ordering="tool_calls")
    def tools(self, turn: TurnRecord) -> str:
        calls = f"{turn.tool_calls:,}"
        return f"{calls}, {turn.tool_failures:,}{_SPACE}failed" if turn.tool_failures else calls


def _ms(value: int) -> str:
    return f"{value:,}{_SPACE}ms"
