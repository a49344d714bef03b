"""JSON web tokens: an access token authenticates for minutes, a refresh token is exchanged once for the next pair.

Both contain their grant, which is checked when a token is presented, and every few seconds for open sockets: a digest
of the stored password and the user's generation, so a new password or signing out everywhere ends them all; and the
family, which all pairs of one sign-in share and which ends with the device it was used on. Neither token is stored: the
database has only the id of a refresh token, so a stolen copy of the database contains no usable token.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar
from uuid import UUID, uuid4

from django.contrib.postgres.expressions import ArraySubquery
from django.db import transaction
from django.db.models import F, OuterRef
from rest_framework_simplejwt.exceptions import ExpiredTokenError, TokenError
from rest_framework_simplejwt.settings import api_settings
from rest_framework_simplejwt.token_blacklist.models import BlacklistedToken, OutstandingToken
from rest_framework_simplejwt.tokens import AccessToken, BlacklistMixin, RefreshToken, Token
from rest_framework_simplejwt.utils import datetime_from_epoch, get_md5_hash_password

from accounts.errors import ExpiredCredentials, InvalidCredentials
from accounts.models import TokenFamily, User
from accounts.signals import announce_revocation

SUBPROTOCOL = "adiuva.v3"
_TOKEN_SUBPROTOCOL = "adiuva.bearer."  # noqa: S105 (the name in front of a token)
MAX_TOKEN_CHARS = 4096
GENERATION_CLAIM: Final = "generation"
FAMILY_CLAIM: Final = "family"

_Token = TypeVar("_Token", bound=Token)


@dataclass(frozen=True, kw_only=True, slots=True)
class AccessGrant:
    """Access that lasts while the user is active, keeps this password (a digest of the stored hash) and generation, and
    no device on which the family was used is removed.
    """

    user_id: UUID
    password: str = field(repr=False)
    generation: int
    family: UUID


@dataclass(frozen=True, kw_only=True, slots=True)
class Credentials:
    """The token of a handshake, not verified."""

    token: str = field(repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenPair:
    """The tokens of a signed-in client."""

    access: str = field(repr=False)
    refresh: str = field(repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Bearer:
    """The user of an access token, by which grant, and until when (ms since the epoch)."""

    user: User
    grant: AccessGrant
    expires_at: int


def credentials_from(headers: Iterable[tuple[bytes, bytes]], subprotocols: Sequence[str]) -> Credentials | None:
    """The access token of a handshake: ``Authorization: Bearer …``, or the subprotocol after ``adiuva.v3``.

    ``headers`` and ``subprotocols`` are as ASGI gives them. A token is never read from the address, which ends up in
    logs. None if there is no token, or more than one to choose from.
    """
    given = [value.decode("latin-1").partition(" ") for name, value in headers if name == b"authorization"]
    tokens = [token.strip() for scheme, _, token in given if scheme.casefold() == "bearer"]
    if not tokens and SUBPROTOCOL in subprotocols:
        tokens = [
            offered.removeprefix(_TOKEN_SUBPROTOCOL)
            for offered in subprotocols
            if offered.startswith(_TOKEN_SUBPROTOCOL)
        ]
    if len(tokens) != 1 or not tokens[0]:
        return None
    return Credentials(token=tokens[0])


def grant_of(user: User, *, family: UUID) -> AccessGrant:
    """The grant of a token issued now."""
    digest = get_md5_hash_password(user.password)
    return AccessGrant(user_id=user.id, password=digest, generation=user.token_generation, family=family)


def valid_grants(grants: Collection[AccessGrant]) -> dict[AccessGrant, User]:
    """Those that still hold, each with its user. One query for all."""
    families = {grant.family for grant in grants}
    used = TokenFamily.objects.filter(device__user=OuterRef("pk"), family__in=families)
    ended = used.filter(device__removed_at__isnull=False)
    users = User.objects.filter(id__in={grant.user_id for grant in grants}, is_active=True)
    found = {user.id: user for user in users.annotate(ended_families=ArraySubquery(ended.values("family")))}
    return {
        grant: user
        for grant in grants
        if (user := found.get(grant.user_id)) is not None
        and grant == grant_of(user, family=grant.family)
        and grant.family not in user.ended_families
    }


def revoked(grants: Collection[AccessGrant]) -> set[AccessGrant]:
    """Those that no longer hold. One query."""
    return set(grants) - valid_grants(grants).keys()


def issue_tokens(user: User, *, family: UUID | None = None) -> TokenPair:
    """A new pair for an authenticated user, of a new family unless one is given."""
    grant = grant_of(user, family=family or uuid4())
    # The mixin's own for_user would store the token itself.
    refresh: RefreshToken = super(BlacklistMixin, RefreshToken).for_user(user)
    refresh[GENERATION_CLAIM] = grant.generation
    refresh[FAMILY_CLAIM] = grant.family.hex
    _stored(refresh)
    return TokenPair(access=str(refresh.access_token), refresh=str(refresh))


def rotate_refresh_token(text: str) -> TokenPair:
    """A new pair in exchange for a refresh token. Raises ``InvalidCredentials`` or ``ExpiredCredentials``."""
    token = _opened(RefreshToken, text)
    with transaction.atomic():
        grant, user = _valid_grant(token)
        _use_up(token)
        return issue_tokens(user, family=grant.family)


def revoke_refresh_token(text: str) -> None:
    """Use up a refresh token. Raises ``InvalidCredentials`` or ``ExpiredCredentials``."""
    with transaction.atomic():
        _use_up(_opened(RefreshToken, text))


def revoke_all_tokens(user_id: UUID) -> None:
    """End all tokens of this user, access tokens included."""
    with transaction.atomic():
        User.objects.filter(id=user_id).update(token_generation=F("token_generation") + 1)
        announce_revocation(user_id)


def bearer_of(text: str) -> Bearer:
    """The bearer of this access token. Raises ``InvalidCredentials`` or ``ExpiredCredentials``."""
    token = _opened(AccessToken, text)
    grant, user = _valid_grant(token)
    return Bearer(user=user, grant=grant, expires_at=int(token["exp"]) * 1000)


def _opened(kind: type[_Token], text: str) -> _Token:
    if len(text) > MAX_TOKEN_CHARS or not text.isascii():
        raise InvalidCredentials
    try:
        return kind(text)  # type: ignore[arg-type]  # simplejwt annotates a Token, and takes its text
    except ExpiredTokenError:
        raise ExpiredCredentials from None
    except TokenError:
        raise InvalidCredentials from None


def _valid_grant(token: Token) -> tuple[AccessGrant, User]:
    try:
        grant = AccessGrant(
            user_id=UUID(token[api_settings.USER_ID_CLAIM]),
            password=token[api_settings.REVOKE_TOKEN_CLAIM],
            generation=token[GENERATION_CLAIM],
            family=UUID(token[FAMILY_CLAIM]),
        )
    except KeyError:  # an older version of this server did not write it
        raise InvalidCredentials from None
    user = valid_grants([grant]).get(grant)
    if user is None:
        raise InvalidCredentials
    return grant, user


def _use_up(token: RefreshToken) -> None:
    # Of two requests with the same token, the second waits here for the first one's commit and then finds the row.
    _, first = BlacklistedToken.objects.get_or_create(token=_stored(token))
    if not first:
        raise InvalidCredentials


def _stored(token: RefreshToken) -> OutstandingToken:
    row, _ = OutstandingToken.objects.get_or_create(
        jti=token[api_settings.JTI_CLAIM],
        defaults={
            "user_id": UUID(token[api_settings.USER_ID_CLAIM]),
            "token": "",
            "created_at": token.current_time,
            "expires_at": datetime_from_epoch(token["exp"]),
        },
    )
    return row
