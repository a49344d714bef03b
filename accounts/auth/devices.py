"""The devices of a user: they connect, are online and are removed for good.

A user has ``settings.MAX_DEVICES`` at most. One more retires the device that has been away longest and has no job under
way: its row is deleted, and nothing else ends. It was not removed by the user, so with a token that still works it is
taken in again, like a new one.
"""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.utils import timezone as clock

from accounts.auth.tokens import GRANT_HOLDS, AccessGrant, claims_of, grant_parameters, user_with
from accounts.cipher import key_version
from accounts.database import in_database
from accounts.errors import (
    AccountGone,
    CorruptedText,
    DeviceRemoved,
    DeviceUnfit,
    EncryptionError,
    InvalidCredentials,
    TooManyDevices,
    WrongKeyVersion,
)
from accounts.locks import lock_user
from accounts.models import User
from accounts.session_models import Device, TokenFamily, expected_device_digest
from accounts.signals import announce_revocation
from accounts.statements import Statements, ThreadStatements

REPORT_EVERY: Final = timedelta(seconds=60)
"""How often a process reports the devices it holds."""
ONLINE_FOR: Final = 2.5 * REPORT_EVERY
"""How long a report is valid."""
SPAN: Final = timedelta(minutes=5)
"""The time that one count for the charts covers."""
KEPT: Final = timedelta(days=90)
"""How long counts are kept."""

_IN_THREADS: Final = ThreadStatements()

DeviceName: TypeAlias = tuple[UUID, str]
"""A user and the ``Device.id``, as text, of one of their devices."""
NeededDevices: TypeAlias = Callable[[UUID], Collection[str]]
"""The ``Device.id``, as text, of each of a user's devices that work under way waits for."""

# Raw SQL: thousands of devices may come back at once.
_IDENTITY: Final = f"""
SELECT language, timezone, encryption_key, encryption_key_version, master_key_id FROM accounts_user WHERE {GRANT_HOLDS}
"""  # noqa: S608 - no text from outside
# It waits for a removal, and then finds nothing.
_RETURN: Final = f"""
UPDATE accounts_device SET app_version = %s, last_seen = %s, online_until = %s
FROM accounts_tokenfamily, accounts_user
WHERE accounts_device.user_id = accounts_user.id AND device_digest = %s AND removed_at IS NULL
    AND accounts_tokenfamily.device_id = accounts_device.id AND family = %s
    AND {GRANT_HOLDS}
    AND EXISTS (SELECT FROM accounts_lookupkey WHERE wrapped_key = %s)
RETURNING accounts_device.id, platform_encrypted, encryption_key, encryption_key_version, accounts_user.master_key_id
"""  # noqa: S608 - no text from outside
_REPORT: Final = """
UPDATE accounts_device SET online_until = %s
WHERE id = ANY(%s::uuid[]) AND removed_at IS NULL
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

    @property
    def can_be_stored(self) -> bool:
        return "\0" not in self.device_id + self.platform + self.app_version


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


def _none_needed(_user_id: UUID) -> Collection[str]:
    return ()


def register_device(grant: AccessGrant, facts: DeviceFacts, *, needed: NeededDevices = _none_needed) -> Device:
    """The device, seen now, with the family of its token. A new one may retire another, but none that is ``needed``.

    Raises ``InvalidCredentials`` if the grant has ended, ``DeviceRemoved``, ``DeviceUnfit``, or ``TooManyDevices``.
    """
    if not facts.can_be_stored:
        raise DeviceUnfit
    user = user_with(grant)
    if user is None:
        raise InvalidCredentials
    try:
        with transaction.atomic():
            # Locked until the family is stored: a removal comes before all of this or after.
            device, new = _seen(user, facts)
            TokenFamily.objects.get_or_create(device=device, family=grant.family)
            if new:
                _make_room(device, needed)
    except (IntegrityError, AccountGone):  # the account was erased in the meantime
        raise InvalidCredentials from None
    return device


def _hello_columns(facts: DeviceFacts) -> dict[str, Any]:
    """The columns that each hello writes."""
    now = clock.now()
    return {"app_version": facts.app_version, "last_seen": now, "online_until": now + ONLINE_FOR}


def _seen(user: User, facts: DeviceFacts) -> tuple[Device, bool]:
    """The device, locked and seen now, and whether it is new. Raises ``DeviceRemoved``, and as ``open_vault``."""
    told = _hello_columns(facts)
    found = Device.objects.named(user.id, facts.device_id).first()
    if found is None:
        return _new_device(user, facts, **told)
    found.user = user
    if not _has_platform(found, facts.platform):
        with transaction.atomic():
            # The user's row first, as in every transaction (accounts/locks.py).
            found.device_id, found.platform = facts.device_id, facts.platform
            found.save(update_fields=["device_id_encrypted", "platform_encrypted"])
    if not Device.objects.present().filter(id=found.id).update(**told):
        raise DeviceRemoved
    for name, value in told.items():
        setattr(found, name, value)
    return found, False


def _new_device(user: User, facts: DeviceFacts, **told: Any) -> tuple[Device, bool]:
    # Devices that are new at once are counted one after the other.
    lock_user(user.id)
    try:
        with transaction.atomic():
            device = Device(user=user, **told)
            device.device_id, device.platform = facts.device_id, facts.platform
            device.save(force_insert=True)
            return device, True
    except IntegrityError:
        # It said hello twice at once, and the other was first; or the account was erased.
        if not Device.objects.named(user.id, facts.device_id).exists():
            raise
        return _seen(user, facts)


def _has_platform(device: Device, platform: str) -> bool:
    """Whether the device's platform is this one. An unreadable one is replaced, and the id with it."""
    try:
        return device.platform == platform
    except (CorruptedText, WrongKeyVersion):
        return False


