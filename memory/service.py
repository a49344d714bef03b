"""The face of the memory: recall before an answer, record after it, and what tools remember and forget."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from operator import itemgetter
from typing import Any, Final, TypeVar
from uuid import UUID

from django.db import DatabaseError, transaction

from accounts.database import in_database
from accounts.errors import AccountError, AccountGone
from accounts.keys.vault import StoredKey, Vault, vault_of
from accounts.locks import lock_user
from accounts.models import User
from accounts.statements import Found as Rows
from accounts.statements import Statements, ThreadStatements, Value
from memory.errors import EmbeddingFailed, MemoryOff
from memory.facts import Found, embedded, search_facts
from memory.index import Embedder, Embedding
from memory.models import MemoryAssociative, MemoryCore, MemoryEpisodic, MemoryProactive, opened, readable
from memory.recording import Exchange, Recorder, Summarizer
from memory.tiers import CoreEntry, EpisodeEntry, delete_core, list_core, search_history, set_core

logger = logging.getLogger(__name__)

BUDGET_S: Final = 0.3
"""How long an answer waits for the vector of its message."""
RECORDING_S: Final = 0.25
"""How long the end of a turn waits for its recording."""
DRAIN_S: Final = 5.0
"""How long recordings may take when the process stops."""
FACTS: Final = 5
EPISODES: Final = 5
HABITS: Final = 10
SURE: Final = 0.6
"""The confidence above which a habit is recalled."""

_FEW: Final = 20
"""As many texts are decrypted on the event loop."""
# One statement, so that the keys fit the rows during a rotation; nothing for a user who has turned the memory off. The
# second column is the order within a tier.
_TIERS_OF: Final = """
    WITH owner AS MATERIALIZED (
        SELECT id, encryption_key, master_key_id, encryption_key_version FROM accounts_user
        WHERE id = %s AND memory_enabled
    )
    SELECT 'key', 0::bigint, NULL::uuid, NULL::timestamptz, encryption_key, master_key_id, encryption_key_version
        FROM owner
    UNION ALL
    SELECT 'older key', 0, NULL, NULL, encryption_key, master_key_id, version
        FROM accounts_retiredkey WHERE user_id = (SELECT id FROM owner)
    UNION ALL
    SELECT 'core', row_number() OVER (ORDER BY updated_at DESC, id), id, updated_at, key_encrypted, value_encrypted, 0
        FROM memory_memorycore WHERE user_id = (SELECT id FROM owner)
    UNION ALL
    SELECT 'episode', row_number() OVER (ORDER BY created_at DESC, id), newest.* FROM (
        SELECT id, created_at, summary_encrypted, '', 0
        FROM memory_memoryepisodic WHERE user_id = (SELECT id FROM owner) ORDER BY created_at DESC, id LIMIT %s
    ) AS newest
    UNION ALL
    SELECT 'habit', row_number() OVER (ORDER BY confidence DESC, id), id, updated_at, pattern_encrypted, '', 0 FROM (
        SELECT id, updated_at, pattern_encrypted, confidence FROM memory_memoryproactive
        WHERE user_id = (SELECT id FROM owner) AND dismissed_at IS NULL AND confidence > %s
        ORDER BY confidence DESC, id LIMIT %s
    ) AS surest
    UNION ALL
    SELECT 'facts', 0, NULL, NULL, '', '', 0 WHERE EXISTS (
        SELECT FROM memory_memoryassociative
        WHERE user_id = (SELECT id FROM owner) AND embedding_model = %s AND veil_version IS NOT NULL
    )
