"""The one writer that publishes the frames of this process's turns into Redis streams.

It keeps no frames of its own: a turn's log has them, and the press only remembers how far each has been printed. So it
can fall behind without filling memory, and catches up after Redis has been away.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from redis.asyncio import Redis

from accounts.errors import AccountError
from chat.cluster.directory import TurnRecord
from chat.cluster.over_redis.line import RedisLine
from chat.cluster.over_redis.records import written
from chat.cluster.over_redis.streams import TurnKeys, entry, last_entry
from chat.cluster.over_redis.vaults import Vaults
from chat.errors import NeighboursAway
from chat.tasks import OwnedTasks
from chat.turns.replay import FrameLog
from chat.turns.supervisor import TurnKey

logger = logging.getLogger(__name__)

_GATHER_S: Final = 0.05
"""How long frames are gathered before they are printed: Redis is asked 20 times a second however many turns run."""
_MOST_CHARS: Final = 256 * 1024
_CLOSING_S: Final = 2.0
_FAILED_S: Final = 1.0


@dataclass(kw_only=True, eq=False)
class Publication:
    """A turn that is published: how many of its frames are printed, and whether the id is known to be ours."""

    key: TurnKey
    record: TurnRecord
    log: FrameLog
    claimed: bool = False
    printed: int = 0
    ended_at: float | None = None

    @property
    def waits(self) -> bool:
        """Whether there is something to print."""
        return self.log.closed or self.printed <= self.log.last_seq


@dataclass(frozen=True, kw_only=True)
class _Sheet:
    """What is printed of a publication at once."""

    publication: Publication
    entries: list[dict[str, str]]
    printed: int
    ends: bool


Claim = Callable[[Publication], Awaitable[TurnRecord | None]]


@dataclass(kw_only=True, eq=False)
class Press:
    """Prints while there are publications; a turn's is gone once its end is printed."""

    line: RedisLine
    vaults: Vaults
    claim: Claim
    keep_s: int
    _publications: dict[TurnKey, Publication] = field(default_factory=dict, init=False)
    _tasks: OwnedTasks = field(default_factory=OwnedTasks, init=False)
    _printing: asyncio.Task[None] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._keys = TurnKeys(self.line)

    def add(self, publication: Publication) -> None:
        """Print what the publication's log gets, to its end."""
        self._publications[publication.key] = publication
        if self._printing is None or self._printing.done():
            self._printing = self._tasks.start(self._print_on(), name="publishing frames")

    def reprint(self) -> None:
        """Claim and print everything again."""
        for publication in self._publications.values():
            publication.claimed, publication.printed = False, 0

    async def renew(self) -> None:
        """Keep what belongs to running turns from expiring. Raises ``NeighboursAway``."""
        publications = list(self._publications.values())

        async def expire(client: Redis) -> None:
            async with client.pipeline(transaction=False) as pipe:
                for each in publications:
                    pipe.expire(self._keys.turn(each.key), self.keep_s)
                    pipe.expire(self._keys.frames(each.key, each.record.process), self.keep_s)
                    pipe.expire(self._keys.running(each.key[0]), self.keep_s)
                await pipe.execute()

        if publications:
            await self.line.run(expire)

    async def aclose(self) -> None:
        """Print what is left, for two seconds at most."""
        for publication in self._publications.values():
            if not publication.log.closed:
                logger.warning("a turn is published without its end")
        await self._tasks.wait(_CLOSING_S)
        await self._tasks.aclose()

    async def _print_on(self) -> None:
        while self._publications:
            await asyncio.sleep(_GATHER_S)
            try:
                await self._print()
            except NeighboursAway:
                self._drop_old()
                await self.line.pause()
            except Exception:  # the boundary of a task that must outlive whatever goes wrong with one page
                logger.exception("frames could not be published; publishing goes on")
                await asyncio.sleep(_FAILED_S)

    async def _print(self) -> None:
        sheets = [
            sheet for each in list(self._publications.values()) if each.waits and (sheet := await self._set(each))
        ]
        if not sheets:
            return
        await self.line.run(lambda client: self._printed(client, sheets))
        for sheet in sheets:
            sheet.publication.printed = sheet.printed
            if sheet.ends:
                self._publications.pop(sheet.publication.key, None)

    async def _set(self, publication: Publication) -> _Sheet | None:
        """What is to be printed of it now; nothing when it turns out that the id is another process's."""
        if not publication.claimed and await self.claim(publication) is not None:
            self._publications.pop(publication.key, None)
            return None
        try:
            vault = await self.vaults(publication.key[0])
        except AccountError as error:
            logger.warning("a turn is not published: %s", error)
            self._publications.pop(publication.key, None)
            return None
        # Looked at before the frames are: what comes later is for the next sheet.
        closed = publication.log.closed
        first = publication.printed
        frames = _page(publication.log, first)
        entries = [entry(vault, publication.key, first, frames)] if frames else []
        ends = closed and first + len(frames) > publication.log.last_seq
        if ends:
            entries.append(last_entry(first + len(frames)))
        return _Sheet(publication=publication, entries=entries, printed=first + len(frames), ends=ends)

    async def _printed(self, client: Redis, sheets: list[_Sheet]) -> None:
        async with client.pipeline(transaction=False) as pipe:
            for sheet in sheets:
                publication = sheet.publication
                name = self._keys.frames(publication.key, publication.record.process)
                for fields in sheet.entries:
                    pipe.xadd(name, fields)  # type: ignore[arg-type] # its dict is invariant
                pipe.expire(name, self.keep_s)
                if sheet.ends:
                    pipe.set(self._keys.turn(publication.key), written(publication.record, ended=True), ex=self.keep_s)
                    pipe.srem(self._keys.running(publication.key[0]), publication.key[1])
            await pipe.execute()

    def _drop_old(self) -> None:
        """What ended so long ago that nobody could ask for it any more is not published any more."""
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
