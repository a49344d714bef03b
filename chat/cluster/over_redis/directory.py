"""The ``TurnDirectory`` over Redis: a key for each claim, a set of running turns for each user."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from redis.asyncio import Redis

from chat.cluster.directory import TurnRecord
from chat.cluster.over_redis.line import RedisLine
from chat.cluster.over_redis.press import Press, Publication
from chat.cluster.over_redis.records import read, written
from chat.cluster.over_redis.streams import TurnKeys, last_number, read_stream
from chat.cluster.over_redis.vaults import Vaults
from chat.errors import FramesLost, NeighboursAway
from chat.turns.replay import FrameLog
from chat.turns.supervisor import KEEP_S, TurnKey

# KEYS: the turn, the user's running turns. Gives the record of another process that has taken the id before.
_CLAIM: Final = """
local known = redis.call('GET', KEYS[1])
if known and known ~= ARGV[1] then return known end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[3])
redis.call('SADD', KEYS[2], ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[3])
return false
"""


class RedisDirectory:
    """As ``TurnDirectory``. One writer publishes the frames of all turns of this process."""

    def __init__(self, *, line: RedisLine, vaults: Vaults, keep_s: float = KEEP_S) -> None:
        self._line = line
        self._vaults = vaults
        self._keys = TurnKeys(line)
        self._keep_s = round(keep_s)
        self._press = Press(line=line, vaults=vaults, claim=self._claimed, keep_s=self._keep_s)

    async def claim(self, key: TurnKey, record: TurnRecord, log: FrameLog) -> TurnRecord | None:
        publication = Publication(key=key, record=record, log=log)
        try:
            known = await self._claimed(publication)
        except NeighboursAway:
            # The press claims it when Redis is back.
            known = None
        if known is None:
            self._press.add(publication)
        return known

    async def find(self, key: TurnKey) -> TurnRecord | None:
        text: Any = await self._line.run(lambda client: client.get(self._keys.turn(key)))
        return None if text is None else read(text)

    async def running(self, device_id: str, *, user_id: UUID) -> Mapping[str, int]:
        return await self._line.run(lambda client: self._numbers(client, device_id, user_id))

    async def read(self, key: TurnKey, *, after_seq: int, pause_s: float) -> AsyncGenerator[Sequence[str], None]:
        record = await self.find(key)
        if record is None:
            raise FramesLost
        stream = read_stream(
            self._line,
            self._vaults,
            key,
            self._keys.frames(key, record.process),
            after_seq=after_seq,
            pause_s=pause_s,
        )
        async for batch in stream:
            yield batch

    def forget(self, key: TurnKey, log: FrameLog) -> None:
        """Redis forgets by itself, at about the same time."""

    async def restore(self) -> None:
        self._press.reprint()

    async def renew(self) -> None:
        await self._press.renew()

    async def aclose(self) -> None:
        await self._press.aclose()

    async def _numbers(self, client: Redis, device_id: str, user_id: UUID) -> dict[str, int]:
        members: Any = await client.smembers(self._keys.running(user_id))
        ids: list[str] = sorted(members)
        if not ids:
            return {}
        records: Any = await client.mget([self._keys.turn((user_id, request_id)) for request_id in ids])
        found: dict[str, int] = {}
        for request_id, text in zip(ids, records, strict=True):
            record = None if text is None else read(text)
            if record is not None and not record.ended and record.device_id == device_id:
                name = self._keys.frames((user_id, request_id), record.process)
                found[request_id] = await last_number(client, name)
        return found

    async def _claimed(self, publication: Publication) -> TurnRecord | None:
        """Claim for a publication; gives who was before."""
        text = await self._line.script(
            _CLAIM,
            [self._keys.turn(publication.key), self._keys.running(publication.key[0])],
            [written(publication.record), publication.key[1], self._keep_s],
        )
        publication.claimed = text is None
        return None if text is None else read(text)
