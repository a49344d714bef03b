"""Programs that a user lets in by OAuth 2.1, with an authorization code and PKCE, in place of a pasted token.

A program gets a personal token whose text changes: an access token for an hour, and a refresh token that works once.
The database stores only digests. A refresh token that is used again ends the access, as the program and a thief may
both have it (RFC 9700, 4.14.2). But programs lose answers, and refresh twice at once: so within
``ADIUVA_REFRESH_GRACE_S``, until its successor is used, it is answered with the same tokens again. These are derived
from it and the server's key. Access is bound to the program, and to the address of this server (RFC 8707).

Registered programs are not stored: their id contains what they said of themselves, signed.
"""

import secrets
from base64 import urlsafe_b64encode
from dataclasses import asdict, dataclass
from datetime import timedelta
from hmac import compare_digest
from typing import Any, Final

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.utils import timezone as clock
from django.utils.crypto import salted_hmac

from accounts.audit import record_event
from accounts.auth.personal_tokens import (
    MAX_NAME_CHARS,
    PREFIX,
    add_token,
    checked_end,
    digest_of,
    is_valid,
)
from accounts.credential_models import PersonalToken, ProgramAccess
from accounts.errors import InvalidCredentials
from accounts.models import User

ACCESS_LASTS: Final = timedelta(hours=1)
CODE_LASTS: Final = timedelta(minutes=1)
CONSENT_LASTS_S: Final = 600
CODE_PREFIX: Final = "advc_"
REFRESH_PREFIX: Final = "advr_"
_REQUEST_SALT: Final = "accounts.oauth.request"
_CLIENT_SALT: Final = "accounts.oauth.client"
_SEPARATOR: Final = "."


@dataclass(frozen=True, kw_only=True, slots=True)
class AccessRequest:
    """What a program asks a user for. Everything is checked; only the user's consent is missing."""

    client_id: str
    name: str
    redirect_uri: str
    challenge: str
    scopes: list[str]
    resource: str
    issuer: str
    state: str | None = None

    def signed(self) -> str:
        """A text that ``request_in`` reads for ten minutes."""
        return signing.dumps(asdict(self), salt=_REQUEST_SALT, compress=True)


def request_in(text: str) -> AccessRequest:
    """Raises ``InvalidCredentials`` for a text that is not from ``signed``, or too old."""
    try:
        return AccessRequest(**signing.loads(text, salt=_REQUEST_SALT, max_age=CONSENT_LASTS_S))
    except (signing.BadSignature, TypeError):
        raise InvalidCredentials from None


def signed_client(said: dict[str, Any]) -> str:
    """The id of a program that registers itself."""
    return signing.dumps(said, salt=_CLIENT_SALT, compress=True)


def client_in(client_id: str) -> dict[str, Any] | None:
    """What a registered program has said of itself; None if it is not registered."""
    try:
        said: dict[str, Any] = signing.loads(client_id, salt=_CLIENT_SALT)
    except signing.BadSignature:
        return None
    return said


@dataclass(frozen=True, kw_only=True, slots=True)
class IssuedTokens:
    """The texts of new tokens, which are stored nowhere."""

    access: str
    refresh: str
    scopes: list[str]
    access_lasts_s: int


def allow(user: User, request: AccessRequest, scopes: list[str]) -> str:
    """Let the program in; returns the code with which it fetches its tokens, once, within a minute.

    Raises ``TooManyTokens``, ``InvalidCredentials`` and as ``open_vault``.
    """
    code, now = CODE_PREFIX + secrets.token_urlsafe(32), clock.now()
    with transaction.atomic():
        token = add_token(
            user,
            name=request.name[:MAX_NAME_CHARS],
            # A placeholder, the digest of no token.
            digest=digest_of(secrets.token_urlsafe(32)),
            scopes=scopes,
            expires_at=now + CODE_LASTS,
        )
        ProgramAccess.objects.create(
            token=token,
            client_id=request.client_id,
            resource=request.resource,
            redirect_uri=request.redirect_uri,
            challenge=request.challenge,
            code_digest=digest_of(code),
            code_expires_at=now + CODE_LASTS,
            access_expires_at=now,
            family_digest=digest_of(secrets.token_urlsafe(16)),
        )
    return code


