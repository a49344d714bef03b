"""The admin pages of permissions: when users were asked, what models were sent, policies, marks and quotas.

They show tools, counts and times, never the content of a row or a question.
"""

from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import Model

from accounts.admin.audit import DecisionsPage
from accounts.admin.pages import ReadOnlyPage
from agents.permissions.models import Approval, Disclosure, SharingMarks, ToolPolicy, UserQuota
from agents.tools.spec import registered_tools

_Row = TypeVar("_Row", bound=Model)

if TYPE_CHECKING:

    class _Form(forms.ModelForm[_Row]): ...

else:
    # Django's class is generic for type checkers only.
    class _Form(forms.ModelForm, Generic[_Row]): ...


@admin.register(Approval)
class ApprovalsPage(ReadOnlyPage[Approval]):
    section = "Assistant"
    icon = "approval_delegation"
    purpose = "What the assistant asked before it acted: when, about which tool and how it ended, never what."

    list_display = ("created_at", "user", "tool", "risk", "state", "answered_at", "ran_at")
    list_filter = ("state", "risk")
    list_select_related = ("user",)
    search_fields = ("user__email__exact", "tool")
    search_help_text = "The whole address of who was asked, or a tool"
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


@admin.register(Disclosure)
class DisclosuresPage(ReadOnlyPage[Disclosure]):
    section = "Assistant"
    icon = "outgoing_mail"
    purpose = "How many rows of which table went to which model, and when; never which rows."

    list_display = ("when", "user", "source", "model", "where", "table", "rows")
    list_filter = ("source", "table", "left_server")
    list_select_related = ("user",)
    search_fields = ("user__email__exact", "model", "request_id")
    search_help_text = "The whole address of whose they are, a model or a request"
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
        "where",
        "table",
        "rows",
        "when",
    )
    readonly_fields = fields

    @admin.display(description="when", ordering="at")
    def when(self, disclosure: Disclosure) -> datetime:
        return disclosure.at

    @admin.display(description="model runs", ordering="left_server")
    def where(self, disclosure: Disclosure) -> str:
        return "elsewhere" if disclosure.left_server else "in this server"

    @admin.display(description="rows", ordering="row_count")
    def rows(self, disclosure: Disclosure) -> str:
        return f"{disclosure.row_count:,}"


@admin.register(SharingMarks)
class SharingMarksPage(ReadOnlyPage[SharingMarks]):
    section = "Assistant"
    icon = "visibility_lock"
    purpose = "Who has marked tables or projects as never to be shared with a model, and when; never which."

    list_display = ("user", "updated_at")
    list_select_related = ("user",)
    search_fields = ("user__email__exact",)
    search_help_text = "The whole address of whose they are"
    ordering = ("user",)
    fields = ("id", "user", "updated_at")
    readonly_fields = fields


class PolicyForm(_Form[ToolPolicy]):
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
    search_fields = ("user__email__exact", "tool")
    search_help_text = "The whole address of whose it is, or a tool"
    autocomplete_fields = ("user",)
    fields = ("user", "risk", "tool", "decision", "comes_of", "updated_at")
    readonly_fields = ("comes_of", "updated_at")
    ordering = ("user", "risk", "tool")

    @admin.display(description="comes of", ordering="remembered")
    def comes_of(self, policy: ToolPolicy) -> str:
        return "an answer to a question" if policy.remembered else "the settings"


class QuotaForm(_Form[UserQuota]):
    """A quota limits turns, tokens, or both."""

    class Meta:
        model = UserQuota
        fields = ("user", "turns", "tokens")

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if not self.errors and self.cleaned_data["turns"] is None and self.cleaned_data["tokens"] is None:
            raise ValidationError("This decides nothing: name a number of turns or of tokens, or delete the quota.")
        return cleaned


@admin.register(UserQuota)
class QuotasPage(DecisionsPage[UserQuota]):
    section = "Assistant"
    icon = "speed"
    purpose = "How much some users may use in a day of UTC. For everybody else the installation's settings hold."
    noun = "quota"

    form = QuotaForm
    list_display = ("user", "turns_a_day", "tokens_a_day", "updated_at")
    list_select_related = ("user",)
    search_fields = ("user__email__exact",)
    search_help_text = "The whole address of whose it is"
    autocomplete_fields = ("user",)
    fields = ("user", "turns", "tokens", "updated_at")
    readonly_fields = ("updated_at",)
    ordering = ("user",)

    @admin.display(description="turns a day", ordering="turns")
    def turns_a_day(self, quota: UserQuota) -> str:
        return _limit(quota.turns)

    @admin.display(description="tokens a day", ordering="tokens")
    def tokens_a_day(self, quota: UserQuota) -> str:
        return _limit(quota.tokens)


def _limit(value: int | None) -> str:
    if value is None:
        return "as everybody"
    return f"{value:,}" if value else "no limit"
