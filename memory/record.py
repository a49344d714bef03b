"""Recording what happens: at once and safely, then better in the background."""

import asyncio
import logging
from contextlib import suppress
from typing import Final
from uuid import UUID

from accounts.errors import AccountError, AccountGone
from memory import recording
from memory.claims import Claim
from memory.embedders.base import Embedder
from memory.errors import EmbeddingFailed, UnreadableRow
from memory.exchanges import Exchange
from memory.threads import in_thread
from memory.works import Summarizer, SummaryWork, VectorWork, Work

__all__ = ["Recorder", "Summarizer"]

logger = logging.getLogger(__name__)

SWEEP_EVERY_S: Final = 60.0
ATTEMPT_S: Final = 90.0
"""The longest an attempt may take, in seconds: shorter than the lease of its row."""
_AT_ONCE: Final = 2
"""How many rows one process works on at the same time."""
_BACKLOG: Final = 100
"""How many wait in memory; more are left to the sweep, which finds them in the database."""


class Recorder:
    """Writes episodes, and in the background replaces their plain summaries by better ones and makes missing vectors.

    ``start`` begins the background work and ``aclose`` ends it; what is not done by then, and what a killed process
    left, some process's next sweep goes on with. ``failures`` counts attempts that failed since the last that did not.
    """

    def __init__(self, *, embedder: Embedder, summarizer: Summarizer, sweep_every_s: float = SWEEP_EVERY_S) -> None:
        self._summaries = SummaryWork(embedder, summarizer)
        self._vectors = VectorWork(embedder)
        self._sweep_every_s = sweep_every_s
        self._backlog: asyncio.Queue[Claim] = asyncio.Queue(_BACKLOG)
        self._tasks: list[asyncio.Task[None]] = []
        self.failures = 0

    async def store(self, user_id: UUID, session_id: str, exchange: Exchange) -> None:
        """Write the episode. It is in the database when this returns. Raises what ``open_vault`` raises."""
        waiting = await in_thread(lambda: recording.write_episode(user_id, session_id, exchange))
        if waiting is not None:
            with suppress(asyncio.QueueFull):
                self._backlog.put_nowait(waiting)

    def begin(self) -> None:
        """Begin the background work in the running loop; a second call does nothing."""
        if not self._tasks:
            works = [self._sweep_again_and_again(), *(self._work() for _ in range(_AT_ONCE))]
            self._tasks = [asyncio.create_task(work, name="memory: recording") for work in works]

    async def aclose(self) -> None:
        """End the background work."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []

    async def sweep(self) -> int:
        """Attend to every row whose time has come; how many there were."""
        return await self._take(self._summaries) + await self._take(self._vectors)

    async def _take(self, work: Work) -> int:
        taken = 0
        while claims := await work.claim(limit=_AT_ONCE):
            await asyncio.gather(*(self._attempt(work, claim) for claim in claims))
            taken += len(claims)
        return taken

    async def _attempt(self, work: Work, claim: Claim) -> None:
        """Never raises but for cancellation."""
        try:
            async with asyncio.timeout(ATTEMPT_S):
                await work.do(claim)
        except AccountGone:
            return
        except UnreadableRow as error:
            logger.warning("%s %s is given up: %s", work.name, claim.row_id, error)
            await self._leave(work, claim)
        except Exception as error:  # noqa: BLE001 - the boundary of a background job: models fail in many ways
            self.failures += 1
            logger.warning("%s %s failed: %s", work.name, claim.row_id, _told(error))
            await self._fail(work, claim)
        else:
            self.failures = 0

    async def _fail(self, work: Work, claim: Claim) -> None:
        try:
            if not await work.postpone(claim):
                await work.settle(claim)
        except Exception as error:  # noqa: BLE001 - the claim runs out, and a later sweep finds the row
            logger.warning("%s %s cannot be put off: %s", work.name, claim.row_id, _told(error))

    async def _leave(self, work: Work, claim: Claim) -> None:
        try:
            await work.leave(claim)
        except Exception as error:  # noqa: BLE001 - as above
            logger.warning("%s %s cannot be left: %s", work.name, claim.row_id, _told(error))

    async def _work(self) -> None:
        while True:
            await self._attempt(self._summaries, await self._backlog.get())

    async def _sweep_again_and_again(self) -> None:
        while True:
            try:
                await self.sweep()
            except Exception as error:  # noqa: BLE001 - the boundary of a background task
                logger.warning("the sweep of what waits failed: %s", _told(error))
            await asyncio.sleep(self._sweep_every_s)


def _told(error: Exception) -> str:
    """What of an error may stand in the log: others' sentences may quote what the user said."""
    return str(error) if isinstance(error, AccountError | EmbeddingFailed) else type(error).__name__
