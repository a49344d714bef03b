"""Passwords: asking for one again, changing it, and setting a new one where it is forgotten."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TypedDict, Unpack
from uuid import UUID

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.audit import record_event
from accounts.auth import attempts
from accounts.auth.ceremonies import WebAuthnJson
from accounts.auth.links import LinkPurpose, link_to_page, use_link, user_of_link
from accounts.auth.passkeys import verify_for
from accounts.auth.second_factor import check_code, forget_factors, has_second_factor
from accounts.auth.tokens import TokenPair, lock_signed_in, reissue_tokens
from accounts.errors import PasskeyNeeded, WrongPassword
from accounts.models import AddressState, User
from accounts.session_models import Device

MAX_PASSWORD_CHARS: Final = 1024
"""Longer ones take longer to hash."""
_RESETS: Final = (LinkPurpose.RESET, LinkPurpose.OPERATOR_RESET)


class Confirmation(TypedDict, total=False):
    """What a signed-in user gives to confirm a change, and the ``ip`` address that attempts are counted by.

    ``passkey`` answers ``authentication_options(user)``, and is enough. Users with a second factor give a ``code`` of
    their app, or a recovery code, beside ``password``.
    """

    password: str | None
    passkey: WebAuthnJson | None
    code: str | None
    ip: str


def confirm(user: User, **given: Unpack[Confirmation]) -> bool:
    """Ask a signed-in user again before a change that a stolen access token or password alone must not allow.

    Returns whether a second factor was proved. Raises ``WrongPassword``, ``WrongPasskey``, ``WrongCode``,
    ``TooManyAttempts``, or ``PasskeyNeeded`` for a password without a code.
    """
    passkey, password, code = given.get("passkey"), given.get("password"), given.get("code")
    if passkey is not None:
        verify_for(user, passkey)
        return True
    if password is None or not user.check_password(password):
        raise WrongPassword
    if not has_second_factor(user):
        return False
    if code is None:
        raise PasskeyNeeded
    # After the password: otherwise a stolen access token could use up the day's attempts.
    attempts.check("second_factor", ip=given.get("ip", ""), address=user.email)
    check_code(user, code)
    return True


def confirm_access_change(user: User, **given: Unpack[Confirmation]) -> bool:
    """As ``confirm``, for a change of factors or tokens.

    Raises ``PasskeyNeeded``, too, for staff without a second factor. They add the first in the admin, where it counts
    as well: a stolen password alone must not add one.
    """
    proved = confirm(user, **given)
    if user.is_staff and not has_second_factor(user):
        raise PasskeyNeeded
    return proved


@contextmanager
def beginning_factor(user: User, **given: Unpack[Confirmation]) -> Iterator[None]:
    """As ``confirm_access_change``, with the user locked for the block, which begins to add a factor.

    Raises ``PasskeyNeeded``, too, if a first factor was added after a password alone was enough, or
    ``InvalidCredentials`` if the user has been signed out since.
    """
    proved = confirm_access_change(user, **given)
    with transaction.atomic():
        if has_second_factor(lock_signed_in(user)) and not proved:
            raise PasskeyNeeded
        yield


def change_password(user: User, *, new_password: str, family: UUID, **given: Unpack[Confirmation]) -> TokenPair:
    """Set a new password for a signed-in user, whose session ``family`` gets new tokens. All others end.

    The user confirms it as ``confirm`` says. Raises as ``confirm``, Django's ``ValidationError`` with sentences by
    field, or ``InvalidCredentials``.
    """
    # Before anything is used up: a code, or the answer of a passkey, counts once.
    _check_new(user, new_password)
    confirm(user, **given)
    with transaction.atomic():
        # Locked, so that of two changes at once the second one fails.
        present = lock_signed_in(user)
        _set_password(present, new_password)
        record_event(actor=user, subject_id=user.id, action="change-password")
        return reissue_tokens(present, family=family)


def issue_reset_link(user: User) -> str:
    """The address of a page that sets a new password, once, for an operator to pass on. Raises as ``User.key``."""
    link = link_to_page(user, LinkPurpose.OPERATOR_RESET)
    record_event(actor=None, subject_id=user.id, action="issue-reset-link")
    return link


def user_to_reset(token: str) -> User:
    """The user for whom this token sets a new password. Raises ``LinkInvalid``."""
    return user_of_link(token, *_RESETS)[0]


def reset_password(token: str, new_password: str) -> User:
    """Set a new password with the token of a link. All sessions and tokens end.

    If the address was unverified, so does all other access to the account. See ``_end_earlier_access``.

    Raises ``LinkInvalid``, or Django's ``ValidationError`` with sentences by field.
    """
    _check_new(user_to_reset(token), new_password)
    with transaction.atomic():
        user, purpose = use_link(token, *_RESETS)
        if user.address_state != AddressState.VERIFIED:
            _end_earlier_access(user)
        if purpose is LinkPurpose.RESET:  # it was sent to the address
            user.address_state = AddressState.VERIFIED
        _set_password(user, new_password)
        record_event(actor=None, subject_id=user.id, action="reset-password")
    return user


def _end_earlier_access(user: User) -> None:
    """Someone else may have registered the address of this user, and keeps no access."""
    # Not removed, which would keep their ids from returning: they may also be the user's own.
    Device.objects.for_user(user.id).present().delete()
    if not user.is_staff:  # whose accounts are made by other staff, and whose mailbox is not their second factor
        forget_factors(user)


def _check_new(user: User, new_password: str) -> None:
    try:
        validate_password(new_password, user)
    except ValidationError as error:
        raise ValidationError({"new_password": error.error_list}) from None


def _set_password(user: User, new_password: str) -> None:
    user.set_password(new_password)
    user.save(update_fields=["password", "address_state"])
