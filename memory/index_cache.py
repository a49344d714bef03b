"""The indexes of users' exchanges in this process: built in the background, updated by turns, and dropped.

An index has the decrypted texts, because ciphertext cannot be searched, and it exists in memory only. It is dropped
when its user has been away for a while, has the memory turned off or is gone, and when others need the space.

Before a turn asks the index, it reads in one statement what has changed or was forgotten since the revision of the
index (``Changes``). An index is built in a thread, a few rows at a time, so that the event loop goes on. The newest
rows come first, so that turns can ask the index while it is built.
"""

import asyncio
import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from accounts.cipher import Place
from accounts.cursors import Cursor
from accounts.database import in_database
from accounts.errors import AccountError
from accounts.keys.vault import Vault, one_moment, open_vault
from accounts.models import User
from memory.exchange import Exchange
from memory.fact_index import FactIndex
from memory.models import MemoryEpisodic, decrypted, readable
from memory.revisions import MemoryRevision
from memory.search.choosing import Beside
from memory.search.exchanges import Said
from memory.search.index import ExchangeIndex
from memory.search.question import Question
from memory.search.ranking import BUDGET, recalled
from memory.search.told import Told

logger = logging.getLogger(__name__)

MAX_BYTES: Final = 256 * 1024 * 1024
AWAY_S: Final = 600.0
MAX_CHANGES: Final = 100
"""If more rows have changed, the index is built again in the background, so that no turn waits for it."""
_SHARE: Final = 4
"""One user's index takes at most the whole space divided by this. Of a longer memory it has the newest exchanges."""
_OUTGROWN: Final = 1.25
"""If turns have made an index so many times as large as it was when built, it is built again."""
_ROWS: Final = 50
"""How many rows are read from the database at once."""
_SLICE_S: Final = 0.001
"""For how long a thread adds exchanges, with the interpreter and the index locked, before it pauses."""
_PAUSE_S: Final = 0.000_02
"""The pause, so that the event loop or a turn goes on. If the thread only yielded, it would often be the next again."""
_ASKING_S: Final = 0.05
"""How much of the time that a turn waits for an index is left for asking it."""
_BUILDS: Final = 2
"""How many indexes are built at the same time."""
_SWEEP_S: Final = 30.0
_TABLE: Final = MemoryEpisodic._meta.db_table  # noqa: SLF001 - Django's public name for it


class StoredExchange(NamedTuple):
    """A row of the episodic tier, encrypted. ``words`` is empty if only the summary is left."""

    id: UUID
    at: datetime
    session_id: str
    words: str
    summary: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Changes:
    """The changes to a user's exchanges that one statement has read for an index as of some revision.

    ``rows`` are those that have changed since, ``MAX_CHANGES`` at most. ``forgotten`` has the ids, as integers, of rows
    that were deleted since. If it may lack some, ``kept`` has the ids of all rows that the index may still have;
    otherwise it is None. ``complete`` is whether the index was complete when the statement was sent.
    """

    latest: int
    rows: Sequence[StoredExchange]
    forgotten: frozenset[int]
    kept: frozenset[int] | None
    vault: Vault
    zone: ZoneInfo
    complete: bool

    def deletes(self, row_id: int) -> bool:
        """Whether the row with this id is gone."""
        return row_id in self.forgotten or (self.kept is not None and row_id not in self.kept)


@dataclass(frozen=True, kw_only=True, slots=True)
class AsOf:
    """What an index has: exchanges since ``oldest`` as of ``revision``, and facts as of ``facts_revision``.

    Until it is ``complete``, older exchanges are added to it.
    """

    revision: int
    facts_revision: int
    oldest: datetime
    complete: bool


