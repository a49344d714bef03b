"""Saying, again and again, which devices this process holds."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from typing import TypeAlias

from chat.devices.connections import ConnectionManager, DeviceKey
from chat.tasks import OwnedTasks

logger = logging.getLogger(__name__)

NoteOnline: TypeAlias = Callable[[Collection[DeviceKey]], Awaitable[None]]
"""Writes down that these devices are online now."""


class Attendance:
    """Says every ``every_s`` seconds which devices are connected here. A database that is away is asked again."""

    def __init__(self, *, connections: ConnectionManager, note: NoteOnline, every_s: float) -> None:
        self._connections = connections
        self._note = note
        self._every_s = every_s
        self._tasks = OwnedTasks()
        self._away = False

    def begin(self) -> None:
        """Say so from now on; saying so again changes nothing."""
        if not len(self._tasks):
            self._tasks.start(self._repeat(), name="saying which devices are online")

    async def aclose(self) -> None:
        await self._tasks.aclose()

    async def _repeat(self) -> None:
        while True:
            await self._say()
            await asyncio.sleep(self._every_s)

    async def _say(self) -> None:
        try:
            await self._note([connection.device for connection in self._connections.all()])
        except Exception:  # the boundary of a task that outlives a database that is away
            if not self._away:
                logger.exception("saying which devices are online failed; it goes on")
            self._away = True
        else:
            self._away = False
