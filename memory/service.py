"""The face of the memory: recall before an answer, record after it, and what tools remember and forget."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final, TypeVar
from uuid import UUID

from django.db import DatabaseError, transaction
from django.db.models import Exists

from accounts.database import in_database
from accounts.errors import AccountError, AccountGone
from accounts.keys.vault import Vault, open_vault
from accounts.locks import lock_user
from accounts.models import User
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

    def __init__(self, *, embedder: Embedder, summarizer: Summarizer, budget_s: float = BUDGET_S) -> None:
        self.recorder = Recorder(embedder=embedder, summarizer=summarizer)
        self._embedder = embedder
        self._budget_s = budget_s
        self._recordings: set[asyncio.Task[None]] = set()

    async def recall(self, user_id: UUID, message: str) -> Recalled:
        """What may help with ``message``; nothing for a user who has turned the memory off.

        The vector of ``message`` is made while the tiers are read, and only for a user who has facts to compare it
        with. If it takes longer than ``budget_s`` seconds, facts are left out. Rows that cannot be decrypted are left
        out, and tiers that cannot be read. Never raises: if the memory fails, the answer goes on without it.
        """
        return await _logged(self._recalled(user_id, message), "nothing is recalled") or Recalled()

    async def _recalled(self, user_id: UUID, message: str) -> Recalled | None:
        wanted = asyncio.Event()
        begin = partial(asyncio.get_running_loop().call_soon_threadsafe, wanted.set)
        embedding = asyncio.create_task(self._embedded_in_time(message, wanted), name="embedding a message")
        try:
            tiers = await in_database(_tiers, user_id, self._embedder.name, begin)
            if tiers is None:
                return None
            if not tiers.has_facts or (found := await embedding) is None:
                return tiers.recalled
        finally:
            embedding.cancel()
            await asyncio.gather(embedding, return_exceptions=True)
        return replace(tiers.recalled, facts=await in_database(_tier, "facts", _facts(user_id, tiers, found)))

    async def _embedded_in_time(self, message: str, wanted: asyncio.Event) -> Embedding | None:
        await wanted.wait()
        if not message.strip():
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
class _Tiers:
    """What is recalled without a vector. ``included`` are the ids of the recalled episodes."""

    vault: Vault
    recalled: Recalled
    included: frozenset[UUID]
    has_facts: bool


def _tiers(user_id: UUID, model: str, begin: Callable[[], object]) -> _Tiers | None:
    """The tiers that need no vector. Calls ``begin`` first if the user has facts to compare one with.

    None if the user has turned the memory off, or is gone. Raises as ``open_vault``.
    """
    comparable = MemoryAssociative.objects.for_user(user_id).filter(embedding_model=model, veil_version__isnull=False)
    asked = User.objects.filter(id=user_id, memory_enabled=True).values_list(Exists(comparable), flat=True)
    has_facts = asked.first()
    if has_facts is None:
        return None
    if has_facts:
        begin()
    try:
        vault = open_vault(user_id)
    except AccountGone:
        return None
    read = partial(opened, vault)
    newest = MemoryEpisodic.objects.for_user(user_id).newest_first()[:EPISODES]
    preferences = MemoryCore.objects.for_user(user_id).order_by("-updated_at", "id")
    habits = MemoryProactive.objects.for_user(user_id).kept().above(SURE)[:HABITS]
    episodes = _tier("episodes", readable(newest, lambda row: (row, read(row, "summary_encrypted"))))
    recalled = Recalled(
        core=_tier(
            "core", readable(preferences, lambda row: (read(row, "key_encrypted"), read(row, "value_encrypted")))
        ),
        episodes=[f"{row.created_at:%Y-%m-%d}: {summary}" for row, summary in episodes],
        habits=_tier("habits", readable(habits, lambda row: read(row, "pattern_encrypted"))),
    )
    included = frozenset(row.id for row, _ in episodes)
    return _Tiers(vault=vault, recalled=recalled, included=included, has_facts=has_facts)


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
