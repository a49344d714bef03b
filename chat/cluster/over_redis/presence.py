"""The ``Presence`` over Redis: for each user a hash of places and a sorted set of who was used when."""

import json
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from chat.cluster.over_redis.line import RedisLine
from chat.cluster.over_redis.pulse import RedisPulse
from chat.cluster.presence import Place
from chat.devices.connections import DeviceKey
from chat.protocol.frames.vocabulary import Capability

_KEEP_S: Final = 3600
"""How long a user's keys outlive the last word about them; they are renewed meanwhile."""

# KEYS: places, uses. Places on dead processes are none, and are removed when they are seen.
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


@dataclass(kw_only=True)
class RedisPresence:
    """As ``Presence``."""

    line: RedisLine
    pulse: RedisPulse

    async def arrive(self, device: DeviceKey, place: Place) -> Place | None:
        return _read(await self._ask(_ARRIVE, device[0], device[1], _written(place), _KEEP_S))

    async def restore(self, device: DeviceKey, place: Place) -> Place | None:
        return _read(await self._ask(_RESTORE, device[0], device[1], _written(place), _KEEP_S))

    async def leave(self, device: DeviceKey, place: Place) -> None:
        await self.line.script(_LEAVE, self._keys(device[0]), [device[1], _written(place)])

    async def use(self, device: DeviceKey) -> None:
        await self._ask(_USE, device[0], device[1])

    async def find(self, device: DeviceKey) -> Place | None:
        return _read(await self._ask(_FIND, device[0], device[1]))

    async def latest(self, user_id: UUID) -> DeviceKey | None:
        device_id = await self._ask(_LATEST, user_id)
        return None if device_id is None else (user_id, device_id)

    async def _ask(self, script: str, user_id: UUID, *arguments: str | int) -> str | None:
        answer: str | None = await self.line.script(script, self._keys(user_id), [self.pulse.key(""), *arguments])
        return answer

    def _keys(self, user_id: UUID) -> list[str]:
        return [self.line.key("places", user_id), self.line.key("uses", user_id)]


def _written(place: Place) -> str:
    return json.dumps(
        {
            "process": place.process,
            "connection": place.connection_id,
            "since": place.since,
            "capabilities": sorted(place.capabilities),
        }
    )


def _read(text: str | None) -> Place | None:
    if text is None:
        return None
    fields = json.loads(text)
    return Place(
        process=fields["process"],
        connection_id=fields["connection"],
        since=fields["since"],
        capabilities=frozenset(Capability(name) for name in fields["capabilities"] if name in list(Capability)),
    )
