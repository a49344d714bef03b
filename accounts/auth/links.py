"""Signed links that prove control of an account without a password: they reset it, or verify its address.

Nothing is stored: a link contains its user, its time and a signature over what its use changes, so it works once. It
also ends with any other new password, with a sign-in, with another address, and by ``settings.PASSWORD_RESET_TIMEOUT``.
"""

from enum import StrEnum
from typing import Final
from uuid import UUID

from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator

from accounts.errors import LinkInvalid
from accounts.models import User

MAX_LINK_CHARS: Final = 200


class Purpose(StrEnum):
    """What a link is good for."""

    RESET = "reset"
    """Sent to the address of the account, so that it also verifies the address."""
    OPERATOR_RESET = "operator-reset"
    """Given out by an operator."""
    VERIFY = "verify"


PAGES: Final = {Purpose.RESET: "password", Purpose.OPERATOR_RESET: "password", Purpose.VERIFY: "address"}
"""The page below ``/account/`` that a link leads to."""


class _Signer(PasswordResetTokenGenerator):
    """Django's links, which know of no purpose, of no generation and of no verified address."""

    def __init__(self, purpose: Purpose) -> None:
        super().__init__()
        self.key_salt = f"accounts.auth.links.{purpose}"

    def _make_hash_value(self, user: User, timestamp: int) -> str:
        return f"{super()._make_hash_value(user, timestamp)}.{user.token_generation}.{user.address_state}"


def link_token(user: User, purpose: Purpose) -> str:
    """A token for ``purpose``, of letters, digits, ``-`` and ``.``"""
    return f"{user.id.hex}.{_Signer(purpose).make_token(user)}"


def link_to_page(user: User, purpose: Purpose) -> str:
    """The address of the page that takes such a token."""
    return f"{settings.PUBLIC_URL}/account/{PAGES[purpose]}/{link_token(user, purpose)}"


def user_of_link(token: str, *purposes: Purpose) -> tuple[User, Purpose]:
    """The active user of a token, and its purpose among these. Raises ``LinkInvalid``."""
    owner, _, signature = token[:MAX_LINK_CHARS].partition(".")
    try:
        user = User.objects.filter(id=UUID(hex=owner), is_active=True).first()
    except ValueError:
        raise LinkInvalid from None
    if user is not None:
        for purpose in purposes:
            if _Signer(purpose).check_token(user, signature):
                return user, purpose
    raise LinkInvalid
