"""Devices on any process, for jobs and calls over MCP, which have no socket of their own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

from agents.errors import ClientAbsent
from agents.jobs.journal import JobClient
from agents.mcp.calling import ReachedDevice
from chat.cluster.presence import PresenceTracker
from chat.devices.connections import ConnectionManager
from chat.devices.links import DeviceKey, TurnLink


@dataclass(frozen=True, kw_only=True, slots=True)
class RemoteDevices:
    """The ``agents.jobs.journal.Devices`` and the ``agents.mcp.calling.Devices`` of a process."""

    connections: ConnectionManager
    presence: PresenceTracker

    @asynccontextmanager
    async def client(self, user_id: UUID, device_id: str, job_id: UUID) -> AsyncIterator[JobClient]:
        device = await self._device(user_id, device_id)
        if device is None:
            raise ClientAbsent
        async with self._held_link(device, str(job_id)) as link:
            yield link

    @asynccontextmanager
    async def reached(self, user_id: UUID, request_id: str) -> AsyncIterator[ReachedDevice]:
        device = await self.presence.latest(user_id)
        if device is None or not await self.presence.connected(device):
            yield ReachedDevice()
            return
        async with self._held_link(device, request_id) as link:
            yield ReachedDevice(client=link, device_id=device[1])

    async def connected(self, user_id: UUID, device_id: str) -> bool:
        device = await self._device(user_id, device_id)
        return device is not None and await self.presence.connected(device)

    async def _device(self, user_id: UUID, device_id: str) -> DeviceKey | None:
        """The device with this id; without an id, the one used last."""
        return (user_id, device_id) if device_id else await self.presence.latest(user_id)

    @asynccontextmanager
    async def _held_link(self, device: DeviceKey, request_id: str) -> AsyncIterator[TurnLink]:
        link = self.connections.link(device)
        link.hold(request_id)
        try:
            yield link.for_turn(request_id)
        finally:
            link.forget(request_id)
            self.connections.release(device)
