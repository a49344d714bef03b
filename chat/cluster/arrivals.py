"""Devices that come to this process and leave it, as the other processes get to know of them."""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final
from uuid import UUID

from chat.cluster.hints import Hint, Hints, Topic
from chat.cluster.presence import Place, Presence
from chat.devices.connections import ConnectionManager, DeviceKey
from chat.errors import NeighboursAway
from chat.protocol.frames.vocabulary import Capability, CloseCode
from chat.tasks import OwnedTasks

logger = logging.getLogger(__name__)

_SAY_AGAIN_S: Final = (0.5, 1.0, 2.0)


class Arrivals:
    """Keeps ``presence`` true for the connections of this process.

    Redis may be away: then nothing here waits or fails, and ``restore`` makes up for it later.
    """

    def __init__(
        self,
        *,
        presence: Presence,
        hints: Hints,
        connections: ConnectionManager,
        clock_ms: Callable[[], int] = lambda: round(time.time() * 1000),
    ) -> None:
        self._presence = presence
        self._hints = hints
        self._connections = connections
        self._clock_ms = clock_ms
        self._places: dict[DeviceKey, Place] = {}
        self._tasks = OwnedTasks()

    async def arrive(self, device: DeviceKey, *, connection_id: str, capabilities: frozenset[Capability]) -> None:
        """``device`` has come, on a new connection; an older one on another process gets closed."""
        place = self._places[device] = Place(
            process=self._hints.name, connection_id=connection_id, since=self._clock_ms(), capabilities=capabilities
        )
        with suppress(NeighboursAway):
            self._replace(device, await self._presence.arrive(device, place))

    async def leave(self, device: DeviceKey, *, connection_id: str) -> None:
        """The connection is gone."""
        place = self._places.get(device)
        if place is None or place.connection_id != connection_id:
            return
        del self._places[device]
        with suppress(NeighboursAway):
            await self._presence.leave(device, place)

    def used(self, device: DeviceKey) -> None:
        """``device`` was asked something."""
        self._tasks.start(self._use(device), name="noting the device used last")

    async def latest(self, user_id: UUID) -> DeviceKey | None:
        """The user's device that was used last, wherever it is; while Redis is away, of those on this process."""
        try:
            return await self._presence.latest(user_id)
        except NeighboursAway:
            return self._connections.latest(user_id)

    async def connected(self, device: DeviceKey) -> bool:
        """Whether ``device`` is connected, wherever."""
        if self._connections.holds(device):
            return True
        try:
            return await self._presence.find(device) is not None
        except NeighboursAway:
            return False

    async def restore(self) -> None:
        """Say again where each device of this process is, and close those that have come elsewhere since."""
        for device, place in list(self._places.items()):
            other = await self._presence.restore(device, place)
            if other is not None and other.since > place.since:
                self.close(device, place.connection_id)
            else:
                self._replace(device, other)

    def close(self, device: DeviceKey, connection_id: str) -> None:
        """Close the connection with this id, for ``device`` has a newer one elsewhere."""
        connection = self._connections.connection(device)
        if connection is not None and connection.id == connection_id:
            connection.socket.close_soon(CloseCode.REPLACED)

    async def aclose(self) -> None:
        await self._tasks.aclose()

    async def _use(self, device: DeviceKey) -> None:
        with suppress(NeighboursAway):
            await self._presence.use(device)

    def _replace(self, device: DeviceKey, before: Place | None) -> None:
        if before is not None and before.process != self._hints.name:
            self._tasks.start(self._tell_replaced(device, before), name="closing an older socket elsewhere")

    async def _tell_replaced(self, device: DeviceKey, before: Place) -> None:
        hint = Hint(
            topic=Topic.REPLACED,
            sender=self._hints.name,
            user_id=device[0],
            device_id=device[1],
            subject=before.connection_id,
        )
        # Should all of these be lost, that process finds out when it restores its places.
        for pause_s in _SAY_AGAIN_S:
            await self._hints.send(before.process, hint)
            await asyncio.sleep(pause_s)
        await self._hints.send(before.process, hint)
