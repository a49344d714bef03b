"""Which process holds the socket of which device."""

from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from chat.cluster.pulse import MemoryPulse
from chat.devices.connections import DeviceKey
from chat.protocol.frames.vocabulary import Capability


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where a device is: on which process, on which connection, since when (ms), and what its client can do."""

    process: str
    connection_id: str
    since: int
    capabilities: frozenset[Capability] = frozenset()


class Presence(Protocol):
    """The places of all devices. A place on a process that has died is none. Raises ``NeighboursAway`` throughout."""

    async def arrive(self, device: DeviceKey, place: Place) -> Place | None:
        """``device`` is at ``place`` from now on, and the one used last; gives where it was."""

    async def restore(self, device: DeviceKey, place: Place) -> Place | None:
        """As ``arrive`` for a place that may be forgotten, unless a later one is known: then nothing changes.

        Gives the other place, earlier or later, where there is one. Said every now and then of every device, so that
        what is kept of it does not expire.
        """

    async def leave(self, device: DeviceKey, place: Place) -> None:
        """``device`` has left ``place``; nothing happens when it is elsewhere by now."""

    async def use(self, device: DeviceKey) -> None:
        """``device`` was asked something: of its user's devices it is the one used last."""

    async def find(self, device: DeviceKey) -> Place | None:
        """Where ``device`` is."""

    async def latest(self, user_id: UUID) -> DeviceKey | None:
        """The connected device of the user that was used last."""


@dataclass(kw_only=True)
class MemoryPresence:
    """The ``Presence`` in this process's memory."""

    pulse: MemoryPulse
    _places: dict[DeviceKey, Place] = field(default_factory=dict, init=False)

    async def arrive(self, device: DeviceKey, place: Place) -> Place | None:
        before = await self.find(device)
        self._places.pop(device, None)
        self._places[device] = place
        return before

    async def restore(self, device: DeviceKey, place: Place) -> Place | None:
        known = await self.find(device)
        if known == place:
            return None
        if known is None or known.since <= place.since:
            await self.arrive(device, place)
        return known

    async def leave(self, device: DeviceKey, place: Place) -> None:
        if self._places.get(device) == place:
            del self._places[device]

    async def use(self, device: DeviceKey) -> None:
        place = self._places.pop(device, None)
        if place is not None:
            self._places[device] = place

    async def find(self, device: DeviceKey) -> Place | None:
        place = self._places.get(device)
        return place if place is not None and self.pulse.holds(place.process) else None

    async def latest(self, user_id: UUID) -> DeviceKey | None:
        return next(
            (
                device
                for device, place in reversed(self._places.items())
                if device[0] == user_id and self.pulse.holds(place.process)
            ),
            None,
        )
