"""Proving that an address belongs to the user of its account, and giving the account another one.

Accounts from before there was e-mail, and those that staff make, are unverified and sign in as always. With
``settings.REQUIRE_VERIFIED_EMAIL`` people who register prove their address before they sign in.
"""

from contextlib import suppress
from functools import partial
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction

from accounts.addresses import normalised_address
from accounts.audit import record_event
from accounts.auth.links import LinkPurpose, send_link, use_link, user_of_link
from accounts.auth.mail import send_later
from accounts.auth.notices import ADDRESS_CHANGED, to_former_address
from accounts.auth.tokens import revoke_all_tokens
from accounts.errors import AccountError, AddressTaken, AddressUnverified, MailUnavailable, NothingToDo
from accounts.locks import lock_user
from accounts.models import AddressState, User

_UNCHANGED: Final = "The account has this address already."


def initial_state() -> AddressState:
    """The state of an address that registers now."""
    return AddressState.PENDING if settings.REQUIRE_VERIFIED_EMAIL else AddressState.UNVERIFIED


def check_may_sign_in(user: User) -> None:
    """Raises ``AddressUnverified`` if the user must verify the address first."""
    if user.address_state == AddressState.PENDING and settings.REQUIRE_VERIFIED_EMAIL:
        raise AddressUnverified


def ask_to_verify(user: User) -> None:
    """Send the link to a new user, if this server sends e-mail."""
    with suppress(MailUnavailable):
        send_link(user.email, LinkPurpose.VERIFY)


def user_to_verify(token: str) -> User:
    """The user whose address this token verifies. Raises ``LinkInvalid``."""
    return user_of_link(token, LinkPurpose.VERIFY)[0]


@transaction.atomic
def verify_address(token: str) -> User:
    """Verify the address that the token of a link was sent to. Raises ``LinkInvalid``."""
    user, _ = use_link(token, LinkPurpose.VERIFY)
    user.address_state = AddressState.VERIFIED
    user.save(update_fields=["address_state"])
    return user


def change_address(user_id: UUID, address: str, *, reason: str) -> User:
    """Give the account ``address``, which is sent a link that verifies it. All sessions, tokens and links end.

    For the operator of the server, when a user has lost the older address, which is told of it. The password stays.
    Raises ``NothingToDo`` if the account has this address already, ``AddressTaken``, Django's ``ValidationError``,
    ``AccountGone``, and as ``record_event``.
    """
    try:
        with transaction.atomic():
            user = lock_user(user_id)
            if normalised_address(address) == _readable_address(user):
                raise NothingToDo(_UNCHANGED)
            _tell_former_address(user)
            user.email, user.address_state = address, initial_state()
            user.clean_fields(exclude={field.name for field in User._meta.fields} - {"email"})  # noqa: SLF001 - Django's public name for it
            user.save(update_fields=["email", "address_state"])
            record_event(actor=None, subject_id=user_id, action="change-address", reason=reason)
            revoke_all_tokens(user_id)
    except IntegrityError:
        raise AddressTaken from None
    ask_to_verify(user)
    return user


def _readable_address(user: User) -> str | None:
    """None for an address that cannot be decrypted: writing it again repairs it."""
    try:
        return user.email
    except AccountError:
        return None


def _tell_former_address(user: User) -> None:
    if (former := _readable_address(user)) is not None:
        send_later(partial(to_former_address, former, user.language, ADDRESS_CHANGED), kind="change-address")
