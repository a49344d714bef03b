"""How many may do something at a time, and who waits for how long."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress


class QueueFull(Exception):
    """Too many are waiting, or it has waited for too long."""


class AdmissionQueue:
    """Lets ``most`` in at a time, and the others in the order in which they came.

    Those wait ``wait_s`` seconds at most, and are ``waiting`` at most.
    """

    def __init__(self, most: int, *, waiting: int, wait_s: float) -> None:
        self._most = most
        self._most_waiting = waiting
        self._wait_s = wait_s
        self._inside = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def is_full(self) -> bool:
        """Whether no one more can come in or wait."""
        return self._inside >= self._most and len(self._waiting) >= self._most_waiting

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """A block that is entered when it is its turn. Raises ``QueueFull``."""
        await self._enter()
        try:
            yield
        finally:
            self._leave()

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """A block that does not wait, but those who wait do so for it."""
        self._inside += 1
        try:
            yield
        finally:
            self._leave()

    async def _enter(self) -> None:
        if self.is_full:
            raise QueueFull
        if self._inside < self._most:
            self._inside += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            async with asyncio.timeout(self._wait_s):
                await turn
        except BaseException as error:
            if turn.cancelled():
                with suppress(ValueError):  # no one has looked at it since
                    self._waiting.remove(turn)
            else:  # its turn came at the same moment
                self._leave()
            if isinstance(error, TimeoutError):
                raise QueueFull from None
            raise

    def _leave(self) -> None:
        self._inside -= 1
        while self._waiting and self._inside < self._most:
            turn = self._waiting.popleft()
            if not turn.cancelled():
                self._inside += 1
                turn.set_result(None)
