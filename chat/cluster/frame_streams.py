"""The frames of turns as Redis streams: written by one publisher in each process, read on any other.

An entry of a stream holds consecutive frames, encrypted with the user's key, and beside them the number of the first
and how many there are; the last entry says how many frames there are in all. An entry may be repeated and may overlap
with others: readers go by the numbers.
"""

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias
from uuid import UUID

from redis.asyncio import Redis

from accounts.cipher import Place
from accounts.errors import AccountError
from accounts.keys.vault import Vault
from chat.cluster.redis_connection import RedisConnection, VaultCache
from chat.errors import ClusterUnavailable, FramesLost
from chat.tasks import OwnedTasks
from chat.turns.frame_log import FrameLog
from chat.turns.supervisor import TurnKey

logger = logging.getLogger(__name__)

_AT_ONCE: Final = 50
_BETWEEN: Final = "\n"
"""Frames are JSON of one line."""
_GATHER_S: Final = 0.05
"""How long frames are gathered before they are published: 20 requests a second, however many turns run."""
_MOST_CHARS: Final = 256 * 1024
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
        """As Redis keeps it: scripts compare the text."""
        return json.dumps([self.process, self.device_id, self.fingerprint, ended])

    @classmethod
    def from_json(cls, text: str) -> "TurnRecord":
        process, device_id, fingerprint, ended = json.loads(text)
        return cls(process=process, device_id=device_id, fingerprint=fingerprint, ended=ended)


@dataclass(frozen=True)
class TurnKeys:
    """The names of a turn's keys in Redis."""

    redis: RedisConnection

    def turn(self, key: TurnKey) -> str:
        return self.redis.key("turn", *key)

    def frames(self, key: TurnKey, process: str) -> str:
        # Two processes may write the same turn if both began while Redis was away: each has a stream of its own.
        return self.redis.key("frames", *key, process)

    def running(self, user_id: UUID) -> str:
        return self.redis.key("running", user_id)


async def last_number(client: Redis, name: str) -> int:
    """The number of the newest frame in the stream; -1 while there is none."""
    entries: Any = await client.xrevrange(name, count=1)
    if not entries:
        return -1
    fields: dict[str, str] = entries[0][1]
    return int(fields.get("total") or int(fields["first"]) + int(fields["count"])) - 1


async def read_stream(
    redis: RedisConnection, vaults: VaultCache, key: TurnKey, name: str, *, after_seq: int, pause_s: float
) -> AsyncGenerator[Sequence[str], None]:
    """The frames of the stream after ``after_seq``, to its end; an empty batch after each pause without a frame.

    Raises ``FramesLost`` for a gap, and for what cannot be decrypted. A Redis that cannot be reached is a pause.
    """
    position, latest = after_seq + 1, "0"
    while True:
        try:
            entries = await _following(redis, name, latest, pause_s)
        except ClusterUnavailable:
            await redis.pause()
            entries = []
        if not entries:
            yield ()
        for entry_id, fields in entries:
            latest = entry_id
            if "total" in fields:
                if int(fields["total"]) > position:
                    raise FramesLost
                return
            batch = await _frames(vaults, key, fields, position)
            position += len(batch)
            if batch:
                yield batch


async def _following(
    redis: RedisConnection, name: str, latest: str, pause_s: float
) -> list[tuple[str, dict[str, str]]]:
    block = max(1, round(pause_s * 1000))
    found: Any = await redis.run(lambda client: client.xread({name: latest}, count=_AT_ONCE, block=block), blocks=True)
    return list(found[0][1]) if found else []


async def _frames(vaults: VaultCache, key: TurnKey, fields: Mapping[str, str], position: int) -> Sequence[str]:
    """The frames of an entry from number ``position`` on."""
    first, count = int(fields["first"]), int(fields["count"])
    if first > position:
        raise FramesLost
    if first + count <= position:
        return ()
    try:
        text = (await vaults(key[0])).decrypt(_place(key, first), fields["frames"])
    except AccountError:
        raise FramesLost from None
    return text.split(_BETWEEN)[position - first :]


def _entry(vault: Vault, key: TurnKey, first: int, frames: Sequence[str]) -> dict[str, str]:
    sealed = vault.encrypt(_place(key, first), _BETWEEN.join(frames))
    return {"first": str(first), "count": str(len(frames)), "frames": sealed}


def _last_entry(total: int) -> dict[str, str]:
    return {"total": str(total)}


def _place(key: TurnKey, first: int) -> Place:
    return Place(table="frames", column=str(first), row_id=UUID(key[1]))


@dataclass(kw_only=True, eq=False)
class Publication:
    """A turn that is published: how many of its frames are, and whether the id is known to be this process's."""

    key: TurnKey
    record: TurnRecord
    log: FrameLog
    claimed: bool = False
    published: int = 0
    ended_at: float | None = None

    @property
    def waits(self) -> bool:
        """Whether there is something to publish."""
        return self.log.closed or self.published <= self.log.last_seq


