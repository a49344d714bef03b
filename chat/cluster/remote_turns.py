"""The turns of all processes: which process writes which, and how any other reads and cancels it."""

import asyncio
import hashlib
import hmac
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol
from uuid import UUID

from redis.asyncio import Redis

from chat.cluster.frame_streams import FramePublisher, Publication, TurnKeys, TurnRecord, last_number, read_stream
from chat.cluster.leases import Leases
from chat.cluster.notifications import Notification, NotificationBus, Topic
from chat.cluster.redis_connection import RedisConnection, VaultCache
from chat.devices.connections import DeviceKey
from chat.errors import ClusterUnavailable, FramesLost
from chat.protocol.frames.errors import FrameRejected, reused, unknown_request
from chat.protocol.frames.vocabulary import ErrorCode
from chat.tasks import cancel_at_next_wait
from chat.turns.frame_log import FrameLog
from chat.turns.supervisor import KEEP_S, Turn, TurnKey

_PAUSE_S: Final = 0.25
_CANCEL_S: Final = 5.0

# KEYS: the turn, the user's running turns. Returns the record of another process that has claimed the id before.
_CLAIM: Final = """
local known = redis.call('GET', KEYS[1])
if known and known ~= ARGV[1] then return known end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[3])
redis.call('SADD', KEYS[2], ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[3])
return false
"""


class TurnDirectory(Protocol):
    """The turns of all processes, kept while they run and ten minutes longer.

    A turn whose process has died is still known, but its frames do not go on. Unless it says otherwise, a method
    raises ``ClusterUnavailable``.
    """

    async def claim(self, key: TurnKey, record: TurnRecord, log: FrameLog) -> TurnRecord | None:
        """Claim the id for this turn; the record of an earlier claim, if there is one. Atomic over all processes.

        After a claim, readers on other processes get what ``log`` gets, to its end. Raises nothing: while the
        directory cannot be reached, every claim succeeds on this process.
        """

    async def find(self, key: TurnKey) -> TurnRecord | None:
        """The record of the turn."""

    async def running(self, device_id: str, *, user_id: UUID) -> Mapping[str, int]:
        """The device's turns that have not ended: the number of the last published frame, by request id."""

    def read(self, key: TurnKey, *, after_seq: int, pause_s: float) -> AsyncGenerator[Sequence[str], None]:
        """As ``FrameLog.read`` of a published log, with an empty batch after each ``pause_s`` seconds without a frame.

        Raises ``FramesLost`` when the next frame is no longer stored. Does not end for a writer that died.
        """

    def forget(self, key: TurnKey, log: FrameLog) -> None:
        """This process keeps ``log`` no longer. Never waits, never raises."""

    async def restore(self) -> None:
        """Publish again what this process has published, in case it was forgotten."""

    async def renew(self) -> None:
        """Keep what this process publishes from expiring."""

    async def aclose(self) -> None:
        """Publish what is left and stop."""


@dataclass(kw_only=True)
class MemoryDirectory:
    """The ``TurnDirectory`` in this process's memory: the logs themselves, as long as they are kept."""

    _records: dict[TurnKey, TurnRecord] = field(default_factory=dict, init=False)
    _logs: dict[TurnKey, FrameLog] = field(default_factory=dict, init=False)

    async def claim(self, key: TurnKey, record: TurnRecord, log: FrameLog) -> TurnRecord | None:
        known = await self.find(key)
        if known is None:
            self._records[key], self._logs[key] = record, log
        return known

    async def find(self, key: TurnKey) -> TurnRecord | None:
        record, log = self._records.get(key), self._logs.get(key)
        return None if record is None or log is None else replace(record, ended=log.closed)

    async def running(self, device_id: str, *, user_id: UUID) -> Mapping[str, int]:
        mine = [key for key, record in self._records.items() if (key[0], record.device_id) == (user_id, device_id)]
        logs = {key[1]: self._logs[key] for key in mine}
        return {request_id: log.last_seq for request_id, log in logs.items() if not log.closed}

    async def read(self, key: TurnKey, *, after_seq: int, pause_s: float) -> AsyncGenerator[Sequence[str], None]:
        log = self._logs.get(key)
        if log is None:
            raise FramesLost
        async with aclosing(log.read(after_seq=after_seq, pause_s=pause_s)) as batches:
            async for batch in batches:
                yield batch

    def forget(self, key: TurnKey, log: FrameLog) -> None:
        if self._logs.get(key) is log:
            del self._records[key], self._logs[key]

    async def restore(self) -> None:
        """Memory forgets nothing by itself."""

    async def renew(self) -> None:
        """Memory forgets nothing by itself."""

    async def aclose(self) -> None:
        """There is nothing left to publish."""


