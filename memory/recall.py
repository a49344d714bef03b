"""Recall: what a model gets of a user's memory with a message.

One statement reads preferences, habits and keys, and the changes to the user's exchanges and facts since this process
indexed them. The index (``memory/index_cache.py``) finds what is relevant to the message. While there is none, the
rows with the nearest vectors and the newest summaries are used instead. ``memory/telling.py`` writes what was found.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Final
from uuid import UUID

from django.db import DatabaseError
from django.utils import timezone as clock

from accounts.database import in_database
from accounts.errors import AccountGone
from accounts.keys.vault import Vault
from accounts.statements import Statements, Value
from memory.embedders.hashing import HashingEmbedder
from memory.errors import EmbeddingFailed
from memory.fact_index import MAX_FACTS
from memory.facts import embedded, near_facts, opened_facts
from memory.index import Embedder, Embedding, Match
from memory.index_cache import MAX_CHANGES, AsOf, CachedIndex, Changes, IndexCache
from memory.recalled import Recalled, RecalledItem, joined
from memory.search.follow_ups import Earlier, full_text
from memory.search.question import Question
from memory.search.told import encoded_length
from memory.stored_tiers import TIERS_OF, StoredTiers, Tiers, newest_summaries, opened_tiers, stored_in
from memory.telling import Asked, items_length, tell, tell_exchanges, tell_without_index, within
from memory.tiers import EpisodeEntry

logger = logging.getLogger(__name__)

BUDGET_S: Final = 0.3
"""How long an answer waits for the vector of its message, and for an index that is being built, in seconds."""
TOKENS: Final = 1_500
"""How much is recalled at most. A token counts as four characters of JSON."""
SEARCH_S: Final = 5.0
"""How long a search waits for an index, in seconds."""
EPISODES: Final = 5
HABITS: Final = 10
SURE: Final = 0.6
"""The confidence above which a habit is recalled."""

_TOKEN_CHARS: Final = 4
_ALWAYS_SHARE: Final = 2 / 3
"""The largest share of the budget for preferences, the latest changed first, and habits."""
_FRAME_CHARS: Final = 38
"""The length of the brackets and names around facts and passages in the JSON document (``agents/prompts``)."""
_PREFERENCES_FRAME_CHARS: Final = 17
"""The same around the preferences."""
_PREFERENCE_CHARS: Final = 26
"""The same around each preference, with the separator."""
_HABITS_FRAME_CHARS: Final = 12
"""The same around the habits."""
_NEAR: Final = 30
"""How many rows with the nearest vectors the ranking uses."""
_FULL_STANDARD_SCORE: Final = 10.0
"""A fact with this standard score counts like one that has all words of the message."""
_FEW: Final = 20
"""If there are more texts than this, they are decrypted in a thread."""
_LAST: Final = 2**63 - 1
_NOTHING: Final = AsOf(revision=_LAST, facts_revision=_LAST, oldest=datetime.max.replace(tzinfo=UTC), complete=False)
"""The state of no index, for which no changes are read."""


def asked_of(user_id: UUID, as_of: AsOf, model: str) -> Sequence[Value]:
    """The parameters of ``TIERS_OF`` for an index as of ``as_of``. ``model`` is the model of the vectors."""
    newest = 0 if as_of.complete else EPISODES
    # If the index has no facts yet, none need to be removed from it.
    since = as_of.revision if as_of.facts_revision < 0 else min(as_of.revision, as_of.facts_revision)
    changes: Sequence[Value] = [as_of.revision, MAX_CHANGES, as_of.facts_revision, MAX_FACTS]
    kept: Sequence[Value] = [as_of.oldest, as_of.revision, MAX_FACTS, as_of.facts_revision]
    return [user_id, since, newest, SURE, HABITS, model, *changes, *kept]


class Recall:
    """Recalls for messages.

    ``tokens`` is how much is recalled at most. ``budget_s`` is how long a message waits for its vector, and for an
    index that is not built yet.
    """

    def __init__(
        self, *, embedder: Embedder, statements: Statements, indexes: IndexCache, budget_s: float, tokens: int
    ) -> None:
        self._embedder = embedder
        self._statements = statements
        self._indexes = indexes
        self._budget_s = budget_s
        self._chars = tokens * _TOKEN_CHARS

    async def recalled(self, user_id: UUID, message: str, before: Sequence[Earlier] = ()) -> Recalled | None:
        """What is relevant to ``message`` and was not said ``before`` it; None if the user is gone."""
        cached = self._indexes.find(user_id)
        stored = await self._read(user_id, cached)
        if not stored.keys:
            self._indexes.drop(user_id)
            return Recalled(off=True)
        as_of = stored.latest
        if cached is None and stored.empty:
            return Recalled(as_of=as_of)
        embedding = None
        if stored.has_vectors and message.strip() and not self._has_words(cached):
            embedding = asyncio.create_task(
                self._embedded_in_time(full_text(message, before)), name="embedding a message"
            )
        try:
            if cached is None and (stored.episodes or stored.has_facts):
                cached = await self._indexes.build(user_id, within_s=self._budget_s)
                # Read again, because something may have changed while the index was built.
                stored = stored if cached is None else await self._read(user_id, cached)
            # Decrypting takes long only if much is remembered.
            tiers = opened_tiers(stored) if stored.texts <= _FEW else await asyncio.to_thread(opened_tiers, stored)
            near: Sequence[Match] = ()
            if embedding is not None and not self._has_words(cached):
                near = await self._near(user_id, tiers.vault, await embedding)
            told = await self._told(stored, tiers, near, cached, message, before)
            return replace(told, as_of=as_of)
        except AccountGone:
            self._indexes.drop(user_id)
            return None
        finally:
            if embedding is not None:
                embedding.cancel()
                await asyncio.gather(embedding, return_exceptions=True)

    async def search(self, user_id: UUID, query: str, *, since: datetime | None) -> list[EpisodeEntry] | None:
        """Passages that have words of ``query``, the oldest first; None if there is no index.

        Raises as ``open_vault``.
        """
        cached = self._indexes.find(user_id) or await self._indexes.build(user_id, within_s=SEARCH_S)
        stored = await self._read(user_id, cached)
        if cached is None or not stored.keys:
            return None
        tiers = await asyncio.to_thread(opened_tiers, stored)
        near: Sequence[Match] = ()
        if not self._has_words(cached):
            near = await self._near(user_id, tiers.vault, await self._embedded_in_time(query))
        question = replace(_question(stored, near, query), is_search=True, since=since)
        asked = _asked(stored, tiers.vault, near, question)
        told = partial(tell_exchanges, cached, asked=asked, budget=self._chars)
        found = await self._from_index(cached, stored, tiers.vault, told)
        return None if found is None else [_entry(item) for item in found]

    async def _read(self, user_id: UUID, cached: CachedIndex | None) -> StoredTiers:
        """What the statement reads. The newest summaries are only read if there is no complete index."""
        as_of = _NOTHING if cached is None else cached.as_of()
        rows = await self._statements.rows(TIERS_OF, asked_of(user_id, as_of, self._embedder.name))
        return stored_in(user_id, rows, complete=as_of.complete)

    async def _embedded_in_time(self, message: str) -> Embedding | None:
        try:
            async with asyncio.timeout(self._budget_s):
                return await embedded(self._embedder, message, query=True)
        except TimeoutError:
            logger.info("nothing is found by its meaning: the vector took longer than %.0f ms", self._budget_s * 1000)
        except EmbeddingFailed as error:
            logger.warning("nothing is found by its meaning: %s", error)
        except Exception as error:  # noqa: BLE001 - the boundary of a task: a failing embedder costs only the facts
            logger.warning("nothing is found by its meaning: %s", type(error).__name__)
        return None

    def _has_words(self, cached: CachedIndex | None) -> bool:
        """Whether the index makes vectors pointless, because those of the hashing embedder only find the same words."""
        return cached is not None and self._embedder.name == HashingEmbedder.name

    async def _near(self, user_id: UUID, vault: Vault, embedding: Embedding | None) -> Sequence[Match]:
        """The rows that are nearest in meaning; none if the database fails."""
        if embedding is None:
            return ()
        try:
            return await in_database(near_facts, user_id, vault, embedding, limit=_NEAR)
        except DatabaseError as error:
            # Its text may quote a row, so only its kind is logged.
            logger.warning("nothing is found by its meaning: %s", type(error).__name__)
            return ()

    async def _told(
        self,
        stored: StoredTiers,
        tiers: Tiers,
        near: Sequence[Match],
        cached: CachedIndex | None,
        message: str,
        before: Sequence[Earlier],
    ) -> Recalled:
        core, habits, spent = _always(tiers, round(self._chars * _ALWAYS_SHARE))
        left = self._chars - _FRAME_CHARS - spent
        asked = _asked(stored, tiers.vault, near, _question(stored, near, message, before))
        found: list[RecalledItem] | None = None
        if cached is not None:
            told = partial(tell, cached, asked=asked, budget=left)
            found = await self._from_index(cached, stored, tiers.vault, told)
        if found is None and stored.complete:
            stored = await self._read(stored.user_id, None)
            asked = replace(asked, newest=newest_summaries(stored, tiers.vault), outdated=stored.outdated)
        if found is None:
            # Only needed here, because an index has the texts.
            opened = await asyncio.to_thread(opened_facts, tiers.vault, near) if near else []
            found = tell_without_index(asked, opened, left)
        return joined(core, found, habits)

    async def _from_index(
        self,
        cached: CachedIndex,
        stored: StoredTiers,
        vault: Vault,
        tell: Callable[[Changes], list[RecalledItem] | None],
    ) -> list[RecalledItem] | None:
        """What ``tell`` finds in the index. If the index must be rebuilt, that is begun, and None returned."""

        def told() -> list[RecalledItem] | None:
            cached.facts.apply(stored.fact_changes(vault))
            return tell(stored.changes(vault))

        found = await asyncio.to_thread(told)
        if found is None:
            self._indexes.drop(stored.user_id)
            await self._indexes.build(stored.user_id, within_s=0)
        return found


def _question(stored: StoredTiers, near: Sequence[Match], text: str, before: Sequence[Earlier] = ()) -> Question:
    """The question for ``text``. ``near`` are the rows that are nearest in meaning."""
    return Question(
        text=text,
        now=clock.now().astimezone(stored.zone),
        language=stored.language,
        before=before,
        vectors={match.episode_id: match.standard_score for match in near if match.episode_id is not None},
        near={match.episode_id for match in near if match.episode_id is not None and match.stands_out},
    )


def _asked(stored: StoredTiers, vault: Vault, near: Sequence[Match], question: Question) -> Asked:
    """``question`` with what the statement and the vectors say of it."""
    return Asked(
        question=question,
        similar={
            match.id: match.standard_score / _FULL_STANDARD_SCORE
            for match in near
            if match.episode_id is None and match.stands_out
        },
        newest=newest_summaries(stored, vault),
        outdated=stored.outdated,
    )


def _entry(item: RecalledItem) -> EpisodeEntry:
    return EpisodeEntry(id=item.id, summary=item.undated, session_id="", created_at=item.said_at or clock.now())


def _always(tiers: Tiers, budget: int) -> tuple[list[RecalledItem], list[RecalledItem], int]:
    """The preferences and habits that fit into ``budget`` characters of JSON, and how many characters they take."""
    core = within(tiers.core, budget - _PREFERENCES_FRAME_CHARS, _preference_chars)
    spent = _PREFERENCES_FRAME_CHARS + sum(map(_preference_chars, core)) if core else 0
    habits = within(tiers.habits, budget - spent - _HABITS_FRAME_CHARS)
    spent += _HABITS_FRAME_CHARS + items_length(*habits) if habits else 0
    return core, habits, spent


def _preference_chars(item: RecalledItem) -> int:
    return _PREFERENCE_CHARS + encoded_length(item.key) + encoded_length(item.text)