class CachedIndex:
    """The index of one user as of ``revision``; until it is ``complete``, older exchanges are missing."""

    def __init__(self, revision: int, zone: ZoneInfo) -> None:
        self.revision = revision
        self.complete = False
        self.built_size = 0
        """The size of the exchanges when it was completed."""
        self.used_at = 0.0
        self.index = ExchangeIndex()
        self.facts = FactIndex()
        self._zone = zone
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return self.index.size + self.facts.size

    def as_of(self) -> AsOf:
        """What it has, to ask for what has changed since."""
        # Read first, because the index may be completed meanwhile.
        complete = self.complete
        oldest = self.index.oldest or datetime.max.replace(tzinfo=UTC)
        return AsOf(revision=self.revision, facts_revision=self.facts.revision, oldest=oldest, complete=complete)

    def ask(
        self, changes: Changes, question: Question, *, budget: int = BUDGET, beside: Sequence[Beside] = ()
    ) -> list[Told] | None:
        """Passages for ``question`` after ``changes``, in ``budget`` characters of JSON; None if it must be rebuilt.

        What is told ``beside`` uses a part of the budget. Any number of threads may ask.
        """
        with self._lock:
            if not changes.complete:
                return self._ask_meanwhile(changes, question, budget, beside)
            # Changes that an earlier statement has read must not bring back what a later one has removed.
            if changes.latest > self.revision and not self._apply(changes):
                return None
            return recalled(self.index, question, budget=budget, beside=beside)

    def _ask_meanwhile(
        self, changes: Changes, question: Question, budget: int, beside: Sequence[Beside]
    ) -> list[Told] | None:
        """As ``ask``, while the index is built: only exchanges that have not changed since that began.

        Changes are not applied yet, because rows that were read before them may still be added.
        """
        if len(changes.rows) >= MAX_CHANGES:
            return None
        changed = {row.id for row in changes.rows}
        told = recalled(self.index, question, budget=budget, beside=beside)
        return [each for each in told if each.id not in changed and not changes.deletes(each.id.int)]

    def _apply(self, changes: Changes) -> bool:
        if len(changes.rows) >= MAX_CHANGES or changes.zone != self._zone:
            return False
        for row_id in changes.forgotten:
            self.index.remove_id(row_id)
        if changes.kept is not None:
            self.index.remove_others(changes.kept)
        rows = deque(changes.rows)
        while rows:
            self._fill(changes.vault, rows)
            time.sleep(_PAUSE_S)
        self.revision = changes.latest
        # Exchanges that were removed still take space, so an index with many of them is built again.
        return self.index.places <= 2 * len(self.index) + MAX_CHANGES

    def extend(self, vault: Vault, rows: Sequence[StoredExchange]) -> None:
        """Add older rows. Those that cannot be decrypted are left out and logged."""
        left = deque(rows)
        while left:
            with self._lock:
                self._fill(vault, left)
            time.sleep(_PAUSE_S)

    def _fill(self, vault: Vault, rows: deque[StoredExchange]) -> None:
        """Take the first of ``rows``, as many as a slice of time allows, and add them."""
        until = time.perf_counter() + _SLICE_S
        while rows and time.perf_counter() < until:
            row = rows.popleft()
            self.index.remove(row.id)
            for said in readable([row], lambda each: _said(vault, each, self._zone)):
                self.index.add(said)


