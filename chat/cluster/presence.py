"""Which processes are alive, and which of them holds the socket of which device.

Each process renews its lease every second, and counts as dead once the lease has expired.
"""

import asyncio
import json
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Protocol
from uuid import UUID

from chat.cluster.notifications import NotificationBus, Topic
from chat.cluster.redis_connection import RedisConnection
from chat.devices.connections import ConnectionManager
from chat.devices.links import DeviceKey
from chat.errors import ClusterUnavailable, TooManySockets
from chat.protocol.frames.vocabulary import Capability, CloseCode
from chat.rates import MAX_SOCKETS
from chat.tasks import OwnedTasks

RENEW_EVERY_S: Final = 1.0
LEASE_S: Final = 3.0
_KEEP_S: Final = 3600
"""How long Redis keeps a user's locations after the last renewal."""
_REPEAT_AFTER_S: Final = (0.5, 1.0, 2.0)

# KEYS: locations, uses. ARGV: what the keys of living processes begin with, and what the script needs.
# Locations on dead processes do not count, and are removed when they are found.
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
_FULL: Final = "full"
_ARRIVE: Final = f"""{_LIVING}
local before = living(ARGV[2])
if not before then
    local others = 0
    for _, device in ipairs(redis.call('HKEYS', KEYS[1])) do
        if living(device) then others = others + 1 end
    end
    if others >= tonumber(ARGV[5]) then return '{_FULL}' end
end
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
if redis.call('HGET', KEYS[1], ARGV[2]) == ARGV[3] then
    redis.call('HDEL', KEYS[1], ARGV[2])
    redis.call('ZREM', KEYS[2], ARGV[2])
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


class Leases(Protocol):
    """The leases of all processes. Every method raises ``ClusterUnavailable``."""

    async def renew(self, process: str) -> bool:
        """Renew the lease of ``process``; whether it was alive until now."""

    async def release(self, process: str) -> None:
        """End the lease of ``process`` at once, because it stops."""

    async def alive(self, process: str) -> bool:
        """Whether ``process`` has a lease."""


@dataclass
class MemoryLeases:
    """``Leases`` in this process's memory. They do not expire: a process alone renews nothing."""

    processes: set[str] = field(default_factory=set, init=False)

    async def renew(self, process: str) -> bool:
        known = await self.alive(process)
        self.processes.add(process)
        return known

    async def release(self, process: str) -> None:
        self.processes.discard(process)

    async def alive(self, process: str) -> bool:
        return process in self.processes


@dataclass(kw_only=True)
class RedisLeases:
    """``Leases`` in Redis: a key for each process, which Redis expires by its own clock."""

    redis: RedisConnection
    lease_s: float = LEASE_S

    def key(self, process: str) -> str:
        """The key that exists while ``process`` is alive."""
        return self.redis.key("process", process)

    async def renew(self, process: str) -> bool:
        before = await self.redis.run(
            lambda client: client.set(self.key(process), "1", px=round(self.lease_s * 1000), get=True),
            urgent=True,
        )
        return before is not None

    async def release(self, process: str) -> None:
        await self.redis.run(lambda client: client.delete(self.key(process)))

    async def alive(self, process: str) -> bool:
        return bool(await self.redis.run(lambda client: client.exists(self.key(process))))


@dataclass(frozen=True, kw_only=True, slots=True)
class DeviceLocation:
    """A device's process and connection, since when (ms), and what its client can do."""

    process: str
    connection_id: str
    since: int
    capabilities: frozenset[Capability] = frozenset()

    def to_json(self) -> str:
        """As Redis keeps it: scripts compare the text."""
        fields = {"process": self.process, "connection": self.connection_id, "since": self.since}
        return json.dumps({**fields, "capabilities": sorted(self.capabilities)})

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

    async def arrive(
        self, device: DeviceKey, location: DeviceLocation, *, most: int = MAX_SOCKETS
    ) -> DeviceLocation | None:
        """Store where ``device`` is, and that it was used last; the location that it had before.

        Raises ``TooManySockets`` if it had none and ``most`` other devices of the user have one.
        """

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

    async def arrive(
        self, device: DeviceKey, location: DeviceLocation, *, most: int = MAX_SOCKETS
    ) -> DeviceLocation | None:
        before = await self.find(device)
        if before is None and self._connected(device[0]) >= most:
            raise TooManySockets
        self._store(device, location)
        return before

    async def restore(self, device: DeviceKey, location: DeviceLocation) -> DeviceLocation | None:
        known = await self.find(device)
        if known == location:
            return None
        if known is None or known.since <= location.since:
            self._store(device, location)
        return known

    async def leave(self, device: DeviceKey, location: DeviceLocation) -> None:
        if self._locations.get(device) == location:
            del self._locations[device]

    async def use(self, device: DeviceKey) -> None:
        if device in self._locations:
            self._locations[device] = self._locations.pop(device)

    async def find(self, device: DeviceKey) -> DeviceLocation | None:
        location = self._locations.get(device)
        return location if location is not None and location.process in self.leases.processes else None

    async def latest(self, user_id: UUID) -> DeviceKey | None:
        for device, location in reversed(self._locations.items()):
            if device[0] == user_id and location.process in self.leases.processes:
                return device
        return None

    def _connected(self, user_id: UUID) -> int:
        living = self.leases.processes
        return sum(device[0] == user_id and each.process in living for device, each in self._locations.items())

    def _store(self, device: DeviceKey, location: DeviceLocation) -> None:
        self._locations.pop(device, None)
        self._locations[device] = location


