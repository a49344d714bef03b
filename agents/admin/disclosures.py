"""What left users' devices, for staff: how many rows of which tables. Which ones the user alone is shown."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.admin.pages import ReadOnlyPage
from agents.disclosure_models import Disclosure, SharingMarks


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
