"""The frames of turns as Redis streams: written by one publisher in each process, read on any other process.

An entry of a stream has consecutive frames, encrypted with the user's key, the number of the first one, and their
count. The last entry has the total number of frames. Entries may be repeated and may overlap: readers use the numbers.
"""

import asyncio
import json
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextvars import Context
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from redis.asyncio import Redis

from accounts.cipher import Place
from accounts.errors import AccountError
from chat.cluster.redis_connection import RedisConnection, VaultCache, unblocking
from chat.errors import ClusterUnavailable, FramesLost
from chat.tasks import OwnedTasks
from chat.turns.frame_log import FRAME_SEPARATOR, FrameLog
from chat.turns.supervisor import TurnKey

logger = logging.getLogger(__name__)

_AT_ONCE: Final = 50
_GATHER_S: Final = 0.05
"""How long frames are gathered before they are published: 20 requests a second, however many turns run."""
_MAX_CHARS: Final = 256 * 1024
_CLOSING_S: Final = 2.0
_FAILED_S: Final = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnRecord:
    """The process that writes a turn, the turn's device, and a keyed fingerprint of its request."""

    process: str
    device_id: str
    fingerprint: str
    ended: bool = False

    def to_json(self, *, ended: bool = False) -> str:
        """The text in Redis, which scripts compare."""
        return json.dumps([self.process, self.device_id, self.fingerprint, ended])

    @classmethod
    def from_json(cls, text: str) -> "TurnRecord":
        process, device_id, fingerprint, ended = json.loads(text)
        return cls(process=process, device_id=device_id, fingerprint=fingerprint, ended=ended)


async def last_number(client: Redis, name: str) -> int:
    """The number of the newest frame in the stream; -1 if there is none."""
    entries: Any = await client.xrevrange(name, count=1)
    if not entries:
        return -1
    fields: dict[str, str] = entries[0][1]
    return int(fields.get("total") or int(fields["first"]) + int(fields["count"])) - 1


def _place(key: TurnKey, first: int) -> Place:
    return Place(table="frames", column=str(first), row_id=UUID(key[1]))


@dataclass(kw_only=True, eq=False)
class Publication:
    """A turn that is published: whether this process is known to have ``claimed`` the id, and how many frames are
    ``published``.

    ``begun`` counts how often it was begun, which distinguishes batches from before and after Redis lost its data.
    """

    key: TurnKey
    record: TurnRecord
    log: FrameLog
    claimed: bool = False
    published: int = 0
    begun: int = 1
    ended_at: float | None = None


@dataclass(frozen=True, kw_only=True)
class _Batch:
    """The entries of a turn that are published in one request. ``published`` is how many of its frames are then.

    A batch does not count if the publication was ``begun`` again meanwhile.
    """

    publication: Publication
    begun: int
    entries: list[dict[str, str]]
    published: int
    ends: bool


