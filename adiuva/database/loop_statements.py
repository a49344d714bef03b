"""Short statements on the event loop itself: crossing to a thread costs more than they do."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, Final, LiteralString

import psycopg
from django.db import connection
from psycopg_pool import AsyncConnectionPool

from accounts.statements import Found, Statements, ThreadStatements, Value

logger = logging.getLogger(__name__)

MAX_CONNECTIONS: Final = 3
"""In addition to those that the threads of a process share (``pool.py``)."""
_WAIT_S: Final = 1.0
"""How long to wait for a free connection before a thread runs the statement instead."""


class LoopStatements:
    """The ``Statements`` with connections of its own, from ``begin`` to ``aclose``.

    ``fallback`` runs them when they cannot: before and after, on another event loop, after a restart of the database,
    and when a statement fails. ``on_wait`` is told of each wait for a connection, in seconds, also of one in vain.
    """

    def __init__(
        self, fallback: Statements | None = None, *, on_wait: Callable[[float], None] = lambda _s: None
    ) -> None:
        self._fallback: Statements = fallback or ThreadStatements()
        self._on_wait = on_wait
        self._pool: _TimedPool | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opening: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Open the connections on this event loop. Idempotent."""
        if self._opening is None:
            self._loop = asyncio.get_running_loop()
            self._pool = _pool(self._on_wait)
            self._opening = asyncio.create_task(self._pool.open(), name="opening connections for short statements")

    async def aclose(self) -> None:
        if self._pool is not None and self._opening is not None:
            await self._opening
            await self._pool.close()

    async def rows(self, statement: LiteralString, parameters: Sequence[Value]) -> Found:
        """As ``Statements.rows``."""
        pool = self._pool
        if pool is not None and not pool.closed and self._loop is asyncio.get_running_loop():
            try:
                async with pool.connection() as connected:
                    return await (await connected.execute(statement, parameters)).fetchall()
            except psycopg.Error as error:
                # Without its message, which may quote what a user wrote. The fallback raises the same error.
                logger.warning("a short statement is run by a thread instead: %s", type(error).__name__)
        return await self._fallback.rows(statement, parameters)


def connection_parameters() -> dict[str, Any]:
    """Those of connections like Django's, without the cursors that only threads can use.

    Each statement is a transaction of its own, so it sees everything committed before it.
    """
    parameters = connection.get_connection_params()
    parameters.pop("cursor_factory", None)
    return {**parameters, "autocommit": True}


class _TimedPool(AsyncConnectionPool[psycopg.AsyncConnection[tuple[Any, ...]]]):
    """Tells ``on_wait`` how long each wait for a connection took."""

    def __init__(self, on_wait: Callable[[float], None], **options: Any) -> None:
        super().__init__(**options)
        self._on_wait = on_wait

    async def getconn(self, timeout: float | None = None) -> psycopg.AsyncConnection[tuple[Any, ...]]:  # noqa: ASYNC109
        began = time.perf_counter()
        try:
            return await super().getconn(timeout)
        finally:
            self._on_wait(time.perf_counter() - began)


def _pool(on_wait: Callable[[float], None]) -> _TimedPool:
    """A closed pool."""
    return _TimedPool(
        on_wait,
        kwargs=connection_parameters(),
        min_size=1,
        max_size=MAX_CONNECTIONS,
        timeout=_WAIT_S,
        open=False,
        name="short statements",
    )
