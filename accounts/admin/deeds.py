"""What staff may do to a user's account beyond editing it. Every deed is confirmed first and recorded.

What is done belongs to the domain (``tokens``, ``rotation``, ``erasure``); here stands how it is named, what staff are
told before, and who may not do it to whom.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from django import forms
from django.db import transaction
from django.db.models import F

from accounts.audit import record_event
from accounts.erasure import forget
from accounts.models import User
from accounts.rotation import rotate_user_key
from accounts.tokens import revoke_all_tokens

if TYPE_CHECKING:
    from django.forms import Textarea
else:
    from unfold.widgets import UnfoldAdminTextareaWidget as Textarea

SHORTEST_REASON: Final = 10
LONGEST_REASON: Final = 500
ROTATION_S: Final = 5.0
"""How long a request may take for rotating one user's key; that is some tens of thousands of rows."""


class ReasonForm(forms.Form):
    """Why it is done, in the words of whoever does it."""

    reason = forms.CharField(min_length=SHORTEST_REASON, max_length=LONGEST_REASON, widget=Textarea(attrs={"rows": 3}))


class OptionalReasonForm(ReasonForm):
    reason = forms.CharField(
        required=False, max_length=LONGEST_REASON, label="Reason (optional)", widget=Textarea(attrs={"rows": 3})
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Deed:
    """Something that is done to a user. ``do`` gives a sentence about what was done, without the user's name."""

    name: str
    title: str
    icon: str
    consequence: str
    do: Callable[[User], str]
    permission: str = "accounts.change_user"
    form: type[ReasonForm] = OptionalReasonForm
    dangerous: bool = False
    to_oneself: bool = True
    at_once: bool = True
    """Whether the record and the deed are one transaction; otherwise the deed commits as it goes, after the record."""

    fits: Callable[[User], bool] = lambda _: True
    """Whether there is anything to do."""

    def refusal(self, actor: User, subject: User) -> str | None:
        """Why ``actor`` may not do this to ``subject``."""
        if not actor.has_perm(self.permission):
            return "You lack the permission."
        if subject.is_superuser and not actor.is_superuser:
            return "Only superusers may do this to a superuser."
        if subject == actor and not self.to_oneself:
            return "You cannot do this to your own account."
        return None

    def perform(self, actor: User, subject: User, reason: str) -> str:
        """Records it and does it; gives the sentence. Raises ``AccountError``."""
        with transaction.atomic() if self.at_once else nullcontext():
            record_event(actor=actor, subject_id=subject.id, action=self.name, reason=reason)
            return self.do(subject)


def _deactivate(user: User) -> str:
    user.is_active = False
    # Otherwise what was signed in would be so again as soon as the account is active again.
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


DEACTIVATE: Final = Deed(
    name="deactivate",
    title="Deactivate",
    icon="block",
    consequence="They are signed out everywhere and cannot sign in until somebody activates the account again. "
    "Nothing of theirs is deleted.",
    do=_deactivate,
    form=ReasonForm,
    dangerous=True,
    to_oneself=False,
    fits=lambda user: user.is_active,
)
REACTIVATE: Final = Deed(
    name="reactivate",
    title="Activate again",
    icon="check_circle",
    consequence="They can sign in again.",
    do=_reactivate,
    fits=lambda user: not user.is_active,
)
SIGN_OUT: Final = Deed(
    name="sign-out",
    title="Sign out everywhere",
    icon="logout",
    consequence="Every token and every session in this admin ends, open sockets within seconds. They can sign in again "
    "with their password.",
    do=_sign_out,
)
ERASE: Final = Deed(
    name="erase",
    title="Erase",
    icon="delete_forever",
    consequence="Their key is destroyed, and then everything that is kept of them. Nobody can undo this. The record "
    "that you did it stays; its reason, which is encrypted with their key, ends with them.",
    do=_erase,
    permission="accounts.delete_user",
    form=ReasonForm,
    dangerous=True,
    to_oneself=False,
    at_once=False,
)
ROTATE_KEY: Final = Deed(
    name="rotate-key",
    title="Rotate key",
    icon="key",
    consequence="They get a new key, and what is kept of them is encrypted again with it. They notice nothing. What "
    f"cannot be done within {ROTATION_S:g} seconds is left for later, readable meanwhile.",
    do=_rotate,
    at_once=False,
)
ON_A_PAGE: Final = (ROTATE_KEY, SIGN_OUT, DEACTIVATE, REACTIVATE)
"""The deeds a user's page offers. Erasing stands where Django deletes."""
