"""The admin pages of disclosures and sharing marks: counts by table, never which rows."""

from datetime import datetime

from django.contrib import admin

from accounts.admin.pages import ReadOnlyPage
from agents.permissions.disclosures.models import Disclosure
from agents.permissions.sharing.models import SharingMarks


@admin.register(Disclosure)
class DisclosuresPage(ReadOnlyPage[Disclosure]):
    section = "Assistant"
    icon = "outgoing_mail"
    purpose = "How many rows of which table went to which model, and when; never which rows."

    list_display = ("when", "user", "source", "model", "where", "table", "rows")
    list_filter = ("source", "table", "left_server")
    list_select_related = ("user",)
    search_fields = ("user__email", "model", "request_id")
    search_help_text = "The address of whose they are, a model or a request"
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
    search_fields = ("user__email",)
    search_help_text = "The address of whose they are"
    ordering = ("user__email",)
    fields = ("id", "user", "updated_at")
    readonly_fields = fields
