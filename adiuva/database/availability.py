"""Whether the database answers: asked every second, so that what needs it need not find out by waiting.

A network may swallow packets, and a server may be stopped by a signal: then a statement waits for minutes. How long
one takes says nothing, because some rightly take long. So a connection of its own asks, and once it has had no answer
for some seconds every statement of this process ends with ``DatabaseAway``, and new ones begin with it.
"""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar

import psycopg
from psycopg.abc import PQGen

logger = logging.getLogger(__name__)

EVERY_S: Final = 1.0
"""From an answer to the next question."""
_TICK_S: Final = 0.25
_CONNECT_S: Final = 2
"""For an attempt to connect, and for an answer on a connection."""

_Result = TypeVar("_Result")


class DatabaseAway(psycopg.OperationalError):
    """The database does not answer."""

    def __init__(self) -> None:
        super().__init__((type(self).__doc__ or "").strip())


class Availability:
    """What a process knows of its database. Without a ``DatabaseMonitor`` it never counts as away."""

    def __init__(self) -> None:
        self.away = False
        self.returns = 0
        """How often the database came back. Connections from before the last time are of no use."""


availability: Final = Availability()
"""That of this process: its connections look there."""


class WatchedConnection(psycopg.Connection[Any]):
    """A connection whose statements raise ``DatabaseAway`` when the database is away. It is closed then."""

    def wait(self, gen: PQGen[_Result], *args: Any, **kwargs: Any) -> _Result:
        try:
            return super().wait(_unless_away(gen), *args, **kwargs)
        except DatabaseAway:
            self.close()
            raise


class AsyncWatchedConnection(psycopg.AsyncConnection[Any]):
    """As ``WatchedConnection``, on an event loop."""

    async def wait(self, gen: PQGen[_Result], *args: Any, **kwargs: Any) -> _Result:
        try:
            return await super().wait(_unless_away(gen), *args, **kwargs)
        except DatabaseAway:
            await self.close()
            raise


def _unless_away(gen: PQGen[_Result]) -> PQGen[_Result]:
    """``gen``, which psycopg resumes when there is something to read, and every 100 ms while there is not."""
    try:
        wanted = next(gen)
        while True:
            ready = yield wanted
            if not ready and availability.away:
                raise DatabaseAway
            wanted = gen.send(ready)
    except StopIteration as ended:
        result: _Result = ended.value
        return result


class _Probe(psycopg.AsyncConnection[Any]):
    """A connection that waits no longer for an answer than for a connection."""

    async def wait(self, gen: PQGen[_Result], *args: Any, **kwargs: Any) -> _Result:
        return await super().wait(gen, *args, **{**kwargs, "timeout": float(_CONNECT_S)})


class DatabaseMonitor:
    """Keeps ``availability`` up to date from ``begin`` to ``aclose``: away after ``away_after_s`` without an answer.

    A restart that takes no longer causes no errors. ``parameters`` gives those of a connection. ``drop`` is called in a
    thread when the database goes away: it ends what waits for a connection, and may start the database again.
    """

    def __init__(
        self, parameters: Callable[[], dict[str, Any]], drop: Callable[[], None], *, away_after_s: float
    ) -> None:
        self._parameters, self._drop, self._away_after_s = parameters, drop, away_after_s
        self._tasks: list[asyncio.Task[None]] = []
        self._probe: _Probe | None = None
        self._asking = True
        self._silent_ticks = 0

    def begin(self) -> None:
        """Watch on this event loop. Idempotent."""
        if not self._tasks:
            watching = ((self._ask, "asking the database"), (self._count, "counting the database's silence"))
            self._tasks = [asyncio.create_task(work(), name=name) for work, name in watching]

    async def aclose(self) -> None:
        if self._probe is not None:
            # Before the task is cancelled: psycopg would have the server cancel what it waits for, and wait for that.
            await self._probe.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        availability.away = False

    async def _ask(self) -> None:
        parameters = {**self._parameters(), "connect_timeout": _CONNECT_S}
        while True:
            self._asking = True
            with contextlib.suppress(psycopg.Error):  # silence is counted
                self._probe = await _Probe.connect(**parameters)
                try:
                    await self._ask_again(self._probe)
                finally:
                    await self._probe.close()
            await asyncio.sleep(_TICK_S)

    async def _ask_again(self, probe: _Probe) -> None:
        while True:
            self._asking = True
            await probe.execute("")
            self._asking, self._silent_ticks = False, 0
            if availability.away:
                self._back()
            await asyncio.sleep(EVERY_S)

    async def _count(self) -> None:
        # Ticks rather than seconds: a process that stands still for a while has not waited for the database.
        while True:
            await asyncio.sleep(_TICK_S)
            self._silent_ticks += self._asking
            if not availability.away and self._silent_ticks * _TICK_S >= self._away_after_s:
                self._gone()

    def _gone(self) -> None:
        logger.error("the database does not answer; what needs it is refused until it does")
        availability.away = True
        threading.Thread(target=self._drop, name="dropping database connections", daemon=True).start()

    def _back(self) -> None:
        logger.warning("the database answers again")
        availability.returns += 1
        availability.away = False
