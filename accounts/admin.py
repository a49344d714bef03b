"""Users, for staff. Keys are not shown: neither wrapped nor by fingerprint."""

from typing import TYPE_CHECKING, ClassVar

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import BaseUserCreationForm

from accounts.models import User

if TYPE_CHECKING:
    _NewUserForm = BaseUserCreationForm[User]
    _UserAdmin = UserAdmin[User]
else:  # generic for the type checker only
    _NewUserForm = BaseUserCreationForm
    _UserAdmin = UserAdmin


class NewUserForm(_NewUserForm):
    """An account made by staff; the key is made as it is saved."""

    class Meta:
        model = User
        fields = ("email", "language", "timezone")
        field_classes: ClassVar[dict[str, type]] = {}


@admin.register(User)
class AccountAdmin(_UserAdmin):
    list_display = ("email", "language", "timezone", "is_active", "is_staff", "date_joined", "last_login")
    list_filter = ("is_active", "is_staff", "is_superuser", "language")
    search_fields = ("email",)
    ordering = ("email",)
    date_hierarchy = "date_joined"
    readonly_fields = ("id", "date_joined", "last_login")
    fieldsets = (
        (None, {"fields": ("id", "email", "password")}),
        ("Preferences", {"fields": ("language", "timezone")}),
        ("Rights", {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")}),
        ("Dates", {"fields": ("date_joined", "last_login")}),
    )
    add_form = NewUserForm
    add_fieldsets = ((None, {"fields": ("email", "language", "timezone", "password1", "password2")}),)
