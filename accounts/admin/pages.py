"""What all pages of the admin share. django-unfold has no types: here it gets those of Django, which it extends."""

from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from django.contrib.admin import ModelAdmin, TabularInline
from django.db.models import Model
from django.http import HttpRequest, HttpResponse

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
    """The pages of a model: where in the navigation they stand, with which icon (Material Symbols), for what.

    Within a section those that stand first come before the others, which go by the alphabet.
    """

    section: ClassVar[str] = ""
    stands_first: ClassVar[bool] = False
    icon: ClassVar[str] = "table_rows"
    purpose: ClassVar[str] = ""

    list_per_page = 50


class ReadOnlyPage(Page[_Row]):
    """A list and a page that nobody changes anything on, superusers neither."""

    actions = None

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        # Nothing of it changes, so it has no history.
        context = {**(extra_context or {}), "show_history": False}
        return super().changeform_view(request, object_id, form_url, context)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: _Row | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: _Row | None = None) -> bool:
        return False


class ReadOnlyInline(_Inline[_Row, _Parent]):
    """Rows shown with the row they belong to. Who may see that one may see them."""

    extra = 0
    hide_title = True
    can_delete = False
    per_page = 20

    def has_view_permission(self, request: HttpRequest, obj: _Parent | None = None) -> bool:
        return True

    def has_add_permission(self, request: HttpRequest, obj: _Parent | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: _Parent | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: _Parent | None = None) -> bool:
        return False
