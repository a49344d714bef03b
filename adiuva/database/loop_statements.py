"""Short statements on the event loop itself: crossing to a thread costs more than they do."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextvars import Context
from typing import Any, Final, LiteralString

import psycopg
from django.db import connection
from psycopg_pool import AsyncConnectionPool

from accounts.statements import Found, Statements, ThreadStatements, Value
from adiuva.database.availability import AsyncWatchedConnection, availability

logger = logging.getLogger(__name__)

MAX_CONNECTIONS: Final = 3
"""In addition to those that the threads of a process share (``pool.py``)."""
_WAIT_S: Final = 1.0
"""How long to wait for a free connection before a thread runs the statement instead."""


class LoopStatements:
    """The ``Statements`` with connections of its own, from ``begin`` to ``aclose``.

    ``fallback`` runs them when they cannot: before and after, on another event loop, after a restart of the database,
    and when a statement fails. While the database is away it raises the error. ``on_wait`` is told of each wait for a
    connection, in seconds, also of one in vain.
    """

    def __init__(
        self, fallback: Statements | None = None, *, on_wait: Callable[[float], None] = lambda _s: None
    ) -> None:
        self._fallback: Statements = fallback or ThreadStatements()
        self._on_wait = on_wait
        self._pool: _TimedPool | None = None
        self._direct: bool | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opening: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        self._returns = 0
        self._ended = False

    def begin(self) -> None:
        """Open the connections on this event loop. Idempotent."""
        if self._opening is None:
            self._loop = asyncio.get_running_loop()
            self._open()

    async def aclose(self) -> None:
        self._ended = True
        if self._pool is not None and self._opening is not None:
            await _close(self._pool, [task for task in (self._opening, self._closing) if task is not None])

    def _open(self) -> None:
        self._pool, self._returns = _pool(self._on_wait, self._configure), availability.returns
        self._direct = None
        # Not in the context of the turn that may have come first: the pool's tasks live as long as the pool.
        self._opening = asyncio.create_task(
            self._pool.open(), name="opening connections for short statements", context=Context()
        )

    def _open_again(self, pool: "_TimedPool") -> None:
        """Replace ``pool``, from before the database was away: it tries again after longer and longer pauses."""
        closing = [task for task in (self._opening, self._closing) if task is not None]
        self._closing = asyncio.create_task(
            _close(pool, closing), name="closing connections for short statements", context=Context()
        )
        self._open()

    async def _configure(self, connected: AsyncWatchedConnection) -> None:
        """Have the database plan each statement once for a connection, where that is the database's own.

        A proxy may send a prepared statement to a connection that knows another one by its name. The database would
        plan recall again for each user, since it thinks that most users' rows have changed: that takes a millisecond.
        """
        if self._direct is None:
            self._direct = await _is_direct(connected)
        if self._direct:
            await connected.execute("SET plan_cache_mode = force_generic_plan")
            connected.prepare_threshold = 0

    async def rows(self, statement: LiteralString, parameters: Sequence[Value]) -> Found:
        """As ``Statements.rows``."""
        pool = self._pool_here()
        if pool is not None and not availability.away:
            try:
                async with pool.connection() as connected:
                    return await (await connected.execute(statement, parameters)).fetchall()
            except psycopg.Error as error:
                # Without its message, which may quote what a user wrote. The fallback raises the same error.
                logger.warning("a short statement is run by a thread instead: %s", type(error).__name__)
        return await self._fallback.rows(statement, parameters)

    def _pool_here(self) -> "_TimedPool | None":
        """The open pool of this event loop."""
        if self._pool is not None and self._loop is asyncio.get_running_loop() and not self._ended:
            if self._returns != availability.returns:
                self._open_again(self._pool)
            return self._pool
        return None


async def _is_direct(connected: AsyncWatchedConnection) -> bool:
    # A proxy gives each client a process id of its own making.
    [(process_id,)] = await (await connected.execute("SELECT pg_backend_pid()")).fetchall()
    return bool(process_id == connected.info.backend_pid)


def connection_parameters() -> dict[str, Any]:
    """Those of connections like Django's, without the cursors that only threads can use.

    Each statement is a transaction of its own, so it sees everything committed before it.
    """
    parameters = connection.get_connection_params()
    parameters.pop("cursor_factory", None)
    return {**parameters, "autocommit": True}


async def _close(pool: "_TimedPool", before: Collection[asyncio.Task[None]]) -> None:
    """Close ``pool`` after ``before`` have ended."""
    await asyncio.gather(*before)
    await pool.close()


class _TimedPool(AsyncConnectionPool[AsyncWatchedConnection]):
    """Tells ``on_wait`` how long each wait for a connection took."""

    def __init__(self, on_wait: Callable[[float], None], **options: Any) -> None:
        super().__init__(**options)
        self._on_wait = on_wait

    async def getconn(self, timeout: float | None = None) -> AsyncWatchedConnection:  # noqa: ASYNC109
        began = time.perf_counter()
        try:
            return await super().getconn(timeout)
        finally:
            self._on_wait(time.perf_counter() - began)


def _pool(
    on_wait: Callable[[float], None], configure: Callable[[AsyncWatchedConnection], Awaitable[None]]
) -> _TimedPool:
    """A closed pool."""
    return _TimedPool(
        on_wait,
        configure=configure,
        connection_class=AsyncWatchedConnection,
        kwargs=connection_parameters(),
        min_size=1,
        max_size=MAX_CONNECTIONS,
        timeout=_WAIT_S,
        open=False,
        name="short statements",
    )
