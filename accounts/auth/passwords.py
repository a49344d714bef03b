"""Changing a password, and setting a new one where it is forgotten."""

from functools import partial
from typing import Final
from uuid import UUID

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.audit import record_event
from accounts.auth.ceremonies import WebAuthnJson
from accounts.auth.confirmation import confirm
from accounts.auth.letters import reset_letter
from accounts.auth.links import Purpose, link_to_page, user_of_link
from accounts.auth.mail import Letter, send_later
from accounts.auth.tokens import TokenPair, lock_signed_in, reissue_tokens
from accounts.errors import InvalidCredentials, LinkInvalid, MailUnavailable
from accounts.models import AddressState, User

MAX_PASSWORD_CHARS: Final = 1024
"""Longer ones take longer to hash."""
_RESETS: Final = (Purpose.RESET, Purpose.OPERATOR_RESET)


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


def send_reset_link(address: str) -> None:
    """Send a link to the account with this address, if there is one. It takes equally long if there is none.

    Raises ``MailUnavailable``.
    """
    if not settings.MAIL_ENABLED:
        raise MailUnavailable
    send_later(partial(_reset_letter, address), kind="reset")


def issue_reset_link(user: User) -> str:
    """The address of a page that sets a new password, once, for an operator to pass on."""
    record_event(actor=None, subject_id=user.id, action="issue-reset-link")
    return link_to_page(user, Purpose.OPERATOR_RESET)


def user_to_reset(token: str) -> User:
    """The user for whom this token sets a new password. Raises ``LinkInvalid``."""
    return user_of_link(token, *_RESETS)[0]


def reset_password(token: str, new_password: str) -> User:
    """Set a new password with the token of a link. All sessions end.

    Raises ``LinkInvalid``, or Django's ``ValidationError`` with sentences by field.
    """
    user, purpose = user_of_link(token, *_RESETS)
    _check_new(user, new_password)
    with transaction.atomic():
        # Locked, so that of two uses at once the second one fails.
        try:
            present = lock_signed_in(user)
        except InvalidCredentials:
            raise LinkInvalid from None
        if purpose is Purpose.RESET:  # it was sent to the address
            present.address_state = AddressState.VERIFIED
        _set_password(present, new_password)
        record_event(actor=None, subject_id=user.id, action="reset-password")
    return present


def _check_new(user: User, new_password: str) -> None:
    try:
        validate_password(new_password, user)
    except ValidationError as error:
        raise ValidationError({"new_password": error.error_list}) from None


def _set_password(user: User, new_password: str) -> None:
    user.set_password(new_password)
    user.save(update_fields=["password", "address_state"])


def _reset_letter(address: str) -> Letter | None:
    try:
        user = User.objects.get_by_natural_key(address)
    except User.DoesNotExist:
        return None
    return reset_letter(user) if user.is_active else None
