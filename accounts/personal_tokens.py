"""Personal tokens: with one, a program of the user's own, such as an MCP client, works for that user at ``/mcp``.

A personal token opens nothing else, so it can neither make others nor sign anybody in. The database knows its SHA-256,
which is enough: a token holds 256 random bits that nobody can try out. It stands for the user's password and generation
as the other tokens do (``standing.py``): a new password, signing out everywhere, and deactivating the account end it.
"""

import hashlib
import re
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, cast
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Model, QuerySet
from django.utils import timezone as clock

from accounts.audit import record_event
from accounts.custody import EncryptedTable, Exported
from accounts.errors import EncryptionError, InvalidCredentials, TooManyTokens, UnknownToken
from accounts.models import PersonalToken, User
from accounts.standing import Standing, standing_of
from accounts.vault import Vault, open_vault, vault_for_writing

PREFIX: Final = "adv_"
"""What a token begins with, so that people and scanners of secrets know it for one."""
MAX_TOKENS: Final = 20
MAX_NAME_CHARS: Final = 100
NOTED_EVERY: Final = timedelta(minutes=1)
"""How exactly it is known when a token was last used."""

_SHAPE: Final = re.compile(rf"{PREFIX}[A-Za-z0-9_-]{{43}}", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedToken:
    """A token as its user knows it. ``name`` is None when it cannot be decrypted."""

    id: UUID
    name: str | None = field(repr=False)
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class IssuedToken(NamedToken):
    """A token that has just been made; ``token`` is known to nobody but who gets this."""

    token: str = field(repr=False)


def issue_personal_token(user: User, *, name: str, expires_at: datetime | None = None) -> IssuedToken:
    """A new token of a user who has proven to be there.

    Raises ``TooManyTokens``, ``InvalidCredentials`` when they have been signed out since, and as ``open_vault``.
    """
    text, token_id = PREFIX + secrets.token_urlsafe(32), uuid4()
    standing = standing_of(user, family=token_id)
    with transaction.atomic():
        # Locked, so that two requests at once count one after the other.
        present = User.objects.select_for_update(no_key=True).filter(id=user.id, is_active=True).first()
        if present is None or standing_of(present, family=token_id) != standing:
            raise InvalidCredentials
        vault = vault_for_writing(user.id)
        _make_room(user)
        token = PersonalToken(
            id=token_id,
            user=user,
            name_encrypted=vault.encrypt(PERSONAL_TOKENS.place(token_id, "name_encrypted"), name),
            digest=_digest(text),
            password_digest=standing.password,
            generation=standing.generation,
            expires_at=expires_at,
        )
        token.save(force_insert=True)
        record_event(actor=user, subject_id=user.id, action="create-token", object_id=token.id)
    return IssuedToken(
        id=token.id, name=name, created_at=token.created_at, last_used_at=None, expires_at=expires_at, token=text
    )


def personal_tokens_of(user: User) -> list[NamedToken]:
    """The user's tokens, the newest first; of those whose time is over too, but none that has ended with a password.

    Raises as ``open_vault``.
    """
    vault = open_vault(user.id)
    return [
        NamedToken(
            id=token.id,
            name=_name(token, vault),
            created_at=token.created_at,
            last_used_at=token.last_used_at,
            expires_at=token.expires_at,
        )
        for token in _living(user).order_by("-created_at", "id")
    ]


def revoke_personal_token(user: User, token_id: UUID) -> None:
    """Ends a token of the user's. Raises ``UnknownToken``."""
    with transaction.atomic():
        deleted, _ = PersonalToken.objects.for_user(user.id).filter(id=token_id).delete()
        if not deleted:
            raise UnknownToken
        record_event(actor=user, subject_id=user.id, action="revoke-token", object_id=token_id)


def user_of_personal_token(text: str) -> User:
    """Who let the program in that presents this token, and when is noted.

    Raises ``InvalidCredentials`` whatever is wrong: a token that has ended reads like one that never was.
    """
    if not _SHAPE.fullmatch(text):
        raise InvalidCredentials
    # Digests are unique: to have their rows sorted, as first() does, would only cost time before every call.
    found = PersonalToken.objects.select_related("user").filter(digest=_digest(text))[:1]
    token, now = next(iter(found), None), clock.now()
    if token is None or not _holds(token, now):
        raise InvalidCredentials
    if token.last_used_at is None or token.last_used_at <= now - NOTED_EVERY:
        PersonalToken.objects.filter(id=token.id).update(last_used_at=now)
    return token.user


def _holds(token: PersonalToken, now: datetime) -> bool:
    given_out = Standing(
        user_id=token.user_id,
        password=token.password_digest,
        generation=token.generation,
        # A family of its own: nobody signs in on a device with it.
        family=token.id,
    )
    in_time = token.expires_at is None or token.expires_at > now
    return in_time and token.user.is_active and given_out == standing_of(token.user, family=token.id)


def _make_room(user: User) -> None:
    """Forgets the tokens that have ended. Raises ``TooManyTokens``."""
    living = list(_living(user).values_list("id", flat=True))
    PersonalToken.objects.for_user(user.id).exclude(id__in=living).delete()
    if len(living) >= MAX_TOKENS:
        raise TooManyTokens


def _living(user: User) -> QuerySet[PersonalToken]:
    now = standing_of(user, family=user.id)
    tokens: QuerySet[PersonalToken] = PersonalToken.objects.for_user(user.id)
    return tokens.filter(password_digest=now.password, generation=now.generation)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _name(token: PersonalToken, vault: Vault) -> str | None:
    try:
        return _opened_name(token, vault)
    except EncryptionError:
        # It must be possible to see it and to revoke it all the same.
        return None


def _opened_name(token: PersonalToken, vault: Vault) -> str:
    return vault.decrypt(PERSONAL_TOKENS.place(token.id, "name_encrypted"), token.name_encrypted)


def _exported(row: Model, vault: Vault) -> Exported:
    token = cast("PersonalToken", row)
    return {
        "id": str(token.id),
        "name": _opened_name(token, vault),
        "created_at": token.created_at.isoformat(),
        "last_used_at": token.last_used_at.isoformat() if token.last_used_at else None,
        "expires_at": token.expires_at.isoformat() if token.expires_at else None,
    }


PERSONAL_TOKENS = EncryptedTable(
    model=PersonalToken,
    columns=("name_encrypted",),
    rows_of=PersonalToken.objects.for_user,
    export=_exported,
)
