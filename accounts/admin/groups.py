"""Groups of staff and their permissions."""

from typing import TYPE_CHECKING, Any, Final

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin
from django.contrib.auth.models import Group, Permission
from django.forms import ModelForm, ModelMultipleChoiceField

from accounts.admin.pages import Page

if TYPE_CHECKING:
    from django.forms import SelectMultiple

    class Choices(SelectMultiple):
        """Several items of a list, found by typing."""

    _GroupPage = GroupAdmin
else:
    from unfold.widgets import UnfoldAdminSelect2MultipleWidget as Choices

    # Django's fields in our style.

    class _GroupPage(GroupAdmin, Page): ...


_WITHOUT_PAGES: Final = ("admin", "contenttypes", "sessions", "token_blacklist")


def permissions_to_give(**kwargs: Any) -> "ModelMultipleChoiceField[Permission]":
    """A field to choose from the permissions that matter in the admin."""
    # With the content types, which the names contain: otherwise there is a query for each permission.
    offered = Permission.objects.exclude(content_type__app_label__in=_WITHOUT_PAGES).select_related("content_type")
    return ModelMultipleChoiceField(offered, required=False, widget=Choices(), **kwargs)


class GroupForm(ModelForm):  # type: ignore[type-arg] # generic for the type checker only
    permissions = permissions_to_give()


admin.site.unregister(Group)


@admin.register(Group)
class GroupsPage(_GroupPage):
    section = "People"
    icon = "group"
    purpose = "Permissions for several members of staff at once."

    filter_horizontal = ()
    form = GroupForm
