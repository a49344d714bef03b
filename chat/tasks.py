"""Tasks with an owner that ends and awaits them."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

logger = logging.getLogger(__name__)


class OwnedTasks:
    """Tasks that live no longer than their owner: ``aclose`` cancels those that still run and waits for them."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, work: Coroutine[Any, Any, None], *, name: str) -> asyncio.Task[None]:
        """Run ``work``. What it raises is logged under ``name`` when it ends."""
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def wait(self, timeout_s: float) -> bool:
        """Let the tasks end by themselves; whether all have within ``timeout_s``."""
        if not self._tasks:
            return True
        _, running = await asyncio.wait(self._tasks, timeout=timeout_s)
        return not running

    async def aclose(self) -> None:
        current = asyncio.current_task()
        tasks = [task for task in self._tasks if task is not current]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("%s failed", task.get_name(), exc_info=error)
