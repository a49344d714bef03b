"""The store of the locations of all devices: in memory, or in Redis."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol
from uuid import UUID

from chat.cluster.leases import MemoryLeases, RedisLeases
from chat.cluster.redis_connection import RedisConnection
from chat.devices.links import DeviceKey
from chat.errors import Replaced, TooManySockets
from chat.protocol.frames.vocabulary import Capability
from chat.rates import MAX_SOCKETS

_KEEP_S: Final = 3600
"""How long Redis keeps a user's locations after the last renewal."""

# KEYS: locations, uses. ARGV: what the keys of living processes begin with, and what the script needs.
# Locations on dead processes do not count, and are removed when they are found.
_LIVING: Final = """
local places, uses = KEYS[1], KEYS[2]
local function living(device)
    local place = redis.call('HGET', places, device)
    if not place then return false end
    if redis.call('EXISTS', ARGV[1] .. cjson.decode(place)['process']) == 1 then return place end
    redis.call('HDEL', places, device)
    redis.call('ZREM', uses, device)
    return false
end
local function use(device)
    local last = redis.call('ZREVRANGE', uses, 0, 0, 'WITHSCORES')
    redis.call('ZADD', uses, (tonumber(last[2]) or 0) + 1, device)
end
local function keep(seconds)
    redis.call('EXPIRE', places, seconds)
    redis.call('EXPIRE', uses, seconds)
end
local function arrive(device, place, seconds)
    redis.call('HSET', places, device, place)
    use(device)
    keep(seconds)
end
"""
_FULL: Final = "full"
_REPLACED: Final = "replaced"
_ARRIVE: Final = f"""{_LIVING}
local before = living(ARGV[2])
if before then
    local late = cjson.decode(before)['since'] - cjson.decode(ARGV[3])['since']
    if late > 0 and late <= tonumber(ARGV[6]) then return '{_REPLACED}' end
else
    local others = 0
    for _, device in ipairs(redis.call('HKEYS', places)) do
        if living(device) then others = others + 1 end
    end
    if others >= tonumber(ARGV[5]) then return '{_FULL}' end
end
arrive(ARGV[2], ARGV[3], ARGV[4])
return before
"""
_RESTORE: Final = f"""{_LIVING}
local others = {{}}
for number = 1, #KEYS / 2 do
    places, uses = KEYS[2 * number - 1], KEYS[2 * number]
    local device, place = ARGV[2 * number + 1], ARGV[2 * number + 2]
    local known = living(device)
    if known == place then
        keep(ARGV[2])
        others[number] = false
    else
        if not known or cjson.decode(known)['since'] <= cjson.decode(place)['since'] then
            arrive(device, place, ARGV[2])
        end
        others[number] = known
    end
end
return others
"""
_LEAVE: Final = """
local known = redis.call('HGET', KEYS[1], ARGV[2])
if not known then return end
local stored, left = cjson.decode(known), cjson.decode(ARGV[3])
if known == ARGV[3] or (stored['process'] == left['process'] and stored['since'] < left['since']) then
    redis.call('HDEL', KEYS[1], ARGV[2])
    redis.call('ZREM', KEYS[2], ARGV[2])
end
"""
_USE: Final = f"""{_LIVING}
if redis.call('HEXISTS', places, ARGV[2]) == 1 then use(ARGV[2]) end
"""
_FIND: Final = f"""{_LIVING}
return living(ARGV[2])
"""
_LATEST: Final = f"""{_LIVING}
for _, device in ipairs(redis.call('ZREVRANGE', uses, 0, -1)) do
    if living(device) then return device end
end
return false
"""
_HOLDERS: Final = f"""{_LIVING}
local processes = {{}}
for _, device in ipairs(redis.call('HKEYS', places)) do
    local place = living(device)
    if place then table.insert(processes, cjson.decode(place)['process']) end
end
return processes
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class DeviceLocation:
    """A device's process and connection, the time of its handshake (ms since the epoch), and its capabilities."""

    process: str
    connection_id: str
    since: int
    capabilities: frozenset[Capability] = frozenset()

    def is_replaced_by(self, other: "DeviceLocation", *, waited_ms: int) -> bool:
        """Whether the other connection is later: its handshake was in the ``waited_ms`` between this one's and now.

        One that seems to be in the future is from a host whose clock is ahead, and is an earlier one.
        """
        return 0 < other.since - self.since <= waited_ms

    def follows(self, other: "DeviceLocation") -> bool:
        """Whether it is later than another location of the same device on the same process."""
        return self.process == other.process and self.since > other.since

    def to_json(self) -> str:
        """The text in Redis, which scripts compare."""
        fields = {"process": self.process, "connection": self.connection_id, "since": self.since}
        return json.dumps({**fields, "capabilities": sorted(self.capabilities)})

    @classmethod
    def from_json(cls, text: str) -> "DeviceLocation":
        """The location in a text of ``to_json``, perhaps of another release. Unknown capabilities are dropped."""
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
        self, device: DeviceKey, location: DeviceLocation, *, waited_ms: int = 0, most: int = MAX_SOCKETS
    ) -> DeviceLocation | None:
        """Store where ``device`` is, and that it was used last. Returns its previous location, if any.

        ``waited_ms`` is how long ago its handshake was. Raises ``Replaced`` if the device has a later connection, and
        ``TooManySockets`` if it had none and ``most`` other devices of the user have one.
        """

    async def restore(self, locations: Mapping[DeviceKey, DeviceLocation]) -> Mapping[DeviceKey, DeviceLocation]:
        """As ``arrive``, for locations that may be lost. If a later one is stored, it stays.

        Returns the stored locations, earlier or later, of the devices that had another one. This is repeated regularly
        for every device, so that its location does not expire.
        """

    async def leave(self, device: DeviceKey, location: DeviceLocation) -> None:
        """Remove this location of ``device``, or an earlier one on the same process; a newer one stays."""

    async def use(self, device: DeviceKey) -> None:
        """Make ``device`` the one that its user has used last."""

    async def find(self, device: DeviceKey) -> DeviceLocation | None:
        """Where ``device`` is."""

    async def latest(self, user_id: UUID) -> DeviceKey | None:
        """The connected device that the user has used last."""

    async def holders(self, user_id: UUID) -> Collection[str]:
        """The processes to which devices of the user are connected."""


