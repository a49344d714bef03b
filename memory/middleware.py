"""The face of the memory: before the model, after the answer, and when something is to be kept."""

import logging
from typing import Final
from uuid import UUID

from accounts.errors import AccountError
from accounts.models import User
from memory.core import set_core
from memory.embedders.base import Embedder
from memory.errors import MemoryOff
from memory.exchanges import Exchange
from memory.recall import Remembered, recall
from memory.record import Recorder
from memory.threads import in_thread
from memory.works import Summarizer

logger = logging.getLogger(__name__)

BUDGET_S: Final = 0.3


class MemoryMiddleware:
    """What turns use of the memory. ``budget_s`` bounds how long an answer waits for the vector of its message."""

    def __init__(self, *, embedder: Embedder, summarizer: Summarizer, budget_s: float = BUDGET_S) -> None:
        self.recorder = Recorder(embedder=embedder, summarizer=summarizer)
        self._embedder = embedder
        self._budget_s = budget_s

    async def enrich_context(self, user_id: UUID, message: str) -> Remembered:
        """What is remembered that may help with ``message``. Never raises: an answer does without, if it must."""
        try:
            return await recall(self._embedder, user_id, message, budget_s=self._budget_s)
        except AccountError as error:
            logger.warning("nothing is recalled: %s", error)
        except Exception as error:  # noqa: BLE001 - the boundary of an answer: the memory must not end it
            logger.warning("nothing is recalled: %s", type(error).__name__)
        return Remembered()

    async def store_episode(
        self, user_id: UUID, session_id: str, message: str, response: str, *, language: str = "en"
    ) -> None:
        """Record an exchange. It is in the database when this returns. Never raises."""
        exchange = Exchange(message=message, response=response, language=language)
        try:
            await self.recorder.store(user_id, session_id, exchange)
        except AccountError as error:
            logger.warning("an exchange is not recorded: %s", error)
        except Exception as error:  # noqa: BLE001 - the boundary of a recording: the answer has been given
            logger.warning("an exchange is not recorded: %s", type(error).__name__)

    async def update_core(self, user_id: UUID, key: str, value: str) -> None:
        """Keep ``value`` under ``key``. Raises ``MemoryOff``, and as ``memory.core.set_core``."""
        await in_thread(lambda: _kept(user_id, key, value))

    def begin(self) -> None:
        """Begin the background work in the running loop; a second call does nothing."""
        self.recorder.begin()

    async def aclose(self) -> None:
        """End the background work."""
        await self.recorder.aclose()


def _kept(user_id: UUID, key: str, value: str) -> None:
    if not User.objects.filter(id=user_id, memory_enabled=True).exists():
        raise MemoryOff
    set_core(user_id, key, value)
