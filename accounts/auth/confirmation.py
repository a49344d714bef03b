"""Asking a signed-in user again before a change that a stolen access token alone must not allow."""

from accounts.auth.ceremonies import WebAuthnJson
from accounts.auth.passkeys import verify_for
from accounts.errors import PasskeyNeeded, WrongPassword
from accounts.models import User


def confirm(user: User, *, password: str | None = None, passkey: WebAuthnJson | None = None) -> None:
    """Check one of the two; ``passkey`` answers ``authentication_options(user)``.

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
