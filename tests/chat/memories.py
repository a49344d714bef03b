"""A memory for turns with scripted recall that records what it stores."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from memory.exchange import Exchange
from memory.recalled import Recalled
from memory.search.follow_ups import Earlier
from memory.service import MemoryService
from tests.agents.memories import InMemoryRecollection
from tests.chat.sockets import Server
from tests.memory.ports import Embedder, Summarizer


@dataclass
class ScriptedMemory(MemoryService):
    """Recalls ``recalled`` once ``recalls`` is set, and stores once ``stores`` is set; both are set by default.

    ``asked`` and ``begun`` are set when a recall or a store begins.
    """

    recalled: dict[UUID, Recalled] = field(default_factory=dict)
    questions: list[tuple[UUID, str]] = field(default_factory=list)
    histories: list[Sequence[Earlier]] = field(default_factory=list)
    stored: list[tuple[UUID, str, str, str, str]] = field(default_factory=list)
    recollections: dict[UUID, InMemoryRecollection] = field(default_factory=dict)
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    recalls: asyncio.Event = field(default_factory=asyncio.Event)
    stores: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        super().__init__(embedder=Embedder(), summarizer=Summarizer())
        self.recalls.set()
        self.stores.set()

    async def recall(self, user_id: UUID, message: str, *, before: Sequence[Earlier] = ()) -> Recalled:
        self.questions.append((user_id, message))
        self.histories.append(before)
        self.asked.set()
        await self.recalls.wait()
        return self.recalled.get(user_id, Recalled())

    async def store(self, user_id: UUID, exchange: Exchange, *, as_of: int | None = None) -> None:
        self.begun.set()
        await self.stores.wait()
        self.stored.append((user_id, exchange.session_id, exchange.message, exchange.response, exchange.language))

    def recollection(self, user_id: UUID) -> InMemoryRecollection:
        return self.recollections.setdefault(user_id, InMemoryRecollection())


def with_memory(server: Server, memory: ScriptedMemory) -> Server:
    """``server`` with turns that use ``memory``."""
    server.run_with(recollection=memory.recollection)
    turns = replace(server.services.turns, memory=memory)
    server.services = replace(server.services, turns=turns)
    return server.restarted()
