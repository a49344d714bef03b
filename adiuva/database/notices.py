"""Notices of the database: what another process has changed, heard of on one connection of this process."""

import asyncio
import logging
from typing import Any, Final, Protocol

import psycopg
from psycopg import sql

from adiuva.database.availability import AsyncWatchedConnection
from adiuva.database.loop_statements import connection_parameters

logger = logging.getLogger(__name__)

_RETRY_S: Final = 1.0
_WARN_EVERY: Final = 60
"""Failed attempts from one warning to the next."""


class Listener(Protocol):
    """Is told of notices on the event loop, and whether it would be."""

    def heard(self, payload: str) -> None:
        """A transaction that is committed has sent ``payload``."""

    def listening(self, *, live: bool) -> None:
        """Notices come from now on, or no longer. Those of the time in between are lost."""


class NoticeChannel:
    """Listens to ``channel`` of the database (``LISTEN``) from ``begin`` to ``aclose``, and tells ``listener``.

    A proxy that shares one connection among several clients loses notices without an error; so does a network that
    has silently cut it. What depends on them must hold without, after some seconds.
    """

    def __init__(self, channel: str, listener: Listener) -> None:
        self._channel = channel
        self._listener = listener
        self._task: asyncio.Task[None] | None = None
        self._parameters: dict[str, Any] = {}

    def begin(self) -> None:
        """Listen on this event loop. Idempotent."""
        if self._task is None:
            self._parameters = connection_parameters()
            self._task = asyncio.create_task(self._listen(), name="listening for notices")

    async def aclose(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _listen(self) -> None:
        failures = 0
        while True:
            try:
                async with await AsyncWatchedConnection.connect(**self._parameters) as connected:
                    await connected.execute(sql.SQL("LISTEN {}").format(sql.Identifier(self._channel)))
                    failures = 0
                    self._listener.listening(live=True)
                    async for notice in connected.notifies():
                        self._listener.heard(notice.payload)
            except psycopg.Error as error:
                if failures % _WARN_EVERY == 0:
                    logger.warning("notices of the database are not heard: %s", type(error).__name__)
                failures += 1
            finally:
                self._listener.listening(live=False)
            await asyncio.sleep(_RETRY_S)
