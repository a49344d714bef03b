"""JSON web tokens: an access token proves who is there for minutes, a refresh token buys the next pair, once.

Both carry what they stand for (``standing.py``): a digest of the stored password and the user's generation, so a new
password or signing out everywhere ends them all, and the family, which all pairs that come of one sign-in share and
which ends with the device it was used on. Neither is stored: the database knows a refresh token by its id only, and a
stolen copy of it lets nobody in.
"""

from dataclasses import dataclass, field
from typing import Final, TypeVar
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import F
from rest_framework_simplejwt.exceptions import ExpiredTokenError, TokenError
from rest_framework_simplejwt.settings import api_settings
from rest_framework_simplejwt.token_blacklist.models import BlacklistedToken, OutstandingToken
from rest_framework_simplejwt.tokens import AccessToken, BlacklistMixin, RefreshToken, Token
from rest_framework_simplejwt.utils import datetime_from_epoch

from accounts.errors import ExpiredCredentials, InvalidCredentials
from accounts.models import User
from accounts.signals import announce_revocation
from accounts.standing import Standing, standing_of, upheld

MAX_TOKEN_CHARS = 4096
GENERATION_CLAIM: Final = "generation"
FAMILY_CLAIM: Final = "family"

_Token = TypeVar("_Token", bound=Token)


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenPair:
    """What a client holds after signing in."""

    access: str = field(repr=False)
    refresh: str = field(repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Bearer:
    """Whom an access token stands for, by what right, and until when (ms since the epoch)."""

    user: User
    standing: Standing
    expires_at: int


def issue_tokens(user: User, *, family: UUID | None = None) -> TokenPair:
    """A new pair for a user who has proven to be there; of a new family, if none is named."""
    standing = standing_of(user, family=family or uuid4())
    # The mixin's own for_user would store the token itself.
    refresh: RefreshToken = super(BlacklistMixin, RefreshToken).for_user(user)
    refresh[GENERATION_CLAIM] = standing.generation
    refresh[FAMILY_CLAIM] = standing.family.hex
    _remembered(refresh)
    return TokenPair(access=str(refresh.access_token), refresh=str(refresh))


def rotate_refresh_token(text: str) -> TokenPair:
    """A new pair for a refresh token, which is used up. Raises ``InvalidCredentials`` or ``ExpiredCredentials``."""
    token = _opened(RefreshToken, text)
    with transaction.atomic():
        standing, user = _upheld(token)
        _use_up(token)
        return issue_tokens(user, family=standing.family)


def revoke_refresh_token(text: str) -> None:
    """Uses a refresh token up. Raises ``InvalidCredentials`` or ``ExpiredCredentials``."""
    token = _opened(RefreshToken, text)
    with transaction.atomic():
        _use_up(token)


def revoke_all_tokens(user_id: UUID) -> None:
    """Ends every token of this user, access tokens too."""
    with transaction.atomic():
        User.objects.filter(id=user_id).update(token_generation=F("token_generation") + 1)
        announce_revocation(user_id)


def bearer_of(text: str) -> Bearer:
    """Who presents this access token. Raises ``InvalidCredentials`` or ``ExpiredCredentials``."""
    token = _opened(AccessToken, text)
    standing, user = _upheld(token)
    return Bearer(user=user, standing=standing, expires_at=int(token["exp"]) * 1000)


def _opened(kind: type[_Token], text: str) -> _Token:
    if len(text) > MAX_TOKEN_CHARS or not text.isascii():
        raise InvalidCredentials
    try:
        return kind(text)  # type: ignore[arg-type]  # simplejwt annotates a Token, and takes its text
    except ExpiredTokenError:
        raise ExpiredCredentials from None
    except TokenError:
        raise InvalidCredentials from None


def _upheld(token: Token) -> tuple[Standing, User]:
    standing = _standing_in(token)
    user = upheld([standing]).get(standing)
    if user is None:
        raise InvalidCredentials
    return standing, user


def _standing_in(token: Token) -> Standing:
    try:
        return Standing(
            user_id=_user_id(token),
            password=token[api_settings.REVOKE_TOKEN_CLAIM],
            generation=token[GENERATION_CLAIM],
            family=UUID(token[FAMILY_CLAIM]),
        )
    except KeyError:  # an older version of this server did not write it
        raise InvalidCredentials from None


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
