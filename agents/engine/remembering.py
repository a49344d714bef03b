"""The tools' ``Recollection`` over the memory itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar
from uuid import UUID

from channels.db import database_sync_to_async

from accounts.errors import AccountError
from accounts.models import User
from agents.errors import ModelRetry, ToolFailed
from agents.tools.memory import Episode, Fact, Preference
from memory.core import delete_core, list_core, set_core
from memory.embedders.base import Embedder
from memory.episodes import search_history
from memory.errors import EmbeddingFailed, Unfit
from memory.facts import delete_fact
from memory.search import search

_OFF: Final = "The user has turned memory off: nothing is remembered, and nothing can be recalled."
_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True, slots=True)
class UserRecollection:
    """What is remembered of one user. Whether memory is on is asked each time: a turn may outlast the answer."""

    user_id: UUID
    embedder: Embedder

    async def remember(self, key: str, value: str) -> None:
        try:
            await self._done(lambda: set_core(self.user_id, one_line(key), value))
        except Unfit as unfit:
            raise ModelRetry(str(unfit)) from None

    async def preferences(self) -> Sequence[Preference]:
        kept = await self._done(lambda: list_core(self.user_id))
        return [Preference(key=entry.key, value=entry.value) for entry in kept if not entry.unreadable]

    async def facts(self, query: str, *, limit: int) -> Sequence[Fact]:
        await self._done(lambda: None)
        try:
            found = await search(self.embedder, self.user_id, query, limit=limit)
        except EmbeddingFailed:
            raise ToolFailed("Facts cannot be searched by meaning right now.") from None
        except AccountError as error:
            raise _unusable(error) from None
        return [Fact(id=str(each.id), content=each.content, score=each.score) for each in found]

    async def forget(self, key: str) -> bool:
        return await self._done(lambda: _forgotten(self.user_id, key))

    async def episodes(self, query: str, *, since: datetime | None, limit: int) -> Sequence[Episode]:
        found = await self._done(lambda: search_history(self.user_id, query, since=since, limit=limit))
        return [Episode(id=str(entry.id), summary=entry.summary, at=entry.created_at) for entry in found]

    async def _done(self, work: Callable[[], _T]) -> _T:
        """What ``work`` gives, done in a thread. Raises ``ToolFailed`` where memory is off or cannot be opened."""

        def checked() -> _T:
            if not User.objects.filter(id=self.user_id, memory_enabled=True).exists():
                raise ToolFailed(_OFF)
            return work()

        try:
            made: _T = await database_sync_to_async(checked, thread_sensitive=False)()
        except AccountError as error:
            raise _unusable(error) from None
        return made


def one_line(key: str) -> str:
    """A key that a person can write in an address."""
    return "".join(mark for mark in " ".join(key.split()) if mark.isprintable())


def _forgotten(user_id: UUID, key: str) -> bool:
    if delete_core(user_id, key):
        return True
    try:
        fact_id = UUID(key)
    except ValueError:
        return False
    return delete_fact(user_id, fact_id)


def _unusable(error: AccountError) -> ToolFailed:
    return ToolFailed(f"The memory cannot be used right now. {error}")