@dataclass(kw_only=True)
class MemoryPresence:
    """The ``PresenceStore`` in this process's memory."""

    leases: MemoryLeases
    _locations: dict[DeviceKey, DeviceLocation] = field(default_factory=dict, init=False)

    async def arrive(
        self, device: DeviceKey, location: DeviceLocation, *, waited_ms: int = 0, most: int = MAX_SOCKETS
    ) -> DeviceLocation | None:
        before = await self.find(device)
        if before is not None and location.is_replaced_by(before, waited_ms=waited_ms):
            raise Replaced
        of_user = (at for other, at in self._locations.items() if other[0] == device[0])
        if before is None and sum(at.process in self.leases.processes for at in of_user) >= most:
            raise TooManySockets
        self._store(device, location)
        return before

    async def restore(self, locations: Mapping[DeviceKey, DeviceLocation]) -> Mapping[DeviceKey, DeviceLocation]:
        others: dict[DeviceKey, DeviceLocation] = {}
        for device, location in locations.items():
            stored = await self.find(device)
            if stored is not None and stored != location:
                others[device] = stored
            if stored is None or (stored != location and stored.since <= location.since):
                self._store(device, location)
        return others

    async def leave(self, device: DeviceKey, location: DeviceLocation) -> None:
        stored = self._locations.get(device)
        if stored is not None and (stored == location or location.follows(stored)):
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

    async def holders(self, user_id: UUID) -> Collection[str]:
        of_user = {each.process for device, each in self._locations.items() if device[0] == user_id}
        return of_user & self.leases.processes

    def _store(self, device: DeviceKey, location: DeviceLocation) -> None:
        self._locations.pop(device, None)
        self._locations[device] = location


@dataclass(kw_only=True)
class RedisPresence:
    """The ``PresenceStore`` in Redis: for each user a hash of locations, and a sorted set of devices by use."""

    redis: RedisConnection
    leases: RedisLeases

    async def arrive(
        self, device: DeviceKey, location: DeviceLocation, *, waited_ms: int = 0, most: int = MAX_SOCKETS
    ) -> DeviceLocation | None:
        before = await self._ask(_ARRIVE, *device, location.to_json(), _KEEP_S, most, waited_ms)
        if before == _REPLACED:
            raise Replaced
        if before == _FULL:
            raise TooManySockets
        return _read(before)

    async def restore(self, locations: Mapping[DeviceKey, DeviceLocation]) -> Mapping[DeviceKey, DeviceLocation]:
        keys = [name for user_id, _ in locations for name in self._names(user_id)]
        texts = [text for device, location in locations.items() for text in (device[1], location.to_json())]
        others = await self.redis.script(_RESTORE, keys, [self.leases.key(""), _KEEP_S, *texts])
        pairs = zip(locations, map(_read, others), strict=True)
        return {device: other for device, other in pairs if other is not None}

    async def leave(self, device: DeviceKey, location: DeviceLocation) -> None:
        await self._ask(_LEAVE, *device, location.to_json())

    async def use(self, device: DeviceKey) -> None:
        await self._ask(_USE, *device)

    async def find(self, device: DeviceKey) -> DeviceLocation | None:
        return _read(await self._ask(_FIND, *device))

    async def latest(self, user_id: UUID) -> DeviceKey | None:
        device_id = await self._ask(_LATEST, user_id)
        return None if device_id is None else (user_id, device_id)

    async def holders(self, user_id: UUID) -> Collection[str]:
        return set(await self._ask(_HOLDERS, user_id))

    async def _ask(self, script: str, user_id: UUID, *arguments: str | int) -> Any:
        return await self.redis.script(script, self._names(user_id), [self.leases.key(""), *arguments])

    def _names(self, user_id: UUID) -> list[str]:
        return [self.redis.key("places", user_id), self.redis.key("uses", user_id)]


def _read(text: str | None) -> DeviceLocation | None:
    return None if text is None else DeviceLocation.from_json(text)
