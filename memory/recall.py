"""Recalling what may help with a message: all preferences, the nearest facts, the latest episodes, habits."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeVar
from uuid import UUID

from django.db import DatabaseError
from django.db.models import Exists

from accounts.database import in_database
from accounts.errors import AccountGone
from accounts.keys.vault import Vault, open_vault
from accounts.models import User
from memory.embedders.base import Embedder
from memory.errors import EmbeddingFailed
from memory.index import Embedding
from memory.models import MemoryAssociative, MemoryCore, MemoryEpisodic, MemoryProactive, opened, readable
from memory.tiers.core import CoreEntry, opened_entry
from memory.tiers.facts import embedded, search_facts

logger = logging.getLogger(__name__)

FACTS: Final = 5
EPISODES: Final = 5
HABITS: Final = 10
SURE: Final = 0.6
"""The confidence above which a habit is recalled."""

_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True, slots=True)
class Recalled:
    """What is sent to the model beside a message, decrypted. Each tier begins with what matters most."""

    core: Sequence[CoreEntry] = ()
    facts: Sequence[str] = ()
    episodes: Sequence[str] = ()
    habits: Sequence[str] = ()

    @property
    def empty(self) -> bool:
        return not (self.core or self.facts or self.episodes or self.habits)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Tiers:
    """What is recalled without a vector. ``included`` are the ids of the recalled episodes."""

    vault: Vault
    recalled: Recalled
    included: frozenset[UUID]
    has_facts: bool


async def recall(embedder: Embedder, user_id: UUID, message: str, *, budget_s: float) -> Recalled:
    """Recall for ``message``; nothing for a user who has turned the memory off.

    The vector of ``message`` is made while the tiers are read, and only for a user who has facts to compare it with. If
    it takes longer than ``budget_s`` seconds, facts are left out. Rows that cannot be decrypted are left out, and tiers
    that cannot be read. Raises as ``open_vault``.
    """
    wanted = asyncio.Event()
    begin = partial(asyncio.get_running_loop().call_soon_threadsafe, wanted.set)
    embedding = asyncio.create_task(_embedded_in_time(embedder, message, budget_s, wanted), name="embedding a message")
    try:
        tiers = await in_database(_tiers, user_id, embedder.name, begin)
        if tiers is None:
            return Recalled()
        if not tiers.has_facts or (found := await embedding) is None:
            return tiers.recalled
    finally:
        embedding.cancel()
        await asyncio.gather(embedding, return_exceptions=True)
    facts = await in_database(_tier, "facts", lambda: _facts(user_id, tiers, found))
    return replace(tiers.recalled, facts=facts)


async def _embedded_in_time(
    embedder: Embedder, message: str, budget_s: float, wanted: asyncio.Event
) -> Embedding | None:
    await wanted.wait()
    if not message.strip():
        return None
    try:
        async with asyncio.timeout(budget_s):
            return await embedded(embedder, message)
    except TimeoutError:
        logger.info("facts are left out: their vector took longer than %.0f ms", budget_s * 1000)
    except EmbeddingFailed as error:
        logger.warning("facts are left out: %s", error)
    except Exception as error:  # noqa: BLE001 - the boundary of a task: a failing embedder costs only the facts
        logger.warning("facts are left out: %s", type(error).__name__)
    return None


def _tiers(user_id: UUID, model: str, begin: Callable[[], object]) -> _Tiers | None:
    """The tiers that need no vector. Calls ``begin`` first if the user has facts to compare one with.

    None if the user has turned the memory off, or is gone.
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
    episodes = _tier("episodes", lambda: _episodes(user_id, vault))
    recalled = Recalled(
        core=_tier("core", lambda: _core(user_id, vault)),
        episodes=[text for _, text in episodes],
        habits=_tier("habits", lambda: _habits(user_id, vault)),
    )
    included = frozenset(episode_id for episode_id, _ in episodes)
    return _Tiers(vault=vault, recalled=recalled, included=included, has_facts=has_facts)


def _tier(name: str, read: Callable[[], Sequence[_T]]) -> Sequence[_T]:
    try:
        return read()
    except DatabaseError as error:
        # Its text may quote a row, so only its kind is logged.
        logger.warning("the tier of %s is left out: %s", name, type(error).__name__)
        return ()


def _core(user_id: UUID, vault: Vault) -> Sequence[CoreEntry]:
    rows = MemoryCore.objects.for_user(user_id).order_by("-updated_at", "id")
    return list(readable(rows, lambda row: opened_entry(vault, row)))


def _episodes(user_id: UUID, vault: Vault) -> Sequence[tuple[UUID, str]]:
    rows = MemoryEpisodic.objects.for_user(user_id).newest_first()[:EPISODES]
    return list(readable(rows, lambda row: (row.id, _dated(row, opened(vault, row, "summary_encrypted")))))


def _dated(row: MemoryEpisodic, summary: str) -> str:
    return f"{row.created_at:%Y-%m-%d}: {summary}"


def _habits(user_id: UUID, vault: Vault) -> Sequence[str]:
    rows = MemoryProactive.objects.for_user(user_id).kept().above(SURE)[:HABITS]
    return list(readable(rows, lambda row: opened(vault, row, "pattern_encrypted")))


def _facts(user_id: UUID, tiers: _Tiers, embedding: Embedding) -> Sequence[str]:
    """The nearest facts, without the rows of episodes that are recalled anyway."""
    near = search_facts(user_id, embedding, limit=FACTS + len(tiers.included), vault=tiers.vault)
    return [found.content for found in near if found.episode_id not in tiers.included][:FACTS]
