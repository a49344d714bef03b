"""Which devices are online, as the database knows it: for staff, whatever process holds the sockets."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final, TypeAlias
from uuid import UUID

from django.db import connection
from django.utils import timezone as clock

from accounts.models import Device

SAID_EVERY: Final = timedelta(seconds=60)
"""How often a process says which devices it holds."""
ONLINE_FOR: Final = 2.5 * SAID_EVERY
"""How long that holds."""
SPAN: Final = timedelta(minutes=5)
"""What one count for the charts is of."""
KEPT: Final = timedelta(days=90)
"""How long counts are kept."""

DeviceName: TypeAlias = tuple[UUID, str]
"""A user and the id of one of their devices."""

_SAY: Final = """
UPDATE accounts_device SET online_until = %s
FROM unnest(%s::uuid[], %s::text[]) AS held (user_id, device_id)
WHERE accounts_device.user_id = held.user_id AND accounts_device.device_id = held.device_id AND removed_at IS NULL
"""
_COUNT: Final = """
INSERT INTO accounts_devicesonline (at, online) VALUES (%s, %s)
ON CONFLICT (at) DO UPDATE SET online = GREATEST(accounts_devicesonline.online, EXCLUDED.online)
"""
_PRUNE: Final = "DELETE FROM accounts_devicesonline WHERE at < %s"


def note_online(devices: Collection[DeviceName], *, now: datetime | None = None) -> None:
    """These devices are online now; how many there are altogether is counted for the charts."""
    now = now or clock.now()
    with connection.cursor() as cursor:
        if devices:
            users, names = zip(*devices, strict=True)
            cursor.execute(_SAY, [now + ONLINE_FOR, list(users), list(names)])
        cursor.execute(_COUNT, [span_of(now), Device.objects.online(now).count()])
        cursor.execute(_PRUNE, [now - KEPT])


def span_of(moment: datetime) -> datetime:
    """When the five minutes began that ``moment`` is in."""
    return moment - timedelta(seconds=moment.timestamp() % SPAN.total_seconds())
