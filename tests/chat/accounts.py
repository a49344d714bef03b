"""The accounts behind the test sockets: in memory, or those of the database."""

import time
import uuid
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from accounts.auth.devices import (
    DeviceFacts,
    SocketIdentity,
    authenticate_token,
    device_arrived,
    device_left,
    id_of_device,
)
from accounts.auth.tokens import AccessGrant, revoked, subject_of
from accounts.database import in_database
from accounts.errors import DeviceRemoved, InvalidCredentials
from chat.devices.links import DeviceKey

ALICE, BOB = uuid.uuid4(), uuid.uuid4()


class Accounts(Protocol):
    """What a server needs of accounts."""

    def subject_of(self, token: str) -> uuid.UUID | None: ...

    async def authenticate(self, token: str) -> SocketIdentity: ...

    async def device_arrived(self, identity: SocketIdentity, facts: DeviceFacts) -> str: ...

    async def device_left(self, identity: SocketIdentity, device_id: str, since: datetime) -> None: ...

    async def device_called(self, user_id: uuid.UUID, name: str) -> str | None: ...

    async def revoked(self, grants: Collection[AccessGrant]) -> set[AccessGrant]: ...


@dataclass
class MemoryAccounts:
    """Accounts that know the cast by name.

    A token is a name, with ``for 0.5`` if it is valid for half a second; a name that ends in a digit, such as
    ``alice2``, is of another sign-in.
    """

    present: dict[DeviceKey, DeviceFacts] = field(default_factory=dict)
    left: list[DeviceKey] = field(default_factory=list)
    removed: set[DeviceKey] = field(default_factory=set)
    ended: set[AccessGrant] = field(default_factory=set)
    came_with: list[tuple[str, AccessGrant]] = field(default_factory=list)
    questions: list[set[AccessGrant]] = field(default_factory=list)
    away: bool = False

    def subject_of(self, token: str) -> uuid.UUID | None:
        return {"alice": ALICE, "bob": BOB}.get(token.partition(" for ")[0].rstrip("0123456789"))

    async def authenticate(self, token: str) -> SocketIdentity:
        signed_in, _, lives_s = token.partition(" for ")
        user_id = self.subject_of(token)
        if user_id is None or grant(signed_in) in self.ended:
            raise InvalidCredentials
        expires_at = round((time.time() + float(lives_s or 900)) * 1000)
        return SocketIdentity(grant=grant(signed_in), language="en", timezone="Europe/Rome", expires_at=expires_at)

    async def device_arrived(self, identity: SocketIdentity, facts: DeviceFacts) -> str:
        self._refuse_when_away()
        key = (identity.user_id, facts.device_id)
        if key in self.removed:
            raise DeviceRemoved
        self.present[key] = facts
        self.came_with.append((facts.device_id, identity.grant))
        return facts.device_id

    async def device_left(self, identity: SocketIdentity, device_id: str, since: datetime) -> None:
        self._refuse_when_away()
        self.left.append((identity.user_id, device_id))

    async def device_called(self, user_id: uuid.UUID, name: str) -> str | None:
        return name if (user_id, name) in self.present else None

    async def revoked(self, grants: Collection[AccessGrant]) -> set[AccessGrant]:
        self.questions.append(set(grants))
        self._refuse_when_away()
        return self.ended & set(grants)

    def _refuse_when_away(self) -> None:
        if self.away:
            raise ConnectionError("the database is away")


class DatabaseAccounts:
    """The real accounts."""

    def subject_of(self, token: str) -> uuid.UUID | None:
        return subject_of(token)

    async def authenticate(self, token: str) -> SocketIdentity:
        return await authenticate_token(token)

    async def device_arrived(self, identity: SocketIdentity, facts: DeviceFacts) -> str:
        return await device_arrived(identity, facts)

    async def device_left(self, identity: SocketIdentity, device_id: str, since: datetime) -> None:
        await device_left(identity, device_id, since)

    async def device_called(self, user_id: uuid.UUID, name: str) -> str | None:
        return await in_database(id_of_device, user_id, name)

    async def revoked(self, grants: Collection[AccessGrant]) -> set[AccessGrant]:
        return await in_database(revoked, grants)


def grant(signed_in: str) -> AccessGrant:
    """The grant of a sign-in's token."""
    user_id = BOB if signed_in.startswith("bob") else ALICE
    return AccessGrant(user_id=user_id, password="digest", generation=0, family=uuid.uuid5(user_id, signed_in))
