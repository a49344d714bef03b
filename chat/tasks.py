"""Tasks with an owner that ends and awaits them, and signals for which tasks wait."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import Context
from typing import Any, TypeVar

logger = logging.getLogger(__name__)

T = TypeVar("T")


def cancel_at_next_wait() -> None:
    """Cancel the running task at its next wait.

    For a wait before a turn's work that was cancelled: the work must begin, because only it writes the last frame.
    """
    task = asyncio.current_task()
    if task is not None:
        task.cancel()


class OwnedTasks:
    """Tasks that live no longer than their owner: ``aclose`` cancels those that still run, and waits for them."""

    __slots__ = ("_tasks",)

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, T], *, name: str, context: Context | None = None) -> asyncio.Task[T]:
        """Run ``work``. An exception is logged with ``name``.

        Work for all users that a request happens to begin gets a new ``Context()``: in the request's own, it would log
        with the ids of the request and its user, and keep alive what the context refers to.
        """
        task = asyncio.create_task(work, name=name, context=context)
        self._tasks.add(task)
        task.add_done_callback(self._ended, context=context)
        return task

    async def wait(self, timeout_s: float) -> bool:
        """Wait for the tasks to end by themselves. Returns whether all have ended within ``timeout_s`` seconds."""
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
    """Wakes all waiters at once. Those that wait later wait for the next ``notify``.

    Every device has several. Unlike an ``asyncio.Event``, whose queue takes 0.6 KiB, it is small while nobody waits.
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
        """Return once it is set."""
        while not self._is_set:
            await super().wait()


async def close_in_order(*closings: Callable[[], Awaitable[None]]) -> None:
    """Await one after the other. A failure is logged, and does not prevent the others."""
    for closing in closings:
        try:
            await closing()
        except Exception:  # the boundary of each one
            logger.exception("a part did not close properly; the others are closed")
