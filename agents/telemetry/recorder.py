"""Writes turns down in the background: in batches, in order, and never in the way of the next turn."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final
from uuid import UUID

from channels.db import database_sync_to_async

from agents.telemetry.turns import ObservedTurn

logger = logging.getLogger(__name__)

CAPACITY: Final = 2000
BATCH: Final = 200
GATHER_S: Final = 0.5
RETRY_S: Final = 2.0
_WARN_EVERY_S: Final = 60.0

Save = Callable[[Sequence[ObservedTurn]], None]


class TurnRecorder:
    """The ``TurnListener`` that keeps turns with ``save``, a synchronous function, in one task.

    At most ``capacity`` turns wait; of more the newest are lost, counted in ``lost``, and warned of once a minute.
    A batch is written ``gather_s`` after its first turn; one that fails is tried again after ``retry_s``.
    """

    def __init__(
        self, save: Save, *, capacity: int = CAPACITY, gather_s: float = GATHER_S, retry_s: float = RETRY_S
    ) -> None:
        self._save = save
        self._capacity = capacity
        self._gather_s = gather_s
        self._retry_s = retry_s
        self._waiting: deque[ObservedTurn] = deque()
        self._hurry = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._warned_at = -_WARN_EVERY_S
        self.lost = 0

    def __len__(self) -> int:
        """How many turns are not written yet."""
        return len(self._waiting)

    def waiting(self, user_id: UUID) -> Sequence[ObservedTurn]:
        """The user's turns that are not written yet, as far as is known here."""
        return [turn for turn in self._waiting if turn.origin.user_id == user_id]

    def __call__(self, turn: ObservedTurn) -> None:
        """Have ``turn`` written soon. Never waits."""
        if len(self._waiting) >= self._capacity:
            self._lose(1)
            return
        self._waiting.append(turn)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._write_all(), name="writing turns down")

    async def flush(self) -> None:
        """Return when everything told until now is written, and do not gather for that."""
        if self._task is not None and not self._task.done():
            self._hurry.set()
            await asyncio.wait({self._task})

    async def aclose(self, within_s: float) -> None:
        """As ``flush``, for ``within_s`` seconds at most; what is not written then is lost."""
        try:
            async with asyncio.timeout(within_s):
                await self.flush()
        except TimeoutError:
            if self._task is not None:
                self._task.cancel()
                await asyncio.gather(self._task, return_exceptions=True)
        if self._waiting:
            self._warned_at = -_WARN_EVERY_S
            self._lose(len(self._waiting))
            self._waiting.clear()

    async def _write_all(self) -> None:
        """Until nothing waits: a server at rest has no task for this."""
        while self._waiting:
            await self._gather()
            batch = list(islice(self._waiting, BATCH))
            try:
                await database_sync_to_async(self._save, thread_sensitive=False)(batch)
            except Exception as error:  # noqa: BLE001 - whatever keeps the database away: the turns wait
                self._warn("turns could not be written down, and are kept for later: %s", error)
                await asyncio.sleep(self._retry_s)
            else:
                for _ in batch:
                    self._waiting.popleft()
        self._hurry.clear()

    async def _gather(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self._gather_s):
                await self._hurry.wait()

    def _lose(self, number: int) -> None:
        self.lost += number
        self._warn("%d turns are not written down", self.lost)

    def _warn(self, sentence: str, *arguments: object) -> None:
        now = time.monotonic()
        if now - self._warned_at >= _WARN_EVERY_S:
            self._warned_at = now
            logger.warning(sentence, *arguments)
