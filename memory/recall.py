"""Recall: what a model is given of a user's memory beside a message.

One statement reads preferences, habits and the keys, and what has changed of the user's exchanges since this process
indexed them. The index (``memory/index_cache.py``) tells what the message is about. While there is none, the nearest
rows by their vectors and the newest summaries take its place.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db import DatabaseError
from django.utils import timezone as clock

from accounts.database import in_database
from accounts.errors import AccountGone
from accounts.keys.vault import StoredKey, Vault, vault_of
from accounts.statements import Found as Rows
from accounts.statements import Statements, Value
from memory.embedders.hashing import HashingEmbedder
from memory.errors import EmbeddingFailed
from memory.facts import Found, embedded, search_facts
from memory.index import Embedder, Embedding
from memory.index_cache import MAX_CHANGES, CachedIndex, Changes, IndexCache, StoredExchange
from memory.models import MemoryCore, MemoryEpisodic, MemoryProactive, opened, readable
from memory.search.ranking import Question, encoded_length

logger = logging.getLogger(__name__)

BUDGET_S: Final = 0.3
"""How long an answer waits for the vector of its message, and for an index that is being built."""
TOKENS: Final = 1_500
"""How much is told at most; a token is four characters of JSON."""
FACTS: Final = 5
EPISODES: Final = 5
HABITS: Final = 10
SURE: Final = 0.6
"""The confidence above which a habit is recalled."""

_TOKEN_CHARS: Final = 4
_LEAST_SHARE: Final = 3
"""However many preferences there are, this fraction of the budget is left for what is found."""
_FRAME_CHARS: Final = 60
"""The names and brackets of the JSON document."""
_BETWEEN_CHARS: Final = 4
"""Quotes, comma and space of an item."""
_NEAR: Final = 30
"""How many rows with the nearest vectors are a signal of the ranking."""
_FEW: Final = 20
"""As many texts are decrypted on the event loop."""
_NO_REVISION: Final = 2**63 - 1
# One statement, so that the keys fit the rows during a rotation; nothing for a user who has turned the memory off. The
# second column is the order within a tier.
_TIERS_OF: Final = """
    WITH owner AS MATERIALIZED (
        SELECT id, encryption_key, master_key_id, encryption_key_version, timezone, language FROM accounts_user
        WHERE id = %s AND memory_enabled
    ), counter AS MATERIALIZED (
        SELECT latest, forgotten FROM memory_memoryrevision WHERE user_id = (SELECT id FROM owner)
    )
    SELECT 'key', 0::bigint, NULL::uuid, NULL::timestamptz, encryption_key, master_key_id, '', encryption_key_version
        FROM owner
    UNION ALL
    SELECT 'older key', 0, NULL, NULL, encryption_key, master_key_id, '', version
        FROM accounts_retiredkey WHERE user_id = (SELECT id FROM owner)
    UNION ALL
    SELECT 'owner', COALESCE((SELECT latest FROM counter), 0), NULL, NULL, timezone, language, '', 0 FROM owner
    UNION ALL
    SELECT 'core', row_number() OVER (ORDER BY updated_at DESC, id), id, updated_at, key_encrypted, value_encrypted,
        '', 0
        FROM memory_memorycore WHERE user_id = (SELECT id FROM owner)
    UNION ALL
    SELECT 'episode', row_number() OVER (ORDER BY created_at DESC, id), newest.* FROM (
        SELECT id, created_at, summary_encrypted, '', '', 0
        FROM memory_memoryepisodic WHERE user_id = (SELECT id FROM owner) ORDER BY created_at DESC, id LIMIT %s
    ) AS newest
    UNION ALL
    SELECT 'habit', row_number() OVER (ORDER BY confidence DESC, id), id, updated_at, pattern_encrypted, '', '', 0
    FROM (
        SELECT id, updated_at, pattern_encrypted, confidence FROM memory_memoryproactive
        WHERE user_id = (SELECT id FROM owner) AND dismissed_at IS NULL AND confidence > %s
        ORDER BY confidence DESC, id LIMIT %s
    ) AS surest
    UNION ALL
    SELECT 'vectors', 0, NULL, NULL, '', '', '', 0 WHERE EXISTS (
        SELECT FROM memory_memoryassociative
        WHERE user_id = (SELECT id FROM owner) AND embedding_model = %s AND veil_version IS NOT NULL
    )
    UNION ALL
    SELECT 'facts', 0, NULL, NULL, '', '', '', 0 WHERE EXISTS (
        SELECT FROM memory_memoryassociative WHERE user_id = (SELECT id FROM owner) AND episode_id IS NULL
    )
    UNION ALL
    SELECT 'changed', changed.* FROM (
        SELECT revision, id, created_at, session_id, exchange_encrypted, summary_encrypted, 0
        FROM memory_memoryepisodic WHERE user_id = (SELECT id FROM owner) AND revision > %s ORDER BY revision LIMIT %s
    ) AS changed
    UNION ALL
    SELECT 'forgotten', forgotten, NULL, NULL, '', '', '', 0 FROM counter WHERE forgotten > %s
    UNION ALL
    SELECT 'kept', 0, id, NULL, '', '', '', 0 FROM memory_memoryepisodic
        WHERE user_id = (SELECT id FROM owner) AND (SELECT forgotten FROM counter) > %s
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Recalled:
    """What is sent to the model beside a message, decrypted.

    ``core`` has pairs of key and value, facts and habits begin with what matters most. ``episodes`` are passages of
    earlier exchanges, oldest first; without an index the newest summaries, newest first.
    """

    core: Sequence[tuple[str, str]] = ()
    facts: Sequence[str] = ()
    episodes: Sequence[str] = ()
    habits: Sequence[str] = ()

    @property
    def empty(self) -> bool:
        return not (self.core or self.facts or self.episodes or self.habits)


