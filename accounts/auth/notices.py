"""E-mail that tells users what happened to their account: new sign-ins and devices, and changed credentials.

What the audit records is what a notice is about, so the code that changes a credential only records it.
"""

import re
from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Final
from uuid import UUID

from django.db.models.signals import post_save
from django.dispatch import receiver

from accounts.auth import letters
from accounts.auth.mail import Letter, send_later
from accounts.errors import EncryptionError
from accounts.keys.vault import Vault, open_vault
from accounts.models import AuditEvent, Device, Session, TokenFamily, User
from accounts.signals import account_erased

NOTICED: Final[Mapping[str, letters.Text]] = {
    "change-password": letters.PASSWORD_CHANGED,
    "reset-password": letters.PASSWORD_CHANGED,
    "export-account": letters.EXPORTED,
    "create-token": letters.TOKEN_CREATED,
    "add-passkey": letters.PASSKEY_ADDED,
    "remove-passkey": letters.PASSKEY_REMOVED,
    "refuse-cloned-passkey": letters.PASSKEY_COPIED,
    "add-authenticator-app": letters.SECOND_FACTOR,
    "remove-authenticator-app": letters.SECOND_FACTOR,
    "renew-recovery-codes": letters.SECOND_FACTOR,
    "use-recovery-code": letters.SECOND_FACTOR,
    "reset-second-factor": letters.SECOND_FACTOR,
    "replay-refresh-token": letters.REPLAYED,
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
    send_later(lambda: letters.farewell(address, language), kind="erased")


def sign_in_notice(session_id: UUID) -> Letter | None:
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
    return letters.notice(session.user, letters.SIGN_IN, client=client)


def device_notice(device_id: UUID) -> Letter | None:
    """None for the first device of a user, and for one whose sign-in the user knows of."""
    device = Device.objects.select_related("user").filter(id=device_id).first()
    if device is None or not device.user.is_active:
        return None
    families = TokenFamily.objects.filter(device=device).values("family")
    known = Session.objects.for_user(device.user_id).filter(id__in=families, announced=True).exists()
    if known or not Device.objects.for_user(device.user_id).exclude(id=device_id).exists():
        return None
    return letters.notice(device.user, letters.DEVICE)


def _notice(user_id: UUID, text: letters.Text) -> Letter | None:
    user = User.objects.filter(id=user_id, is_active=True).first()
    return None if user is None else letters.notice(user, text)


def _client(vault: Vault, session: Session) -> str:
    try:
        return vault.open(session, "client_encrypted") if session.client_encrypted else ""
    except EncryptionError:
        return ""


def _same(one: str, other: str) -> bool:
    """The same client, though it may have been updated."""
    return _VERSION.sub("", one) == _VERSION.sub("", other)
