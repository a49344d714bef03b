"""Personal tokens: with one, a user's own program, such as an MCP client, works for that user at ``/mcp``.

A personal token opens nothing else: it can neither create others nor sign in. The database stores its SHA-256, which is
enough for 256 random bits. It rests on the user's password and generation, as the other tokens do (``tokens.py``): a
new password, signing out everywhere and deactivating the account end it.
"""

import hashlib
import re
import secrets
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone as clock

from accounts.audit import record_event
from accounts.auth.tokens import AccessGrant, grant_of
from accounts.errors import AccountGone, EncryptionError, InvalidCredentials, TooManyTokens, UnknownToken
from accounts.keys.custody import EncryptedTable
from accounts.keys.vault import open_vault, vault_for_writing
from accounts.locks import lock_user
from accounts.models import PersonalToken, User

PREFIX: Final = "adv_"
"""What a token begins with, so that people and secret scanners recognize it."""
MAX_TOKENS: Final = 20
MAX_NAME_CHARS: Final = 100
NOTED_EVERY: Final = timedelta(minutes=1)
"""The precision of the time at which a token was last used."""
PERSONAL_TOKENS: Final = EncryptedTable(
    model=PersonalToken, exported=("id", "name_encrypted", "created_at", "last_used_at", "expires_at")
)

_SHAPE: Final = re.compile(rf"{PREFIX}[A-Za-z0-9_-]{{43}}", re.ASCII)


def issue_personal_token(user: User, *, name: str, expires_at: datetime | None = None) -> PersonalToken:
    """A new token of an authenticated user, with its ``name`` and the ``text``, which exists only here.

    Raises ``TooManyTokens``, ``InvalidCredentials`` if the user has been signed out since, and as ``open_vault``.
    """
    text, token_id = PREFIX + secrets.token_urlsafe(32), uuid4()
    grant = grant_of(user, family=token_id)
    with transaction.atomic():
        # Locked, so that concurrent requests count one after the other.
        _check_still_valid(grant)
        vault = vault_for_writing(user.id)
        _make_room(user)
        token = PersonalToken(
            id=token_id,
            user=user,
            digest=_digest(text),
            password_digest=grant.password,
            generation=grant.generation,
            expires_at=expires_at,
        )
        token.name_encrypted = vault.seal(token, "name_encrypted", name)
        token.save(force_insert=True)
        record_event(actor=user, subject_id=user.id, action="create-token", object_id=token.id)
    token.name, token.text = name, text
    return token


def personal_tokens_of(user: User) -> list[PersonalToken]:
    """The user's tokens with their ``name``, newest first, expired ones included, but none that ended with a password.

    The name is None when it cannot be decrypted. Raises as ``open_vault``.
    """
    vault = open_vault(user.id)
    tokens = list(_valid(user).order_by("-created_at", "id"))
    for token in tokens:
        # The user must be able to see a token and to revoke it even if its name cannot be read.
        with suppress(EncryptionError):
            token.name = vault.open(token, "name_encrypted")
    return tokens


def revoke_personal_token(user: User, token_id: UUID) -> None:
    """Revoke one of the user's tokens. Raises ``UnknownToken``."""
    with transaction.atomic():
        deleted, _ = PersonalToken.objects.for_user(user.id).filter(id=token_id).delete()
        if not deleted:
            raise UnknownToken
        record_event(actor=user, subject_id=user.id, action="revoke-token", object_id=token_id)


def user_of_personal_token(text: str) -> User:
    """The user of this token; the time of use is noted.

    Raises ``InvalidCredentials`` in every other case: an ended token looks like one that never existed.
    """
    if not _SHAPE.fullmatch(text):
        raise InvalidCredentials
    # Digests are unique: first() would sort the rows, which only costs time before every call.
    found = PersonalToken.objects.select_related("user").filter(digest=_digest(text))[:1]
    token, now = next(iter(found), None), clock.now()
    if token is None or not _is_valid(token, now):
        raise InvalidCredentials
    if token.last_used_at is None or token.last_used_at <= now - NOTED_EVERY:
        PersonalToken.objects.filter(id=token.id).update(last_used_at=now)
    return token.user


def _check_still_valid(grant: AccessGrant) -> None:
    """Lock the user. Raises ``InvalidCredentials`` if this access has ended."""
    try:
        user = lock_user(grant.user_id)
    except AccountGone:
        raise InvalidCredentials from None
    if not user.is_active or grant_of(user, family=grant.family) != grant:
        raise InvalidCredentials


def _is_valid(token: PersonalToken, now: datetime) -> bool:
    grant = AccessGrant(
        user_id=token.user_id,
        password=token.password_digest,
        generation=token.generation,
        # A family of its own: no device signs in with it.
        family=token.id,
    )
    in_time = token.expires_at is None or token.expires_at > now
    return in_time and token.user.is_active and grant == grant_of(token.user, family=token.id)


def _make_room(user: User) -> None:
    """Delete the tokens that have ended. Raises ``TooManyTokens``."""
    valid = list(_valid(user).values_list("id", flat=True))
    PersonalToken.objects.for_user(user.id).exclude(id__in=valid).delete()
    if len(valid) >= MAX_TOKENS:
        raise TooManyTokens


def _valid(user: User) -> QuerySet[PersonalToken]:
    now = grant_of(user, family=user.id)
    tokens: QuerySet[PersonalToken] = PersonalToken.objects.for_user(user.id)
    return tokens.filter(password_digest=now.password, generation=now.generation)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
