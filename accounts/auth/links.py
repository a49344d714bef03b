"""Signed links that prove control of an account without a password: they reset it, or verify its address.

Nothing is stored: a link contains its user, its time and a signature over what its use changes, so it works once. It
also ends after ``settings.PASSWORD_RESET_TIMEOUT``, when the address changes and, if the address is verified, when the
password changes or the user signs in.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Final
from uuid import UUID

from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator

from accounts.auth.mail import Email, send_later, written
from accounts.errors import AccountGone, LinkInvalid, MailUnavailable
from accounts.locks import lock_user
from accounts.models import AddressState, User
from accounts.translations import gettext_noop, translations

MAX_LINK_CHARS: Final = 200


class LinkPurpose(StrEnum):
    """What a link is good for."""

    RESET = "reset"
    """Sent to the address of the account, so that it also verifies the address."""
    OPERATOR_RESET = "operator-reset"
    """Given out by an operator."""
    VERIFY = "verify"


_PROVING: Final = frozenset({LinkPurpose.RESET, LinkPurpose.VERIFY})
"""The purposes of links that are sent to the address."""
PAGES: Final = {LinkPurpose.RESET: "password", LinkPurpose.OPERATOR_RESET: "password", LinkPurpose.VERIFY: "address"}
"""The page below ``/account/`` that a link leads to."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Words:
    """What an e-mail says around its link, in English, for gettext."""

    subject: str
    opening: str
    closing: str


_WORDS: Final = {
    LinkPurpose.RESET: _Words(
        subject=gettext_noop("Reset your password"),
        opening=gettext_noop("Open this page to choose a new password:"),
        closing=gettext_noop("If you did not ask for it, ignore this message. Your password stays as it is."),
    ),
    LinkPurpose.VERIFY: _Words(
        subject=gettext_noop("Confirm your address"),
        opening=gettext_noop("Open this page to confirm that this address is yours:"),
        closing=gettext_noop("If you have no account here, ignore this message."),
    ),
}


class _Signer(PasswordResetTokenGenerator):
    """Django's signature, extended by the purpose, the token generation and the state of the address."""

    def __init__(self, purpose: LinkPurpose) -> None:
        super().__init__()
        self.key_salt = f"accounts.auth.links.{purpose}"
        self._purpose = purpose

    def _make_hash_value(self, user: User, timestamp: int) -> str:
        if self._purpose in _PROVING and user.address_state != AddressState.VERIFIED:
            # Using it verifies the address. Until then someone else may have registered it, and could end the links of
            # its owner by signing in, signing out or changing the password.
            return f"{user.pk}.{timestamp}.{user.email}.{user.address_state}"
        return f"{super()._make_hash_value(user, timestamp)}.{user.token_generation}.{user.address_state}"


def link_token(user: User, purpose: LinkPurpose) -> str:
    """A token for ``purpose``, of letters, digits, ``-`` and ``.``"""
    return f"{user.id.hex}.{_Signer(purpose).make_token(user)}"


def link_to_page(user: User, purpose: LinkPurpose) -> str:
    """The address of the page that takes such a token."""
    return f"{settings.PUBLIC_URL}/account/{PAGES[purpose]}/{link_token(user, purpose)}"


def user_of_link(token: str, *purposes: LinkPurpose) -> tuple[User, LinkPurpose]:
    """The active user of a token, and its purpose among these. Raises ``LinkInvalid``."""
    user_id, signature = _parts(token)
    return _checked(User.objects.filter(id=user_id).first(), signature, purposes)


def use_link(token: str, *purposes: LinkPurpose) -> tuple[User, LinkPurpose]:
    """As ``user_of_link``, with the user locked until the end of the transaction: of two uses at once one fails."""
    user_id, signature = _parts(token)
    try:
        user = lock_user(user_id)
    except AccountGone:
        raise LinkInvalid from None
    return _checked(user, signature, purposes)


def send_link(address: str, purpose: LinkPurpose) -> None:
    """Send a link to the account with this address, if there is one that can use it. It takes equally long if not.

    An operator's link is not sent. Raises ``MailUnavailable``.
    """
    if not settings.MAIL_ENABLED:
        raise MailUnavailable
    send_later(partial(_email, address, purpose), kind=purpose)


def _email(address: str, purpose: LinkPurpose) -> Email | None:
    try:
        user = User.objects.get_by_natural_key(address)
    except User.DoesNotExist:
        return None
    is_done = purpose is LinkPurpose.VERIFY and user.address_state == AddressState.VERIFIED
    if is_done or not user.is_active:
        return None
    words, say = _WORDS[purpose], translations(user.language).gettext
    paragraphs = [say(words.opening), link_to_page(user, purpose), _validity(user.language), say(words.closing)]
    return written(user.email, user.language, subject=say(words.subject), paragraphs=paragraphs)


def _validity(language: str) -> str:
    minutes = settings.PASSWORD_RESET_TIMEOUT // 60
    return (
        translations(language)
        .ngettext(
            "The link works once, within {number} minute.", "The link works once, within {number} minutes.", minutes
        )
        .format(number=minutes)
    )


def _parts(token: str) -> tuple[UUID, str]:
    owner, _, signature = token[:MAX_LINK_CHARS].partition(".")
    try:
        return UUID(hex=owner), signature
    except ValueError:
        raise LinkInvalid from None


def _checked(user: User | None, signature: str, purposes: Iterable[LinkPurpose]) -> tuple[User, LinkPurpose]:
    if user is not None and user.is_active:
        for purpose in purposes:
            if _Signer(purpose).check_token(user, signature):
                return user, purpose
    raise LinkInvalid
