"""Removing expired entries of the journal in the background: a slice at a time, between the calls of the server."""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from device.journal import Journal

logger = logging.getLogger(__name__)

_EVERY_S: Final = 600.0
"""How long an expired entry may stay while the device runs."""
_PAUSE_S: Final = 0.02
"""Between two slices, so that waiting calls get their turn."""


@asynccontextmanager
async def pruned(journal: Journal, *, every_s: float = _EVERY_S, pause_s: float = _PAUSE_S) -> AsyncIterator[None]:
    """Prunes ``journal`` at once and every ``every_s`` seconds, until the block ends.

    Each slice is a transaction, so a kill between two loses nothing.
    """
    pruning = asyncio.create_task(_prune(journal, every_s, pause_s), name="pruning the journal")
    try:
        yield
    finally:
        pruning.cancel()
        await asyncio.wait({pruning})


async def _prune(journal: Journal, every_s: float, pause_s: float) -> None:
    while True:
        more = await _prune_slice(journal)
        await asyncio.sleep(pause_s if more else every_s)


async def _prune_slice(journal: Journal) -> bool:
    try:
        return await asyncio.to_thread(journal.prune)
    except sqlite3.Error:  # the boundary of a task: another program holds the file, or the disk is full
        logger.info("The journal could not be pruned", exc_info=True)
        return False
