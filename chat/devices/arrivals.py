"""What concerns devices that connect: looked up once for all that connect at about the same time.

After a restart thousands connect, and hardly any has a job or an open question.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Container, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias
from uuid import UUID

from accounts.database import DATABASE_ERRORS, in_database
from chat.devices.connections import Connection, ConnectionManager
from chat.devices.links import DeviceKey
from chat.tasks import OwnedTasks

logger = logging.getLogger(__name__)

_GATHER_S: Final = 0.05
"""How long others are waited for before anything is looked up."""
_AWAY_S: Final = 2.0
"""The pause after the database could not be reached."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Concern:
    """Something that a device may have to be told of once it has connected.

    ``find`` gives the devices of these users that it concerns, each with its user; it runs in a thread, and an empty
    name stands for any of the user's devices. ``tell`` does what there is to do for one of them. It is idempotent.
    """

    name: str
    find: Callable[[Collection[UUID]], Container[DeviceKey]]
    tell: Callable[[Connection], Coroutine[Any, Any, None]]


_Pair: TypeAlias = tuple[Concern, Connection]
"""A concern, and a device that may have to be told of it. A pair is tried once at a time, so retries do not add up."""


@dataclass(kw_only=True, eq=False)
class Arrivals:
    """The devices that have just connected to this process."""

    connections: ConnectionManager
    concerns: Sequence[Concern]
    _tasks: OwnedTasks = field(default_factory=OwnedTasks, init=False)
    _new: list[_Pair] = field(default_factory=list, init=False)
    """Those for which nothing has been looked up yet."""
    _looking: asyncio.Task[None] | None = field(default=None, init=False)

    def add(self, connection: Connection) -> None:
        """Have this device told of what concerns it, as long as it stays connected by this socket."""
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
            except Exception:  # the boundary of a task that must go on
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
            logger.warning("%s of a device that has connected come later: %s", concern.name, type(error).__name__)
            await asyncio.sleep(_AWAY_S)
            if self._is_here(connection):
                # Only this concern: the others of the device are told, or tried again, by themselves.
                self._look_up([(concern, connection)])

    def _is_here(self, connection: Connection) -> bool:
        return self.connections.connection(connection.device) is connection


def connected_as(connections: Iterable[Connection], devices: Container[DeviceKey]) -> list[Connection]:
    """Those of ``devices``, in which an empty name stands for any device of its user."""
    return [each for each in connections if each.device in devices or (each.device[0], "") in devices]
