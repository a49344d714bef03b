"""What outlives a turn must not keep the turn's context: it would log under its ids, and keep what the turn used."""

import asyncio
import gc
import weakref
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Final


class _Used:
    """Stands for what a turn has used."""


_USED: Final[ContextVar[_Used]] = ContextVar("used")
_MANY: Final = 500
_LONG_S: Final = 3600.0


async def is_kept(work: Callable[[], Awaitable[object]]) -> bool:
    """Whether the context of a task that has done ``work`` is still there when the task is over."""

    async def turn() -> "weakref.ref[_Used]":
        used = _Used()
        _USED.set(used)
        await work()
        return weakref.ref(used)

    used = await asyncio.create_task(turn())
    # The loop holds the task until this one waits again, and cancelled timers until they are most of its many timers.
    for _ in range(_MANY):
        asyncio.get_running_loop().call_later(_LONG_S, gc.collect).cancel()
    await asyncio.sleep(0)
    gc.collect()
    return used() is not None
