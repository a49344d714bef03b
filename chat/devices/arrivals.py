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
class Concern:
    """Something that a device may have to be told when it connects, such as its jobs.

    ``find`` returns those devices of the users that it concerns. It runs in a thread. An empty device id stands for any
    device of the user. ``tell`` does what is necessary for one of them. It is idempotent.
    """

    name: str
    find: Callable[[Collection[UUID]], Container[DeviceKey]]
    tell: Callable[[Connection], Coroutine[Any, Any, None]]


_Pair: TypeAlias = tuple[Concern, Connection]
"""A concern, and a device that it may concern. A pair is tried once at a time, so retries do not accumulate."""


@dataclass(kw_only=True, eq=False)
class Arrivals:
    """The devices that have just connected to this process."""

    connections: ConnectionManager
    concerns: Sequence[Concern]
    _tasks: OwnedTasks = field(default_factory=OwnedTasks, init=False)
    _new: list[_Pair] = field(default_factory=list, init=False)
    """The pairs that were not looked up yet."""
    _looking: asyncio.Task[None] | None = field(default=None, init=False)

    def add(self, connection: Connection) -> None:
        """Look up what concerns this device, and tell it, as long as it stays connected by this socket."""
        self._look_up((concern, connection) for concern in self.concerns)

    async def aclose(self) -> None:
        await self._tasks.aclose()

    def _look_up(self, pairs: Iterable[_Pair]) -> None:
        self._new.extend(pairs)
        if self._looking is None or self._looking.done():
            self._looking = self._tasks.start(self._look(), name="what concerns devices that have connected")

    async def _look(self) -> None:
        while self._new:
            await asyncio.sleep(_GATHER_S)
            pairs, self._new = self._new, []
            try:
                found = await in_database(self._found, pairs)
            except Exception:  # the boundary of a task that must continue
                logger.exception("what concerns devices that have connected cannot be read; it is tried again")
                await asyncio.sleep(_AWAY_S)
                self._new = [*(pair for pair in pairs if self._is_here(pair[1])), *self._new]
                continue
            for concern, connection in found:
                name = f"{concern.name} of a device that has connected"
                self._tasks.start(self._tell(concern, connection), name=name)

    def _found(self, pairs: Collection[_Pair]) -> list[_Pair]:
        found: list[_Pair] = []
        for concern in self.concerns:
            if connections := [connection for each, connection in pairs if each is concern]:
                devices = concern.find({each.device[0] for each in connections})
                found.extend((concern, each) for each in connected_as(connections, devices))
        return found

    async def _tell(self, concern: Concern, connection: Connection) -> None:
        try:
            await concern.tell(connection)
        except DATABASE_ERRORS as error:
            logger.warning("%s of a device that has connected come later: %s", concern.name, cause_of(error))
            await asyncio.sleep(_AWAY_S)
            if self._is_here(connection):
                # Only this concern, because the others are tried again independently.
                self._look_up([(concern, connection)])

    def _is_here(self, connection: Connection) -> bool:
        return self.connections.connection(connection.device) is connection


def connected_as(connections: Iterable[Connection], devices: Container[DeviceKey]) -> list[Connection]:
    """The connections of ``devices``, in which an empty device id stands for any device of its user."""
    return [each for each in connections if each.device in devices or (each.device[0], "") in devices]