class Recall:
    """Recalls for messages.

    ``tokens`` is how much is told at most, ``budget_s`` how long a message waits for what takes longer than the
    database: a vector, and an index that is not built yet.
    """

    def __init__(
        self, *, embedder: Embedder, statements: Statements, indexes: IndexCache, budget_s: float, tokens: int
    ) -> None:
        self._embedder = embedder
        self._statements = statements
        self._indexes = indexes
        self._budget_s = budget_s
        self._chars = tokens * _TOKEN_CHARS

    async def recalled(self, user_id: UUID, message: str) -> Recalled | None:
        """What may help with ``message``; None for a user with nothing, or who has turned the memory off."""
        cached = self._indexes.find(user_id)
        stored = await self._read(user_id, cached)
        if not stored.keys:
            self._indexes.drop(user_id)
        if stored.empty:
            return None
        embedding = asyncio.create_task(self._embedded_in_time(message, stored, cached), name="embedding a message")
        try:
            if cached is None and stored.episodes:
                cached = await self._indexes.build(user_id, within_s=self._budget_s)
                # Again, because of what has changed while the index was built.
                stored = stored if cached is None else await self._read(user_id, cached)
            # Decrypting takes long only for those of whom much is remembered.
            tiers = _opened(stored) if stored.texts <= _FEW else await asyncio.to_thread(_opened, stored)
            near = await self._near(user_id, tiers.vault, await embedding)
            return await self._told(stored, tiers, near, cached, message)
        except AccountGone:
            self._indexes.drop(user_id)
            return None
        finally:
            embedding.cancel()
            await asyncio.gather(embedding, return_exceptions=True)

    async def _read(self, user_id: UUID, cached: CachedIndex | None) -> "_StoredTiers":
        since = _NO_REVISION if cached is None else cached.revision
        parameters: Sequence[Value] = [user_id, EPISODES, SURE, HABITS, self._embedder.name]
        changes: Sequence[Value] = [since, MAX_CHANGES, since, since]
        return _stored_in(user_id, await self._statements.rows(_TIERS_OF, [*parameters, *changes]))

    async def _embedded_in_time(
        self, message: str, stored: "_StoredTiers", cached: CachedIndex | None
    ) -> Embedding | None:
        # An index finds what has the same words, which is all that the hashing embedder knows of an exchange.
        helps = stored.has_facts or cached is None or self._embedder.name != HashingEmbedder.name
        if not stored.has_vectors or not helps or not message.strip():
            return None
        try:
            async with asyncio.timeout(self._budget_s):
                return await embedded(self._embedder, message, query=True)
        except TimeoutError:
            logger.info("facts are left out: their vector took longer than %.0f ms", self._budget_s * 1000)
        except EmbeddingFailed as error:
            logger.warning("facts are left out: %s", error)
        except Exception as error:  # noqa: BLE001 - the boundary of a task: a failing embedder costs only the facts
            logger.warning("facts are left out: %s", type(error).__name__)
        return None

    async def _near(self, user_id: UUID, vault: Vault, embedding: Embedding | None) -> Sequence[Found]:
        """The rows nearest in meaning; none if the database fails."""
        if embedding is None:
            return ()
        try:
            return await in_database(search_facts, user_id, embedding, limit=_NEAR, vault=vault)
        except DatabaseError as error:
            # Its text may quote a row, so only its kind is logged.
            logger.warning("the tier of facts is left out: %s", type(error).__name__)
            return ()

    async def _told(
        self,
        stored: "_StoredTiers",
        tiers: "_Tiers",
        near: Sequence[Found],
        cached: CachedIndex | None,
        message: str,
    ) -> Recalled:
        recalled = tiers.recalled
        left = self._chars - _FRAME_CHARS - _length([part for pair in recalled.core for part in pair], recalled.habits)
        left = max(left, self._chars // _LEAST_SHARE)
        if cached is not None:
            own = [found.content for found in near if found.episode_id is None]
            facts = _within(own[:FACTS], left // 2)
            similar = {found.episode_id: found.score for found in near if found.episode_id is not None}
            passages = await self._passages(stored, tiers, cached, message, left - _length(facts), similar)
            if passages is not None:
                return replace(recalled, facts=facts, episodes=passages)
        facts = _within([found.content for found in near if found.episode_id not in tiers.included][:FACTS], left // 2)
        return replace(recalled, facts=facts, episodes=_within(recalled.episodes, left - _length(facts)))

    async def _passages(
        self,
        stored: "_StoredTiers",
        tiers: "_Tiers",
        cached: CachedIndex,
        message: str,
        budget: int,
        similar: Mapping[UUID, float],
    ) -> list[str] | None:
        """What the index tells; None if it has to be built again, which is begun."""
        now = clock.now().astimezone(stored.zone)
        question = Question(text=message, now=now, language=stored.language, budget=budget, vectors=similar)
        told = await asyncio.to_thread(cached.ask, stored.changes(tiers.vault), question)
        if told is None:
            self._indexes.drop(stored.user_id)
            await self._indexes.build(stored.user_id, within_s=0)
            return None
        return [each.text for each in told]


@dataclass(frozen=True, kw_only=True, slots=True)
class _StoredTiers:
    """What one statement has read, encrypted, and the keys as of the same moment."""

    user_id: UUID
    keys: Sequence[StoredKey]
    core: Sequence[MemoryCore]
    episodes: Sequence[MemoryEpisodic]
    habits: Sequence[MemoryProactive]
    has_vectors: bool
    has_facts: bool
    latest: int
    changed: Sequence[StoredExchange]
    kept: frozenset[UUID] | None
    zone: ZoneInfo
    language: str

    @property
    def texts(self) -> int:
        return 2 * len(self.core) + len(self.episodes) + len(self.habits)

    @property
    def empty(self) -> bool:
        return not (self.texts or self.has_vectors)

    def changes(self, vault: Vault) -> Changes:
        return Changes(latest=self.latest, rows=self.changed, kept=self.kept, vault=vault, zone=self.zone)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Tiers:
    """What needs no search. ``included`` are the ids of the newest episodes."""

    vault: Vault
    recalled: Recalled
    included: frozenset[UUID]


def _stored_in(user_id: UUID, found: Rows) -> _StoredTiers:
    """The tiers in the rows of ``_TIERS_OF``."""
    rows: defaultdict[str, list[Sequence[Any]]] = defaultdict(list)
    for kind, order, *columns in sorted(found, key=itemgetter(0, 1)):
        rows[kind].append((order, *columns))
    [(latest, _, _, zone, language, *_)] = rows["owner"] or [(0, None, None, "UTC", "en")]
    return _StoredTiers(
        user_id=user_id,
        keys=[
            StoredKey(version, token, key_id)
            for _, _, _, token, key_id, _, version in (*rows["key"], *rows["older key"])
        ],
        core=[
            MemoryCore(id=row_id, user_id=user_id, key_encrypted=key, value_encrypted=value)
            for _, row_id, _, key, value, *_ in rows["core"]
        ],
        episodes=[
            MemoryEpisodic(id=row_id, user_id=user_id, created_at=at, summary_encrypted=summary)
            for _, row_id, at, summary, *_ in rows["episode"]
        ],
        habits=[
            MemoryProactive(id=row_id, user_id=user_id, pattern_encrypted=pattern)
            for _, row_id, _, pattern, *_ in rows["habit"]
        ],
        has_vectors=bool(rows["vectors"]),
        has_facts=bool(rows["facts"]),
        latest=latest,
        changed=[StoredExchange(*columns[:5]) for _, *columns in rows["changed"]],
        kept=frozenset(row_id for _, row_id, *_ in rows["kept"]) if rows["forgotten"] else None,
        zone=ZoneInfo(zone),
        language=language,
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


def _length(*parts: Iterable[str]) -> int:
    """The characters of these texts as items of the JSON document."""
    return sum(encoded_length(text) + _BETWEEN_CHARS for part in parts for text in part)


def _within(texts: Sequence[str], budget: int) -> list[str]:
    """The first texts that fit into ``budget`` characters of JSON."""
    kept: list[str] = []
    for text in texts:
        budget -= _length([text])
        if budget < 0:
            break
        kept.append(text)
    return kept
