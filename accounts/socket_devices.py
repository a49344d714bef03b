"""What sockets tell the database about their devices, and ask it: each is one crossing from the event loop."""

from collections.abc import Collection
from datetime import datetime
from typing import Final

from channels.db import database_sync_to_async

from accounts.attendance import DeviceName, note_online
from accounts.devices import DeviceFacts, note_departure, register_device
from accounts.socket_auth import SocketIdentity
from accounts.standing import Standing, revoked

# Not thread-sensitive: otherwise one slow query would stall every socket of the process.
_register: Final = database_sync_to_async(register_device, thread_sensitive=False)
_note_departure: Final = database_sync_to_async(note_departure, thread_sensitive=False)
_note_online: Final = database_sync_to_async(note_online, thread_sensitive=False)
_revoked: Final = database_sync_to_async(revoked, thread_sensitive=False)


async def device_arrived(identity: SocketIdentity, facts: DeviceFacts) -> None:
    """As ``register_device``, and raises what it raises."""
    await _register(identity.standing, facts)


async def device_left(identity: SocketIdentity, device_id: str, since: datetime) -> None:
    """As ``note_departure``."""
    await _note_departure(identity.user_id, device_id, since=since)


async def devices_online(devices: Collection[DeviceName]) -> None:
    """As ``note_online``."""
    await _note_online(devices)


async def revoked_standings(standings: Collection[Standing]) -> set[Standing]:
    """As ``revoked``: those whose holders may not stay."""
    ended: set[Standing] = await _revoked(standings)
    return ended
