"""JSON web tokens: an access token authenticates for minutes, a refresh token is exchanged once for the next pair.

Both contain their grant, which is checked when a token is presented, and every few seconds for open sockets. A digest
of the stored password and the user's generation are in it, so a new password or signing out everywhere ends them all;
renewing the hash of the same password does not (``User.hash_renewal``). So is the family, which all pairs of one
sign-in share, and which ends with its session (``sessions.py``) and with the device it was used on. Neither token is
stored: the database has only the id of a refresh token, so a stolen copy of the database contains no usable token.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F
from rest_framework_simplejwt.exceptions import ExpiredTokenError, TokenError
from rest_framework_simplejwt.settings import api_settings
from rest_framework_simplejwt.tokens import BlacklistMixin, RefreshToken, Token
from rest_framework_simplejwt.utils import get_md5_hash_password

from accounts.auth.claims import FAMILY_CLAIM, GENERATION_CLAIM, CheckedAccessToken, CheckedRefreshToken
from accounts.auth.sessions import begin_session, end_session, next_refresh_id, renew_session
from accounts.errors import AccountGone, ExpiredCredentials, InvalidCredentials
from accounts.locks import lock_user
from accounts.models import User
from accounts.session_models import Session
from accounts.signals import announce_revocation
from accounts.statements import Value

SUBPROTOCOL = "adiuva.v3"
_TOKEN_SUBPROTOCOL = "adiuva.bearer."  # noqa: S105 (the name in front of a token)
MAX_TOKEN_CHARS = 4096

_Token = TypeVar("_Token", bound=Token)

# Raw SQL: each request and each socket waits for it, and the ORM takes four times as long to build it as it takes.
_GRANT_HOLDS: Final = """
accounts_user.id = {user_id} AND is_active AND token_generation = {generation}
    AND (
        upper(md5(accounts_user.password)) = {password}
        OR hash_renewal = {password} || upper(md5(accounts_user.password))
    )
    AND NOT EXISTS (
        SELECT FROM accounts_session
        WHERE accounts_session.id = {family} AND user_id = accounts_user.id AND ended_at IS NOT NULL
    )
    AND NOT EXISTS (
        SELECT FROM accounts_tokenfamily JOIN accounts_device ON accounts_device.id = accounts_tokenfamily.device_id
        WHERE family = {family} AND user_id = accounts_user.id AND removed_at IS NOT NULL
    )
"""
GRANT_HOLDS: Final = _GRANT_HOLDS.format(user_id="%s", generation="%s", password="%s", family="%s")  # noqa: S106
"""Whether a grant holds; its parameters are ``grant_parameters``. The digest of a password is simplejwt's
``get_md5_hash_password``; that of a hash that was renewed since holds, too."""
_USER_WITH: Final = f"SELECT accounts_user.* FROM accounts_user WHERE {GRANT_HOLDS}"  # noqa: S608 - no text from outside
_HELD_GRANT_HOLDS: Final = _GRANT_HOLDS.format(
    user_id="held.user_id",
    generation="held.generation",
    password="held.password",  # noqa: S106
    family="held.family",
)
_REVOKED: Final = f"""
SELECT held.number
FROM unnest(%s::uuid[], %s::text[], %s::bigint[], %s::uuid[])
    WITH ORDINALITY AS held (user_id, password, generation, family, number)
WHERE NOT EXISTS (SELECT FROM accounts_user WHERE {_HELD_GRANT_HOLDS})
"""  # noqa: S608 - no text from outside


@dataclass(frozen=True, kw_only=True, slots=True)
class AccessGrant:
    """Access that lasts while the user is active and keeps this password (a digest of the stored hash) and generation,
    the session of this family has not ended, and no device on which it was used is removed.
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


def user_with(grant: AccessGrant) -> User | None:
    """The user of a grant that still holds. One query."""
    return next(iter(User.objects.raw(_USER_WITH, grant_parameters(grant))), None)


def grant_parameters(grant: AccessGrant) -> list[Value]:
    """Those of ``GRANT_HOLDS``, in order."""
    return [grant.user_id, grant.generation, grant.password, grant.password, grant.family, grant.family]


def revoked(grants: Collection[AccessGrant]) -> set[AccessGrant]:
    """Those that no longer hold: ``user_with`` gives None for them. One query, whose answer names only them.

    Each process asks about all its sockets every few seconds.
    """
    asked = list(grants)
    if not asked:
        return set()
    users, passwords = [grant.user_id for grant in asked], [grant.password for grant in asked]
    generations, families = [grant.generation for grant in asked], [grant.family for grant in asked]
    with connection.cursor() as cursor:
        cursor.execute(_REVOKED, [users, passwords, generations, families])
        return {asked[number - 1] for (number,) in cursor.fetchall()}


