"""Proving that an address belongs to the user of its account.

Accounts from before there was e-mail, and those that staff make, are unverified and sign in as always. With
``settings.REQUIRE_VERIFIED_EMAIL`` people who register prove their address before they sign in.
"""

from functools import partial

from django.conf import settings

from accounts.auth.letters import verification_letter
from accounts.auth.links import Purpose, user_of_link
from accounts.auth.mail import Letter, send_later
from accounts.errors import AddressUnverified, MailUnavailable
from accounts.models import AddressState, User


def initial_state() -> AddressState:
    """The state of an address that registers now."""
    return AddressState.PENDING if settings.REQUIRE_VERIFIED_EMAIL else AddressState.UNVERIFIED


def check_may_sign_in(user: User) -> None:
    """Raises ``AddressUnverified`` if the user must verify the address first."""
    if user.address_state == AddressState.PENDING and settings.REQUIRE_VERIFIED_EMAIL:
        raise AddressUnverified


def send_verification(address: str) -> None:
    """Send a link to the account with this address, if there is one and it is not verified.

    It takes equally long in every case. Raises ``MailUnavailable``.
    """
    if not settings.MAIL_ENABLED:
        raise MailUnavailable
    send_later(partial(_verification_letter, address), kind="verify")


def ask_to_verify(user: User) -> None:
    """Send the link to a new user, if this server sends e-mail."""
    send_later(partial(_verification_letter, user.email), kind="verify")


def user_to_verify(token: str) -> User:
    """The user whose address this token verifies. Raises ``LinkInvalid``."""
    return user_of_link(token, Purpose.VERIFY)[0]


def verify_address(token: str) -> User:
    """Verify the address that the token of a link was sent to. Raises ``LinkInvalid``."""
    user = user_to_verify(token)
    user.address_state = AddressState.VERIFIED
    user.save(update_fields=["address_state"])
    return user


def _verification_letter(address: str) -> Letter | None:
    try:
        user = User.objects.get_by_natural_key(address)
    except User.DoesNotExist:
        return None
    waits = user.is_active and user.address_state != AddressState.VERIFIED
    return verification_letter(user) if waits else None
