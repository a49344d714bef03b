"""What staff did, as it was recorded. Nobody writes here, superusers neither."""

import json
from datetime import datetime
from uuid import UUID

from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode

from accounts.admin.pages import ReadOnlyPage
from accounts.audit import reason_of
from accounts.errors import AccountGone, EncryptionError
from accounts.models import AuditEvent, User


def events_of(user_id: UUID) -> str:
    """The address of the events about one user."""
    return f"{reverse('admin:accounts_auditevent_changelist')}?{urlencode({'subject_id': str(user_id)})}"


def change_in_words(message: object) -> str:
    """What Django says about a change: the names of fields, and none of their values."""
    text = message if isinstance(message, str) else json.dumps(message)
    return str(LogEntry(action_flag=CHANGE, change_message=text).get_change_message())


@admin.register(AuditEvent)
class EventsPage(ReadOnlyPage[AuditEvent]):
    """The reason is decrypted on the page of an event, never in the list."""

    section = "Oversight"
    icon = "history"
    purpose = "What staff did to accounts and to what is kept of them: who, to whom, when and why."

    list_display = ("when", "actor", "what", "subject")
    list_filter = ("created_at", "action")
    list_select_related = ("actor",)
    search_fields = ("actor__email", "subject_email")
    search_help_text = "The address of who did it, or of whom it was done to"
    ordering = ("-created_at",)
    fields = ("created_at", "actor", "what", "subject", "subject_id", "object_id", "reason")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEvent]:
        address = User.objects.filter(id=OuterRef("subject_id")).values("email")
        return super().get_queryset(request).annotate(subject_email=Subquery(address))

    @admin.display(description="when", ordering="created_at")
    def when(self, event: AuditEvent) -> datetime:
        return event.created_at

    @admin.display(description="what", ordering="action")
    def what(self, event: AuditEvent) -> str:
        return event.action.replace("-", " ").capitalize()

    @admin.display(description="to whom", ordering="subject_email")
    def subject(self, event: AuditEvent) -> str:
        return event.subject_email or "(erased)"  # type: ignore[attr-defined] # annotated

    @admin.display(description="reason")
    def reason(self, event: AuditEvent) -> str:
        try:
            return reason_of(event)
        except AccountGone:
            return "The reason ended with the account it is about."
        except EncryptionError as error:
            return f"The reason of event {event.id} cannot be read: {error}"
