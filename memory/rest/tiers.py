"""The four tiers as their owner gets them: how each is listed, and in which shape."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias
from uuid import UUID

from rest_framework import serializers

from memory.core import list_core
from memory.episodes import list_episodes
from memory.facts import list_facts
from memory.habits import list_habits
from memory.paging import Mark, Page
from memory.rest.paging import MAX_LIMIT, Part, cursor_of
from memory.rest.shapes import AssociativeSerializer, CoreSerializer, EpisodicSerializer, ProactiveSerializer

Shown: TypeAlias = Mapping[str, object]


class _Lister(Protocol):
    def __call__(self, user_id: UUID, *, after: Mark | None, limit: int) -> Page[object]: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Tier:
    """One of them."""

    name: str
    lister: _Lister
    shape: type[serializers.Serializer[object]]

    def page(self, user_id: UUID, part: Part) -> Shown:
        """Part of the user's rows, and where the list goes on. Raises as ``accounts.vault.open_vault``."""
        page = self.lister(user_id, after=part.after, limit=part.limit)
        return {
            "items": self.shape(page.items, many=True).data,
            "next": None if page.after is None else cursor_of(page.after),
        }

    def rows(self, user_id: UUID) -> Iterator[list[Shown]]:
        """All of the user's rows, a page at a time. Raises as ``page``."""
        after: Mark | None = None
        while True:
            page = self.lister(user_id, after=after, limit=MAX_LIMIT)
            yield [*self.shape(page.items, many=True).data]
            after = page.after
            if after is None:
                return


def _whole_core(user_id: UUID, *, after: Mark | None, limit: int) -> Page[object]:  # noqa: ARG001 - it is never long
    return Page(items=list_core(user_id), after=None)


CORE: Final = Tier(name="core", lister=_whole_core, shape=CoreSerializer)
ASSOCIATIVE: Final = Tier(name="associative", lister=list_facts, shape=AssociativeSerializer)
EPISODIC: Final = Tier(name="episodic", lister=list_episodes, shape=EpisodicSerializer)
PROACTIVE: Final = Tier(name="proactive", lister=list_habits, shape=ProactiveSerializer)
TIERS: Final = (CORE, ASSOCIATIVE, EPISODIC, PROACTIVE)