"""

_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True, slots=True)
class Recalled:
    """What is sent to the model beside a message, decrypted. Each tier begins with what matters most.

    ``core`` has pairs of key and value.
    """

    core: Sequence[tuple[str, str]] = ()
    facts: Sequence[str] = ()
    episodes: Sequence[str] = ()
    habits: Sequence[str] = ()

    @property
    def empty(self) -> bool:
        return not (self.core or self.facts or self.episodes or self.habits)


class MemoryService:
    """The memory of all users of this process.

    ``begin`` starts its background work and ``aclose`` ends it; ``drain`` waits for recordings.
    """

    def __init__(
        self,
        *,
        embedder: Embedder,
        summarizer: Summarizer,
        statements: Statements | None = None,
        budget_s: float = BUDGET_S,
    ) -> None:
        self.recorder = Recorder(embedder=embedder, summarizer=summarizer)
        self._statements: Statements = statements or ThreadStatements()
        self._embedder = embedder
        self._budget_s = budget_s
        self._recordings: set[asyncio.Task[None]] = set()

    async def recall(self, user_id: UUID, message: str) -> Recalled:
        """What may help with ``message``; nothing for a user who has turned the memory off.

        One statement reads the tiers that need no vector. The vector of ``message`` is made only for a user who has
        facts to compare it with. If it takes longer than ``budget_s`` seconds, facts are left out, as they are if they
        cannot be read. So are rows that cannot be decrypted. Never raises: if the memory fails, the answer goes on
        without it.
        """
        return await _logged(self._recalled(user_id, message), "nothing is recalled") or Recalled()

    async def _recalled(self, user_id: UUID, message: str) -> Recalled | None:
        parameters: Sequence[Value] = [user_id, EPISODES, SURE, HABITS, self._embedder.name]
        stored = _stored_in(user_id, await self._statements.rows(_TIERS_OF, parameters))
        if stored.empty:
            return None
        embedding = asyncio.create_task(self._embedded_in_time(message, stored), name="embedding a message")
        try:
            # Decrypting takes long only for those of whom much is remembered.
            tiers = _opened(stored) if stored.texts <= _FEW else await asyncio.to_thread(_opened, stored)
            if (found := await embedding) is None:
                return tiers.recalled
        except AccountGone:
            return None
        finally:
            embedding.cancel()
            await asyncio.gather(embedding, return_exceptions=True)
        return replace(tiers.recalled, facts=await in_database(_tier, "facts", _facts(user_id, tiers, found)))

    async def _embedded_in_time(self, message: str, stored: "_StoredTiers") -> Embedding | None:
        if not stored.has_facts or not message.strip():
            return None
        try:
            async with asyncio.timeout(self._budget_s):
                return await embedded(self._embedder, message)
        except TimeoutError:
            logger.info("facts are left out: their vector took longer than %.0f ms", self._budget_s * 1000)
        except EmbeddingFailed as error:
            logger.warning("facts are left out: %s", error)
        except Exception as error:  # noqa: BLE001 - the boundary of a task: a failing embedder costs only the facts
            logger.warning("facts are left out: %s", type(error).__name__)
        return None

    async def record(self, user_id: UUID, exchange: Exchange) -> None:
        """Record an exchange; return when it is in the database, after ``RECORDING_S`` seconds at the latest.

        A turn waits for this before its last frame, so that an exchange that the client was told is over survives the
        end of the process. A recording that takes longer goes on in the background. Never raises.
        """
        task = asyncio.create_task(self.store(user_id, exchange), name="recording an exchange")
        self._recordings.add(task)
        task.add_done_callback(self._recordings.discard)
        await asyncio.wait({task}, timeout=RECORDING_S)

    async def store(self, user_id: UUID, exchange: Exchange) -> None:
        """Record an exchange. It is in the database when this returns. Never raises."""
        await _logged(self.recorder.store(user_id, exchange), "an exchange is not recorded")

    def begin(self) -> None:
        """Start the background work in the running loop. Idempotent."""
        self.recorder.begin()

    async def drain(self, timeout_s: float = DRAIN_S) -> None:
        """Let recordings finish; those that take longer are cancelled."""
        if self._recordings:
            await asyncio.wait(self._recordings, timeout=timeout_s)
        cut_off = list(self._recordings)
        for task in cut_off:
            task.cancel()
        await asyncio.gather(*cut_off, return_exceptions=True)

    async def aclose(self) -> None:
        """End the background work. Idempotent."""
        await self.recorder.aclose()


@dataclass(frozen=True, kw_only=True, slots=True)
class _StoredTiers:
    """What is recalled without a vector, encrypted, and the keys as of the same moment."""

    user_id: UUID
    keys: Sequence[StoredKey]
    core: Sequence[MemoryCore]
    episodes: Sequence[MemoryEpisodic]
    habits: Sequence[MemoryProactive]
    has_facts: bool

    @property
    def texts(self) -> int:
        return 2 * len(self.core) + len(self.episodes) + len(self.habits)

    @property
    def empty(self) -> bool:
        return not (self.texts or self.has_facts)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Tiers:
    """What is recalled without a vector. ``included`` are the ids of the recalled episodes."""

    vault: Vault
    recalled: Recalled
    included: frozenset[UUID]


def _stored_in(user_id: UUID, found: Rows) -> _StoredTiers:
    """The tiers in the rows of ``_TIERS_OF``."""
    rows: defaultdict[str, list[Sequence[Any]]] = defaultdict(list)
    for kind, _, *columns in sorted(found, key=itemgetter(0, 1)):
        rows[kind].append(columns)
    return _StoredTiers(
        user_id=user_id,
        keys=[StoredKey(version, token, key_id) for *_, token, key_id, version in (*rows["key"], *rows["older key"])],
        core=[
            MemoryCore(id=row_id, user_id=user_id, key_encrypted=key, value_encrypted=value)
            for row_id, _, key, value, _ in rows["core"]
        ],
        episodes=[
            MemoryEpisodic(id=row_id, user_id=user_id, created_at=at, summary_encrypted=summary)
            for row_id, at, summary, *_ in rows["episode"]
        ],
        habits=[
            MemoryProactive(id=row_id, user_id=user_id, pattern_encrypted=pattern)
            for row_id, _, pattern, *_ in rows["habit"]
        ],
        has_facts=bool(rows["facts"]),
    )


def _opened(stored: _StoredTiers) -> _Tiers:
    """Raises as ``open_vault``."""
    vault = vault_of(stored.user_id, stored.keys, owner=stored.user_id)
    read = partial(opened, vault)
    episodes = list(readable(stored.episodes, lambda row: (row, read(row, "summary_encrypted"))))
    recalled = Recalled(
        core=list(readable(stored.core, lambda row: (read(row, "key_encrypted"), read(row, "value_encrypted")))),
        episodes=[f"{row.created_at:%Y-%m-%d}: {summary}" for row, summary in episodes],
        habits=list(readable(stored.habits, lambda row: read(row, "pattern_encrypted"))),
    )
    return _Tiers(vault=vault, recalled=recalled, included=frozenset(row.id for row, _ in episodes))


def _facts(user_id: UUID, tiers: _Tiers, embedding: Embedding) -> Iterator[str]:
    """The nearest facts, without the rows of episodes that are recalled anyway."""
    near = search_facts(user_id, embedding, limit=FACTS + len(tiers.included), vault=tiers.vault)
    yield from [found.content for found in near if found.episode_id not in tiers.included][:FACTS]


def _tier(name: str, rows: Iterator[_T]) -> Sequence[_T]:
    """What ``rows`` reads; nothing, and a line in the log, if the database fails."""
    try:
        return list(rows)
    except DatabaseError as error:
        # Its text may quote a row, so only its kind is logged.
        logger.warning("the tier of %s is left out: %s", name, type(error).__name__)
        return ()


@dataclass(frozen=True, kw_only=True, slots=True)
class UserMemory:
    """The memory of one user, for tools.

    Every method raises ``MemoryOff`` while the user has it turned off, and as ``open_vault``. Each call checks the
    setting again, because it may change during a turn.
    """

    user_id: UUID
    embedder: Embedder

    async def remember(self, key: str, value: str) -> None:
        """Store ``value`` under ``key``, brought onto one printable line. Raises ``InvalidMemory``."""
        # A key that a person can write in an address.
        line = "".join(mark for mark in " ".join(key.split()) if mark.isprintable())
        await self._done(lambda: set_core(self.user_id, line, value))

    async def preferences(self) -> Sequence[CoreEntry]:
        """All preferences that can be decrypted."""
        kept = await self._done(lambda: list_core(self.user_id))
        return [entry for entry in kept if not entry.unreadable]

    async def facts(self, query: str, *, limit: int) -> Sequence[Found]:
        """The facts closest to ``query`` in meaning, nearest first. Raises ``EmbeddingFailed``."""
        await self._done(lambda: None)
        return await search(self.embedder, self.user_id, query, limit=limit)

    async def episodes(self, query: str, *, since: datetime | None, limit: int) -> Sequence[EpisodeEntry]:
        """Earlier exchanges with all words of ``query``, newest first; all of them if it is blank."""
        return await self._done(lambda: search_history(self.user_id, query, since=since, limit=limit))

    async def forget(self, key: str) -> bool:
        """Delete the preference under ``key``, or the fact with this id. Return whether there was one."""
        return await self._done(lambda: _forget(self.user_id, key))

    async def _done(self, work: Callable[[], _T]) -> _T:
        def checked() -> _T:
            if not User.objects.filter(id=self.user_id, memory_enabled=True).exists():
                raise MemoryOff
            return work()

        return await in_database(checked)


def _forget(user_id: UUID, key: str) -> bool:
    if delete_core(user_id, key):
        return True
    try:
        return MemoryAssociative.objects.for_user(user_id).discard(UUID(key))
    except ValueError:
        return False


async def search(embedder: Embedder, user_id: UUID, query: str, *, limit: int) -> Sequence[Found]:
    """The user's facts closest to ``query``, nearest first. Raises ``EmbeddingFailed`` and as ``open_vault``."""
    embedding = await embedded(embedder, query)
    return await in_database(search_facts, user_id, embedding, limit=limit)


@transaction.atomic
def forget_everything(user_id: UUID) -> None:
    """Delete every row of the four tiers, for a user who stays. The user's key need not open."""
    # A writer holds a share lock on this row: its transaction ends before this one, or begins after it.
    with suppress(AccountGone):
        lock_user(user_id)
    for tier in (MemoryAssociative, MemoryEpisodic, MemoryProactive, MemoryCore):
        tier.objects.for_user(user_id).delete()


async def _logged(work: Awaitable[_T], failure: str) -> _T | None:
    """The result of ``work``; if it fails, None and a line in the log."""
    try:
        return await work
    except AccountError as error:
        logger.warning("%s: %s", failure, error)
    except Exception as error:  # noqa: BLE001 - the boundary of an answer, which the memory must not end
        logger.warning("%s: %s", failure, type(error).__name__)
    return None
