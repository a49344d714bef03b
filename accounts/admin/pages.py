"""The base of all pages of the admin. django-unfold has no types: here it gets those of Django, which it extends."""

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import wraps
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

from django.contrib.admin import ModelAdmin, TabularInline
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import flatten
from django.contrib.admin.views.main import ERROR_FLAG
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import BadRequest, ValidationError
from django.db import DataError
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.formats import date_format
from django.utils.html import format_html_join

from accounts.encryption import encrypted_columns
from accounts.models import User

_Admin = TypeVar("_Admin")
_Row = TypeVar("_Row", bound=Model)
_Parent = TypeVar("_Parent", bound=Model)

if TYPE_CHECKING:

    class _Page(ModelAdmin[_Row]): ...

    class _Inline(TabularInline[_Row, _Parent]): ...

else:
    from unfold.admin import ModelAdmin as UnfoldAdmin
    from unfold.admin import TabularInline as UnfoldInline

    class _Page(UnfoldAdmin, Generic[_Row]): ...

    class _Inline(UnfoldInline, Generic[_Row, _Parent]): ...


class Page(_Page[_Row]):
    """The pages of a model, with their place in the navigation: section, icon (Material Symbols) and purpose.

    Within a section pages are sorted by name, after those that ``listed_first``. Columns of ciphertext are not read.
    """

    section: ClassVar[str] = ""
    listed_first: ClassVar[bool] = False
    icon: ClassVar[str] = "table_rows"
    purpose: ClassVar[str] = ""

    list_per_page = 50

    def get_queryset(self, request: HttpRequest) -> QuerySet[_Row]:
        return super().get_queryset(request).defer(*encrypted_columns(self.model))

    # Django itself refuses most requests that no page of the admin sends, but not all of them.

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Raises ``IncorrectLookupParameters``, for which Django shows the list without filters."""
        try:
            return super().get_changelist_instance(request)
        except (ValueError, DataError) as error:
            if not set(request.GET) - {ERROR_FLAG}:
                raise
            raise IncorrectLookupParameters from error

    def response_action(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse | None:
        try:
            for chosen in request.POST.getlist(ACTION_CHECKBOX_NAME):
                self.opts.pk.to_python(chosen)
        except ValidationError as error:
            raise BadRequest("A chosen row has no valid id.") from error
        return super().response_action(request, *args, **kwargs)

    # Changes that are not about a user go to Django's own log, which names rows by their ids alone.

    def log_addition(self, request: HttpRequest, obj: _Row, message: Any) -> Any:
        return _logged(request, obj, ADDITION, message)

    def log_change(self, request: HttpRequest, obj: _Row, message: Any) -> Any:
        return _logged(request, obj, CHANGE, message)

    def log_deletions(self, request: HttpRequest, queryset: Iterable[_Row]) -> Any:
        return [_logged(request, row, DELETION, "") for row in queryset]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Django allows every column of the model, so that a wrapped key could be read by asking for its beginning."""
        return lookup.split("__")[0] not in self._hidden() and super().lookup_allowed(lookup, value, request)

    def _hidden(self) -> set[object]:
        fields = self.model._meta.get_fields()  # noqa: SLF001 - Django's public name for it
        return {name for field in fields for name in (field.name, getattr(field, "attname", ""))} - self._shown()

    def _shown(self) -> set[object]:
        """What the list or a page shows anyway, or filters by."""
        filters = (each[0] if isinstance(each, tuple) else each for each in self.list_filter)
        fields = (self.fields or (), *(options["fields"] for _, options in self.fieldsets or ()))
        return {"id", "pk", self.date_hierarchy, *self.list_display, *filters, *flatten([*chain(*fields)])}


def _logged(request: HttpRequest, row: Model, action: int, message: Any) -> LogEntry:
    kind = ContentType.objects.get_for_model(row)
    return LogEntry.objects.create(
        user=cast("User", request.user),
        content_type=kind,
        object_id=str(row.pk),
        object_repr=f"{kind.model} {row.pk}",
        action_flag=action,
        change_message=message if isinstance(message, str) else json.dumps([_without_names(each) for each in message]),
    )


def _without_names(part: Mapping[str, Mapping[str, object]]) -> object:
    """A part of a message as Django makes it, without the name of another row that was added or changed with it."""
    return {
        action: {name: "…" if name == "object" else said for name, said in about.items()}
        for action, about in part.items()
    }


def listed_time(moment: datetime | None) -> str | None:
    """A time (UTC) for a list, which in a narrow column takes two lines, and is not broken at its hyphens."""
    if moment is None:
        return None
    parts = ((date_format(moment, part),) for part in ("DATE_FORMAT", "TIME_FORMAT"))
    return format_html_join(" ", '<span class="whitespace-nowrap">{}</span>', parts)


def cached_on_row(shown: Callable[[_Admin, _Row], str]) -> Callable[[_Admin, _Row], str]:
    """Computes a column's value once for each row: django-unfold asks several times while it draws a page."""
    name = f"_{shown.__name__}"

    @wraps(shown)
    def kept(page: _Admin, row: _Row) -> str:
        if name not in row.__dict__:
            row.__dict__[name] = shown(page, row)
        value: str = row.__dict__[name]
        return value

    return kept


class _ReadOnly:
    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class ReadOnlyPage(_ReadOnly, Page[_Row]):
    """A list and a page on which no one can change anything, not even superusers."""

    actions = None

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        # Nothing changes, so there is no history.
        context = {**(extra_context or {}), "show_history": False}
        return super().changeform_view(request, object_id, form_url, context)


class ReadOnlyInline(_ReadOnly, _Inline[_Row, _Parent]):
    """Rows on the page of the row they belong to, visible to anyone who may see that page."""

    extra = 0
    hide_title = True
    can_delete = False
    per_page = 20

    def has_view_permission(self, request: HttpRequest, obj: _Parent | None = None) -> bool:
        return True
