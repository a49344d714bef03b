"""A memory at the port of turns: it recalls what a test says, and keeps what it is told."""

import asyncio
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from uuid import UUID, uuid4

from chat.turns.factory import TurnFactory
from chat.turns.remembering import Remembering
from memory.core import CoreEntry
from memory.recall import Remembered
from tests.agents.memories import InMemoryRecollection
from tests.chat.sockets import Server


@dataclass
class ScriptedMemory:
    """Recalls ``remembered`` once ``recalls`` is set, and stores once ``stores`` is: both are, unless a test clears
    them. ``asked`` and ``begun`` are set when it is asked for either.
    """

    remembered: dict[UUID, Remembered] = field(default_factory=dict)
    questions: list[tuple[UUID, str]] = field(default_factory=list)
    stored: list[tuple[UUID, str, str, str, str]] = field(default_factory=list)
    recollections: dict[UUID, InMemoryRecollection] = field(default_factory=dict)
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    recalls: asyncio.Event = field(default_factory=asyncio.Event)
    stores: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.recalls.set()
        self.stores.set()

    async def enrich_context(self, user_id: UUID, message: str) -> Remembered:
        self.questions.append((user_id, message))
        self.asked.set()
        await self.recalls.wait()
        return self.remembered.get(user_id, Remembered())

    async def store_episode(
        self, user_id: UUID, session_id: str, message: str, response: str, *, language: str = "en"
    ) -> None:
        self.begun.set()
        await self.stores.wait()
        self.stored.append((user_id, session_id, message, response, language))

    def recollection(self, user_id: UUID) -> InMemoryRecollection:
        return self.recollections.setdefault(user_id, InMemoryRecollection())


def remembering(server: Server, memory: ScriptedMemory) -> Server:
    """``server``, whose turns use ``memory``."""
    kit = server.services.turns.kit
    kept = Remembering(memory=memory, recollection=memory.recollection)
    server.services = replace(server.services, turns=TurnFactory(kit=replace(kit, memory=kept)))
    return server.restarted()


def preference(key: str, value: str) -> CoreEntry:
    return CoreEntry(id=uuid4(), key=key, value=value, updated_at=datetime(2026, 3, 1, tzinfo=UTC))
