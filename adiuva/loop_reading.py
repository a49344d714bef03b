"""Short reads of the database on the event loop itself: no thread there and back, which costs more than the read."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, Final, LiteralString
from uuid import UUID

import psycopg
from django.db import connection
from psycopg_pool import AsyncConnectionPool

from agents.reading import Found, Reader, ThreadReader

logger = logging.getLogger(__name__)

MAX_CONNECTIONS: Final = 4
"""Beside those that the threads of a process share (``adiuva/database.py``)."""
_WAIT_S: Final = 1.0
"""For a free connection; then a thread asks."""


class LoopReader:
    """The ``Reader`` by connections of its own, from ``begin`` to ``aclose``.

    Where they cannot answer, ``otherwise`` does: before and after, on another event loop, after the database was
    restarted, and for a statement that fails.
    """

    def __init__(self, otherwise: Reader | None = None) -> None:
        self._otherwise: Reader = otherwise or ThreadReader()
        self._pool: AsyncConnectionPool[psycopg.AsyncConnection[tuple[Any, ...]]] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opening: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Be there from now on, on this event loop; saying so again changes nothing."""
        if self._opening is None:
            self._loop = asyncio.get_running_loop()
            self._pool = _pool()
            self._opening = asyncio.create_task(self._pool.open(), name="opening connections for short reads")

    async def aclose(self) -> None:
        """Close the connections."""
        if self._pool is not None and self._opening is not None:
            await self._opening
            await self._pool.close()

    async def rows(self, statement: LiteralString, parameters: Sequence[UUID | str]) -> Found:
        """As ``Reader.rows``."""
        pool = self._pool
        if pool is not None and not pool.closed and self._loop is asyncio.get_running_loop():
            try:
                async with pool.connection() as connected:
                    return await (await connected.execute(statement, parameters)).fetchall()
            except psycopg.Error as error:
                # Without its words, which may hold what a user wrote. Whatever it is, the other way says it, too.
                logger.warning("a short read is made by a thread instead: %s", type(error).__name__)
        return await self._otherwise.rows(statement, parameters)


def _pool() -> AsyncConnectionPool[psycopg.AsyncConnection[tuple[Any, ...]]]:
    """Connections as Django's are, without the cursors that only threads can use. It is still to be opened."""
    parameters = connection.get_connection_params()
    parameters.pop("cursor_factory", None)
    return AsyncConnectionPool(
        # Each read is a transaction of its own, so it sees what was committed before it.
        kwargs={**parameters, "autocommit": True},
        min_size=1,
        max_size=MAX_CONNECTIONS,
        timeout=_WAIT_S,
        open=False,
        name="short reads",
    )
