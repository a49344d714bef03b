"""Who opens a socket: credentials from the handshake, and the account behind them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from channels.db import database_sync_to_async

from accounts.standing import Standing
from accounts.tokens import bearer_of

SUBPROTOCOL = "adiuva.v3"
_TOKEN_SUBPROTOCOL = "adiuva.bearer."  # noqa: S105 (the name in front of a token)


@dataclass(frozen=True, kw_only=True, slots=True)
class Credentials:
    """What a handshake brought, unproven."""

    token: str = field(repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class SocketIdentity:
    """Who a socket belongs to, and by what right until ``expires_at`` (ms); the account's language and time zone."""

    standing: Standing
    language: str
    timezone: str
    expires_at: int

    @property
    def user_id(self) -> UUID:
        return self.standing.user_id


def credentials_from(headers: Iterable[tuple[bytes, bytes]], subprotocols: Sequence[str]) -> Credentials | None:
    """The access token of a handshake: ``Authorization: Bearer …``, else the subprotocol after ``adiuva.v3``.

    ``headers`` and ``subprotocols`` are as ASGI gives them. A token is never read from the address, which ends up in
    logs. None when there is no token, or more than one to choose from.
    """
    tokens = [token for name, value in headers if name == b"authorization" for token in _bearer_tokens(value)]
    if not tokens and SUBPROTOCOL in subprotocols:
        tokens = [
            offered.removeprefix(_TOKEN_SUBPROTOCOL)
            for offered in subprotocols
            if offered.startswith(_TOKEN_SUBPROTOCOL)
        ]
    if len(tokens) != 1 or not tokens[0]:
        return None
    return Credentials(token=tokens[0])


def _bearer_tokens(value: bytes) -> list[str]:
    scheme, _, token = value.decode("latin-1").partition(" ")
    return [token.strip()] if scheme.casefold() == "bearer" else []


async def authenticate_token(token: str) -> SocketIdentity:
    """Whom an access token stands for. Raises ``InvalidCredentials`` or ``ExpiredCredentials``."""
    # Not thread-sensitive: otherwise one slow query would stall every socket of the process.
    identity: SocketIdentity = await database_sync_to_async(_identity, thread_sensitive=False)(token)
    return identity


def _identity(token: str) -> SocketIdentity:
    bearer = bearer_of(token)
    return SocketIdentity(
        standing=bearer.standing,
        language=bearer.user.language,
        timezone=bearer.user.timezone,
        expires_at=bearer.expires_at,
    )