@dataclass(frozen=True, kw_only=True)
class _Batch:
    """What is published of one turn in one request."""

    publication: Publication
    entries: list[dict[str, str]]
    published: int
    ends: bool


Claim: TypeAlias = Callable[[Publication], Awaitable[TurnRecord | None]]


@dataclass(kw_only=True, eq=False)
class FramePublisher:
    """The one writer of this process's turns, busy while there are publications; each ends with its turn's last frame.

    It keeps no frames: a turn's log has them, and the publisher remembers how far it has published each. So it can
    fall behind without filling memory, and catches up after Redis has been away.
    """

    redis: RedisConnection
    vaults: VaultCache
    claim: Claim
    keep_s: int
    _publications: dict[TurnKey, Publication] = field(default_factory=dict, init=False)
    _tasks: OwnedTasks = field(default_factory=OwnedTasks, init=False)
    _publishing: asyncio.Task[None] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._keys = TurnKeys(self.redis)

    def add(self, publication: Publication) -> None:
        """Publish the frames of the publication's log, to its end."""
        self._publications[publication.key] = publication
        if self._publishing is None or self._publishing.done():
            self._publishing = self._tasks.start(self._run(), name="publishing frames")

    def republish(self) -> None:
        """Claim and publish everything again."""
        for publication in self._publications.values():
            publication.claimed, publication.published = False, 0

    async def renew(self) -> None:
        """Keep the keys of running turns from expiring. Raises ``ClusterUnavailable``."""
        publications = list(self._publications.values())

        async def expire(client: Redis) -> None:
            async with client.pipeline(transaction=False) as pipe:
                for each in publications:
                    pipe.expire(self._keys.turn(each.key), self.keep_s)
                    pipe.expire(self._keys.frames(each.key, each.record.process), self.keep_s)
                    pipe.expire(self._keys.running(each.key[0]), self.keep_s)
                await pipe.execute()

        if publications:
            await self.redis.run(expire)

    async def aclose(self) -> None:
        """Publish what is left, for two seconds at most."""
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
                logger.exception("frames could not be published; publishing goes on")
                await asyncio.sleep(_FAILED_S)

    async def _publish(self) -> None:
        batches = [
            batch for each in list(self._publications.values()) if each.waits and (batch := await self._batch(each))
        ]
        if not batches:
            return
        await self.redis.run(lambda client: self._send(client, batches))
        for batch in batches:
            batch.publication.published = batch.published
            if batch.ends:
                self._publications.pop(batch.publication.key, None)

    async def _batch(self, publication: Publication) -> _Batch | None:
        """What to publish of it now; None when the id turns out to be another process's."""
        if not publication.claimed and await self.claim(publication) is not None:
            self._publications.pop(publication.key, None)
            return None
        try:
            vault = await self.vaults(publication.key[0])
        except AccountError as error:
            logger.warning("a turn is not published: %s", error)
            self._publications.pop(publication.key, None)
            return None
        # Read before the frames are: what comes later is for the next batch.
        closed = publication.log.closed
        first = publication.published
        frames = _page(publication.log, first)
        entries = [_entry(vault, publication.key, first, frames)] if frames else []
        ends = closed and first + len(frames) > publication.log.last_seq
        if ends:
            entries.append(_last_entry(first + len(frames)))
        return _Batch(publication=publication, entries=entries, published=first + len(frames), ends=ends)

    async def _send(self, client: Redis, batches: list[_Batch]) -> None:
        async with client.pipeline(transaction=False) as pipe:
            for batch in batches:
                publication = batch.publication
                name = self._keys.frames(publication.key, publication.record.process)
                for fields in batch.entries:
                    pipe.xadd(name, fields)  # type: ignore[arg-type] # its dict is invariant
                pipe.expire(name, self.keep_s)
                if batch.ends:
                    pipe.set(self._keys.turn(publication.key), publication.record.to_json(ended=True), ex=self.keep_s)
                    pipe.srem(self._keys.running(publication.key[0]), publication.key[1])
            await pipe.execute()

    def _drop_old(self) -> None:
        """Publish no longer what ended so long ago that readers could not ask for it any more."""
        now = time.monotonic()
        for publication in list(self._publications.values()):
            if publication.log.closed:
                publication.ended_at = publication.ended_at or now
                if now > publication.ended_at + self.keep_s:
                    del self._publications[publication.key]


def _page(log: FrameLog, first: int) -> list[str]:
    """The frames from number ``first`` on, as many as an entry may hold."""
    page, chars = list[str](), 0
    for frame in log.since(first):
        page.append(frame)
        chars += len(frame)
        if chars >= _MOST_CHARS:
            break
    return page
