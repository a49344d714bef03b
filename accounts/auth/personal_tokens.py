"""Personal tokens: with one, a user's own program, such as an MCP client, works for that user at ``/mcp``.

A personal token opens nothing else: it can neither create others nor sign in. Its scopes say which tools it may call.
The database stores its SHA-256, which is enough for 256 random bits. It rests on the user's password and generation, as
the other tokens do (``tokens.py``): a new password, signing out everywhere and deactivating the account end it.
"""

import hashlib
import re
import secrets
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, LiteralString, Unpack
from uuid import UUID, uuid4

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone as clock

from accounts.audit import record_event
from accounts.auth import second_factor
from accounts.auth.passwords import Confirmation, confirm, confirm_access_change
from accounts.auth.token_scopes import Access, checked_scopes, is_for_staff
from accounts.auth.tokens import AccessGrant, grant_of, lock_signed_in
from accounts.credential_models import PersonalToken
from accounts.errors import InvalidCredentials, PasskeyNeeded, TooManyTokens, UnknownToken
from accounts.keys.custody import EncryptedTable
from accounts.keys.vault import open_vault, vault_for_writing
from accounts.models import User
from accounts.sealing import KEY_COLUMNS
from accounts.statements import Found, Statements

PREFIX: Final = "adv_"
"""What a token begins with, so that people and secret scanners recognize it."""
MAX_TOKENS: Final = 20
ALL_SCOPES: Final = tuple(Access)
MAX_NAME_CHARS: Final = 100
NOTED_EVERY: Final = timedelta(minutes=1)
"""The precision of the time at which a token was last used."""
PERSONAL_TOKENS: Final = EncryptedTable(
    model=PersonalToken, exported=("id", "name_encrypted", "scope", "created_at", "last_used_at", "expires_at")
)

_TOKEN_COLUMNS: Final = ("id", "password_digest", "generation", "last_used_at", "expires_at", "scope")
_PROGRAM_COLUMNS: Final = ("resource", "access_expires_at")
_USER_COLUMNS: Final = (
    *("id", "password", "token_generation", "is_active", "is_staff", "language", "timezone"),
    *KEY_COLUMNS,
)
_COLUMNS_READ: Final = len(_TOKEN_COLUMNS) + len(_PROGRAM_COLUMNS) + len(_USER_COLUMNS)
# Raw SQL: every call over MCP waits for it. The columns are those above.
_OF_DIGEST: Final = """
    SELECT token.id, token.password_digest, token.generation, token.last_used_at, token.expires_at, token.scope,
        program.resource, program.access_expires_at,
        owner.id, owner.password, owner.token_generation, owner.is_active, owner.is_staff, owner.language,
        owner.timezone, owner.encryption_key, owner.encryption_key_version, owner.master_key_id, of_owner.*
    FROM accounts_personaltoken AS token JOIN accounts_user AS owner ON owner.id = token.user_id
        LEFT JOIN accounts_programaccess AS program ON program.token_id = token.id
        LEFT JOIN LATERAL ({of_owner}) AS of_owner ON true
    WHERE token.digest = %s
"""
_NOTE_USE: Final = "UPDATE accounts_personaltoken SET last_used_at = %s WHERE id = %s RETURNING 1"
_SHAPE: Final = re.compile(rf"{PREFIX}[A-Za-z0-9_-]{{43}}", re.ASCII)


def issue_personal_token(
    user: User,
    *,
    name: str,
    expires_at: datetime | None = None,
    scopes: Collection[str] = ALL_SCOPES,
    **given: Unpack[Confirmation],
) -> PersonalToken:
    """A new token of an authenticated user, with its ``name`` and the ``text``, which exists only here.

    Without ``expires_at`` it lasts as long as settings say. Users with a second factor confirm it as ``confirm`` says.
    Raises Django's ``ValidationError`` for ``scopes`` or ``expires_at``, ``PasskeyNeeded``, as ``confirm``,
    ``TooManyTokens``, ``InvalidCredentials`` if the user has been signed out since, and as ``open_vault``.
    """
    text = new_text()
    allowed, end = checked_scopes(scopes, staff=user.is_staff), checked_end(expires_at)
    is_confirmed = given.get("password") is not None or given.get("passkey") is not None
    if second_factor.has_second_factor(user) or (second_factor.required() and any(map(is_for_staff, allowed))):
        if not is_confirmed:
            raise PasskeyNeeded
        confirm_access_change(user, **given)
    elif is_confirmed:
        confirm(user, **given)
    with transaction.atomic():
        token = add_token(user, name=name, digest=digest_of(text), scopes=allowed, expires_at=end)
    token.name, token.text = name, text
    return token


