"""JSON web tokens: an access token proves who is there for minutes, a refresh token buys the next pair, once.

Both carry a digest of the stored password, so a new password ends them all. Neither is stored: the database knows a
refresh token by its id only, and a stolen copy of it lets nobody in.
"""

from dataclasses import dataclass, field
from typing import TypeVar
from uuid import UUID

from django.db import transaction
from rest_framework_simplejwt.exceptions import ExpiredTokenError, TokenError
from rest_framework_simplejwt.settings import api_settings
from rest_framework_simplejwt.token_blacklist.models import BlacklistedToken, OutstandingToken
from rest_framework_simplejwt.tokens import AccessToken, BlacklistMixin, RefreshToken, Token
from rest_framework_simplejwt.utils import datetime_from_epoch, get_md5_hash_password

from accounts.errors import ExpiredCredentials, InvalidCredentials
from accounts.models import User

MAX_TOKEN_CHARS = 4096

_Token = TypeVar("_Token", bound=Token)


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenPair:
    """What a client holds after signing in."""

    access: str = field(repr=False)
    refresh: str = field(repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Bearer:
    """Whom an access token stands for, and until when (ms since the epoch)."""

    user: User
    expires_at: int


def issue_tokens(user: User) -> TokenPair:
    """A new pair for a user who has proven to be there."""
    # The mixin's own for_user would store the token itself.
    refresh: RefreshToken = super(BlacklistMixin, RefreshToken).for_user(user)
    _remembered(refresh)
    return TokenPair(access=str(refresh.access_token), refresh=str(refresh))


def rotate_refresh_token(text: str) -> TokenPair:
    """A new pair for a refresh token, which is used up. Raises ``InvalidCredentials`` or ``ExpiredCredentials``."""
    token = _opened(RefreshToken, text)
    with transaction.atomic():
        user = _user_of(token)
        _use_up(token)
        return issue_tokens(user)


def revoke_refresh_token(text: str) -> None:
    """Uses a refresh token up. Raises ``InvalidCredentials`` or ``ExpiredCredentials``."""
    token = _opened(RefreshToken, text)
    with transaction.atomic():
        _use_up(token)


def bearer_of(text: str) -> Bearer:
    """Who presents this access token. Raises ``InvalidCredentials`` or ``ExpiredCredentials``."""
    token = _opened(AccessToken, text)
    return Bearer(user=_user_of(token), expires_at=int(token["exp"]) * 1000)


def _opened(kind: type[_Token], text: str) -> _Token:
    if len(text) > MAX_TOKEN_CHARS or not text.isascii():
        raise InvalidCredentials
    try:
        return kind(text)  # type: ignore[arg-type]  # simplejwt annotates a Token, and takes its text
    except ExpiredTokenError:
        raise ExpiredCredentials from None
    except TokenError:
        raise InvalidCredentials from None


def _user_of(token: Token) -> User:
    user = User.objects.filter(id=_user_id(token), is_active=True).first()
    if user is None or token.get(api_settings.REVOKE_TOKEN_CLAIM) != get_md5_hash_password(user.password):
        raise InvalidCredentials
    return user


def _use_up(token: RefreshToken) -> None:
    # Of two requests with one token, the second waits here for the first one's commit and then finds the row.
    _, first = BlacklistedToken.objects.get_or_create(token=_remembered(token))
    if not first:
        raise InvalidCredentials


def _remembered(token: RefreshToken) -> OutstandingToken:
    row, _ = OutstandingToken.objects.get_or_create(
        jti=token[api_settings.JTI_CLAIM],
        defaults={
            "user_id": _user_id(token),
            "token": "",
            "created_at": token.current_time,
            "expires_at": datetime_from_epoch(token["exp"]),
        },
    )
    return row


def _user_id(token: Token) -> UUID:
    return UUID(token[api_settings.USER_ID_CLAIM])
