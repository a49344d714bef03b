"""The claims of our JSON web tokens, checked before anything uses them.

A signature proves who wrote a token, not that its claims make sense: an older release, or a program that shares the
secret key, may have signed others. Each claim has one form, the one in which we write it; any other is refused like a
forged token, before it reaches a clock, a query or a comparison (in Python ``True == 1 == 1.0``).
"""

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Final
from uuid import UUID

from rest_framework_simplejwt.exceptions import ExpiredTokenError, TokenError
from rest_framework_simplejwt.settings import api_settings
from rest_framework_simplejwt.tokens import AccessToken, RefreshToken, Token
from rest_framework_simplejwt.utils import datetime_to_epoch

GENERATION_CLAIM: Final = "generation"
FAMILY_CLAIM: Final = "family"

_ID: Final = re.compile("[0-9a-f]{32}")
_DIGEST: Final = re.compile("[0-9A-F]{32}")
_MAX_GENERATION: Final = 2**31 - 1


def _is_moment(value: object) -> bool:
    return type(value) is int and value > 0


def _is_generation(value: object) -> bool:
    return type(value) is int and 0 <= value <= _MAX_GENERATION


def _is_uuid(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        UUID(value)
    except ValueError:
        return False
    return True


def _is_id(value: object) -> bool:
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def _is_text(value: object) -> bool:
    return isinstance(value, str)


_FORMS: Final[Mapping[str, Callable[[object], bool]]] = {
    "exp": _is_moment,
    "iat": _is_moment,
    api_settings.JTI_CLAIM: _is_id,
    api_settings.TOKEN_TYPE_CLAIM: _is_text,
    api_settings.USER_ID_CLAIM: _is_uuid,
    api_settings.REVOKE_TOKEN_CLAIM: _is_digest,
    GENERATION_CLAIM: _is_generation,
    FAMILY_CLAIM: _is_uuid,
}


def check_claims(payload: Mapping[str, object], *, now: int, latest_exp: int) -> None:
    """Raises ``TokenError`` for a missing or malformed claim, and for an end after ``latest_exp`` (s since the epoch).

    A token that is valid for longer than this server makes any is not one of ours. Raises ``ExpiredTokenError`` for one
    whose end is not after ``now``: the leeway for servers whose clocks differ makes none last longer.
    """
    exp = payload.get("exp")
    if isinstance(exp, int) and exp <= now:
        raise ExpiredTokenError("The token has expired.")
    for name, is_well_formed in _FORMS.items():
        if not is_well_formed(payload.get(name)):
            raise TokenError(f"The claim {name} is malformed.")
    if isinstance(exp, int) and exp > latest_exp + api_settings.LEEWAY:
        raise TokenError("The token is valid for too long.")


def _check(token: Token, lifetime: timedelta) -> None:
    now = token.current_time
    check_claims(token.payload, now=datetime_to_epoch(now), latest_exp=datetime_to_epoch(now + lifetime))


class CheckedAccessToken(AccessToken):
    """An access token that someone presents."""

    def verify(self) -> None:
        """Raises ``TokenError``."""
        _check(self, self.lifetime)
        super().verify()


class CheckedRefreshToken(RefreshToken):
    """A refresh token that someone presents."""

    def verify(self) -> None:
        """Raises ``TokenError``. Before the query for used tokens, which the claims are part of."""
        _check(self, self.lifetime)
        super().verify()
