"""Looks up jobs and open questions of newly connected devices, once for all that connect at about the same time.

After a restart thousands connect, and hardly any of them has a job or an open question.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Container, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias
from uuid import UUID

from accounts.database import DATABASE_ERRORS, cause_of, in_database
from chat.devices.connections import Connection, ConnectionManager
from chat.devices.links import DeviceKey
from chat.tasks import OwnedTasks

logger = logging.getLogger(__name__)

_GATHER_S: Final = 0.05
"""How long to wait for further devices before the look-up."""
_AWAY_S: Final = 2.0
"""The pause after the database could not be reached."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ArrivalHandler:
    """Work for some of the devices that connect, such as sending them the results of their jobs.

    ``find`` returns the devices of these users that have such work. It runs in a thread. An empty device id means any
    device of the user. ``handle`` does the work for one of them. It is idempotent.
    """

    name: str
    find: Callable[[Collection[UUID]], Container[DeviceKey]]
    handle: Callable[[Connection], Coroutine[Any, Any, None]]


_Pair: TypeAlias = tuple[ArrivalHandler, Connection]
"""A handler, and a device that it may have work for. A pair is tried once at a time, so retries do not accumulate."""


@dataclass(kw_only=True, eq=False)
class Arrivals:
    """The devices that have just connected to this process."""

    connections: ConnectionManager
    handlers: Sequence[ArrivalHandler]
    _tasks: OwnedTasks = field(default_factory=OwnedTasks, init=False)
    _new: list[_Pair] = field(default_factory=list, init=False)
    """The pairs that were not looked up yet."""
    _looking: asyncio.Task[None] | None = field(default=None, init=False)

    def add(self, connection: Connection) -> None:
        """Run the handlers that have work for this device, as long as it stays connected by this socket."""
        self._look_up((handler, connection) for handler in self.handlers)

    async def aclose(self) -> None:
        await self._tasks.aclose()

    def _look_up(self, pairs: Iterable[_Pair]) -> None:
        self._new.extend(pairs)
        if self._looking is None or self._looking.done():
            self._looking = self._tasks.start(self._look(), name="looking up devices that have connected")

    async def _look(self) -> None:
        while self._new:
            await asyncio.sleep(_GATHER_S)
            pairs, self._new = self._new, []
            try:
                found = await in_database(self._found, pairs)
            except Exception:  # the boundary of a task that must continue
                logger.exception("devices that have connected cannot be looked up; it is tried again")
                await asyncio.sleep(_AWAY_S)
                self._new = [*(pair for pair in pairs if self._is_here(pair[1])), *self._new]
                continue
            for handler, connection in found:
                name = f"{handler.name} of a device that has connected"
                self._tasks.start(self._handle(handler, connection), name=name)

    def _found(self, pairs: Collection[_Pair]) -> list[_Pair]:
        found: list[_Pair] = []
        for handler in self.handlers:
            if connections := [connection for each, connection in pairs if each is handler]:
                devices = handler.find({each.device[0] for each in connections})
                found.extend((handler, each) for each in connections_of(devices, connections))
        return found

    async def _handle(self, handler: ArrivalHandler, connection: Connection) -> None:
        try:
            await handler.handle(connection)
        except DATABASE_ERRORS as error:
            logger.warning("%s of a device that has connected come later: %s", handler.name, cause_of(error))
            await asyncio.sleep(_AWAY_S)
            if self._is_here(connection):
                # Only this handler, because the others are tried again independently.
                self._look_up([(handler, connection)])

    def _is_here(self, connection: Connection) -> bool:
        return self.connections.connection(connection.device) is connection


def connections_of(devices: Container[DeviceKey], among: Iterable[Connection]) -> list[Connection]:
    """The connections ``among`` these that belong to ``devices``, in which an empty id means any device of its user."""
    return [each for each in among if each.device in devices or (each.device[0], "") in devices]