def add_token(
    user: User, *, name: str, digest: str, scopes: Sequence[str], expires_at: datetime | None
) -> PersonalToken:
    """A new row, within a transaction. Raises ``TooManyTokens``, ``InvalidCredentials`` and as ``open_vault``."""
    token_id = uuid4()
    grant = grant_of(user, family=token_id)
    # Locked, so that concurrent requests count one after the other.
    lock_signed_in(user)
    vault = vault_for_writing(user.id)
    _make_room(user)
    token = PersonalToken(
        id=token_id,
        user=user,
        digest=digest,
        password_digest=grant.password,
        generation=grant.generation,
        expires_at=expires_at,
        scope=" ".join(scopes),
    )
    token.name_encrypted = vault.seal(token, "name_encrypted", name)
    token.save(force_insert=True)
    record_event(actor=user, subject_id=user.id, action="create-token", object_id=token.id)
    return token


def new_text() -> str:
    """A new token."""
    return PREFIX + secrets.token_urlsafe(32)


def personal_tokens_of(user: User) -> list[PersonalToken]:
    """The user's tokens with their ``name``, newest first, expired ones included, but none that ended with a password.

    The name is None when it cannot be decrypted. Raises as ``open_vault``.
    """
    vault = open_vault(user.id)
    tokens = list(_valid(user).select_related("program").order_by("-created_at", "id"))
    for token in tokens:
        token.name = vault.open_or_none(token, "name_encrypted")
    return tokens


def revoke_personal_token(user: User, token_id: UUID) -> None:
    """Revoke one of the user's own tokens, and record it. Raises ``UnknownToken``."""
    with transaction.atomic():
        end_personal_token(user.id, token_id)
        record_event(actor=user, subject_id=user.id, action="revoke-token", object_id=token_id)


def end_personal_token(user_id: UUID, token_id: UUID) -> None:
    """Delete one of the user's tokens: it ends with the next call. Raises ``UnknownToken``."""
    deleted, _ = PersonalToken.objects.for_user(user_id).filter(id=token_id).delete()
    if not deleted:
        raise UnknownToken


async def personal_token(text: str, statements: Statements, *, of_owner: LiteralString) -> tuple[PersonalToken, Found]:
    """This token with its user, of whom only what a caller needs is read, and the rows of ``of_owner``.

    ``of_owner`` is a ``SELECT`` in the same statement, in which ``owner.id`` is the user. The time of use is noted.
    Raises ``InvalidCredentials`` unless the token is valid: an ended one looks like one that never existed.
    """
    if not _SHAPE.fullmatch(text):
        raise InvalidCredentials
    found = await statements.rows(_OF_DIGEST.format(of_owner=of_owner), [digest_of(text)])
    token, now = _token_in(found[0]) if found else None, clock.now()
    if token is None or not is_valid(token, now):
        raise InvalidCredentials
    if token.last_used_at is None or token.last_used_at <= now - NOTED_EVERY:
        await statements.rows(_NOTE_USE, [now, token.id])
    return token, [row[_COLUMNS_READ:] for row in found]


def _token_in(row: Sequence[Any]) -> PersonalToken:
    """The token in a row of ``_OF_DIGEST``."""
    of_token, of_user = len(_TOKEN_COLUMNS), len(_TOKEN_COLUMNS) + len(_PROGRAM_COLUMNS)
    user = User(**dict(zip(_USER_COLUMNS, row[of_user:_COLUMNS_READ], strict=True)))
    token = PersonalToken(**dict(zip(_TOKEN_COLUMNS, row[:of_token], strict=True)), user=user)
    token.resource, token.access_expires_at = row[of_token:of_user]
    return token


def checked_end(expires_at: datetime | None) -> datetime | None:
    """When a new token ends. Raises ``ValidationError`` if that is later than settings allow."""
    usual, most = settings.PERSONAL_TOKEN_DAYS, settings.PERSONAL_TOKEN_MAX_DAYS
    if expires_at is None:
        return clock.now() + timedelta(days=usual) if usual else None
    if most and expires_at > clock.now() + timedelta(days=most):
        raise ValidationError({"expires_at": [f"This must be within {most} days."]})
    return expires_at


def is_valid(token: PersonalToken, now: datetime) -> bool:
    """Whether the token works: it is in time, and its user as it was when it was made."""
    grant = AccessGrant(
        user_id=token.user_id,
        password=token.password_digest,
        generation=token.generation,
        # A family of its own: no device signs in with it.
        family=token.id,
    )
    in_time = all(end is None or end > now for end in (token.expires_at, token.access_expires_at))
    return in_time and token.user.is_active and grant == grant_of(token.user, family=token.id)


def _make_room(user: User) -> None:
    """Delete the tokens that have ended. Raises ``TooManyTokens``."""
    in_time = Q(expires_at=None) | Q(expires_at__gt=clock.now())
    valid = list(_valid(user).filter(in_time).values_list("id", flat=True))
    PersonalToken.objects.for_user(user.id).exclude(id__in=valid).delete()
    if len(valid) >= MAX_TOKENS:
        raise TooManyTokens


def _valid(user: User) -> QuerySet[PersonalToken]:
    now = grant_of(user, family=user.id)
    tokens: QuerySet[PersonalToken] = PersonalToken.objects.for_user(user.id)
    return tokens.filter(password_digest=now.password, generation=now.generation)


def digest_of(text: str) -> str:
    """As the database stores it."""
    return hashlib.sha256(text.encode()).hexdigest()
