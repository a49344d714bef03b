"""Which process holds the socket of which device."""

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Protocol
from uuid import UUID

from chat.cluster.leases import MemoryLeases, RedisLeases
from chat.cluster.notifications import Notification, NotificationBus, Topic
from chat.cluster.redis_connection import RedisConnection
from chat.devices.connections import ConnectionManager, DeviceKey
from chat.errors import ClusterUnavailable
from chat.protocol.frames.vocabulary import Capability, CloseCode
from chat.tasks import OwnedTasks

_KEEP_S: Final = 3600
"""How long Redis keeps a user's locations after the last renewal."""
_REPEAT_AFTER_S: Final = (0.5, 1.0, 2.0)

# KEYS: locations, uses. Locations on dead processes do not count, and are removed when they are found.
_LIVING: Final = """
local function living(device)
    local place = redis.call('HGET', KEYS[1], device)
    if not place then return false end
    if redis.call('EXISTS', ARGV[1] .. cjson.decode(place)['process']) == 1 then return place end
    redis.call('HDEL', KEYS[1], device)
    redis.call('ZREM', KEYS[2], device)
    return false
end
local function use(device)
    local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')
    redis.call('ZADD', KEYS[2], (tonumber(last[2]) or 0) + 1, device)
end
local function keep(seconds)
    redis.call('EXPIRE', KEYS[1], seconds)
    redis.call('EXPIRE', KEYS[2], seconds)
end
local function arrive(device, place, seconds)
    redis.call('HSET', KEYS[1], device, place)
    use(device)
    keep(seconds)
end
"""
_ARRIVE: Final = f"""{_LIVING}
local before = living(ARGV[2])
arrive(ARGV[2], ARGV[3], ARGV[4])
return before
"""
_RESTORE: Final = f"""{_LIVING}
local known = living(ARGV[2])
if known == ARGV[3] then
    keep(ARGV[4])
    return false
end
if not known or cjson.decode(known)['since'] <= cjson.decode(ARGV[3])['since'] then
    arrive(ARGV[2], ARGV[3], ARGV[4])
end
return known
"""
_LEAVE: Final = """
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then
    redis.call('HDEL', KEYS[1], ARGV[1])
    redis.call('ZREM', KEYS[2], ARGV[1])
end
"""
_USE: Final = f"""{_LIVING}
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1 then use(ARGV[2]) end
"""
_FIND: Final = f"""{_LIVING}
return living(ARGV[2])
"""
_LATEST: Final = f"""{_LIVING}
for _, device in ipairs(redis.call('ZREVRANGE', KEYS[2], 0, -1)) do
    if living(device) then return device end
end
return false
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class DeviceLocation:
    """A device's process and connection, since when (ms), and what its client can do."""

    process: str
    connection_id: str
    since: int
    capabilities: frozenset[Capability] = frozenset()

    def to_json(self) -> str:
        """As Redis keeps it: scripts compare the text."""
        return json.dumps(
            {
                "process": self.process,
                "connection": self.connection_id,
                "since": self.since,
                "capabilities": sorted(self.capabilities),
            }
        )

    @classmethod
    def from_json(cls, text: str) -> "DeviceLocation":
        """What ``to_json`` gave, here or in another version; unknown capabilities are dropped."""
        fields = json.loads(text)
        return cls(
            process=fields["process"],
            connection_id=fields["connection"],
            since=fields["since"],
            capabilities=frozenset(Capability(name) for name in fields["capabilities"] if name in list(Capability)),
        )


class PresenceStore(Protocol):
    """The locations of all devices. Those on a dead process do not count. All methods raise ``ClusterUnavailable``."""

    async def arrive(self, device: DeviceKey, location: DeviceLocation) -> DeviceLocation | None:
        """Store where ``device`` is, and that it was used last; the location that it had before."""

    async def restore(self, device: DeviceKey, location: DeviceLocation) -> DeviceLocation | None:
        """As ``arrive`` for a location that may be forgotten, unless a later one is known: then nothing changes.

        The other location, earlier or later, if there is one. Repeated regularly for every device, so that what is
        stored about it does not expire.
        """

    async def leave(self, device: DeviceKey, location: DeviceLocation) -> None:
        """Remove this location of ``device``; a newer one stays."""

    async def use(self, device: DeviceKey) -> None:
        """Make ``device`` the one of its user's that was used last."""

    async def find(self, device: DeviceKey) -> DeviceLocation | None:
        """Where ``device`` is."""

    async def latest(self, user_id: UUID) -> DeviceKey | None:
        """The connected device of the user that was used last."""


@dataclass(kw_only=True)
class MemoryPresence:
    """The ``PresenceStore`` in this process's memory."""

    leases: MemoryLeases
    _locations: dict[DeviceKey, DeviceLocation] = field(default_factory=dict, init=False)

    async def arrive(self, device: DeviceKey, location: DeviceLocation) -> DeviceLocation | None:
        before = await self.find(device)
        self._locations.pop(device, None)
        self._locations[device] = location
        return before

    async def restore(self, device: DeviceKey, location: DeviceLocation) -> DeviceLocation | None:
        known = await self.find(device)
        if known == location:
            return None
        if known is None or known.since <= location.since:
            await self.arrive(device, location)
        return known

    async def leave(self, device: DeviceKey, location: DeviceLocation) -> None:
        if self._locations.get(device) == location:
            del self._locations[device]

    async def use(self, device: DeviceKey) -> None:
        location = self._locations.pop(device, None)
        if location is not None:
            self._locations[device] = location

    async def find(self, device: DeviceKey) -> DeviceLocation | None:
        location = self._locations.get(device)
        return location if location is not None and self.leases.holds(location.process) else None

    async def latest(self, user_id: UUID) -> DeviceKey | None:
        return next(
            (
                device
                for device, location in reversed(self._locations.items())
                if device[0] == user_id and self.leases.holds(location.process)
            ),
            None,
        )


