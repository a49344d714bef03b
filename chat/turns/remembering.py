"""Between turns and the memory: what is recalled before an answer, and the recording after it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol
from uuid import UUID

from agents.tools.memory import Recollection
from chat.tasks import OwnedTasks
from memory.recall import Remembered

DRAIN_S: Final = 5.0
"""How long recordings may take when the process stops."""
WRITING_S: Final = 0.25
"""How long the end of an answer waits for its recording."""


class Memory(Protocol):
    """The part of ``memory.middleware.MemoryMiddleware`` that turns use."""

    async def enrich_context(self, user_id: UUID, message: str) -> Remembered:
        """What is remembered that may help with ``message``. Never raises."""

    async def store_episode(
        self, user_id: UUID, session_id: str, message: str, response: str, *, language: str = "en"
    ) -> None:
        """Record an exchange. It is in the database when this returns. Never raises."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchange:
    """What a user said and what was answered, in words; ``session_id`` is the client's name for the conversation."""

    user_id: UUID
    message: str
    response: str
    language: str
    session_id: str = ""


@dataclass(kw_only=True)
class Remembering:
    """What turns do with the memory. ``recollection`` gives a user's own, for the tools.

    Recordings belong to this. A turn begins one when its last words are written, and waits for it before its last
    frame, so that what a client was told is over survives the end of the process; it takes some milliseconds. A
    recording that takes longer goes on while the turn ends.
    """

    memory: Memory
    recollection: Callable[[UUID], Recollection]
    _recordings: OwnedTasks = field(default_factory=OwnedTasks, init=False)

    async def recall(self, user_id: UUID, message: str) -> Remembered:
        """What is remembered that may help with ``message``."""
        return await self.memory.enrich_context(user_id, message)

    async def record(self, exchange: Exchange) -> None:
        """Record ``exchange``; returns when it is written, and after ``WRITING_S`` seconds in any case."""
        recording = self.memory.store_episode(
            exchange.user_id,
            exchange.session_id,
            exchange.message,
            exchange.response,
            language=exchange.language,
        )
        task = self._recordings.start(recording, name="recording an exchange")
        await asyncio.wait({task}, timeout=WRITING_S)

    async def drain(self, timeout_s: float = DRAIN_S) -> None:
        """Let the recordings that have begun end; those that take longer are cut off."""
        await self._recordings.wait(timeout_s)
        await self._recordings.aclose()
