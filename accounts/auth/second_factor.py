"""What is proved besides a password, at the admin and to confirm a change: a code of an app, a passkey, or a recovery
code.

``User.second_factor_since`` says that a user has a second factor, and that the admin asks staff for it. It ends with
the last factor. The secret of an app is encrypted with the user's key, and a recovery code is stored as its digest.
"""

import base64
import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from urllib.parse import quote, urlencode
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.utils import timezone as clock
from django_otp.oath import TOTP

from accounts.audit import record_event
from accounts.auth.ceremonies import WebAuthnJson
from accounts.auth.challenges import withdraw_unfinished
from accounts.auth.passkeys import has_passkey, passkeys_of, register_passkey, remove_passkey, verify_for
from accounts.auth.tokens import end_staff_sessions, revoke_all_tokens
from accounts.credential_models import AuthenticatorApp, Passkey, RecoveryCode
from accounts.errors import (
    FactorsChanged,
    LastFactor,
    NoFactor,
    TooManyFactors,
    UnknownFactor,
    UnknownPasskey,
    WrongCode,
    WrongPasskey,
)
from accounts.keys.custody import EncryptedTable, PlainTable
from accounts.keys.vault import open_vault, vault_for_writing
from accounts.locks import lock_user
from accounts.models import OwnedQuerySet, User

ISSUER: Final = "Adiuva"
MAX_APPS: Final = 5
MAX_NAME_CHARS: Final = 64
MAX_CODE_CHARS: Final = 40
RECOVERY_CODES: Final = 10
ADDING_LASTS: Final = timedelta(minutes=10)
"""How long after its secret was shown an app can be confirmed."""
AUTHENTICATOR_APPS: Final = EncryptedTable(
    model=AuthenticatorApp,
    # Not the secret: an export may be read by others who then could show codes.
    exported=("id", "name_encrypted", "created_at", "confirmed_at", "last_used_at"),
)
RECOVERY: Final = PlainTable(model=RecoveryCode, exported=("id",))

