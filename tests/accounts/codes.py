"""Helpers that add authenticator apps and passkeys to users."""

import base64
import time

from django_otp.oath import TOTP

from accounts.auth.passkeys import register_passkey, registration_options
from accounts.auth.second_factor import begin_app, confirm_app
from accounts.credential_models import Passkey
from accounts.models import User
from tests.accounts.authenticator import Authenticator


def code_of(secret: str, *, periods_ahead: int = 0) -> str:
    """The code that an app with this secret shows now, or ``periods_ahead`` periods of 30 s later."""
    totp = TOTP(base64.b32decode(secret), drift=periods_ahead)
    totp.time = time.time()
    return f"{totp.token():06d}"


def wrong_code(secret: str) -> str:
    """Six digits that an app with this secret does not show within the next minutes."""
    shown = {code_of(secret, periods_ahead=each) for each in range(-2, 10)}
    return next(each for each in ("000000", *(str(number) * 6 for number in range(1, 10))) if each not in shown)


def with_app(user: User) -> tuple[str, list[str]]:
    """Add an app to ``user`` and return its secret and the recovery codes. Its current code is already used."""
    app = begin_app(user)
    codes = confirm_app(user, app.id, code_of(app.secret), name="Phone", first=True)
    user.refresh_from_db()
    return app.secret, codes


def passkey_of(user: User, authenticator: Authenticator | None = None) -> Passkey:
    """Add a passkey in ``authenticator`` to ``user``."""
    answer = (authenticator or Authenticator()).create(registration_options(user))
    return register_passkey(user, answer, name="Laptop")
