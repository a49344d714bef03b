"""Sessions: a row for each sign-in, which the user sees and can end.

A session has one refresh token that works. Exchanging it gives the next one, and presenting an older one ends the
session (RFC 9700, 4.14.2): either its owner or a thief has a copy, and the server cannot tell which. One exception
serves honest clients. A client whose answer was lost sends the same token again, and two tabs that share a token send
it at once. So for ``settings.REFRESH_GRACE_S`` seconds the token before the present one is answered with the present
one again. There is never a second working token, so a thief stays unnoticed only as long as thief and owner exchange
each token within those seconds of each other.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone as clock
from rest_framework_simplejwt.settings import api_settings
from rest_framework_simplejwt.token_blacklist.models import BlacklistedToken, OutstandingToken
from rest_framework_simplejwt.utils import get_md5_hash_password

from accounts.audit import record_event
from accounts.errors import AccountGone, InvalidCredentials, UnknownSession
from accounts.keys.custody import EncryptedTable
from accounts.keys.vault import open_vault, vault_for_writing
from accounts.models import User
from accounts.session_models import Session, TokenFamily
from accounts.signals import announce_revocation

MAX_CLIENT_CHARS: Final = 200
SESSIONS: Final = EncryptedTable(
    model=Session, exported=("id", "client_encrypted", "created_at", "last_used_at", "ended_at")
)
_SWEPT_AT_ONCE: Final = 100
_SWEPT_AFTER: Final = timedelta(hours=1)
"""How long a session is kept after its last token: a token that has no session would begin one."""


@transaction.atomic
def begin_session(user: User, *, client: str = "", announced: bool = False) -> Session:
    """A new session of an authenticated user. ``client`` is what the client calls itself.

    Users have at most ``settings.MAX_SESSIONS``: the one unused for longest ends. ``announced``: the user need not be
    told of it. Raises ``InvalidCredentials`` if the account was erased meanwhile, and as ``open_vault``.
    """
    session = Session(id=uuid4(), user=user, refresh_id=uuid4().hex, announced=announced, **_rests_on(user))
    try:
        vault = vault_for_writing(user.id)
    except AccountGone:
        raise InvalidCredentials from None
    if name := _printable(client):
        session.client_encrypted = vault.seal(session, "client_encrypted", name)
    _end(user.id, list(present_sessions(user).values_list("id", flat=True)[settings.MAX_SESSIONS - 1 :]))
    session.save(force_insert=True)
    _sweep(clock.now())
    return session


def next_refresh_id(user: User, session_id: UUID, refresh_id: str) -> str | None:
    """Exchange the id of a refresh token of this session for that of the next one. Inside a transaction.

    None if the token was used before: the session has ended, and the caller must commit that. Raises
    ``InvalidCredentials`` if it had ended already. A sign-in from before there were sessions gets its row here.
    """
    rests = {"user": user, "refresh_id": refresh_id, "announced": True, **_rests_on(user)}
    # Locked: of two requests with one token, the second finds what the first has done.
    session, _ = Session.objects.select_for_update().get_or_create(id=session_id, defaults=rests)
    if session.ended_at is not None:
        raise InvalidCredentials
    if refresh_id == session.refresh_id:
        session.former_refresh_id, session.refresh_id = refresh_id, uuid4().hex
        session.last_used_at = clock.now()
        session.save(update_fields=["former_refresh_id", "refresh_id", "last_used_at"])
    elif not _is_retry(session, refresh_id):
        record_event(actor=None, subject_id=user.id, action="replay-refresh-token", object_id=session.id)
        _end(user.id, [session.id])
        return None
    return session.refresh_id


def present_sessions(user: User) -> QuerySet[Session]:
    """The sessions of the user that have not ended in any way, the one used last first."""
    alive = clock.now() - api_settings.REFRESH_TOKEN_LIFETIME
    sessions: QuerySet[Session] = Session.objects.for_user(user.id)
    present = sessions.filter(ended_at=None, last_used_at__gt=alive, **_rests_on(user))
    on_removed = TokenFamily.objects.filter(device__user_id=user.id, device__removed_at__isnull=False).values("family")
    return present.exclude(id__in=on_removed).order_by("-last_used_at", "id")


def sessions_of(user: User) -> list[Session]:
    """The present sessions with their ``client``, and the ``device`` that used each last. Raises as ``open_vault``."""
    vault, sessions = open_vault(user.id), list(present_sessions(user))
    used = TokenFamily.objects.filter(device__user_id=user.id, family__in=[session.id for session in sessions])
    devices = {each.family: each.device for each in used.select_related("device__user").order_by("device__last_seen")}
    for session in sessions:
        session.device = devices.get(session.id)
        session.client = vault.open_or_none(session, "client_encrypted") or None
    return sessions


@transaction.atomic
def end_session(user: User, session_id: UUID) -> None:
    """End one of the user's sessions with its tokens and sockets. Raises ``UnknownSession``."""
    if not present_sessions(user).filter(id=session_id).exists():
        raise UnknownSession
    _end(user.id, [session_id])


@transaction.atomic
def end_other_sessions(user: User, session_id: UUID) -> None:
    """End all sessions of the user but this one."""
    others = present_sessions(user).exclude(id=session_id)
    _end(user.id, list(others.values_list("id", flat=True)))
    # Refresh tokens from before there were sessions, which get a session when they are exchanged.
    older = OutstandingToken.objects.filter(user=user, expires_at__gt=clock.now())
    BlacklistedToken.objects.bulk_create((BlacklistedToken(token=token) for token in older), ignore_conflicts=True)


def renew_session(user: User, session_id: UUID) -> Session:
    """Let this session go on with the user's new password. All its earlier tokens have ended."""
    session, _ = Session.objects.update_or_create(
        id=session_id,
        defaults={"refresh_id": uuid4().hex, "former_refresh_id": "", "last_used_at": clock.now(), **_rests_on(user)},
        create_defaults={"user": user, "refresh_id": uuid4().hex, "announced": True, **_rests_on(user)},
    )
    return session


def _rests_on(user: User) -> dict[str, str | int]:
    """What the user has to keep for a session to last, as its columns."""
    return {"password_digest": get_md5_hash_password(user.password), "generation": user.token_generation}


def _is_retry(session: Session, refresh_id: str) -> bool:
    grace = timedelta(seconds=settings.REFRESH_GRACE_S)
    return refresh_id == session.former_refresh_id and clock.now() < session.last_used_at + grace


def _end(user_id: UUID, session_ids: Collection[UUID]) -> None:
    if not session_ids:
        return
    Session.objects.for_user(user_id).filter(id__in=session_ids).update(ended_at=clock.now())
    # By device: a notification about all of them would cancel what the user's other sessions have running.
    families = TokenFamily.objects.filter(device__user_id=user_id, family__in=session_ids)
    for device_id in families.values_list("device_id", flat=True):
        announce_revocation(user_id, device_id=str(device_id))


def _sweep(now: datetime) -> None:
    """Delete some sessions whose tokens have all expired."""
    # Within the grace the last token was given out again, so that it ends later.
    grace = timedelta(seconds=settings.REFRESH_GRACE_S)
    over = Session.objects.filter(last_used_at__lt=now - api_settings.REFRESH_TOKEN_LIFETIME - grace - _SWEPT_AFTER)
    Session.objects.filter(id__in=list(over.values_list("id", flat=True)[:_SWEPT_AT_ONCE])).delete()


def _printable(client: str) -> str:
    return "".join(char for char in client[:MAX_CLIENT_CHARS] if char.isprintable()).strip()