@dataclass(kw_only=True, eq=False)
class FrameStreams(ABC):
    """Reads the streams of all turns, and writes those of this process's turns while there are publications.

    A publication ends with its turn's last frame. It has only a position in the turn's log, and no frames. So it can
    fall behind without using memory, and catch up after Redis was away.
    """

    redis: RedisConnection
    vaults: VaultCache
    keep_s: int
    _publications: dict[TurnKey, Publication] = field(default_factory=dict, init=False)
    _tasks: OwnedTasks = field(default_factory=OwnedTasks, init=False)
    _publishing: asyncio.Task[None] | None = field(default=None, init=False)

    def _turn_name(self, key: TurnKey) -> str:
        return self.redis.key("turn", *key)

    def _stream_name(self, key: TurnKey, process: str) -> str:
        # Each process has a stream of its own, because two may write the same turn if both began while Redis was away.
        return self.redis.key("frames", *key, process)

    def _running_name(self, user_id: UUID) -> str:
        return self.redis.key("running", user_id)

    @abstractmethod
    async def claim_publication(self, publication: Publication) -> TurnRecord | None:
        """Claim the publication's id. Returns the record of an earlier claim, if there is one."""

    def add(self, publication: Publication) -> None:
        """Publish the frames of the publication's log, until its end."""
        self._publications[publication.key] = publication
        if self._publishing is None or self._publishing.done():
            self._publishing = self._tasks.start(self._run(), name="publishing frames", context=Context())

    async def renew(self, *, forgotten: bool) -> None:
        """Keep the keys of running turns from expiring. If they may be ``forgotten``, claim and publish all again.

        Raises ``ClusterUnavailable``.
        """
        publications = list(self._publications.values())
        for each in publications if forgotten else ():
            each.claimed, each.published, each.begun = False, 0, each.begun + 1

        async def expire(client: Redis) -> None:
            async with client.pipeline(transaction=False) as pipe:
                for each in publications:
                    pipe.expire(self._turn_name(each.key), self.keep_s)
                    pipe.expire(self._stream_name(each.key, each.record.process), self.keep_s)
                    pipe.expire(self._running_name(each.key[0]), self.keep_s)
                await pipe.execute()

        if publications:
            await self.redis.run(expire)

    async def aclose(self) -> None:
        """Publish the remaining frames, for two seconds at most."""
        for publication in self._publications.values():
            if not publication.log.closed:
                logger.warning("a turn is published without its end")
        await self._tasks.wait(_CLOSING_S)
        await self._tasks.aclose()

    async def _run(self) -> None:
        while self._publications:
            await asyncio.sleep(_GATHER_S)
            try:
                await self._publish()
            except ClusterUnavailable:
                self._drop_old()
                await self.redis.pause()
            except Exception:  # the boundary of a task that must outlive any failure of one batch
                logger.exception("frames could not be published; it is tried again")
                await asyncio.sleep(_FAILED_S)

    async def _publish(self) -> None:
        waiting = [
            each for each in self._publications.values() if each.log.closed or each.published <= each.log.last_seq
        ]
        batches = [batch for each in waiting if (batch := await self._batch(each)) is not None]
        if not batches:
            return
        await self.redis.run(lambda client: self._send(client, batches))
        for batch in batches:
            if batch.begun != batch.publication.begun:
                continue
            batch.publication.published = batch.published
            if batch.ends:
                self._publications.pop(batch.publication.key, None)

    async def _batch(self, publication: Publication) -> _Batch | None:
        """What to publish now; None if another process has claimed the id."""
        if not publication.claimed and await self.claim_publication(publication) is not None:
            self._publications.pop(publication.key, None)
            return None
        try:
            vault = await self.vaults(publication.key[0])
        except AccountError as error:
            logger.warning("a turn is not published: %s", error)
            self._publications.pop(publication.key, None)
            return None
        # Read before the frames: later ones are for the next batch.
        closed, first, begun = publication.log.closed, publication.published, publication.begun
        frames, entries = _page(publication.log, first), list[dict[str, str]]()
        total = first + len(frames)
        if frames:
            token = await unblocking(vault.encrypt, _place(publication.key, first), FRAME_SEPARATOR.join(frames))
            entries.append({"first": str(first), "count": str(len(frames)), "frames": token})
        ends = closed and total > publication.log.last_seq
        if ends:
            entries.append({"total": str(total)})
        return _Batch(publication=publication, begun=begun, entries=entries, published=total, ends=ends)

    async def _send(self, client: Redis, batches: list[_Batch]) -> None:
        async with client.pipeline(transaction=False) as pipe:
            for batch in batches:
                publication = batch.publication
                name = self._stream_name(publication.key, publication.record.process)
                for fields in batch.entries:
                    pipe.xadd(name, fields)  # type: ignore[arg-type] # its dict is invariant
                pipe.expire(name, self.keep_s)
                if batch.ends:
                    pipe.set(self._turn_name(publication.key), publication.record.to_json(ended=True), ex=self.keep_s)
                    pipe.srem(self._running_name(publication.key[0]), publication.key[1])
            await pipe.execute()

    async def stream(
        self, key: TurnKey, process: str, *, after_seq: int, pause_s: float
    ) -> AsyncGenerator[Sequence[str], None]:
        """The frames after ``after_seq``, until the last one, with an empty batch after each pause without a frame.

        Raises ``FramesLost`` for a gap, and for frames that cannot be decrypted. While Redis is away, there is a pause.
        """
        position, latest = after_seq + 1, "0"
        while True:
            try:
                entries = await self._following(self._stream_name(key, process), latest, pause_s)
            except ClusterUnavailable:
                await self.redis.pause()
                entries = []
            if not entries:
                yield ()
            for entry_id, fields in entries:
                latest = entry_id
                if "total" in fields:
                    if int(fields["total"]) > position:
                        raise FramesLost
                    return
                batch = await self._frames(key, fields, position)
                position += len(batch)
                if batch:
                    yield batch

    async def _following(self, name: str, latest: str, pause_s: float) -> list[tuple[str, dict[str, str]]]:
        block = max(1, round(pause_s * 1000))
        found: Any = await self.redis.run(
            lambda client: client.xread({name: latest}, count=_AT_ONCE, block=block), blocks=True
        )
        return list(found[0][1]) if found else []

    async def _frames(self, key: TurnKey, fields: Mapping[str, str], position: int) -> Sequence[str]:
        """The frames of an entry from number ``position`` on."""
        first, count = int(fields["first"]), int(fields["count"])
        if first > position:
            raise FramesLost
        if first + count <= position:
            return ()
        try:
            text = await self.vaults.decrypt(key[0], _place(key, first), fields["frames"])
        except AccountError:
            raise FramesLost from None
        return text.split(FRAME_SEPARATOR)[position - first :]

    def _drop_old(self) -> None:
        """Drop publications of turns whose frames would have expired by now."""
        now = time.monotonic()
        for publication in list(self._publications.values()):
            if publication.log.closed:
                publication.ended_at = publication.ended_at or now
                if now > publication.ended_at + self.keep_s:
                    del self._publications[publication.key]


def _page(log: FrameLog, first: int) -> list[str]:
    """The frames from number ``first`` on, as many as an entry may contain."""
    page, chars = list[str](), 0
    for frame in log.since(first):
        page.append(frame)
        chars += len(frame)
        if chars >= _MAX_CHARS:
            break
    return page
