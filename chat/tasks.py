"""Tasks with an owner that ends and awaits them, and what tasks wait for."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import Context
from typing import Any, TypeVar

logger = logging.getLogger(__name__)

T = TypeVar("T")


def cancel_at_next_wait() -> None:
    """Have the running task cancelled when it waits next.

    For a wait before a turn's work that was cancelled: the work must begin, since only it writes the last frame.
    """
    task = asyncio.current_task()
    if task is not None:
        task.cancel()


class OwnedTasks:
    """Tasks that live no longer than their owner: ``aclose`` cancels those that still run and waits for them."""

    __slots__ = ("_tasks",)

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, T], *, name: str, context: Context | None = None) -> asyncio.Task[T]:
        """Run ``work``. What it raises is logged under ``name``.

        Work for everyone that a request happens to begin gets a ``Context()``: in the request's own it would log under
        its id and its user's, and keep what it used.
        """
        task = asyncio.create_task(work, name=name, context=context)
        self._tasks.add(task)
        task.add_done_callback(self._ended, context=context)
        return task

    async def wait(self, timeout_s: float) -> bool:
        """Wait for the tasks to end by themselves; whether all have within ``timeout_s``."""
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
    """Wakes every waiter at once. Those that wait later wait for the next change.

    Every device has several. Unlike an ``asyncio.Event``, whose queue takes 0.6 KiB, it is small while no one waits.
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
    """As ``asyncio.Event``, and small as a ``Signal``."""

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
    """Await one after the other. A failure is logged, and does not keep the rest from closing."""
    for closing in closings:
        try:
            await closing()
        except Exception:  # the boundary of each that closes
            logger.exception("something did not end as it should; the others do")