@dataclass(eq=False)
class IndexCache:
    """The indexes of this process. ``begin`` starts dropping those that are not used, and ``aclose`` ends all work.

    Together they take at most ``max_bytes`` (``CachedIndex.size``), including those that are being built. If they take
    more, those that were not used for the longest time are dropped, and counted in ``evictions``. An index that was not
    used for ``away_s`` is dropped, too.
    """

    max_bytes: int = MAX_BYTES
    away_s: float = AWAY_S
    clock: Callable[[], float] = time.monotonic
    evictions: int = field(default=0, init=False)
    _cached: OrderedDict[UUID, CachedIndex] = field(default_factory=OrderedDict, init=False)
    _building: dict[UUID, asyncio.Task[CachedIndex | None]] = field(default_factory=dict, init=False)
    _begun: dict[UUID, CachedIndex] = field(default_factory=dict, init=False)
    _slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_BUILDS), init=False)
    _sweeping: asyncio.Task[None] | None = field(default=None, init=False)

    @property
    def size(self) -> int:
        """About how many bytes all indexes take."""
        return sum(cached.size for cached in (*self._cached.values(), *self._begun.values()))

    def find(self, user_id: UUID) -> CachedIndex | None:
        """The index of this user, if it has been built and has not outgrown its share."""
        cached = self._cached.get(user_id)
        if cached is None:
            return None
        if cached.index.size > _OUTGROWN * max(cached.built_size, self._share):
            del self._cached[user_id]
            return None
        cached.used_at = self.clock()
        self._cached.move_to_end(user_id)
        self._evict()
        return cached

    @property
    def _share(self) -> int:
        return self.max_bytes // _SHARE

    async def build(self, user_id: UUID, *, within_s: float) -> CachedIndex | None:
        """As ``find``, after building it. If that takes longer than ``within_s``, it goes on for later turns, and the
        unfinished index is returned, or None if it is still empty.
        """
        task = self._building.get(user_id)
        if task is None:
            task = asyncio.create_task(self._build(user_id), name="building an index of exchanges")
            self._building[user_id] = task
            task.add_done_callback(lambda done: self._ended(user_id, done))
        done, _ = await asyncio.wait({task}, timeout=max(within_s - _ASKING_S, 0.0))
        if done:
            # Another turn may have dropped it.
            return None if task.cancelled() else task.result()
        begun = self._begun.get(user_id)
        return begun if begun is not None and len(begun.index) else None

    def _ended(self, user_id: UUID, task: asyncio.Task[CachedIndex | None]) -> None:
        if self._building.get(user_id) is task:
            del self._building[user_id]
            self._begun.pop(user_id, None)

    def drop(self, user_id: UUID) -> None:
        """Drop the index of this user, and stop building one."""
        self._cached.pop(user_id, None)
        self._begun.pop(user_id, None)
        # Not awaited, so that the next build can begin at once.
        if (task := self._building.pop(user_id, None)) is not None:
            task.cancel()

    def begin(self) -> None:
        """Start sweeping in the running loop. Idempotent."""
        if self._sweeping is None:
            self._sweeping = asyncio.create_task(self._sweep_forever(), name="dropping indexes of exchanges")

    async def aclose(self) -> None:
        """Stop all work and drop everything. Idempotent."""
        tasks = [*self._building.values(), *([self._sweeping] if self._sweeping is not None else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._sweeping = None
        self._cached.clear()

    async def sweep(self) -> None:
        """Drop the indexes of users who are away, are gone, or have turned the memory off."""
        before = self.clock() - self.away_s
        for user_id in [user_id for user_id, cached in self._cached.items() if cached.used_at < before]:
            self.drop(user_id)
        if users := list(self._cached):
            present = User.objects.filter(id__in=users, memory_enabled=True).exclude(encryption_key="")
            kept = await in_database(lambda: set(present.values_list("id", flat=True)))
            for user_id in users:
                if user_id not in kept:
                    self.drop(user_id)

    async def _sweep_forever(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP_S)
            try:
                await self.sweep()
            except Exception as error:  # noqa: BLE001 - the boundary of a background task
                logger.warning("indexes of exchanges cannot be checked: %s", type(error).__name__)

    async def _build(self, user_id: UUID) -> CachedIndex | None:
        """None if the user's key cannot be opened, the user has turned the memory off, or the database fails."""
        try:
            async with self._slots:
                cached = await in_database(_empty_index, user_id)
                if cached is not None:
                    self._begun[user_id] = cached
                after: Cursor | None = None
                while cached is not None and cached.index.size < self._share:
                    after = await in_database(_read_more, cached, user_id, after)
                    self._evict()
                    if after is None:
                        break
        except AccountError as error:
            logger.warning("an index of exchanges is not built: %s", error)
            return None
        except Exception as error:  # noqa: BLE001 - the boundary of a background task: turns do without the index
            logger.warning("an index of exchanges is not built: %s", type(error).__name__)
            return None
        if cached is not None:
            cached.complete = True
            cached.built_size = cached.index.size
            cached.used_at = self.clock()
            # So that it is counted only once.
            del self._begun[user_id]
            self._cached[user_id] = cached
            self._evict()
        return cached

    def _evict(self) -> None:
        """Drop the indexes that were not used for the longest time, but not the one that was used last."""
        size = self.size
        while size > self.max_bytes and len(self._cached) > 1:
            _, cached = self._cached.popitem(last=False)
            size -= cached.size
            self.evictions += 1


def _empty_index(user_id: UUID) -> CachedIndex | None:
    """An index as of now, to be filled with rows that are read later. What changes meanwhile is applied after that."""
    zone = User.objects.filter(id=user_id, memory_enabled=True).values_list("timezone", flat=True).first()
    revision = MemoryRevision.objects.filter(user_id=user_id).values_list("latest", flat=True).first()
    return None if zone is None else CachedIndex(revision or 0, ZoneInfo(zone))


def _read_more(cached: CachedIndex, user_id: UUID, after: Cursor | None) -> Cursor | None:
    """Add the next older rows. Returns the cursor of those after them, or None at the end. Raises as ``open_vault``."""
    # In one snapshot, so that the key fits the rows during a rotation.
    with one_moment():
        vault = open_vault(user_id)
        rows = MemoryEpisodic.objects.for_user(user_id).filter(user__memory_enabled=True)
        found, cursor = rows.page("created_at", after=after, limit=_ROWS)
    cached.extend(
        vault,
        [
            StoredExchange(row.id, row.created_at, row.session_id, row.exchange_encrypted, row.summary_encrypted)
            for row in found
        ],
    )
    return cursor


def _said(vault: Vault, row: StoredExchange, zone: ZoneInfo) -> Said:
    """Decrypt ``row``. Raises ``UnreadableRow``."""
    column = "exchange_encrypted" if row.words else "summary_encrypted"
    text = decrypted(vault, Place(table=_TABLE, column=column, row_id=row.id), row.words or row.summary)
    exchange = Exchange.from_text(text) if row.words else Exchange(message=text, response="")
    return Said(
        id=row.id,
        at=row.at.astimezone(zone),
        session_id=row.session_id,
        message=exchange.message,
        response=exchange.response,
        language=exchange.language,
    )
