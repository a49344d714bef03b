"""Users. Of keys only the version is shown: neither the wrapped key nor a fingerprint."""

import json
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.admin.options import InlineModelAdmin
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.forms import ModelForm, ModelMultipleChoiceField
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.formats import date_format
from django.views.decorators.cache import never_cache
from rest_framework_simplejwt.token_blacklist.models import BlacklistedToken, OutstandingToken

from accounts.admin.actions import DEACTIVATE, ERASE, PAGE_ACTIONS, ROTATE_KEY, SIGN_OUT, AdminAction, confirmed
from accounts.admin.audit import events_of, may_see_events
from accounts.admin.groups import permissions_field
from accounts.admin.pages import Page, ReadOnlyInline, cached_on_row, listed_time
from accounts.admin.rights import actor_of, may_touch
from accounts.admin.support import support_page
from accounts.admin.user_columns import USER_COLUMNS, UserColumn
from accounts.audit import record_event
from accounts.auth.links import LinkPurpose, send_link
from accounts.errors import AccountError, MailUnavailable
from accounts.keys.custody import ENCRYPTED_TABLES, row_counts
from accounts.models import AddressState, AuditEvent, User
from accounts.session_models import Device

if TYPE_CHECKING:
    from django.forms import SelectMultiple

    _UserForm = ModelForm[User]
    _UserPage = UserAdmin[User]
else:
    from unfold.widgets import UnfoldAdminSelect2MultipleWidget as SelectMultiple

    _UserForm = ModelForm

    class _UserPage(UserAdmin, Page): ...


_UNVERIFIED_STAFF: Final = (
    "The address of this account was never verified, so anyone may have registered it. Make sure whose it is."
)
admin.site.unregister([OutstandingToken, BlacklistedToken])


class NewUserForm(_UserForm):
    """An account made by staff; saving it makes the key. Its user chooses the password, by a link sent to the address.

    With a password that staff know, they could sign in as the user.
    """

    class Meta:
        model = User
        fields = ("email", "language", "timezone")

    def save(self, commit: bool = True) -> User:
        self.instance.set_unusable_password()
        return super().save(commit)


class UserForm(_UserForm):
    groups = ModelMultipleChoiceField(Group.objects.all(), required=False, widget=SelectMultiple())
    user_permissions = permissions_field(label="Permissions", help_text="In addition to those of the groups.")


class DevicesInline(ReadOnlyInline[Device, User]):
    model = Device
    fields = ("name", "runs_on", "app_version", "first_seen", "last_seen", "removed_at")
    readonly_fields = fields
    ordering = ("-last_seen",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Device]:
        return super().get_queryset(request).select_related("user")

    @admin.display(description="device id")
    def name(self, device: Device) -> str:
        return _readable(device, "device_id_encrypted")

    @admin.display(description="platform")
    def runs_on(self, device: Device) -> str:
        return _readable(device, "platform_encrypted")