_SECRET_BYTES: Final = 20
_TOLERANCE: Final = 1
"""Periods of 30 s by which a clock may differ."""
_SIX_DIGITS: Final = re.compile(r"[0-9]{6}", re.ASCII)
_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without those that look alike: 16 of them are 79 random bits."""
_CODE_CHARS: Final = 16


@dataclass(frozen=True, kw_only=True, slots=True)
class NewApp:
    """An app that is being added: its ``secret`` in base 32, and the address that apps read from a QR code."""

    id: UUID
    secret: str
    address: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Factors:
    """What a user has; apps with their ``name``."""

    apps: list[AuthenticatorApp]
    passkeys: list[Passkey]
    recovery_codes: int


def required() -> bool:
    """Whether all staff must have a second factor."""
    return bool(settings.STAFF_SECOND_FACTOR == "REQUIRED")


def has_second_factor(user: User) -> bool:
    """Whether ``user`` can and must prove one to sign in, rather than add the first."""
    return user.second_factor_since is not None or has_passkey(user)


def factors_of(user: User) -> Factors:
    """Raises as ``open_vault``."""
    vault, apps = open_vault(user.id), list(_confirmed(user).order_by("created_at", "id"))
    for app in apps:
        app.name = vault.open_or_none(app, "name_encrypted") or ""
    return Factors(
        apps=apps,
        passkeys=passkeys_of(user),
        recovery_codes=RecoveryCode.objects.for_user(user.id).count(),
    )


def begin_app(user: User) -> NewApp:
    """An app with a new secret, which counts once it is confirmed. Raises ``TooManyFactors``, and as ``open_vault``."""
    app, secret = AuthenticatorApp(id=uuid4(), user=user), base64.b32encode(secrets.token_bytes(_SECRET_BYTES)).decode()
    with transaction.atomic():
        lock_user(user.id)
        AuthenticatorApp.objects.for_user(user.id).filter(
            confirmed_at=None, created_at__lt=clock.now() - ADDING_LASTS
        ).delete()
        if _confirmed(user).count() >= MAX_APPS:
            raise TooManyFactors
        app.secret_encrypted = vault_for_writing(user.id).seal(app, "secret_encrypted", secret)
        app.save(force_insert=True)
    return _new(app, secret)


def app_being_added(user: User, app_id: UUID) -> NewApp:
    """Raises ``UnknownFactor`` if it is confirmed, or began too long ago."""
    app = _unconfirmed(user, app_id)
    return _new(app, open_vault(user.id).open(app, "secret_encrypted"))


def confirm_app(user: User, app_id: UUID, code: str, *, name: str, first: bool) -> list[str]:
    """Count this app from now on, because ``code`` shows that it works. Returns new recovery codes if there were none.

    ``first`` says that ``user`` has proved only a password, which is enough while there is no other factor. Raises
    ``WrongCode``, ``UnknownFactor``, ``TooManyFactors`` or ``FactorsChanged``.
    """
    with transaction.atomic():
        lock_user(user.id)
        _check_unchanged(user, first=first)
        app, vault = _unconfirmed(user, app_id), open_vault(user.id)
        step = _step_of(vault.open(app, "secret_encrypted"), code, after=0)
        if step is None:
            raise WrongCode
        if _confirmed(user).count() >= MAX_APPS:
            raise TooManyFactors
        app.used_step, app.confirmed_at, app.last_used_at = step, clock.now(), clock.now()
        app.name_encrypted = vault.seal(app, "name_encrypted", name) if name else ""
        app.save(update_fields=["used_step", "confirmed_at", "last_used_at", "name_encrypted"])
        record_event(actor=user, subject_id=user.id, action="add-authenticator-app", object_id=app.id)
        return count_as_enrolled(user)


def add_passkey(user: User, credential: WebAuthnJson, *, name: str, first: bool) -> list[str]:
    """As ``confirm_app``, for the answer to ``registration_options``. Raises as ``register_passkey``."""
    with transaction.atomic():
        lock_user(user.id)
        _check_unchanged(user, first=first)
        register_passkey(user, credential, name=name)
        return count_as_enrolled(user)


@transaction.atomic
def count_as_enrolled(user: User) -> list[str]:
    """Note that ``user`` has a second factor; returns new recovery codes if there are none."""
    lock_user(user.id)
    if User.objects.filter(id=user.id, second_factor_since=None).update(second_factor_since=clock.now()):
        # A password alone was enough to ask for those that are open.
        withdraw_unfinished(user)
    return [] if RecoveryCode.objects.for_user(user.id).exists() else _new_recovery_codes(user)


def check_code(user: User, code: str) -> None:
    """Use up a code of one of the user's apps, or a recovery code.

    Raises ``WrongCode``, which is recorded, and as ``open_vault``.
    """
    if not (_use_app(user, code) or _use_recovery_code(user, code)):
        _record_failure(user)
        raise WrongCode


def check_passkey(user: User, credential: WebAuthnJson) -> None:
    """As ``verify_for``. A failure is recorded."""
    try:
        verify_for(user, credential)
    except WrongPasskey:
        _record_failure(user)
        raise


def _record_failure(user: User) -> None:
    # No actor: someone has the user's password, and this did not prove that it is the user.
    record_event(actor=None, subject_id=user.id, action="fail-second-factor")


def renew_recovery_codes(user: User) -> list[str]:
    """New codes in place of the older ones. They exist only here. Raises ``NoFactor`` without a second factor."""
    with transaction.atomic():
        if not has_second_factor(lock_user(user.id)):
            raise NoFactor
        record_event(actor=user, subject_id=user.id, action="renew-recovery-codes")
        return _new_recovery_codes(user)


def remove_factor(user: User, factor_id: UUID) -> None:
    """Remove an app or a passkey, and end the sessions in the admin.

    Raises ``UnknownFactor``, or ``LastFactor`` if staff must have one.
    """
    with transaction.atomic():
        lock_user(user.id)
        app, passkey = _confirmed(user).filter(id=factor_id), Passkey.objects.for_user(user.id).filter(id=factor_id)
        if not (app.exists() or passkey.exists()):
            raise UnknownFactor
        last = _confirmed(user).count() + Passkey.objects.for_user(user.id).count() == 1
        if last and user.is_staff and required():
            raise LastFactor
        if app.delete()[0]:
            end_staff_sessions(user)
            record_event(actor=user, subject_id=user.id, action="remove-authenticator-app", object_id=factor_id)
        else:
            remove_passkey(user, factor_id)
        if last:
            forget_factors(user)


def remove_app(user: User, app_id: UUID) -> None:
    """As ``remove_factor``, of an app alone."""
    if not _confirmed(user).filter(id=app_id).exists():
        raise UnknownFactor
    remove_factor(user, app_id)


def remove_own_passkey(user: User, passkey_id: UUID) -> None:
    """As ``remove_factor``, of a passkey alone. Raises ``UnknownPasskey``, and as ``remove_passkey``."""
    if not Passkey.objects.for_user(user.id).filter(id=passkey_id).exists():
        raise UnknownPasskey
    remove_factor(user, passkey_id)


def reset_second_factor(user: User) -> None:
    """Remove all factors of a user who has lost them, passkeys included, and end all sessions and tokens."""
    with transaction.atomic():
        lock_user(user.id)
        forget_factors(user)
        revoke_all_tokens(user.id)


def forget_factors(user: User) -> None:
    """Remove all factors, passkeys included. Inside a transaction."""
    for rows in (AuthenticatorApp.objects, RecoveryCode.objects, Passkey.objects):
        rows.for_user(user.id).delete()
    withdraw_unfinished(user)
    User.objects.filter(id=user.id).update(second_factor_since=None)


def _check_unchanged(user: User, *, first: bool) -> None:
    if first and has_second_factor(User.objects.get(id=user.id)):
        raise FactorsChanged


def _confirmed(user: User) -> OwnedQuerySet[AuthenticatorApp]:
    return AuthenticatorApp.objects.for_user(user.id).exclude(confirmed_at=None)


def _unconfirmed(user: User, app_id: UUID) -> AuthenticatorApp:
    began = clock.now() - ADDING_LASTS
    app = AuthenticatorApp.objects.for_user(user.id).filter(id=app_id, confirmed_at=None, created_at__gt=began).first()
    if app is None:
        raise UnknownFactor
    return app


def _new(app: AuthenticatorApp, secret: str) -> NewApp:
    """The address is as apps read it: https://github.com/google/google-authenticator/wiki/Key-Uri-Format"""
    label = quote(f"{ISSUER}:{app.user.email}", safe=":")
    query = urlencode({"secret": secret, "issuer": ISSUER, "algorithm": "SHA1", "digits": 6, "period": 30})
    return NewApp(id=app.id, secret=secret, address=f"otpauth://totp/{label}?{query}")