def lock_signed_in(user: User) -> User:
    """The user, locked exclusively until the end of the transaction.

    Raises ``InvalidCredentials`` if access as of when ``user`` was read has ended since.
    """
    try:
        now = lock_user(user.id)
    except AccountGone:
        raise InvalidCredentials from None
    if not now.is_active or (now.password, now.token_generation) != (user.password, user.token_generation):
        raise InvalidCredentials
    return now


def issue_tokens(user: User, *, client: str = "", announced: bool = False) -> TokenPair:
    """The first pair of a new session of an authenticated user; ``client`` is what the client calls itself.

    ``announced``: the user need not be told. Raises as ``begin_session``.
    """
    return _pair(user, begin_session(user, client=client, announced=announced))


def rotate_refresh_token(text: str) -> TokenPair:
    """A new pair in exchange for a refresh token (``sessions.py``).

    Raises ``InvalidCredentials``, also for a used token, which ends its session, or ``ExpiredCredentials``.
    """
    token = _opened(CheckedRefreshToken, text)
    with transaction.atomic():
        grant, user = _valid_grant(token)
        refresh_id = next_refresh_id(user, grant.family, token[api_settings.JTI_CLAIM])
    if refresh_id is None:
        raise InvalidCredentials
    return _pair(user, Session(id=grant.family, refresh_id=refresh_id))


def revoke_refresh_token(text: str) -> None:
    """End the session of a refresh token. Raises as ``rotate_refresh_token``."""
    token = _opened(CheckedRefreshToken, text)
    with transaction.atomic():
        grant, user = _valid_grant(token)
        if worked := next_refresh_id(user, grant.family, token[api_settings.JTI_CLAIM]) is not None:
            end_session(user, grant.family)
    if not worked:
        raise InvalidCredentials


def reissue_tokens(user: User, *, family: UUID) -> TokenPair:
    """A new pair for the session ``family`` of a user who has just changed the password."""
    return _pair(user, renew_session(user, family))


def revoke_all_tokens(user_id: UUID) -> None:
    """End all tokens of this user, access tokens included."""
    with transaction.atomic():
        User.objects.filter(id=user_id).update(token_generation=F("token_generation") + 1)
        announce_revocation(user_id)


def end_staff_sessions(user: User) -> None:
    """End all sessions of ``user`` in the admin, and no token. ``user`` is changed, too."""
    User.objects.filter(id=user.id).update(staff_generation=F("staff_generation") + 1)
    user.refresh_from_db(fields=["staff_generation"])


def bearer_of(text: str) -> Bearer:
    """The bearer of this access token. Raises ``InvalidCredentials`` or ``ExpiredCredentials``."""
    grant, expires_at = claims_of(text)
    return Bearer(user=_holder_of(grant), grant=grant, expires_at=expires_at)


def claims_of(text: str) -> tuple[AccessGrant, int]:
    """The grant of an access token of ours, which may have ended, and until when it is valid (ms since the epoch).

    Does not read the database. Raises as ``bearer_of``.
    """
    token = _opened(CheckedAccessToken, text)
    return _grant_in(token), int(token["exp"]) * 1000


def subject_of(text: str) -> UUID | None:
    """The user whom an access token of ours names. Does not read the database, so the grant may have ended."""
    try:
        return UUID(_opened(CheckedAccessToken, text)[api_settings.USER_ID_CLAIM])
    except (InvalidCredentials, ExpiredCredentials):
        return None


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
    grant = _grant_in(token)
    return grant, _holder_of(grant)


def _holder_of(grant: AccessGrant) -> User:
    user = user_with(grant)
    if user is None:
        raise InvalidCredentials
    return user


def _grant_in(token: Token) -> AccessGrant:
    try:
        return AccessGrant(
            user_id=UUID(token[api_settings.USER_ID_CLAIM]),
            password=token[api_settings.REVOKE_TOKEN_CLAIM],
            generation=token[GENERATION_CLAIM],
            family=UUID(token[FAMILY_CLAIM]),
        )
    except KeyError:  # an older version of this server did not write it
        raise InvalidCredentials from None


def _pair(user: User, session: Session) -> TokenPair:
    # The mixin's own for_user would store the token itself.
    refresh: RefreshToken = super(BlacklistMixin, RefreshToken).for_user(user)
    refresh[api_settings.JTI_CLAIM] = session.refresh_id
    refresh[GENERATION_CLAIM] = user.token_generation
    refresh[FAMILY_CLAIM] = session.id.hex
    return TokenPair(access=str(refresh.access_token), refresh=str(refresh))
