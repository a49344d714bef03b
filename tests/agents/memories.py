"""A memory in dicts, at its port; facts are found by shared words."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from agents.errors import ToolFailed
from agents.tools.context import Episode, Fact, Preference
from agents.tools.recollection import Forget, Recall, Remember, SearchHistory

MEMORY_TOOLS = (Remember, Recall, Forget, SearchHistory)


@dataclass
class InMemoryRecollection:
    """The memory of one user; with ``off`` everything fails as if the user had turned memory off."""

    kept: dict[str, str] = field(default_factory=dict)
    known: list[Fact] = field(default_factory=list)
    past: list[Episode] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    """The rows whose facts were forgotten."""
    off: bool = False

    async def remember(self, key: str, value: str) -> None:
        self._check()
        self.kept[key] = value

    async def preferences(self) -> Sequence[Preference]:
        self._check()
        return [Preference(key=key, value=value) for key, value in self.kept.items()]

    async def facts(self, query: str, *, limit: int) -> Sequence[Fact]:
        self._check()
        words = set(query.casefold().split())
        return [fact for fact in self.known if words & set(fact.content.casefold().split())][:limit]

    async def forget(self, key: str) -> bool:
        self._check()
        found = [fact for fact in self.known if fact.id == key]
        self.known = [fact for fact in self.known if fact.id != key]
        return self.kept.pop(key, None) is not None or bool(found)

    async def forget_rows(self, entity_ids: Sequence[str]) -> None:
        self.gone += entity_ids

    async def episodes(self, query: str, *, since: datetime | None, limit: int) -> Sequence[Episode]:
        self._check()
        return [
            episode
            for episode in self.past
            if query.casefold() in episode.summary.casefold() and (since is None or episode.at >= since)
        ][:limit]

    def _check(self) -> None:
        if self.off:
            raise ToolFailed("The user has turned memory off.")