@admin.register(User)
class UsersPage(_UserPage):
    """``is_active`` is read-only: changing it takes an action with a reason."""

    section = "People"
    listed_first = True
    icon = "person"
    purpose = "Accounts, their rights and devices. Here keys are rotated, sessions ended and accounts erased."

    actions = ("rotate_keys", "sign_out", "deactivate")
    list_display = ("address", "device_count", "last_seen", "last_sign_in", "is_active", "rights")
    list_filter = ("is_active", "is_staff", "is_superuser", "memory_enabled", "language")
    search_fields = ("email__exact",)
    search_help_text = "A whole address: addresses are encrypted"
    ordering = ("-date_joined", "id")
    readonly_fields = (
        *("id", "address", "verified", "is_active", "password_state", "second_factor", "date_joined", "last_login"),
        *("key_version", "older_keys", "kept"),
    )
    fieldsets = (
        (None, {"fields": ("id", "address", "verified", "is_active")}),
        ("Signing in", {"fields": ("password_state", "second_factor")}),
        ("Preferences", {"fields": ("language", "timezone", "memory_enabled", "memory_words_days")}),
        ("Rights", {"fields": ("is_staff", "is_superuser", "groups", "user_permissions")}),
        ("Key and data", {"fields": ("key_version", "older_keys", "kept")}),
        ("Dates", {"fields": ("date_joined", "last_login")}),
    )
    filter_horizontal = ()
    form = UserForm
    add_form = NewUserForm
    add_fieldsets = (
        (
            None,
            {
                "fields": ("email", "language", "timezone"),
                "description": "They choose the password themselves, by a link that is sent to the address.",
            },
        ),
    )

    # What is shown

    def get_inlines(self, request: HttpRequest, obj: User | None) -> "list[type[InlineModelAdmin[Any, User]]]":
        return [] if obj is None else [DevicesInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        # Subqueries rather than joins: they run only for the rows that the page shows.
        devices = Device.objects.filter(user=OuterRef("pk")).order_by()
        number = devices.present().values("user").annotate(number=Count("id")).values("number")
        latest = devices.values("user").annotate(latest=Max("last_seen")).values("latest")
        counted = Coalesce(Subquery(number), 0)
        # With the address, which pages otherwise leave out like all ciphertext.
        users = super().get_queryset(request).defer(None)
        users = users.annotate(devices_present=counted, last_seen_at=Subquery(latest))
        return users.annotate(**{each.name: each.value() for each in _columns(request)})

    def get_list_display(self, request: HttpRequest) -> tuple[str | Callable[[User], str | bool], ...]:
        before = self.list_display.index("is_active")
        more = (each.cell for each in _columns(request))
        return (*self.list_display[:before], *more, *self.list_display[before:])

    # Not the field: the list would offer to sort by its digest.
    @admin.display(description="email address")
    def address(self, user: User) -> str:
        return str(user)

    @admin.display(description="address verified", boolean=True)
    def verified(self, user: User) -> bool:
        return user.address_state == AddressState.VERIFIED

    @admin.display(description="key version", ordering="encryption_key_version")
    def key_version(self, user: User) -> int:
        return user.encryption_key_version

    @admin.display(description="devices", ordering="devices_present")
    def device_count(self, user: User) -> int:
        return user.devices_present  # type: ignore[attr-defined, no-any-return] # annotated

    @admin.display(description="last seen", ordering="last_seen_at")
    def last_seen(self, user: User) -> str | None:
        return listed_time(user.last_seen_at)  # type: ignore[attr-defined] # annotated

    @admin.display(description="last sign-in", ordering="last_login")
    def last_sign_in(self, user: User) -> str | None:
        return listed_time(user.last_login)

    @admin.display(description="rights")
    def rights(self, user: User) -> str:
        return "Superuser" if user.is_superuser else "Staff" if user.is_staff else ""

    @admin.display(description="password")
    def password_state(self, user: User) -> str:
        return (
            "Set" if user.has_usable_password() else "Not set yet: its user chooses it, by a link sent to the address"
        )

    @admin.display(description="second factor")
    def second_factor(self, user: User) -> str:
        return f"Since {date_format(user.second_factor_since)}" if user.second_factor_since else "No"

    @admin.display(description="older keys")
    @cached_on_row
    def older_keys(self, user: User) -> str:
        number = user.retired_keys.count()
        return f"{number}, until no row needs them" if number else "No"

    @admin.display(description="encrypted data")
    @cached_on_row
    def kept(self, user: User) -> str:
        tables = [table for table in ENCRYPTED_TABLES if not table.part_of_account]
        counts = row_counts(user.id, tables)
        shown = [f"{count} {table.noun}" for table in tables if (count := counts[table.name])]
        return ", ".join(shown) or "Nothing"

    # Who may do what

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_change_permission(request, obj) and _may_touch(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_delete_permission(request, obj) and _may_touch(request, obj) and obj != actor_of(request)

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        # Anyone who may grant rights may grant themselves all of them.
        given = () if request.user.is_superuser else ("is_staff", "is_superuser", "groups", "user_permissions")
        return (*super().get_readonly_fields(request, obj), *given)

    # Recorded as audit events rather than in Django's own log, which would keep the address of an erased user

    def log_addition(self, request: HttpRequest, obj: User, message: object) -> AuditEvent:  # type: ignore[override]
        return record_event(actor=actor_of(request), subject_id=obj.id, action="add")

    def log_change(self, request: HttpRequest, obj: User, message: object) -> AuditEvent:  # type: ignore[override]
        text = message if isinstance(message, str) else json.dumps(message)
        # The names of the fields, without their values.
        reason = str(LogEntry(action_flag=CHANGE, change_message=text).get_change_message())
        return record_event(actor=actor_of(request), subject_id=obj.id, action="change", reason=reason)

    def history_view(self, request: HttpRequest, object_id: str, extra_context: object = None) -> HttpResponse:
        user = self._user(request, object_id)
        if not self.has_view_permission(request, user):
            raise PermissionDenied
        return HttpResponseRedirect(events_of(user.id))

    # What is done

    def get_urls(self) -> list[URLPattern]:
        of_a_user = [
            path(
                f"<path:object_id>/{each.name}/",
                self.admin_site.admin_view(partial(self.action_view, chosen=each)),
                name=f"accounts_user_{each.name}",
            )
            for each in PAGE_ACTIONS
        ]
        support = self.admin_site.admin_view(never_cache(self.support_view))
        return [
            *of_a_user,
            path("<path:object_id>/support/", support, name="accounts_user_support"),
            *super().get_urls(),
        ]

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:  # noqa: A002 - Django's name
        """Staff set no one's password: they could then read what that user's devices and memory hold."""
        raise Http404("There is no such page.")

    def save_model(self, request: HttpRequest, obj: User, form: _UserForm, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if change:
            if "is_staff" in form.changed_data and obj.is_staff and not self.verified(obj):
                messages.warning(request, _UNVERIFIED_STAFF)
            return
        try:
            send_link(obj.email, LinkPurpose.RESET)
        except MailUnavailable:
            messages.warning(request, "This server sends no e-mail: its operator issues a link with reset_password.")
        else:
            messages.info(request, "They are sent a link to choose a password.")

    def action_view(self, request: HttpRequest, object_id: str, chosen: AdminAction) -> HttpResponse:
        """Ask about one action on one user, and do it."""
        user, actor = self._user(request, object_id), actor_of(request)
        if (why := chosen.refusal(actor, user)) is not None:
            raise PermissionDenied(why)
        page = reverse("admin:accounts_user_change", args=[user.id])
        back = reverse("admin:accounts_user_changelist") if chosen is ERASE else page
        return confirmed(request, chosen, actor, [user], back=back)

    def support_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """States and times of one user's account, for support."""
        user = self._user(request, object_id)
        if not self.has_view_permission(request, user):
            raise PermissionDenied
        return support_page(request, actor_of(request), user)

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: object = None) -> HttpResponse:
        """Erases, rather than deleting in a cascade."""
        return self.action_view(request, object_id, ERASE)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        # Erasing takes one account at a time.
        return {name: action for name, action in super().get_actions(request).items() if name != "delete_selected"}

    @admin.action(description="Rotate keys", permissions=["change"])
    def rotate_keys(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponse:
        return _on_many(request, queryset, ROTATE_KEY, "rotate_keys")

    @admin.action(description="Sign out everywhere", permissions=["change"])
    def sign_out(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponse:
        return _on_many(request, queryset, SIGN_OUT, "sign_out")

    @admin.action(description="Deactivate", permissions=["change"])
    def deactivate(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponse:
        return _on_many(request, queryset, DEACTIVATE, "deactivate")

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        context["show_save_and_add_another"] = False
        context["show_history"] = may_see_events(request)
        if context["original"] is not None:
            context["actions_detail"] = [_support(context["original"]), *_menu(actor_of(request), context["original"])]
        return super().render_change_form(request, context, *args, **kwargs)

    def _user(self, request: HttpRequest, object_id: str) -> User:
        """Raises ``Http404``."""
        user = self.get_object(request, unquote(object_id))
        if user is None:
            raise Http404("There is no such user.")
        return user


def _columns(request: HttpRequest) -> list[UserColumn]:
    return [each for each in USER_COLUMNS if actor_of(request).has_perm(each.permission)]


def _readable(device: Device, column: str) -> str:
    try:
        return device.opened(column)
    except AccountError:  # the rest of the page is still shown
        return "(unreadable)"


def _may_touch(request: HttpRequest, user: User | None) -> bool:
    """Whether there is anything that the member of staff may do to ``user``."""
    return may_touch(actor_of(request), user) and not (user is not None and user.is_being_erased)


def _on_many(request: HttpRequest, users: QuerySet[User], chosen: AdminAction, name: str) -> HttpResponse:
    return confirmed(request, chosen, actor_of(request), users, back=request.get_full_path(), list_action=name)


def _support(user: User) -> dict[str, object]:
    """The link to the support view, as django-unfold draws it."""
    return {"title": "Support view", "path": reverse("admin:accounts_user_support", args=[user.id])}


def _menu(actor: User, user: User) -> list[dict[str, object]]:
    """The actions that ``actor`` may do to ``user`` now, as django-unfold draws them."""
    items = [
        {"title": each.title, "icon": each.icon, "path": reverse(f"admin:accounts_user_{each.name}", args=[user.id])}
        for each in PAGE_ACTIONS
        if each.fits(user) and each.refusal(actor, user) is None
    ]
    return [{"title": "Actions", "items": items}] if items else []
