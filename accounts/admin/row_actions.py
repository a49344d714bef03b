"""What staff may do to one row of a user. They confirm it with a reason, and it is recorded as done to that user."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar, cast

from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse

from accounts.admin.actions import AdminAction, ReasonForm, confirmed
from accounts.admin.pages import ReadOnlyPage
from accounts.admin.rights import actor_of
from accounts.models import User

_Row = TypeVar("_Row", bound=Model)


@dataclass(frozen=True, kw_only=True, slots=True)
class RowAction(Generic[_Row]):
    """An action on a row that has a ``user``, for staff with ``permission``.

    ``do`` returns a sentence about what was done, and raises an ``AccountError`` if it could not be done. It is offered
    for rows that ``fits`` accepts.
    """

    name: str
    title: str
    icon: str
    consequence: str
    permission: str
    do: Callable[[_Row], str]
    fits: Callable[[_Row], bool]
    dangerous: bool = False

    def on(self, row: _Row) -> AdminAction:
        """The action on this row's user."""
        return AdminAction(
            name=self.name,
            title=self.title,
            icon=self.icon,
            consequence=self.consequence,
            permission=self.permission,
            do=lambda _: self.do(row),
            form=ReasonForm,
            dangerous=self.dangerous,
            object_id=row.pk,
        )


class RowActionsPage(ReadOnlyPage[_Row]):
    """A read-only page with ``row_actions`` in the menu of each row."""

    row_actions: ClassVar[tuple[RowAction[Any], ...]] = ()

    def get_urls(self) -> list[URLPattern]:
        of_a_row = [
            path(
                f"<path:object_id>/{each.name}/",
                self.admin_site.admin_view(partial(self.action_view, chosen=each)),
                name=self._url_name(each),
            )
            for each in self.row_actions
        ]
        return [*of_a_row, *super().get_urls()]

    def action_view(self, request: HttpRequest, object_id: str, chosen: RowAction[_Row]) -> HttpResponse:
        """Ask about one action on one row, and do it."""
        row = self.get_object(request, unquote(object_id))
        if row is None:
            raise Http404("There is no such row.")
        action, actor, subject = chosen.on(row), actor_of(request), _user_of(row)
        if not self.has_view_permission(request, row):
            raise PermissionDenied
        if (why := action.refusal(actor, subject)) is not None:
            raise PermissionDenied(why)
        opts = self.opts
        back = reverse(f"admin:{opts.app_label}_{opts.model_name}_changelist")
        return confirmed(request, action, actor, [subject], back=back)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        if (row := context["original"]) is not None:
            context["actions_detail"] = self._menu(actor_of(request), row)
        return super().render_change_form(request, context, *args, **kwargs)

    def _menu(self, actor: User, row: _Row) -> list[dict[str, object]]:
        """The actions that ``actor`` may do to ``row`` now, as django-unfold draws them."""
        items = [
            {
                "title": each.title,
                "icon": each.icon,
                "path": reverse(f"admin:{self._url_name(each)}", args=[row.pk]),
            }
            for each in self.row_actions
            if each.fits(row) and each.on(row).refusal(actor, _user_of(row)) is None
        ]
        return [{"title": "Actions", "items": items}] if items else []

    def _url_name(self, action: RowAction[_Row]) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}_{action.name}"


def _user_of(row: Model) -> User:
    return cast("User", cast("Any", row).user)
