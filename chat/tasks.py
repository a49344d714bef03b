"""Tasks with an owner that cancels and awaits them, and signals that tasks wait for."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import Context
from typing import Any, TypeVar

logger = logging.getLogger(__name__)

T = TypeVar("T")


def cancel_at_next_wait() -> None:
    """Cancel the running task at its next wait.

    For code before a turn's work that catches a cancellation: the work must begin, because it writes the last frame.
    """
    task = asyncio.current_task()
    if task is not None:
        task.cancel()


class OwnedTasks:
    """Tasks that end with their owner: ``aclose`` cancels those that are running, and waits for them."""

    __slots__ = ("_tasks",)

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, T], *, name: str, context: Context | None = None) -> asyncio.Task[T]:
        """Run ``work``. An exception is logged with ``name``.

        If a request begins work for all users, the work needs a new ``Context()``. In that of the request, its log
        lines would have the ids of the request and the user, and it would keep alive what the context refers to.
        """
        task = asyncio.create_task(work, name=name, context=context)
        self._tasks.add(task)
        task.add_done_callback(self._ended, context=context)
        return task

    async def wait(self, timeout_s: float) -> bool:
        """Wait for all tasks to end, for ``timeout_s`` seconds at most. Returns whether they have ended."""
        return not self._tasks or not (await asyncio.wait(self._tasks, timeout=timeout_s))[1]

    async def aclose(self) -> None:
        current = asyncio.current_task()
        tasks = [task for task in self._tasks if task is not current]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("%s failed", task.get_name(), exc_info=error)


class Signal:
    """``notify`` wakes all tasks that wait at that moment.

    Every device has several signals, so they are small: the queue of an ``asyncio.Event`` takes 0.6 KiB.
    """

    __slots__ = ("_waiters",)

    def __init__(self) -> None:
        self._waiters: tuple[asyncio.Future[None], ...] = ()

    def notify(self) -> None:
        waiters, self._waiters = self._waiters, ()
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def wait(self) -> None:
        waiter = asyncio.get_running_loop().create_future()
        self._waiters = (*self._waiters, waiter)
        try:
            await waiter
        finally:
            if waiter in self._waiters:  # cancelled
                self._waiters = tuple(each for each in self._waiters if each is not waiter)


class Flag(Signal):
    """Like ``asyncio.Event``, but as small as a ``Signal``."""

    __slots__ = ("_is_set",)

    def __init__(self) -> None:
        super().__init__()
        self._is_set = False

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        self._is_set = True
        self.notify()

    def clear(self) -> None:
        self._is_set = False

    async def wait(self) -> None:
        """Return once the flag is set."""
        while not self._is_set:
            await super().wait()


async def close_in_order(*closings: Callable[[], Awaitable[None]]) -> None:
    """Await ``closings``, one after another. Failures are logged."""
    for closing in closings:
        try:
            await closing()
        except Exception:  # the boundary of each closing: one that fails must not prevent the next
            logger.exception("a part did not close properly; the others are closed")
