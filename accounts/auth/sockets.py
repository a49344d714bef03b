"""Authentication of sockets: the credentials of a handshake, the account they belong to, and its devices.

The coroutines are the event loop's side of the functions of the same purpose in ``tokens``, ``grants`` and ``devices``.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from accounts.auth.devices import DeviceFacts, DeviceName, note_departure, note_online, register_device
from accounts.auth.grants import AccessGrant, revoked
from accounts.auth.tokens import bearer_of
from accounts.database import in_database

SUBPROTOCOL = "adiuva.v3"
_TOKEN_SUBPROTOCOL = "adiuva.bearer."  # noqa: S105 (the name in front of a token)


@dataclass(frozen=True, kw_only=True, slots=True)
class Credentials:
    """The token of a handshake, not verified."""

    token: str = field(repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class SocketIdentity:
    """The user of a socket, by which grant and until when (ms); the account's language and time zone."""

    grant: AccessGrant
    language: str
    timezone: str
    expires_at: int

    @property
    def user_id(self) -> UUID:
        return self.grant.user_id


def credentials_from(headers: Iterable[tuple[bytes, bytes]], subprotocols: Sequence[str]) -> Credentials | None:
    """The access token of a handshake: ``Authorization: Bearer …``, or the subprotocol after ``adiuva.v3``.

    ``headers`` and ``subprotocols`` are as ASGI gives them. A token is never read from the address, which ends up in
    logs. None if there is no token, or more than one to choose from.
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


async def authenticate_token(token: str) -> SocketIdentity:
    """The user of an access token. Raises ``InvalidCredentials`` or ``ExpiredCredentials``."""
    bearer = await in_database(bearer_of, token)
    return SocketIdentity(
        grant=bearer.grant,
        language=bearer.user.language,
        timezone=bearer.user.timezone,
        expires_at=bearer.expires_at,
    )


async def device_arrived(identity: SocketIdentity, facts: DeviceFacts) -> None:
    """Raises as ``register_device``."""
    await in_database(register_device, identity.grant, facts)


async def device_left(identity: SocketIdentity, device_id: str, since: datetime) -> None:
    await in_database(note_departure, identity.user_id, device_id, since=since)


async def devices_online(devices: Collection[DeviceName]) -> None:
    await in_database(note_online, devices)


async def revoked_grants(grants: Collection[AccessGrant]) -> set[AccessGrant]:
    return await in_database(revoked, grants)


def _bearer_tokens(value: bytes) -> list[str]:
    scheme, _, token = value.decode("latin-1").partition(" ")
    return [token.strip()] if scheme.casefold() == "bearer" else []
