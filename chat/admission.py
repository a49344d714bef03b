"""A queue that limits concurrent work."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress


class QueueFull(Exception):
    """Too many tasks are waiting, or this one has waited for too long."""


class AdmissionQueue:
    """Admits ``places`` tasks at the same time. Others wait, and are admitted in the order of their arrival.

    At most ``waiting`` tasks wait, each for at most ``wait_s`` seconds.
    """

    def __init__(self, places: int, *, waiting: int, wait_s: float) -> None:
        self._places = places
        self._max_waiting = waiting
        self._wait_s = wait_s
        self._inside = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def is_full(self) -> bool:
        """Whether another task could neither be admitted nor wait."""
        return self._inside >= self._places and len(self._waiting) >= self._max_waiting

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a place, and hold it in the block. Raises ``QueueFull``."""
        await self._enter()
        try:
            yield
        finally:
            self._leave()

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Hold a place in the block without waiting, even if all are taken."""
        self._inside += 1
        try:
            yield
        finally:
            self._leave()

    async def _enter(self) -> None:
        if self.is_full:
            raise QueueFull
        if self._inside < self._places:
            self._inside += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            async with asyncio.timeout(self._wait_s):
                await turn
        except BaseException as error:
            if turn.cancelled():
                with suppress(ValueError):  # ``_leave`` may have removed it
                    self._waiting.remove(turn)
            else:  # it was admitted at the same moment
                self._leave()
            if isinstance(error, TimeoutError):
                raise QueueFull from None
            raise

    def _leave(self) -> None:
        self._inside -= 1
        while self._waiting and self._inside < self._places:
            turn = self._waiting.popleft()
            if not turn.cancelled():
                self._inside += 1
                turn.set_result(None)
