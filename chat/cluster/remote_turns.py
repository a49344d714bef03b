"""The turns of all processes: which process writes which turn, and how other processes read and cancel it."""

import asyncio
import hashlib
import hmac
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol
from uuid import UUID

from redis.asyncio import Redis

from chat.cluster.frame_streams import FrameStreams, Publication, TurnRecord, last_number
from chat.cluster.leases import Leases
from chat.cluster.notifications import NotificationBus, Topic
from chat.devices.links import DeviceKey
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
    """The turns of all processes, kept while they run and for ten minutes afterwards.

    A turn whose process has died is still found, but gets no further frames. Methods raise ``ClusterUnavailable``,
    unless their docstring says otherwise.
    """

    async def claim(self, key: TurnKey, record: TurnRecord, log: FrameLog) -> TurnRecord | None:
        """Claim the id for this turn, atomically over all processes. Returns the record of an earlier claim, if any.

        After a claim, readers on other processes get the frames of ``log``, until its end. Raises nothing: while the
        directory cannot be reached, every claim succeeds.
        """

    async def find(self, key: TurnKey) -> TurnRecord | None:
        """The record of the turn."""

    async def running(self, device_id: str, *, user_id: UUID) -> Mapping[str, int]:
        """The device's turns that have not ended: the number of the last published frame by request id."""

    async def writers(self, user_id: UUID) -> Collection[str]:
        """The processes that write turns of the user."""

    def read(self, key: TurnKey, *, after_seq: int, pause_s: float) -> AsyncGenerator[Sequence[str], None]:
        """As ``FrameLog.read`` of a published log, with an empty batch after each ``pause_s`` seconds without a frame.

        Raises ``FramesLost`` if the next frame is no longer stored. Does not end if the writer died.
        """

    def forget(self, key: TurnKey, log: FrameLog) -> None:
        """This process no longer keeps ``log``. Never waits, never raises."""

    async def renew(self, *, forgotten: bool) -> None:
        """Keep what this process publishes from expiring. Publish it again if it may be ``forgotten``."""

    async def aclose(self) -> None:
        """Publish the remaining frames, and stop."""


@dataclass(kw_only=True)
class MemoryDirectory:
    """The ``TurnDirectory`` in this process's memory: the logs themselves, as long as they are kept."""

    _turns: dict[TurnKey, tuple[TurnRecord, FrameLog]] = field(default_factory=dict, init=False)

    async def claim(self, key: TurnKey, record: TurnRecord, log: FrameLog) -> TurnRecord | None:
        earlier = await self.find(key)
        if earlier is None:
            self._turns[key] = (record, log)
        return earlier

    async def find(self, key: TurnKey) -> TurnRecord | None:
        if key not in self._turns:
            return None
        record, log = self._turns[key]
        return replace(record, ended=log.closed)

    async def running(self, device_id: str, *, user_id: UUID) -> Mapping[str, int]:
        return {
            key[1]: log.last_seq
            for key, (record, log) in self._turns.items()
            if (key[0], record.device_id) == (user_id, device_id) and not log.closed
        }

    async def writers(self, user_id: UUID) -> Collection[str]:
        return {record.process for key, (record, log) in self._turns.items() if key[0] == user_id and not log.closed}

    async def read(self, key: TurnKey, *, after_seq: int, pause_s: float) -> AsyncGenerator[Sequence[str], None]:
        if key not in self._turns:
            raise FramesLost
        async with aclosing(self._turns[key][1].read(after_seq=after_seq, pause_s=pause_s)) as batches:
            async for batch in batches:
                yield batch

    def forget(self, key: TurnKey, log: FrameLog) -> None:
        if key in self._turns and self._turns[key][1] is log:
            del self._turns[key]

    async def renew(self, *, forgotten: bool) -> None:
        """Nothing expires in memory."""

    async def aclose(self) -> None:
        """There is nothing left to publish."""


@dataclass(kw_only=True, eq=False)
class RedisDirectory(FrameStreams):
    """The ``TurnDirectory`` in Redis: a key for each claim, a set of running turns for each user, frames in streams."""

    keep_s: int = round(KEEP_S)

    async def claim(self, key: TurnKey, record: TurnRecord, log: FrameLog) -> TurnRecord | None:
        publication = Publication(key=key, record=record, log=log)
        try:
            earlier = await self.claim_publication(publication)
        except ClusterUnavailable:
            # The publisher claims the id when Redis is back.
            earlier = None
        if earlier is None:
            self.add(publication)
        return earlier

    async def find(self, key: TurnKey) -> TurnRecord | None:
        text: Any = await self.redis.run(lambda client: client.get(self._turn_name(key)))
        return None if text is None else TurnRecord.from_json(text)

    async def running(self, device_id: str, *, user_id: UUID) -> Mapping[str, int]:
        async def numbers(client: Redis) -> dict[str, int]:
            return {
                request_id: await last_number(client, self._stream_name((user_id, request_id), record.process))
                for request_id, record in await self._records(client, user_id)
                if record.device_id == device_id
            }

        return await self.redis.run(numbers)

    async def writers(self, user_id: UUID) -> Collection[str]:
        records = await self.redis.run(lambda client: self._records(client, user_id))
        return {record.process for _, record in records}

    async def read(self, key: TurnKey, *, after_seq: int, pause_s: float) -> AsyncGenerator[Sequence[str], None]:
        record = await self.find(key)
        if record is None:
            raise FramesLost
        async for batch in self.stream(key, record.process, after_seq=after_seq, pause_s=pause_s):
            yield batch

    def forget(self, key: TurnKey, log: FrameLog) -> None:
        """The keys in Redis expire at about the same time."""

    async def _records(self, client: Redis, user_id: UUID) -> list[tuple[str, TurnRecord]]:
        """The ids and records of the user's turns that have not ended."""
        members: Any = await client.smembers(self._running_name(user_id))
        ids: list[str] = sorted(members)
        texts: Any = await client.mget([self._turn_name((user_id, request_id)) for request_id in ids]) if ids else []
        records = [
            (each, TurnRecord.from_json(text)) for each, text in zip(ids, texts, strict=True) if text is not None
        ]
        return [(request_id, record) for request_id, record in records if not record.ended]

    async def claim_publication(self, publication: Publication) -> TurnRecord | None:
        begun = publication.begun
        text = await self.redis.script(
            _CLAIM,
            [self._turn_name(publication.key), self._running_name(publication.key[0])],
            [publication.record.to_json(), publication.key[1], self.keep_s],
        )
        publication.claimed = text is None and begun == publication.begun
        return None if text is None else TurnRecord.from_json(text)


