"""Crossing from the event loop to the database."""

from collections.abc import Callable
from typing import TypeVar

from channels.db import database_sync_to_async

_T = TypeVar("_T")


async def in_thread(work: Callable[[], _T]) -> _T:
    """What ``work`` gives, done in a thread of its own: one slow query then holds up nobody else."""
    made: _T = await database_sync_to_async(work, thread_sensitive=False)()
    return made