def _use_app(user: User, code: str) -> bool:
    if not _SIX_DIGITS.fullmatch(_joined(code)):
        return False
    apps, vault = list(_confirmed(user)), open_vault(user.id)
    for app in apps:
        step = _step_of(vault.open(app, "secret_encrypted"), code, after=app.used_step)
        # Of two requests with one code, one changes the row.
        unused = AuthenticatorApp.objects.for_user(user.id).filter(id=app.id, used_step=app.used_step)
        if step is not None and unused.update(used_step=step, last_used_at=clock.now()):
            return True
    return False


def _step_of(secret: str, code: str, *, after: int) -> int | None:
    """The period later than ``after`` whose code this is (RFC 6238)."""
    digits = _joined(code)
    if not _SIX_DIGITS.fullmatch(digits):
        return None
    totp = TOTP(base64.b32decode(secret))
    totp.time = clock.now().timestamp()
    return totp.t() if totp.verify(int(digits), tolerance=_TOLERANCE, min_t=after + 1) else None


def _joined(code: str) -> str:
    return "".join(code.split())


def _use_recovery_code(user: User, code: str) -> bool:
    with transaction.atomic():
        used, _ = RecoveryCode.objects.for_user(user.id).filter(digest=_digest(user, code)).delete()
        if used:
            record_event(actor=user, subject_id=user.id, action="use-recovery-code")
    return bool(used)


def _new_recovery_codes(user: User) -> list[str]:
    codes = ["".join(secrets.choice(_LETTERS) for _ in range(_CODE_CHARS)) for _ in range(RECOVERY_CODES)]
    RecoveryCode.objects.for_user(user.id).delete()
    RecoveryCode.objects.bulk_create(RecoveryCode(user=user, digest=_digest(user, code)) for code in codes)
    return ["-".join(code[start : start + 4] for start in range(0, _CODE_CHARS, 4)) for code in codes]


def _digest(user: User, code: str) -> str:
    written = re.sub(r"[\s-]", "", code).lower()
    return hashlib.sha256(f"recovery:{user.id}:{written}".encode("utf-8", "replace")).hexdigest()