@dataclass(kw_only=True)
class RedisPresence:
    """The ``PresenceStore`` in Redis: for each user a hash of locations, and a sorted set of devices by use."""

    redis: RedisConnection
    leases: RedisLeases

    async def arrive(
        self, device: DeviceKey, location: DeviceLocation, *, most: int = MAX_SOCKETS
    ) -> DeviceLocation | None:
        before = await self._ask(_ARRIVE, *device, location.to_json(), _KEEP_S, most)
        if before == _FULL:
            raise TooManySockets
        return _read(before)

    async def restore(self, device: DeviceKey, location: DeviceLocation) -> DeviceLocation | None:
        return _read(await self._ask(_RESTORE, *device, location.to_json(), _KEEP_S))

    async def leave(self, device: DeviceKey, location: DeviceLocation) -> None:
        await self._ask(_LEAVE, *device, location.to_json())

    async def use(self, device: DeviceKey) -> None:
        await self._ask(_USE, *device)

    async def find(self, device: DeviceKey) -> DeviceLocation | None:
        return _read(await self._ask(_FIND, *device))

    async def latest(self, user_id: UUID) -> DeviceKey | None:
        device_id = await self._ask(_LATEST, user_id)
        return None if device_id is None else (user_id, device_id)

    async def _ask(self, script: str, user_id: UUID, *arguments: str | int) -> str | None:
        keys = [self.redis.key("places", user_id), self.redis.key("uses", user_id)]
        answer: str | None = await self.redis.script(script, keys, [self.leases.key(""), *arguments])
        return answer


def _read(text: str | None) -> DeviceLocation | None:
    return None if text is None else DeviceLocation.from_json(text)


@dataclass(kw_only=True, eq=False)
class PresenceTracker:
    """Keeps the store true for the connections of this process.

    While the store cannot be reached, nothing here waits or fails; ``restore`` makes up for it later.
    """

    store: PresenceStore
    bus: NotificationBus
    connections: ConnectionManager
    max_sockets: int = MAX_SOCKETS
    """Of a user, on all processes."""
    _locations: dict[DeviceKey, DeviceLocation] = field(default_factory=dict, init=False)
    _tasks: OwnedTasks = field(default_factory=OwnedTasks, init=False)

    async def arrive(self, device: DeviceKey, *, connection_id: str, capabilities: frozenset[Capability]) -> None:
        """``device`` has a new connection here; an older one on another process gets closed.

        Raises ``TooManySockets``; without the store, those on this process count.
        """
        now = round(time.time() * 1000)
        location = DeviceLocation(
            process=self.bus.name, connection_id=connection_id, since=now, capabilities=capabilities
        )
        try:
            self._replace(device, await self.store.arrive(device, location, most=self.max_sockets))
        except ClusterUnavailable:
            if sum(other[0] == device[0] and other != device for other in self._locations) >= self.max_sockets:
                raise TooManySockets from None
        self._locations[device] = location

    async def leave(self, device: DeviceKey, *, connection_id: str) -> None:
        """The connection has ended."""
        location = self._locations.get(device)
        if location is not None and location.connection_id == connection_id:
            del self._locations[device]
            with suppress(ClusterUnavailable):
                await self.store.leave(device, location)

    def used(self, device: DeviceKey) -> None:
        """Note in the background that ``device`` was asked something."""

        async def use() -> None:
            with suppress(ClusterUnavailable):
                await self.store.use(device)

        self._tasks.start(use(), name="noting the device used last")

    async def latest(self, user_id: UUID) -> DeviceKey | None:
        """The user's device that was used last, on any process; without the store, of those on this process."""
        try:
            return await self.store.latest(user_id)
        except ClusterUnavailable:
            return self.connections.latest(user_id)

    async def connected(self, device: DeviceKey) -> bool:
        """Whether ``device`` is connected to any process."""
        if self.connections.connection(device) is not None:
            return True
        try:
            return await self.store.find(device) is not None
        except ClusterUnavailable:
            return False

    async def restore(self) -> None:
        """Store the locations of this process's devices again, and close those that have connected elsewhere since."""
        for device, location in list(self._locations.items()):
            other = await self.store.restore(device, location)
            if other is not None and other.since > location.since:
                self.close(device, location.connection_id)
            else:
                self._replace(device, other)

    def close(self, device: DeviceKey, connection_id: str) -> None:
        """Close this connection of ``device``, which has a newer one on another process."""
        connection = self.connections.connection(device)
        if connection is not None and connection.id == connection_id:
            connection.socket.close_soon(CloseCode.REPLACED)

    async def aclose(self) -> None:
        await self._tasks.aclose()

    def _replace(self, device: DeviceKey, before: DeviceLocation | None) -> None:
        if before is not None and before.process != self.bus.name:
            self._tasks.start(self._close_elsewhere(device, before), name="closing an older socket elsewhere")

    async def _close_elsewhere(self, device: DeviceKey, before: DeviceLocation) -> None:
        # If all of these are lost, that process finds out when it restores its locations.
        for pause_s in (0.0, *_REPEAT_AFTER_S):
            await asyncio.sleep(pause_s)
            await self.bus.send(before.process, Topic.REPLACED, *device, subject=before.connection_id)
