"""The interface of the memory: recall before an answer, recording after it, and the memory for tools."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar
from uuid import UUID

from accounts.database import in_database
from accounts.errors import AccountError
from accounts.statements import Statements, ThreadStatements
from memory.errors import EmbeddingFailed, MemoryOff
from memory.exchange import Exchange
from memory.facts import Found, embedded, search_facts
from memory.forgetting import forget_fact, forget_rows
from memory.index import Embedder
from memory.index_cache import IndexCache
from memory.models import memory_is_on
from memory.pending import FactReader, Summarizer
from memory.preference_keys import key_meant, printable_line
from memory.recall import BUDGET_S, TOKENS, Recall
from memory.recalled import Recalled
from memory.recording import Recorder
from memory.search.follow_ups import Earlier
from memory.tiers import CoreEntry, EpisodeEntry, delete_core, list_core, search_history, set_core

logger = logging.getLogger(__name__)

RECORDING_S: Final = 0.25
"""How long the end of a turn waits for its recording."""
DRAIN_S: Final = 5.0
"""How long recordings may take when the process stops."""
_T = TypeVar("_T")


class MemoryService:
    """The memory of all users, in this process.

    ``begin`` starts its background work, ``aclose`` ends it, and ``drain`` waits for recordings.
    """

    def __init__(
        self,
        *,
        embedder: Embedder,
        summarizer: Summarizer,
        reader: FactReader | None = None,
        statements: Statements | None = None,
        indexes: IndexCache | None = None,
        budget_s: float = BUDGET_S,
        tokens: int = TOKENS,
    ) -> None:
        self.recorder = Recorder(embedder=embedder, summarizer=summarizer, reader=reader)
        self.indexes = indexes or IndexCache()
        self._embedder = embedder
        self._recall = Recall(
            embedder=embedder,
            statements=statements or ThreadStatements(),
            indexes=self.indexes,
            budget_s=budget_s,
            tokens=tokens,
        )
        self._recordings: set[asyncio.Task[object]] = set()

    async def recall(self, user_id: UUID, message: str, *, before: Sequence[Earlier] = ()) -> Recalled:
        """What may help with ``message``; nothing for a user who has turned the memory off.

        ``before`` are the earlier messages of the conversation, the latest last. They show what a message is about that
        does not name it (“and her birthday?”). What they say is not recalled, because the model reads them anyway. What
        takes longer than ``budget_s`` seconds is left out, as are rows that cannot be decrypted. Never raises: if the
        memory fails, the answer is written without it.
        """
        with self.recorder.ahead():
            recalling = self._recall.recalled(user_id, message, before)
            return await _logged(recalling, "nothing is recalled") or Recalled()

    def of(self, user_id: UUID) -> "UserMemory":
        """The memory of one user, for tools."""
        return UserMemory(user_id=user_id, embedder=self._embedder, index=self._recall)

    async def record(self, user_id: UUID, exchange: Exchange, *, as_of: int | None = None) -> None:
        """Record an exchange. Returns when it is in the database, after ``RECORDING_S`` seconds at the latest.

        It is not recorded if the user has had something forgotten since ``as_of`` (``Recalled.as_of``), because it may
        state that again.

        A turn waits for this before its last frame, so that an exchange whose end the client knows survives the end of
        the process. A recording that takes longer continues in the background. Never raises.
        """
        await asyncio.wait({self._keep(self.store(user_id, exchange, as_of=as_of))}, timeout=RECORDING_S)

    async def store(self, user_id: UUID, exchange: Exchange, *, as_of: int | None = None) -> None:
        """As ``record``, but returns only when the exchange is in the database. Never raises."""
        await _logged(self.recorder.store(user_id, exchange, as_of=as_of), "an exchange is not recorded")

    def begin_forgetting_rows(self, user_id: UUID, entity_ids: Sequence[str]) -> None:
        """Forget, in the background, the facts about rows that the device has deleted."""
        forgetting = in_database(forget_rows, user_id, entity_ids)
        self._keep(_logged(forgetting, "facts about deleted rows are not forgotten"))

    def _keep(self, work: Coroutine[object, object, object]) -> "asyncio.Task[object]":
        """Run ``work`` in the background; ``drain`` waits for it."""
        task = asyncio.create_task(work, name="writing what is remembered")
        self._recordings.add(task)
        task.add_done_callback(self._recordings.discard)
        return task

    def begin(self) -> None:
        """Start the background work in the running loop. Idempotent."""
        self.recorder.begin()
        self.indexes.begin()

    async def drain(self, timeout_s: float = DRAIN_S) -> None:
        """Wait for recordings; those that take longer than ``timeout_s`` are cancelled."""
        if self._recordings:
            await asyncio.wait(self._recordings, timeout=timeout_s)
        cut_off = list(self._recordings)
        for task in cut_off:
            task.cancel()
        await asyncio.gather(*cut_off, return_exceptions=True)

    async def aclose(self) -> None:
        """End the background work. Idempotent."""
        await self.recorder.aclose()
        await self.indexes.aclose()


@dataclass(frozen=True, kw_only=True, slots=True)
class UserMemory:
    """The memory of one user, for tools.

    Every method except ``forget_rows`` raises ``MemoryOff`` if the user has turned the memory off, and what
    ``open_vault`` raises. Each call checks the setting again, because it may change during a turn. ``index`` finds
    exchanges by their words; without it, only those are found whose summaries have all words.
    """

    user_id: UUID
    embedder: Embedder
    index: Recall | None = None

    async def remember(self, key: str, value: str) -> None:
        """Store ``value`` under the known key that ``key`` means, or else under ``key`` itself.

        A new key is reduced to one printable line. Raises ``InvalidMemory``, and ``UnreadableRow`` if the value that
        would be replaced cannot be decrypted.
        """
        await self._done(lambda: set_core(self.user_id, _known_key(self.user_id, key) or printable_line(key), value))

    async def preferences(self) -> Sequence[CoreEntry]:
        """All preferences that can be decrypted."""
        kept = await self._done(lambda: list_core(self.user_id))
        return [entry for entry in kept if not entry.unreadable]

    async def facts(self, query: str, *, limit: int) -> Sequence[Found]:
        """The facts closest to ``query`` in meaning, nearest first, then those that have its words."""
        await self._done(lambda: None)
        return await search(self.embedder, self.user_id, query, limit=limit)

    async def episodes(self, query: str, *, since: datetime | None, limit: int) -> Sequence[EpisodeEntry]:
        """The earlier exchanges that ``query`` finds, newest first; all of them if it is blank.

        With an index, these are the passages that match ``query`` best, as many as a recall has room for.
        """
        if self.index is not None and query.strip():
            await self._done(lambda: None)
            found = await self.index.search(self.user_id, query, since=since)
            if found is not None:
                return found[::-1][:limit]
        return await self._done(lambda: search_history(self.user_id, query, since=since, limit=limit))

    async def forget(self, key: str) -> bool:
        """Delete the preference under ``key`` with the texts that state it, or the fact with this id.

        Returns whether there was one.
        """
        return await self._done(lambda: _forget(self.user_id, key))

    async def forget_rows(self, entity_ids: Sequence[str]) -> None:
        """Forget the facts about rows that the device has deleted, even if the memory is turned off."""
        await in_database(forget_rows, self.user_id, entity_ids)

    async def _done(self, work: Callable[[], _T]) -> _T:
        def checked() -> _T:
            if not memory_is_on(self.user_id):
                raise MemoryOff
            return work()

        return await in_database(checked)


def _known_key(user_id: UUID, key: str) -> str:
    """As ``key_meant``, among the keys of the user's preferences."""
    return key_meant(key, [entry.key for entry in list_core(user_id)])


def _forget(user_id: UUID, key: str) -> bool:
    if delete_core(user_id, key) or ((known := _known_key(user_id, key)) and delete_core(user_id, known)):
        return True
    try:
        return forget_fact(user_id, UUID(key))
    except ValueError:
        return False


async def search(embedder: Embedder, user_id: UUID, query: str, *, limit: int) -> Sequence[Found]:
    """As ``search_facts``. If ``query`` cannot be embedded now, only its words count."""
    embedding = None
    try:
        embedding = await embedded(embedder, query, query=True)
    except EmbeddingFailed as error:
        logger.warning("facts are found only by their words: %s", error)
    return await in_database(search_facts, user_id, query, embedding, limit=limit)


async def _logged(work: Awaitable[_T], failure: str) -> _T | None:
    """The result of ``work``; if it fails, None and a line in the log."""
    try:
        return await work
    except AccountError as error:
        logger.warning("%s: %s", failure, error)
    except Exception as error:  # noqa: BLE001 - the boundary of an answer, which the memory must not end
        logger.warning("%s: %s", failure, type(error).__name__)
    return None