class RedisDirectory:
    """The ``TurnDirectory`` in Redis: a key for each claim, a set of running turns for each user, frames in streams."""

    def __init__(self, *, redis: RedisConnection, vaults: VaultCache, keep_s: float = KEEP_S) -> None:
        self._redis = redis
        self._vaults = vaults
        self._keys = TurnKeys(redis)
        self._keep_s = round(keep_s)
        self._publisher = FramePublisher(redis=redis, vaults=vaults, claim=self._claimed, keep_s=self._keep_s)

    async def claim(self, key: TurnKey, record: TurnRecord, log: FrameLog) -> TurnRecord | None:
        publication = Publication(key=key, record=record, log=log)
        try:
            known = await self._claimed(publication)
        except ClusterUnavailable:
            # The publisher claims it when Redis is back.
            known = None
        if known is None:
            self._publisher.add(publication)
        return known

    async def find(self, key: TurnKey) -> TurnRecord | None:
        text: Any = await self._redis.run(lambda client: client.get(self._keys.turn(key)))
        return None if text is None else TurnRecord.from_json(text)

    async def running(self, device_id: str, *, user_id: UUID) -> Mapping[str, int]:
        return await self._redis.run(lambda client: self._numbers(client, device_id, user_id))

    async def read(self, key: TurnKey, *, after_seq: int, pause_s: float) -> AsyncGenerator[Sequence[str], None]:
        record = await self.find(key)
        if record is None:
            raise FramesLost
        name = self._keys.frames(key, record.process)
        async for batch in read_stream(self._redis, self._vaults, key, name, after_seq=after_seq, pause_s=pause_s):
            yield batch

    def forget(self, key: TurnKey, log: FrameLog) -> None:
        """Redis forgets by itself, at about the same time."""

    async def restore(self) -> None:
        self._publisher.republish()

    async def renew(self) -> None:
        await self._publisher.renew()

    async def aclose(self) -> None:
        await self._publisher.aclose()

    async def _numbers(self, client: Redis, device_id: str, user_id: UUID) -> dict[str, int]:
        members: Any = await client.smembers(self._keys.running(user_id))
        ids: list[str] = sorted(members)
        if not ids:
            return {}
        records: Any = await client.mget([self._keys.turn((user_id, request_id)) for request_id in ids])
        found: dict[str, int] = {}
        for request_id, text in zip(ids, records, strict=True):
            record = None if text is None else TurnRecord.from_json(text)
            if record is not None and not record.ended and record.device_id == device_id:
                name = self._keys.frames((user_id, request_id), record.process)
                found[request_id] = await last_number(client, name)
        return found

    async def _claimed(self, publication: Publication) -> TurnRecord | None:
        """Claim the publication's id; the record of an earlier claim, if there is one."""
        text = await self._redis.script(
            _CLAIM,
            [self._keys.turn(publication.key), self._keys.running(publication.key[0])],
            [publication.record.to_json(), publication.key[1], self._keep_s],
        )
        publication.claimed = text is None
        return None if text is None else TurnRecord.from_json(text)


