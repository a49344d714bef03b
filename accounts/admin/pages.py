"""The base of all pages of the admin. django-unfold has no types: here it gets those of Django, which it extends."""

from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from django.contrib.admin import ModelAdmin, TabularInline
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse

from accounts.encryption import encrypted_columns

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
