"""What is old goes by itself, beside what a process serves."""

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Final

from agents.retention.forgetting import cutoffs, forget_some, listed
from agents.retention.kinds import Kept
from memory.threads import in_thread

logger = logging.getLogger(__name__)

FIRST_S: Final = 60.0
"""How long after the start it is done first, and when it is tried again after the database was away."""
EVERY_S: Final = 6 * 3600.0
_PAUSE_S: Final = 0.1
"""Between two batches, for those who wait for the database."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Forgetting:
    """Deletes what is old soon after ``begin``, and then every ``every_s`` seconds. ``clock`` gives the aware time."""

    def __init__(
        self,
        kept: Kept,
        *,
        first_s: float = FIRST_S,
        every_s: float = EVERY_S,
        pause_s: float = _PAUSE_S,
        clock: Callable[[], datetime] = _utc_now,
    ) -> None:
        self._kept = kept
        self._first_s, self._every_s, self._pause_s = first_s, every_s, pause_s
        self._clock = clock
        self._task: asyncio.Task[None] | None = None
        self._away = False

    def begin(self) -> None:
        """Forget from now on; saying so again changes nothing."""
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._repeat(), name="forgetting what is old")

    async def aclose(self) -> None:
        """Begin no further batch; one that is under way ends by itself, or with the process as if it had not begun."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def forget(self) -> None:
        """Delete once what is old; raises whatever keeps the database away."""
        gone: dict[str, int] = {}
        try:
            for kind, moment in cutoffs(self._kept, now=self._clock()):
                while some := await in_thread(partial(forget_some, kind, moment)):
                    gone[kind.name] = gone.get(kind.name, 0) + some
                    await asyncio.sleep(self._pause_s)
        finally:
            if gone:
                logger.info("what was old has been deleted: %s", listed(gone))

    async def _repeat(self) -> None:
        await asyncio.sleep(self._first_s)
        while True:
            try:
                await self.forget()
                self._away = False
            except Exception:  # the boundary of a task that outlives a database that is away
                if not self._away:
                    logger.exception("deleting what is old failed; it is tried again")
                self._away = True
            await asyncio.sleep(self._first_s if self._away else self._every_s)
