"""The devices of a user: they connect, are online and are removed for good.

The coroutines are the event loop's side of the functions of the same purpose here and in ``tokens``.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeAlias
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.utils import timezone as clock

from accounts.auth.tokens import AccessGrant, bearer_of, revoked
from accounts.database import in_database
from accounts.errors import DeviceRemoved, DeviceUnfit, InvalidCredentials
from accounts.models import Device, TokenFamily
from accounts.signals import announce_revocation

SAID_EVERY: Final = timedelta(seconds=60)
"""How often a process reports the devices it holds."""
ONLINE_FOR: Final = 2.5 * SAID_EVERY
"""How long a report is valid."""
SPAN: Final = timedelta(minutes=5)
"""The time that one count for the charts covers."""
KEPT: Final = timedelta(days=90)
"""How long counts are kept."""

DeviceName: TypeAlias = tuple[UUID, str]
"""A user and the id of one of their devices."""

_REPORT: Final = """
UPDATE accounts_device SET online_until = %s
FROM unnest(%s::uuid[], %s::text[]) AS held (user_id, device_id)
WHERE accounts_device.user_id = held.user_id AND accounts_device.device_id = held.device_id AND removed_at IS NULL
"""
_COUNT: Final = """
INSERT INTO accounts_devicesonline (at, online) VALUES (%s, %s)
ON CONFLICT (at) DO UPDATE SET online = GREATEST(accounts_devicesonline.online, EXCLUDED.online)
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class DeviceFacts:
    """What a device says about itself; empty where it says nothing."""

    device_id: str
    platform: str = ""
    app_version: str = ""


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


def register_device(grant: AccessGrant, facts: DeviceFacts) -> Device:
    """The device, seen now, with the family of its token.

    Raises ``InvalidCredentials`` if the grant has ended, ``DeviceRemoved``, or ``DeviceUnfit``.
    """
    if "\0" in facts.device_id + facts.platform + facts.app_version:
        raise DeviceUnfit
    if revoked([grant]):
        raise InvalidCredentials
    now = clock.now()
    told = {"platform": facts.platform, "app_version": facts.app_version, "last_seen": now}
    try:
        with transaction.atomic():
            # Locked until the family is stored: a removal comes before all of this or after.
            device, _ = Device.objects.update_or_create(
                user_id=grant.user_id, device_id=facts.device_id, defaults={**told, "online_until": now + ONLINE_FOR}
            )
            if device.removed_at is not None:
                raise DeviceRemoved  # and undo the update
            TokenFamily.objects.get_or_create(device=device, family=grant.family)
    except IntegrityError:  # the account was erased in the meantime
        raise InvalidCredentials from None
    return device


def note_departure(user_id: UUID, device_id: str, *, since: datetime) -> None:
    """The device was connected from ``since`` (aware) until now.

    Does nothing if it has connected again by another socket.
    """
    left = Device.objects.for_user(user_id).filter(device_id=device_id, last_seen__lte=since)
    left.update(last_seen=clock.now(), online_until=None)


def remove_device(device: Device) -> None:
    """End the tokens that were used on this device, and keep its id from returning."""
    with transaction.atomic():
        gone = Device.objects.present().filter(id=device.id).update(removed_at=clock.now(), online_until=None)
        if gone:
            announce_revocation(device.user_id, device_id=device.device_id)


def note_online(devices: Collection[DeviceName], *, now: datetime | None = None) -> None:
    """Report these devices as online, and count all that are for the charts."""
    now = now or clock.now()
    with connection.cursor() as cursor:
        if devices:
            users, names = zip(*devices, strict=True)
            cursor.execute(_REPORT, [now + ONLINE_FOR, list(users), list(names)])
        cursor.execute(_COUNT, [span_of(now), Device.objects.online(now).count()])
        cursor.execute("DELETE FROM accounts_devicesonline WHERE at < %s", [now - KEPT])


def span_of(moment: datetime) -> datetime:
    """The start of the five minutes that ``moment`` is in."""
    return moment - timedelta(seconds=moment.timestamp() % SPAN.total_seconds())


async def authenticate_token(token: str) -> SocketIdentity:
    """The user of an access token. Raises ``InvalidCredentials`` or ``ExpiredCredentials``."""
    bearer = await in_database(bearer_of, token)
    user = bearer.user
    return SocketIdentity(
        grant=bearer.grant, language=user.language, timezone=user.timezone, expires_at=bearer.expires_at
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