@dataclass(kw_only=True)
class RedisPresence:
    """The ``PresenceStore`` in Redis: for each user a hash of locations, and a sorted set of devices by use."""

    redis: RedisConnection
    leases: RedisLeases

    async def arrive(self, device: DeviceKey, location: DeviceLocation) -> DeviceLocation | None:
        return _read(await self._ask(_ARRIVE, device[0], device[1], location.to_json(), _KEEP_S))

    async def restore(self, device: DeviceKey, location: DeviceLocation) -> DeviceLocation | None:
        return _read(await self._ask(_RESTORE, device[0], device[1], location.to_json(), _KEEP_S))

    async def leave(self, device: DeviceKey, location: DeviceLocation) -> None:
        await self.redis.script(_LEAVE, self._keys(device[0]), [device[1], location.to_json()])

    async def use(self, device: DeviceKey) -> None:
        await self._ask(_USE, device[0], device[1])

    async def find(self, device: DeviceKey) -> DeviceLocation | None:
        return _read(await self._ask(_FIND, device[0], device[1]))

    async def latest(self, user_id: UUID) -> DeviceKey | None:
        device_id = await self._ask(_LATEST, user_id)
        return None if device_id is None else (user_id, device_id)

    async def _ask(self, script: str, user_id: UUID, *arguments: str | int) -> str | None:
        answer: str | None = await self.redis.script(script, self._keys(user_id), [self.leases.key(""), *arguments])
        return answer

    def _keys(self, user_id: UUID) -> list[str]:
        return [self.redis.key("places", user_id), self.redis.key("uses", user_id)]


def _read(text: str | None) -> DeviceLocation | None:
    return None if text is None else DeviceLocation.from_json(text)


class PresenceTracker:
    """Keeps the store true for the connections of this process.

    While the store cannot be reached, nothing here waits or fails; ``restore`` makes up for it later.
    """

    def __init__(
        self,
        *,
        store: PresenceStore,
        bus: NotificationBus,
        connections: ConnectionManager,
        clock_ms: Callable[[], int] = lambda: round(time.time() * 1000),
    ) -> None:
        self._store = store
        self._bus = bus
        self._connections = connections
        self._clock_ms = clock_ms
        self._locations: dict[DeviceKey, DeviceLocation] = {}
        self._tasks = OwnedTasks()

    async def arrive(self, device: DeviceKey, *, connection_id: str, capabilities: frozenset[Capability]) -> None:
        """``device`` has a new connection here; an older one on another process gets closed."""
        location = self._locations[device] = DeviceLocation(
            process=self._bus.name, connection_id=connection_id, since=self._clock_ms(), capabilities=capabilities
        )
        with suppress(ClusterUnavailable):
            self._replace(device, await self._store.arrive(device, location))

    async def leave(self, device: DeviceKey, *, connection_id: str) -> None:
        """The connection has ended."""
        location = self._locations.get(device)
        if location is None or location.connection_id != connection_id:
            return
        del self._locations[device]
        with suppress(ClusterUnavailable):
            await self._store.leave(device, location)

    def used(self, device: DeviceKey) -> None:
        """Note in the background that ``device`` was asked something."""
        self._tasks.start(self._use(device), name="noting the device used last")

    async def latest(self, user_id: UUID) -> DeviceKey | None:
        """The user's device that was used last, on any process; without the store, of those on this process."""
        try:
            return await self._store.latest(user_id)
        except ClusterUnavailable:
            return self._connections.latest(user_id)

    async def connected(self, device: DeviceKey) -> bool:
        """Whether ``device`` is connected to any process."""
        if self._connections.holds(device):
            return True
        try:
            return await self._store.find(device) is not None
        except ClusterUnavailable:
            return False

    async def restore(self) -> None:
        """Store the locations of this process's devices again, and close those that have connected elsewhere since."""
        for device, location in list(self._locations.items()):
            other = await self._store.restore(device, location)
            if other is not None and other.since > location.since:
                self.close(device, location.connection_id)
            else:
                self._replace(device, other)

    def close(self, device: DeviceKey, connection_id: str) -> None:
        """Close this connection of ``device``, which has a newer one on another process."""
        connection = self._connections.connection(device)
        if connection is not None and connection.id == connection_id:
            connection.socket.close_soon(CloseCode.REPLACED)

    async def aclose(self) -> None:
        await self._tasks.aclose()

    async def _use(self, device: DeviceKey) -> None:
        with suppress(ClusterUnavailable):
            await self._store.use(device)

    def _replace(self, device: DeviceKey, before: DeviceLocation | None) -> None:
        if before is not None and before.process != self._bus.name:
            self._tasks.start(self._close_elsewhere(device, before), name="closing an older socket elsewhere")

    async def _close_elsewhere(self, device: DeviceKey, before: DeviceLocation) -> None:
        notification = Notification(
            topic=Topic.REPLACED,
            sender=self._bus.name,
            user_id=device[0],
            device_id=device[1],
            subject=before.connection_id,
        )
        # If all of these are lost, that process finds out when it restores its locations.
        for pause_s in _REPEAT_AFTER_S:
            await self._bus.send(before.process, notification)
            await asyncio.sleep(pause_s)
        await self._bus.send(before.process, notification)
