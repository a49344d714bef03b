"""Groups of staff, and the permissions that are offered to them and to single members."""

from typing import TYPE_CHECKING, Any, Final

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin
from django.contrib.auth.models import Group, Permission
from django.db.models import Model, Q
from django.forms import ModelForm, ModelMultipleChoiceField
from django.http import HttpRequest

from accounts.admin.pages import Page
from accounts.admin.rights import actor_of

if TYPE_CHECKING:
    from django.forms import SelectMultiple

    _GroupForm = ModelForm[Group]
    _GroupPage = GroupAdmin
else:
    from unfold.widgets import UnfoldAdminSelect2MultipleWidget as SelectMultiple

    _GroupForm = ModelForm

    class _GroupPage(GroupAdmin, Page): ...


_WITHOUT_PAGES: Final = ("admin", "contenttypes", "sessions", "token_blacklist")
# Only superusers change groups, whatever permissions they have.
_WITHOUT_EFFECT: Final = Q(content_type__app_label="auth") & ~Q(codename="view_group")

admin.site.unregister(Group)


def permissions_field(**kwargs: Any) -> "ModelMultipleChoiceField[Permission]":
    """A field to choose from the permissions that matter in the admin."""
    # With the content types, which the names contain: otherwise there is a query for each permission.
    offered = Permission.objects.exclude(_WITHOUT_EFFECT).exclude(content_type__app_label__in=_WITHOUT_PAGES)
    offered = offered.select_related("content_type")
    return ModelMultipleChoiceField(offered, required=False, widget=SelectMultiple(), **kwargs)


class GroupForm(_GroupForm):
    permissions = permissions_field()


@admin.register(Group)
class GroupsPage(_GroupPage):
    section = "People"
    icon = "group"
    purpose = "Permissions for several members of staff at once."

    filter_horizontal = ()
    form = GroupForm

    # Anyone who could change a group could give themselves every permission.

    def has_add_permission(self, request: HttpRequest) -> bool:
        return actor_of(request).is_superuser

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return actor_of(request).is_superuser

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return actor_of(request).is_superuser
