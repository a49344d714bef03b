"""Passwords: asking for one again, changing it, and setting a new one where it is forgotten."""

from typing import Final
from uuid import UUID

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.audit import record_event
from accounts.auth.ceremonies import WebAuthnJson
from accounts.auth.links import Purpose, link_to_page, use_link, user_of_link
from accounts.auth.passkeys import verify_for
from accounts.auth.tokens import TokenPair, lock_signed_in, reissue_tokens
from accounts.credential_models import Passkey
from accounts.errors import PasskeyNeeded, WrongPassword
from accounts.models import AddressState, User

MAX_PASSWORD_CHARS: Final = 1024
"""Longer ones take longer to hash."""
_RESETS: Final = (Purpose.RESET, Purpose.OPERATOR_RESET)


def confirm(user: User, *, password: str | None = None, passkey: WebAuthnJson | None = None) -> None:
    """Ask a signed-in user again before a change that a stolen access token alone must not allow.

    One of the two is checked; ``passkey`` answers ``authentication_options(user)``.

    Raises ``WrongPassword`` or ``WrongPasskey``.
    """
    if passkey is not None:
        verify_for(user, passkey)
    elif password is None or not user.check_password(password):
        raise WrongPassword


def confirm_passkey_change(user: User, *, password: str | None = None, passkey: WebAuthnJson | None = None) -> None:
    """As ``confirm``. Raises ``PasskeyNeeded`` for staff without ``passkey``.

    Their passkeys are a second factor of the admin, which a stolen password alone must not change.
    """
    confirm(user, password=password, passkey=passkey)
    if user.is_staff and passkey is None:
        raise PasskeyNeeded


def change_password(
    user: User, *, new_password: str, family: UUID, password: str | None = None, passkey: WebAuthnJson | None = None
) -> TokenPair:
    """Set a new password for a signed-in user, whose session ``family`` gets new tokens. All others end.

    The user confirms it with the present ``password`` or a ``passkey``. Raises as ``confirm``, Django's
    ``ValidationError`` with sentences by field, or ``InvalidCredentials``.
    """
    confirm(user, password=password, passkey=passkey)
    _check_new(user, new_password)
    with transaction.atomic():
        # Locked, so that of two changes at once the second one fails.
        present = lock_signed_in(user)
        _set_password(present, new_password)
        record_event(actor=user, subject_id=user.id, action="change-password")
        return reissue_tokens(present, family=family)


def issue_reset_link(user: User) -> str:
    """The address of a page that sets a new password, once, for an operator to pass on."""
    record_event(actor=None, subject_id=user.id, action="issue-reset-link")
    return link_to_page(user, Purpose.OPERATOR_RESET)


def user_to_reset(token: str) -> User:
    """The user for whom this token sets a new password. Raises ``LinkInvalid``."""
    return user_of_link(token, *_RESETS)[0]


def reset_password(token: str, new_password: str) -> User:
    """Set a new password with the token of a link. All sessions end; passkeys, too, if the address was unverified.

    Raises ``LinkInvalid``, or Django's ``ValidationError`` with sentences by field.
    """
    _check_new(user_to_reset(token), new_password)
    with transaction.atomic():
        user, purpose = use_link(token, *_RESETS)
        if purpose is Purpose.RESET:  # it was sent to the address
            _prove_address(user)
        _set_password(user, new_password)
        record_event(actor=None, subject_id=user.id, action="reset-password")
    return user


def _prove_address(user: User) -> None:
    """The address is this user's. Someone else may have registered it, and must not keep a passkey."""
    if user.address_state != AddressState.VERIFIED and not user.is_staff:
        # Accounts of staff are made by other staff, and a passkey may be their second factor.
        Passkey.objects.for_user(user.id).delete()
    user.address_state = AddressState.VERIFIED


def _check_new(user: User, new_password: str) -> None:
    try:
        validate_password(new_password, user)
    except ValidationError as error:
        raise ValidationError({"new_password": error.error_list}) from None


def _set_password(user: User, new_password: str) -> None:
    user.set_password(new_password)
    user.save(update_fields=["password", "address_state"])
