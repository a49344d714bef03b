"""What staff may do to a user's account beyond editing it. Each action is confirmed first and recorded.

The work is the domain's (``tokens``, ``rotation``, ``erasure``). This module has an action's name, its description, who
may do it to whom, and the page that asks for confirmation.
"""

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db import transaction
from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse

from accounts.admin.rights import may_touch
from accounts.audit import record_event
from accounts.auth.second_factor import has_second_factor, reset_second_factor
from accounts.auth.tokens import revoke_all_tokens
from accounts.erasure import forget
from accounts.errors import AccountError
from accounts.keys.rotation import rotate_user_key
from accounts.models import User

if TYPE_CHECKING:
    from django.forms import Textarea
else:
    from unfold.widgets import UnfoldAdminTextareaWidget as Textarea

MAX_USERS: Final = 50
"""The most users of one request: a page of the list."""
MIN_REASON_CHARS: Final = 10
MAX_REASON_CHARS: Final = 500
ROTATION_S: Final = 5.0
"""How long a request may spend on rotating one user's key: enough for some tens of thousands of rows."""
_CONFIRMED: Final = "confirmed"


class ReasonForm(forms.Form):
    """Why the action is done."""

    reason = forms.CharField(
        min_length=MIN_REASON_CHARS, max_length=MAX_REASON_CHARS, widget=Textarea(attrs={"rows": 3})
    )


class OptionalReasonForm(ReasonForm):
    reason = forms.CharField(
        required=False, max_length=MAX_REASON_CHARS, label="Reason (optional)", widget=Textarea(attrs={"rows": 3})
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class AdminAction:
    """An action on a user. ``do`` returns a sentence about what was done, without the user's name."""

    name: str
    title: str
    icon: str
    consequence: str
    do: Callable[[User], str]
    permission: str = "accounts.change_user"
    form: type[ReasonForm] = OptionalReasonForm
    dangerous: bool = False
    to_oneself: bool = True
    superusers_only: bool = False
    at_once: bool = True
    """Whether record and action are one transaction; otherwise the action commits in steps, after the record."""

    object_id: UUID | None = None
    """The row of the user that this is done to, if it is only one."""

    fits: Callable[[User], bool] = lambda _: True
    """Whether there is anything to do."""

    to_everyone: str = ""
    """A sentence about how the operator of the server does it to all users, if that is possible."""

    def refusal(self, actor: User, subject: User) -> str | None:
        """Why ``actor`` may not do this to ``subject``."""
        if subject.is_being_erased:
            return "This account is being erased."
        if not actor.has_perm(self.permission):
            return "You lack the permission."
        if self.superusers_only and not actor.is_superuser:
            return "Only superusers may do this."
        if subject.is_superuser and not actor.is_superuser:
            return "Only superusers may do this to a superuser."
        if not may_touch(actor, subject):
            return "They have permissions that you lack."
        if subject == actor and not self.to_oneself:
            return "You cannot do this to your own account."
        return None


def confirmed(
    request: HttpRequest, action: AdminAction, actor: User, users: Iterable[User], *, back: str, list_action: str = ""
) -> HttpResponse:
    """Ask; once the form is confirmed and valid, act and redirect to ``back``.

    Users to whom ``actor`` may not do this are left out. ``list_action`` is the name of the action in the list, which
    the page sends again to ask about the same users. A query for more than ``MAX_USERS`` is refused, and none is read.
    """
    if isinstance(users, QuerySet) and users[: MAX_USERS + 1].count() > MAX_USERS:
        said = f"{action.title} is for at most {MAX_USERS} users at a time: choose fewer. {action.to_everyone}"
        messages.error(request, said.strip())
        return HttpResponseRedirect(back)
    refusals = {user: action.refusal(actor, user) for user in users}
    allowed = [user for user, why in refusals.items() if why is None]
    form = action.form(request.POST if _CONFIRMED in request.POST else None)
    if allowed and form.is_valid():
        for user in allowed:
            _perform(request, action, actor, user, form.cleaned_data["reason"])
        return HttpResponseRedirect(back)
    context = {
        **admin.site.each_context(request),
        "title": action.title,
        "opts": User._meta,  # noqa: SLF001 - Django's public name for it
        "action": action,
        "users": allowed,
        "left_out": {user: why for user, why in refusals.items() if why is not None},
        "form": form,
        "back": back,
        "hidden": {_CONFIRMED: ["yes"]},
    }
    if list_action:
        context["hidden"] |= {"action": [list_action], ACTION_CHECKBOX_NAME: [str(user.id) for user in allowed]}
    return TemplateResponse(request, "admin/accounts/action.html", context)


def _perform(request: HttpRequest, action: AdminAction, actor: User, user: User, reason: str) -> None:
    # Before the action: an erased user has no address.
    name = str(user)
    try:
        with transaction.atomic() if action.at_once else nullcontext():
            record_event(actor=actor, subject_id=user.id, action=action.name, object_id=action.object_id, reason=reason)
            sentence = action.do(user)
    except AccountError as error:
        messages.error(request, f"{name}: {error}")
    else:
        messages.success(request, f"{name}: {sentence}")


def _deactivate(user: User) -> str:
    user.is_active = False
    # Otherwise earlier tokens and sessions would work again once the account is active again.
    user.token_generation = F("token_generation") + 1
    user.save(update_fields=["is_active", "token_generation"])
    return "Deactivated."


def _reactivate(user: User) -> str:
    user.is_active = True
    user.save(update_fields=["is_active"])
    return "Active again."


def _sign_out(user: User) -> str:
    revoke_all_tokens(user.id)
    return "Signed out everywhere."


def _reset_second_factor(user: User) -> str:
    reset_second_factor(user)
    return "The second factor is reset."


def _erase(user: User) -> str:
    forget(user.id)
    return "Erased."


def _rotate(user: User) -> str:
    rotation = rotate_user_key(user.id, within_s=ROTATION_S)
    done = f"Key version {rotation.version}, {_rows(rotation.renewed)} encrypted again."
    if rotation.finished:
        return f"{done} The older key is destroyed."
    unreadable = len(rotation.unreadable)
    if unreadable == rotation.left:
        return f"{done} The older key stays: {_rows(unreadable)} cannot be opened, and rotate_keys says which."
    return f"{done} The older key stays for {_rows(rotation.left)}: rotate again, or run rotate_keys, to go on."


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number} rows"