@dataclass(kw_only=True, eq=False)
class RemoteTurns:
    """Claims the ids of this process's turns, and reads those of others. ``secret`` keys the fingerprints."""

    directory: TurnDirectory
    leases: Leases
    bus: NotificationBus
    secret: bytes = field(repr=False)
    _copied: set[TurnKey] = field(default_factory=set, init=False)

    async def claim(self, turn: Turn, log: FrameLog, *, before_copy: Callable[[], None] = lambda: None) -> bool:
        """Claim the turn's id among all processes. Returns whether this process must write the turn.

        If another process has claimed it for the same request, ``before_copy`` is called, and the frames of that turn
        are copied into ``log``, until their end. For a request with another body, ``log`` fails with
        ``request_id_reused``. A cancellation meanwhile waits until it is known whose turn it is, and is passed on.
        """
        # Keyed, so that guesses of a user's message cannot be tested by reading Redis.
        keyed = hmac.new(self.secret, turn.fingerprint.encode(), hashlib.sha256).hexdigest()
        record = TurnRecord(process=self.bus.name, device_id=turn.device[1], fingerprint=keyed)
        claiming, cancelled = asyncio.create_task(self.directory.claim(turn.key, record, log)), False
        while not claiming.done():
            try:
                await asyncio.wait([claiming])
            except asyncio.CancelledError:
                cancelled = True
        other = claiming.result()
        if other is None:
            if cancelled:
                cancel_at_next_wait()
            return True
        if other.fingerprint != keyed:
            log.fail(reused(turn.request_id))
        else:
            before_copy()
            await self._copy(turn.key, log, cancelled=cancelled)
        return False

    def copies(self, key: TurnKey) -> bool:
        """Whether the turn's log on this process is a copy."""
        return key in self._copied

    async def exists(self, key: TurnKey) -> bool:
        """Whether a process writes the turn, or has written it; False while the directory cannot be reached."""
        try:
            return await self.directory.find(key) is not None
        except ClusterUnavailable:
            return False

    async def running(self, device: DeviceKey) -> Mapping[str, int]:
        """The turns that the device may resume here: the number of the last known frame by request id."""
        try:
            return await self.directory.running(device[1], user_id=device[0])
        except ClusterUnavailable:
            return {}

    async def frames(self, key: TurnKey, *, after_seq: int) -> AsyncGenerator[Sequence[str], None]:
        """The frames of another process's turn, until its end. Raises ``FrameRejected``.

        ``unknown_request``: the user has no such turn. ``turn_lost``: its process died before its end.
        """
        await self._record(key)
        ended = False
        try:
            async with aclosing(self.directory.read(key, after_seq=after_seq, pause_s=_PAUSE_S)) as batches:
                async for batch in batches:
                    if batch:
                        ended = False
                        yield batch
                        continue
                    # Two checks must agree, with a pause between them. By then, all frames from before the end have
                    # arrived, and a process that seemed dead only because Redis stalled is alive again.
                    before, ended = ended, await self._has_ended(key)
                    if before and ended:
                        break
                else:
                    return
        except FramesLost:
            pass
        raise FrameRejected(
            ErrorCode.TURN_LOST,
            "The server lost this answer before its end. Ask again.",
            request_id=key[1],
            retryable=True,
        )

    async def cancel(self, key: TurnKey) -> None:
        """Ask the turn's process to cancel it. Raises ``FrameRejected`` with ``unknown_request``."""
        record = await self._record(key)
        with suppress(TimeoutError):
            async with asyncio.timeout(_CANCEL_S):
                while not await self._has_ended(key):
                    await self.bus.send(record.process, Topic.CANCEL, key[0], subject=key[1])
                    await asyncio.sleep(_PAUSE_S)

    async def _copy(self, key: TurnKey, log: FrameLog, *, cancelled: bool) -> None:
        self._copied.add(key)
        try:
            if cancelled:
                await self.cancel(key)
            async with aclosing(self.frames(key, after_seq=-1)) as batches:
                async for batch in batches:
                    for frame in batch:
                        log.append(frame)
        except FrameRejected as rejection:
            log.fail(rejection)
        finally:
            self._copied.discard(key)

    async def _record(self, key: TurnKey) -> TurnRecord:
        try:
            record = await self.directory.find(key)
        except ClusterUnavailable:
            raise FrameRejected(
                ErrorCode.INTERNAL_ERROR,
                "The server cannot look up this request at the moment. Try again.",
                request_id=key[1],
                retryable=True,
            ) from None
        if record is None:
            raise unknown_request(key[1])
        return record

    async def _has_ended(self, key: TurnKey) -> bool:
        """Whether the turn gets no more frames, because it has ended or its process has died."""
        try:
            record = await self.directory.find(key)
            return record is None or record.ended or not await self.leases.alive(record.process)
        except ClusterUnavailable:
            return False
