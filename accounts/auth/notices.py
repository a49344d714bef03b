"""E-mail that tells users what happened to their account: new sign-ins and devices, and changed credentials.

Audit events cause the notices about credentials, so the code that changes a credential only records it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db.models.signals import post_save
from django.dispatch import receiver

from accounts.auth.mail import Email, send_later, written
from accounts.keys.vault import Vault, open_vault
from accounts.models import AuditEvent, User
from accounts.session_models import Device, Session, TokenFamily
from accounts.signals import account_erased
from accounts.translations import gettext_noop, translations


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """A subject and a first sentence, in English, for gettext."""

    subject: str
    sentence: str


SIGN_IN: Final = Text(
    subject=gettext_noop("New sign-in to your account"),
    sentence=gettext_noop("Someone signed in to your account with a client that was not used before: {client}."),
)
UNNAMED_CLIENT: Final = gettext_noop("a client without a name")
DEVICE: Final = Text(
    subject=gettext_noop("New device in your account"),
    sentence=gettext_noop("A device that is new to your account has connected."),
)
PASSWORD_CHANGED: Final = Text(
    subject=gettext_noop("Your password was changed"),
    sentence=gettext_noop("The password of your account was changed. All other sessions were signed out."),
)
PASSKEY_ADDED: Final = Text(
    subject=gettext_noop("A passkey was added to your account"),
    sentence=gettext_noop("A new passkey can now sign in to your account."),
)
PASSKEY_REMOVED: Final = Text(
    subject=gettext_noop("A passkey was removed from your account"),
    sentence=gettext_noop("A passkey of your account can no longer sign in."),
)
PASSKEY_COPIED: Final = Text(
    subject=gettext_noop("A passkey of your account was refused"),
    sentence=gettext_noop("A sign-in was refused because its passkey may have been copied. Remove this passkey."),
)
TOKEN_CREATED: Final = Text(
    subject=gettext_noop("A personal token was created"),
    sentence=gettext_noop("A program can now use your account with a new personal token."),
)
REPLAYED: Final = Text(
    subject=gettext_noop("A session of your account was ended"),
    sentence=gettext_noop(
        "A token of this session was used twice, so someone may have copied it. The session was signed out."
    ),
)
SECOND_FACTOR: Final = Text(
    subject=gettext_noop("Your second factor was changed"),
    sentence=gettext_noop("A second factor of your account was added, removed or reset."),
)
EXPORTED: Final = Text(
    subject=gettext_noop("Your data was downloaded"),
    sentence=gettext_noop("Someone who is signed in to your account downloaded everything that is stored of you."),
)
ADDRESS_CHANGED: Final = Text(
    subject=gettext_noop("The address of your account was changed"),
    sentence=gettext_noop(
        "The people who run this server gave your account another address. "
        "If you did not ask for it, tell them at once."
    ),
)
ERASED: Final = Text(
    subject=gettext_noop("Your account was deleted"),
    sentence=gettext_noop("Your account and everything stored in it was deleted. This cannot be undone."),
)
NOTICED: Final[Mapping[str, Text]] = {
    "change-password": PASSWORD_CHANGED,
    "reset-password": PASSWORD_CHANGED,
    "export-account": EXPORTED,
    "create-token": TOKEN_CREATED,
    "add-passkey": PASSKEY_ADDED,
    "remove-passkey": PASSKEY_REMOVED,
    "refuse-cloned-passkey": PASSKEY_COPIED,
    "add-authenticator-app": SECOND_FACTOR,
    "remove-authenticator-app": SECOND_FACTOR,
    "renew-recovery-codes": SECOND_FACTOR,
    "use-recovery-code": SECOND_FACTOR,
    "reset-second-factor": SECOND_FACTOR,
    "replay-refresh-token": REPLAYED,
}
"""The recorded actions that users are told of."""
NEW_FOR: Final = timedelta(hours=1)
"""How long an account is new."""
_VERSION: Final = re.compile(r"[\d.]+")


@receiver(post_save, sender=AuditEvent)
def _recorded(instance: AuditEvent, *, created: bool, **_: object) -> None:
    text = NOTICED.get(instance.action)
    if created and text is not None:
        send_later(partial(_notice, instance.subject_id, text), kind=instance.action)


@receiver(post_save, sender=Session)
def _signed_in(instance: Session, *, created: bool, **_: object) -> None:
    if created and not instance.announced:
        send_later(partial(sign_in_notice, instance.id), kind="sign-in")


@receiver(post_save, sender=Device)
def _connected(instance: Device, *, created: bool, **_: object) -> None:
    if created:
        send_later(partial(device_notice, instance.id), kind="device")


@receiver(account_erased)
def _erased(*, address: str, language: str, **_: object) -> None:
    send_later(partial(to_former_address, address, language, ERASED), kind="erased")


def sign_in_notice(session_id: UUID) -> Email | None:
    """None if the user has signed in with this client before, or for the first time, to a new account."""
    session = Session.objects.select_related("user").filter(id=session_id).first()
    if session is None or not session.user.is_active:
        return None
    vault = open_vault(session.user_id)
    client = _client(vault, session)
    others = list(Session.objects.for_user(session.user_id).exclude(id=session_id))
    is_first = not others and session.created_at < session.user.date_joined + NEW_FOR
    if is_first or any(_same(client, _client(vault, other)) for other in others):
        return None
    Session.objects.filter(id=session_id).update(announced=True)
    return notice(session.user, SIGN_IN, client=client)


def device_notice(device_id: UUID) -> Email | None:
    """None for the first device of a user, and for one whose sign-in the user knows of."""
    device = Device.objects.select_related("user").filter(id=device_id).first()
    if device is None or not device.user.is_active:
        return None
    families = TokenFamily.objects.filter(device=device).values("family")
    known = Session.objects.for_user(device.user_id).filter(id__in=families, announced=True).exists()
    if known or not Device.objects.for_user(device.user_id).exclude(id=device_id).exists():
        return None
    return notice(device.user, DEVICE)


def notice(user: User, text: Text, *, client: str = "") -> Email:
    """Tells the user that something happened, and what to do if it was someone else."""
    say = translations(user.language).gettext
    advice = say(
        "If this was you, there is nothing to do. If it was not, reset your password at once, which ends all sessions: "
        "{address}"
    ).format(address=f"{settings.PUBLIC_URL}/account/forgotten")
    sentence = say(text.sentence).format(client=client or say(UNNAMED_CLIENT))
    return written(user.email, user.language, subject=say(text.subject), paragraphs=[sentence, advice])


def to_former_address(address: str, language: str, text: Text) -> Email:
    """Tells someone whose account does not have this address any more."""
    say = translations(language).gettext
    return written(address, language, subject=say(text.subject), paragraphs=[say(text.sentence)])


def _notice(user_id: UUID, text: Text) -> Email | None:
    user = User.objects.filter(id=user_id, is_active=True).first()
    return None if user is None else notice(user, text)


def _client(vault: Vault, session: Session) -> str:
    return vault.open_or_none(session, "client_encrypted") or ""


def _same(one: str, other: str) -> bool:
    """The same client, though it may have been updated."""
    return _VERSION.sub("", one) == _VERSION.sub("", other)