def _make_room(device: Device, needed: NeededDevices) -> None:
    """Retire as many other devices as it takes to have ``settings.MAX_DEVICES``. Raises ``TooManyDevices``."""
    others = Device.objects.for_user(device.user_id).present().exclude(id=device.id)
    excess = others.count() + 1 - settings.MAX_DEVICES
    if excess <= 0:
        return
    # A device that says hello at this moment has locked its row, and is not away.
    away = others.away(clock.now()).select_for_update(skip_locked=True)
    busy = needed(device.user_id)
    retired = [other.id for other in away if str(other.id) not in busy][:excess]
    if not retired:
        raise TooManyDevices
    Device.objects.filter(id__in=retired).delete()


def note_departure(user_id: UUID, device_id: str, *, since: datetime) -> None:
    """The device with this ``Device.id`` was connected from ``since`` (aware) until now.

    Does nothing if it has connected again by another socket.
    """
    left = Device.objects.for_user(user_id).filter(id=device_id, last_seen__lte=since)
    left.update(last_seen=clock.now(), online_until=None)


def remove_device(device: Device) -> None:
    """End the tokens that were used on this device, and keep its id from returning."""
    with transaction.atomic():
        gone = Device.objects.present().filter(id=device.id).update(removed_at=clock.now(), online_until=None)
        if gone:
            announce_revocation(device.user_id, device_id=str(device.id))


def id_of_device(user_id: UUID, name: str) -> str | None:
    """The ``Device.id``, as text, of the user's device with this ``device_id``."""
    found = Device.objects.named(user_id, name).present().values_list("id", flat=True).first()
    return None if found is None else str(found)


def names_of_devices(user_id: UUID) -> Mapping[str, str]:
    """The ``device_id`` of each of the user's devices by its ``Device.id`` as text; unreadable ones are left out."""
    names = {}
    for device in Device.objects.for_user(user_id).select_related("user"):
        with suppress(EncryptionError):
            names[str(device.id)] = device.device_id
    return names


def note_online(devices: Collection[DeviceName], *, now: datetime | None = None) -> None:
    """Report these devices as online, and count all that are for the charts."""
    now = now or clock.now()
    with connection.cursor() as cursor:
        if devices:
            cursor.execute(_REPORT, [now + ONLINE_FOR, [device_id for _, device_id in devices]])
        cursor.execute(_COUNT, [span_of(now), Device.objects.online(now).count()])
        cursor.execute("DELETE FROM accounts_devicesonline WHERE at < %s", [now - KEPT])


def span_of(moment: datetime) -> datetime:
    """The start of the five minutes that ``moment`` is in."""
    return moment - timedelta(seconds=moment.timestamp() % SPAN.total_seconds())


async def authenticate_token(token: str, statements: Statements = _IN_THREADS) -> SocketIdentity:
    """The user of an access token. Raises ``InvalidCredentials``, ``ExpiredCredentials``, and as ``open_vault``."""
    grant, expires_at = claims_of(token)
    for language, timezone, *key in await statements.rows(_IDENTITY, grant_parameters(grant)):
        _with_key(grant.user_id, *key).check_key()
        return SocketIdentity(grant=grant, language=language, timezone=timezone, expires_at=expires_at)
    raise InvalidCredentials


async def device_arrived(
    identity: SocketIdentity,
    facts: DeviceFacts,
    *,
    needed: NeededDevices = _none_needed,
    statements: Statements = _IN_THREADS,
) -> str:
    """As ``register_device``, but the ``Device.id`` as text: by this the server knows the device from here on.

    The id that a device gives itself may name its owner, so it is stored encrypted and nowhere else.
    """
    device_id = await _returned(identity.grant, facts, statements)
    return device_id or str((await in_database(register_device, identity.grant, facts, needed=needed)).id)


async def _returned(grant: AccessGrant, facts: DeviceFacts, statements: Statements) -> str | None:
    """The device, seen now, if it has connected with this family and as this platform before. One statement."""
    expected = expected_device_digest(grant.user_id, facts.device_id)
    if expected is None or not facts.can_be_stored:
        return None
    digest, lookup_key = expected
    told = _hello_columns(facts)
    written = [told["app_version"], told["last_seen"], told["online_until"]]
    found = await statements.rows(_RETURN, [*written, digest, grant.family, *grant_parameters(grant), lookup_key])
    for device_id, platform, key, version, master_key_id in found:
        user = _with_key(grant.user_id, key, version, master_key_id)
        device = Device(id=device_id, user=user, platform_encrypted=platform)
        if _is_of_version(platform, version) and _has_platform(device, facts.platform):
            return str(device_id)
    return None


def _with_key(user_id: UUID, key: str, version: int, master_key_id: str) -> User:
    """The user, of whom nothing but the key is loaded."""
    return User(id=user_id, encryption_key=key, encryption_key_version=version, master_key_id=master_key_id)


def _is_of_version(ciphertext: str, version: int) -> bool:
    """Whether the key of this version made it. Reading one of an older key takes a query."""
    try:
        return not ciphertext or key_version(ciphertext) == version
    except CorruptedText:
        return False


async def device_left(identity: SocketIdentity, device_id: str, since: datetime) -> None:
    """As ``note_departure``."""
    await in_database(note_departure, identity.user_id, device_id, since=since)
