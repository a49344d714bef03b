"""The location of each device: the process that has its socket."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from math import ceil
from typing import Final
from uuid import UUID

from chat.cluster.notifications import NotificationBus, Topic
from chat.cluster.presence_store import DeviceLocation, PresenceStore
from chat.devices.connections import ConnectionManager
from chat.devices.links import DeviceKey
from chat.errors import ClusterUnavailable, Replaced, TooManySockets
from chat.protocol.frames.vocabulary import Capability, CloseCode
from chat.rates import MAX_SOCKETS
from chat.tasks import OwnedTasks

_RESTORED_AT_ONCE: Final = 100
"""How many devices one script stores, which takes Redis a millisecond or two."""
_REPEAT_AFTER_S: Final = (0.5, 1.0, 2.0)


@dataclass(kw_only=True, eq=False)
class PresenceTracker:
    """Stores the locations of the devices that are connected to this process.

    While the store is away, only ``restore`` waits or fails. Later it stores what could not be stored.
    """

    store: PresenceStore
    bus: NotificationBus
    connections: ConnectionManager
    max_sockets: int = MAX_SOCKETS
    """Of a user, on all processes."""
    _locations: dict[DeviceKey, DeviceLocation] = field(default_factory=dict, init=False)
    _to_restore: list[DeviceKey] = field(default_factory=list, init=False)
    """The devices to store next."""
    _unsaved: set[DeviceKey] = field(default_factory=set, init=False)
    """The devices whose locations may not be stored."""
    _departed: dict[DeviceKey, DeviceLocation] = field(default_factory=dict, init=False)
    """The last location of each device whose connection has ended, but that may still be stored."""
    _tasks: OwnedTasks = field(default_factory=OwnedTasks, init=False)

    async def arrive(
        self, device: DeviceKey, *, connection_id: str, capabilities: frozenset[Capability], opened_at: float
    ) -> None:
        """``device`` has a new connection here. An older one on another process is closed.

        ``opened_at`` is the time of its handshake, by the clock of the event loop. Raises ``Replaced`` if the device
        has a later connection by now, and ``TooManySockets``. While the store is away, only the connections of this
        process count.
        """
        waited_ms = round((asyncio.get_running_loop().time() - opened_at) * 1000)
        since = round(time.time() * 1000) - waited_ms
        location = DeviceLocation(
            process=self.bus.name, connection_id=connection_id, since=since, capabilities=capabilities
        )
        try:
            before = await self.store.arrive(device, location, waited_ms=waited_ms, most=self.max_sockets)
            self._replace(device, before)
        except ClusterUnavailable:
            here = self._locations.get(device)
            if here is not None and location.is_replaced_by(here, waited_ms=waited_ms):
                raise Replaced from None
            if sum(other[0] == device[0] and other != device for other in self._locations) >= self.max_sockets:
                raise TooManySockets from None
            self._unsaved.add(device)
        self._locations[device] = location

    async def leave(self, device: DeviceKey, *, connection_id: str) -> None:
        """The connection has ended."""
        location = self._locations.get(device)
        if location is not None and location.connection_id == connection_id:
            del self._locations[device]
            try:
                await self.store.leave(device, location)
            except ClusterUnavailable:
                self._departed[device] = location

    def used(self, device: DeviceKey) -> None:
        """Store in the background that ``device`` was used."""

        async def use() -> None:
            with suppress(ClusterUnavailable):
                await self.store.use(device)

        self._tasks.start(use(), name="noting the device used last")

    async def latest(self, user_id: UUID) -> DeviceKey | None:
        """The device that the user has used last, on any process; while the store is away, on this process."""
        try:
            return await self.store.latest(user_id)
        except ClusterUnavailable:
            return self.connections.latest(user_id)

    async def connected(self, device: DeviceKey) -> bool:
        """Whether ``device`` is connected to any process."""
        if self.connections.connection(device) is not None:
            return True
        try:
            return await self.store.find(device) is not None
        except ClusterUnavailable:
            return False

    async def restore(self, *, share: float = 1.0) -> None:
        """Store what could not be stored, and again ``share`` (0 to 1) of all locations, the next ones in each call.

        Closes the sockets of devices that have connected elsewhere since. After ``ClusterUnavailable``, the next call
        continues.
        """
        if share >= 1 or not self._to_restore:
            self._to_restore = list(self._locations)
        count = ceil(share * len(self._locations))
        self._unsaved.update(self._to_restore[:count])
        del self._to_restore[:count]
        while self._unsaved:
            devices = list(islice(self._unsaved, _RESTORED_AT_ONCE))
            await self._restore({device: self._locations[device] for device in devices if device in self._locations})
            self._unsaved.difference_update(devices)
        for device, location in list(self._departed.items()):
            await self.store.leave(device, location)
            if self._departed.get(device) == location:
                del self._departed[device]

    async def _restore(self, locations: Mapping[DeviceKey, DeviceLocation]) -> None:
        others = await self.store.restore(locations) if locations else {}
        for device, location in locations.items():
            other = others.get(device)
            if self._locations.get(device) != location:
                # The connection has ended since. Its location may have been stored after that.
                left = self._departed.get(device)
                if left is None or location.follows(left):
                    self._departed[device] = location
            elif other is not None and other.since > location.since:
                self.close(device, location.connection_id)
            else:
                self._replace(device, other)

    def close(self, device: DeviceKey, connection_id: str) -> None:
        """Close this connection of ``device``, which has a newer one on another process."""
        connection = self.connections.connection(device)
        if connection is not None and connection.id == connection_id:
            connection.socket.close_soon(CloseCode.REPLACED)

    async def aclose(self) -> None:
        await self._tasks.aclose()

    def _replace(self, device: DeviceKey, before: DeviceLocation | None) -> None:
        if before is not None and before.process != self.bus.name:
            self._tasks.start(self._close_elsewhere(device, before), name="closing an older socket elsewhere")

    async def _close_elsewhere(self, device: DeviceKey, before: DeviceLocation) -> None:
        # If all notifications are lost, that process finds out when it restores its locations.
        for pause_s in (0.0, *_REPEAT_AFTER_S):
            await asyncio.sleep(pause_s)
            await self.bus.send(before.process, Topic.REPLACED, *device, subject=before.connection_id)
