"""The admin page of tool policies."""

from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError

from accounts.admin.audit import DecisionsPage
from agents.permissions.approvals.models import ToolPolicy
from agents.tools.spec import registered_tools

if TYPE_CHECKING:
    _ModelForm = forms.ModelForm[ToolPolicy]
else:
    _ModelForm = forms.ModelForm  # Django's classes are generic for type checkers only


class PolicyForm(_ModelForm):
    """A policy is about one tool, by its name, or about all tools of one risk."""

    class Meta:
        model = ToolPolicy
        fields = ("user", "risk", "tool", "decision")
        help_texts: ClassVar[dict[str, str]] = {
            "risk": "All tools of this risk, or one tool by its name.",
            "tool": "Its name, such as create_task.",
        }

    def clean_tool(self) -> str:
        tool: str = self.cleaned_data["tool"]
        if tool and tool not in registered_tools():
            raise ValidationError("There is no such tool.")
        return tool

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if not self.errors and bool(self.cleaned_data["risk"]) == bool(self.cleaned_data["tool"]):
            raise ValidationError("A policy is about one risk or about one tool: choose one of them.")
        return cleaned


@admin.register(ToolPolicy)
class PoliciesPage(DecisionsPage[ToolPolicy]):
    """Changes here affect what the assistant may do to a user's rows, so they are recorded with that user."""

    section = "Assistant"
    icon = "rule"
    purpose = "Which tools run unasked, ask first or never run, user by user. Who has decided nothing is not listed."
    noun = "policy"

    form = PolicyForm
    list_display = ("user", "risk", "tool", "decision", "comes_of", "updated_at")
    list_filter = ("decision", "risk", "remembered")
    list_select_related = ("user",)
    search_fields = ("user__email", "tool")
    search_help_text = "The address of whose it is, or a tool"
    autocomplete_fields = ("user",)
    fields = ("user", "risk", "tool", "decision", "comes_of", "updated_at")
    readonly_fields = ("comes_of", "updated_at")
    ordering = ("user__email", "risk", "tool")

    @admin.display(description="comes of", ordering="remembered")
    def comes_of(self, policy: ToolPolicy) -> str:
        return "an answer to a question" if policy.remembered else "the settings"