class RemoteTurns:
    """Claims the ids of this process's turns, and reads those of others. ``secret`` keys the fingerprints."""

    def __init__(self, *, directory: TurnDirectory, leases: Leases, bus: NotificationBus, secret: bytes) -> None:
        self._directory = directory
        self._leases = leases
        self._bus = bus
        self._secret = secret
        self._copied: set[TurnKey] = set()

    async def claim(self, turn: Turn, log: FrameLog) -> bool:
        """Claim the turn's id over all processes; whether this process is to write the turn.

        If another process has claimed it for the same request, its frames are copied into ``log``, to their end. For a
        request with another body ``log`` fails with ``request_id_reused``.
        """
        record = self._record(turn)
        other = await self._claimed(turn, record, log)
        if other is None:
            return True
        if other.fingerprint != record.fingerprint:
            log.fail(reused(turn.request_id))
        else:
            await self._copy(turn.key, log)
        return False

    def copies(self, key: TurnKey) -> bool:
        """Whether the turn's log on this process is a copy."""
        return key in self._copied

    async def knows(self, key: TurnKey) -> bool:
        """Whether a process writes the turn, or has written it; False while that cannot be asked."""
        try:
            return await self._directory.find(key) is not None
        except ClusterUnavailable:
            return False

    async def running(self, device: DeviceKey) -> Mapping[str, int]:
        """The turns that the device may resume here: the number of the last known frame, by request id."""
        try:
            return await self._directory.running(device[1], user_id=device[0])
        except ClusterUnavailable:
            return {}

    async def frames(self, key: TurnKey, *, after_seq: int) -> AsyncGenerator[Sequence[str], None]:
        """The frames of another process's turn, to its end. Raises ``FrameRejected``.

        ``unknown_request``: there is no such turn of this user. ``turn_lost``: its process died before its end.
        """
        await self._known(key)
        over = False
        try:
            async with aclosing(self._directory.read(key, after_seq=after_seq, pause_s=_PAUSE_S)) as batches:
                async for batch in batches:
                    if batch:
                        yield batch
                    elif over:
                        break
                    else:
                        # All that was written before the end is there by now: the next pause is the last one.
                        over = await self._over(key)
                else:
                    return
        except FramesLost:
            pass
        raise _lost(key[1])

    async def cancel(self, key: TurnKey) -> None:
        """Have the turn's process cancel it. Raises ``FrameRejected`` with ``unknown_request``."""
        record = await self._known(key)
        notification = Notification(topic=Topic.CANCEL, sender=self._bus.name, user_id=key[0], subject=key[1])
        with suppress(TimeoutError):
            async with asyncio.timeout(_CANCEL_S):
                while not await self._over(key):
                    await self._bus.send(record.process, notification)
                    await asyncio.sleep(_PAUSE_S)

    async def _claimed(self, turn: Turn, record: TurnRecord, log: FrameLog) -> TurnRecord | None:
        try:
            return await self._directory.claim(turn.key, record, log)
        except asyncio.CancelledError:
            cancel_at_next_wait()
            return None

    async def _copy(self, key: TurnKey, log: FrameLog) -> None:
        self._copied.add(key)
        try:
            async with aclosing(self.frames(key, after_seq=-1)) as batches:
                async for batch in batches:
                    for frame in batch:
                        log.append(frame)
        except FrameRejected as rejection:
            log.fail(rejection)
        finally:
            self._copied.discard(key)

    async def _known(self, key: TurnKey) -> TurnRecord:
        try:
            record = await self._directory.find(key)
        except ClusterUnavailable:
            raise FrameRejected(
                ErrorCode.INTERNAL_ERROR,
                "The server cannot look for this request now. Try again in a moment.",
                request_id=key[1],
                retryable=True,
            ) from None
        if record is None:
            raise unknown_request(key[1])
        return record

    async def _over(self, key: TurnKey) -> bool:
        """Whether the turn gets no more frames, because it has ended or its process has died."""
        try:
            record = await self._directory.find(key)
            return record is None or record.ended or not await self._leases.alive(record.process)
        except ClusterUnavailable:
            return False

    def _record(self, turn: Turn) -> TurnRecord:
        # Keyed, so that no one who reads Redis can try out what a user may have asked.
        keyed = hmac.new(self._secret, turn.fingerprint.encode(), hashlib.sha256).hexdigest()
        return TurnRecord(process=self._bus.name, device_id=turn.device[1], fingerprint=keyed)


def _lost(request_id: str) -> FrameRejected:
    return FrameRejected(
        ErrorCode.TURN_LOST,
        "The server lost this answer before its end. Ask again.",
        request_id=request_id,
        retryable=True,
    )
