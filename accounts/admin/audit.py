"""Audit events, which no one can change, not even superusers; and pages whose changes are recorded as such events."""

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast
from uuid import UUID

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode

from accounts.admin.pages import Page, ReadOnlyPage
from accounts.admin.rights import may_touch
from accounts.audit import reason_of, record_event
from accounts.errors import AccountGone, EncryptionError
from accounts.models import AuditEvent, User

if TYPE_CHECKING:
    from django.contrib.admin.views.main import ChangeList
else:
    from unfold.views import ChangeList

_Decision = TypeVar("_Decision", bound=Model)


def may_see_events(request: HttpRequest) -> bool:
    """Whether this member of staff may see the history of users: the events about them."""
    return request.user.has_perm("accounts.view_auditevent")


def events_of(user_id: UUID) -> str:
    """The address of the events about one user."""
    return f"{reverse('admin:accounts_auditevent_changelist')}?{urlencode({'subject_id': str(user_id)})}"


@admin.register(AuditEvent)
class EventsPage(ReadOnlyPage[AuditEvent]):
    """The reason is decrypted on the page of an event, never in the list."""

    section = "Oversight"
    icon = "history"
    purpose = "What staff did to accounts and their data: who, to whom, when and why."

    list_display = ("when", "actor", "what", "subject")
    list_filter = ("created_at", "action")
    list_select_related = ("actor",)
    search_fields = ("actor__email__exact",)
    search_help_text = "The whole address of the member of staff, or of the user it was done to"
    ordering = ("-created_at",)
    fields = ("created_at", "actor", "what", "subject", "subject_id", "object_id", "reason")
    readonly_fields = fields

    def get_changelist(self, request: HttpRequest, **kwargs: object) -> "type[ChangeList]":
        return _EventList

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[AuditEvent], search_term: str
    ) -> tuple[QuerySet[AuditEvent], bool]:
        found, may_repeat = super().get_search_results(request, queryset, search_term)
        subjects = User.objects.filter(email=search_term).values("id")
        return (found | queryset.filter(subject_id__in=subjects) if search_term else found), may_repeat

    @admin.display(description="when", ordering="created_at")
    def when(self, event: AuditEvent) -> datetime:
        return event.created_at

    @admin.display(description="what", ordering="action")
    def what(self, event: AuditEvent) -> str:
        return event.action.replace("-", " ").capitalize()

    @admin.display(description="to whom")
    def subject(self, event: AuditEvent) -> str:
        if not hasattr(event, "subject_user"):
            _find_subjects([event])
        return str(event.subject_user or "(erased)")  # type: ignore[attr-defined] # attached

    @admin.display(description="reason")
    def reason(self, event: AuditEvent) -> str:
        try:
            return reason_of(event)
        except AccountGone:
            return "The reason was erased with the account."
        except EncryptionError as error:
            return f"The reason of event {event.id} cannot be read: {error}"


class _EventList(ChangeList):
    """A page of events with the users that they are about, in one query."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list = list(self.result_list)
        _find_subjects(self.result_list)


def _find_subjects(events: Iterable[AuditEvent]) -> None:
    """Attach its user to each event; None for an erased one. There is no foreign key: events outlive users."""
    users = User.objects.in_bulk({event.subject_id for event in events})
    for event in events:
        event.subject_user = users.get(event.subject_id)  # type: ignore[attr-defined] # attached


class DecisionsPage(Page[_Decision]):
    """The pages of a model with a ``user``. ``str`` of a row says what staff decided for that user.

    The events are called ``add-NOUN``, ``change-NOUN`` and ``remove-NOUN``. A row's history is its user's. Staff decide
    nothing for users with permissions that they themselves lack.
    """

    noun: ClassVar[str]

    def get_fields(self, request: HttpRequest, obj: _Decision | None = None) -> Any:
        fields = super().get_fields(request, obj)
        # A new decision has no other values to show.
        return fields if obj else [name for name in fields if name not in self.readonly_fields]

    def has_change_permission(self, request: HttpRequest, obj: _Decision | None = None) -> bool:
        return super().has_change_permission(request, obj) and _may_decide(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: _Decision | None = None) -> bool:
        return super().has_delete_permission(request, obj) and _may_decide(request, obj)

    def log_addition(self, request: HttpRequest, obj: _Decision, message: object) -> AuditEvent:  # type: ignore[override]
        return self._recorded(request, "add", obj)

    def log_change(self, request: HttpRequest, obj: _Decision, message: object) -> AuditEvent:  # type: ignore[override]
        return self._recorded(request, "change", obj)

    def log_deletions(self, request: HttpRequest, queryset: Iterable[_Decision]) -> list[AuditEvent]:  # type: ignore[override]
        return [self._recorded(request, "remove", decision) for decision in queryset]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        context["show_history"] = may_see_events(request)
        return super().render_change_form(request, context, *args, **kwargs)

    def history_view(self, request: HttpRequest, object_id: str, extra_context: object = None) -> HttpResponse:
        decision = self.get_object(request, object_id)
        if decision is None:
            return super().history_view(request, object_id)
        if not self.has_view_permission(request, decision):
            raise PermissionDenied
        return redirect(events_of(decision.serializable_value("user")))

    def _recorded(self, request: HttpRequest, verb: str, decision: _Decision) -> AuditEvent:
        # Checked here, too: a new decision, or one that moves to another user, has its user from the form.
        if not _may_decide(request, decision):
            raise PermissionDenied("They have permissions that you lack.")
        actor, user_id = cast("User", request.user), decision.serializable_value("user")
        return record_event(actor=actor, subject_id=user_id, action=f"{verb}-{self.noun}", reason=str(decision))


def _may_decide(request: HttpRequest, decision: Model | None) -> bool:
    """Whether staff may decide for the user of ``decision``."""
    return may_touch(request.user, None if decision is None else decision.user)  # type: ignore[attr-defined] # a column
