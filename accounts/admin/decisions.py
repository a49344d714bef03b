"""Pages on which staff decide something for a user: whatever is done there is recorded as done to that user."""

from collections.abc import Iterable
from typing import Any, ClassVar, TypeVar, cast
from uuid import UUID

from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from accounts.admin.events import events_of
from accounts.admin.pages import Page
from accounts.audit import record_event
from accounts.models import AuditEvent, User

_Decision = TypeVar("_Decision", bound=Model)


class DecisionsPage(Page[_Decision]):
    """The pages of a model with a ``user`` it is about, whose rows say in words what was decided.

    The events are called ``add-…``, ``change-…`` and ``remove-…`` with ``noun``. A row's history is its user's.
    """

    noun: ClassVar[str]

    def get_fields(self, request: HttpRequest, obj: _Decision | None = None) -> Any:
        fields = super().get_fields(request, obj)
        # Of what is still to be decided there is nothing else to be shown.
        return fields if obj else [name for name in fields if name not in self.readonly_fields]

    def log_addition(self, request: HttpRequest, obj: _Decision, message: object) -> AuditEvent:  # type: ignore[override]
        return self._recorded(request, "add", obj)

    def log_change(self, request: HttpRequest, obj: _Decision, message: object) -> AuditEvent:  # type: ignore[override]
        return self._recorded(request, "change", obj)

    def log_deletions(self, request: HttpRequest, queryset: Iterable[_Decision]) -> list[AuditEvent]:  # type: ignore[override]
        return [self._recorded(request, "remove", decision) for decision in queryset]

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        decision = self.get_object(request, object_id)
        if decision is None:
            return super().history_view(request, object_id)
        return redirect(events_of(_whose(decision)))

    def _recorded(self, request: HttpRequest, verb: str, decision: _Decision) -> AuditEvent:
        actor = cast("User", request.user)
        return record_event(
            actor=actor, subject_id=_whose(decision), action=f"{verb}-{self.noun}", reason=str(decision)
        )


def _whose(decision: Model) -> UUID:
    return cast("UUID", decision.serializable_value("user"))