DEACTIVATE: Final = AdminAction(
    name="deactivate",
    title="Deactivate",
    icon="block",
    consequence="They are signed out everywhere and cannot sign in until the account is activated again. "
    "None of their data is deleted.",
    do=_deactivate,
    form=ReasonForm,
    dangerous=True,
    to_oneself=False,
    fits=lambda user: user.is_active,
)
REACTIVATE: Final = AdminAction(
    name="reactivate",
    title="Activate again",
    icon="check_circle",
    consequence="They can sign in again.",
    do=_reactivate,
    fits=lambda user: not user.is_active,
)
SIGN_OUT: Final = AdminAction(
    name="sign-out",
    title="Sign out everywhere",
    icon="logout",
    consequence="All tokens and all sessions in this admin end at once, open sockets within seconds. They can sign in "
    "again with their password.",
    do=_sign_out,
    to_everyone="To sign everyone out, start the server with a new ADIUVA_SECRET_KEY.",
)
ERASE: Final = AdminAction(
    name="erase",
    title="Erase",
    icon="delete_forever",
    consequence="Their key is destroyed, and then all data stored about them. This cannot be undone. The record of "
    "this action stays; its reason, which is encrypted with their key, becomes unreadable.",
    do=_erase,
    permission="accounts.delete_user",
    form=ReasonForm,
    dangerous=True,
    to_oneself=False,
    at_once=False,
)
ROTATE_KEY: Final = AdminAction(
    name="rotate-key",
    title="Rotate key",
    icon="key",
    consequence="They get a new key, and their data is encrypted again with it. They notice nothing. Rows that are not "
    f"done within {ROTATION_S:g} seconds stay readable with the older key until the next rotation.",
    do=_rotate,
    at_once=False,
    to_everyone="For everyone, run manage.py rotate_keys --all.",
)
RESET_SECOND_FACTOR: Final = AdminAction(
    name="reset-second-factor",
    title="Reset the second factor",
    icon="phonelink_erase",
    consequence="Their apps, passkeys and recovery codes are removed, and they are signed out everywhere. The next "
    "person who signs in with their password adds a new second factor: make sure first that it is they who ask.",
    do=_reset_second_factor,
    form=ReasonForm,
    dangerous=True,
    to_oneself=False,
    superusers_only=True,
    fits=has_second_factor,
)
PAGE_ACTIONS: Final = (ROTATE_KEY, SIGN_OUT, RESET_SECOND_FACTOR, DEACTIVATE, REACTIVATE)
"""The actions in the menu of a user's page. Django's own delete button erases."""