def access_of_code(client_id: str, code: str) -> ProgramAccess | None:
    """The access that a code of this program is for. A code that was used before ends what it has given."""
    with transaction.atomic():
        access = _locked(code_digest=digest_of(code), client_id=client_id)
        if access is None:
            return None
        if access.code_expires_at is None:
            _end(access, "reuse-code")
            return None
        return access if access.code_expires_at > clock.now() and _works(access.token) else None


def exchange(client_id: str, code: str) -> IssuedTokens:
    """The first tokens, once. The verifier has been checked. Raises ``InvalidCredentials``."""
    family = secrets.token_urlsafe(16)
    with transaction.atomic():
        access = _locked(code_digest=digest_of(code), client_id=client_id)
        if access is None or access.code_expires_at is None or not _works(access.token):
            raise InvalidCredentials
        access.code_expires_at = None
        access.family_digest = digest_of(family)
        access.token.expires_at = checked_end(None)
        access.token.save(update_fields=["expires_at"])
        return _issue(access, family, secrets.token_urlsafe(32))


def access_of_refresh(client_id: str, text: str) -> ProgramAccess | None:
    """The access that this refresh token renews; None if it is none. One that was used before ends its access."""
    family, secret = _parts(text)
    with transaction.atomic():
        access = _locked(family_digest=digest_of(family), client_id=client_id)
        if access is None or not _works(access.token):
            return None
        if compare_digest(access.refresh_digest, digest_of(secret)):
            return access
        grace = timedelta(seconds=settings.REFRESH_GRACE_S)
        if access.refreshed_at is None or access.refreshed_at <= clock.now() - grace:
            _end(access, "replay-program-token")
            return None
        return access if _was_used_last(access, secret) else None


def renew(client_id: str, text: str) -> IssuedTokens:
    """The next tokens; those before have ended. Raises ``InvalidCredentials``."""
    with transaction.atomic():
        access = access_of_refresh(client_id, text)
        issued = None if access is None else _issue(access, *_parts(text))
    # After the transaction, which may have ended the access.
    if issued is None:
        raise InvalidCredentials
    return issued


def end_access(client_id: str, text: str) -> None:
    """End the access that a token of this program belongs to, if there is one (RFC 7009)."""
    with transaction.atomic():
        if text.startswith(REFRESH_PREFIX):
            access = access_of_refresh(client_id, text)
        else:
            access = _locked(token__digest=digest_of(text), client_id=client_id)
        if access is not None:
            _end(access, "revoke-token")


def _locked(**where: object) -> ProgramAccess | None:
    accesses = ProgramAccess.objects.select_for_update(of=("self",)).select_related("token__user")
    return accesses.filter(**where).first()


def _works(token: PersonalToken) -> bool:
    return is_valid(token, clock.now())


def _parts(refresh: str) -> tuple[str, str]:
    """The family and the secret of a refresh token."""
    family, _, secret = refresh.removeprefix(REFRESH_PREFIX).partition(_SEPARATOR)
    return family, secret


def _after(secret: str, kind: str) -> str:
    """What follows on a secret: as random as it is, for those without the server's key."""
    digest = salted_hmac(f"accounts.oauth.{kind}", secret, algorithm="sha256").digest()
    return urlsafe_b64encode(digest).decode().rstrip("=")


def _was_used_last(access: ProgramAccess, secret: str) -> bool:
    return compare_digest(access.refresh_digest, digest_of(_after(secret, "refresh")))


def _issue(access: ProgramAccess, family: str, secret: str) -> IssuedTokens:
    """The tokens that follow on ``secret``; stored unless they are."""
    text, now = PREFIX + _after(secret, "access"), clock.now()
    token, ends = access.token, access.access_expires_at
    if ends is None or not _was_used_last(access, secret):
        ends = now + ACCESS_LASTS
        token.digest = digest_of(text)
        token.save(update_fields=["digest"])
        access.refresh_digest, access.refreshed_at = digest_of(_after(secret, "refresh")), now
        access.access_expires_at = ends
        access.save(
            update_fields=["code_expires_at", "family_digest", "refresh_digest", "refreshed_at", "access_expires_at"]
        )
    return IssuedTokens(
        access=text,
        refresh=f"{REFRESH_PREFIX}{family}{_SEPARATOR}{_after(secret, 'refresh')}",
        scopes=token.scopes,
        access_lasts_s=int((ends - now).total_seconds()),
    )


def _end(access: ProgramAccess, action: str) -> None:
    user_id, token_id = access.token.user_id, access.token.id
    access.token.delete()
    record_event(actor=None, subject_id=user_id, action=action, object_id=token_id)
