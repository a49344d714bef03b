"""Devices on any process, for those who have no socket: jobs and callers over MCP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

from agents.errors import ClientAbsent
from agents.jobs.calls import JobClient
from agents.mcp.calling import ReachedDevice
from chat.cluster.presence import PresenceTracker
from chat.devices.connections import ConnectionManager, DeviceKey
from chat.devices.links import TurnLink


@dataclass(frozen=True, kw_only=True, slots=True)
class JobDevices:
    """The ``agents.jobs.calls.Devices`` of a process."""

    connections: ConnectionManager
    presence: PresenceTracker

    @asynccontextmanager
    async def client(self, user_id: UUID, device_id: str, job_id: UUID) -> AsyncIterator[JobClient]:
        device = await self._device(user_id, device_id)
        if device is None:
            raise ClientAbsent
        async with _held_link(self.connections, device, str(job_id)) as link:
            yield link

    async def connected(self, user_id: UUID, device_id: str) -> bool:
        device = await self._device(user_id, device_id)
        return device is not None and await self.presence.connected(device)

    async def _device(self, user_id: UUID, device_id: str) -> DeviceKey | None:
        """The named device, or without a name the one used last."""
        return (user_id, device_id) if device_id else await self.presence.latest(user_id)


@dataclass(frozen=True, kw_only=True, slots=True)
class McpDevices:
    """The ``agents.mcp.calling.Devices`` of a process: the user's device that was used last."""

    connections: ConnectionManager
    presence: PresenceTracker

    @asynccontextmanager
    async def reached(self, user_id: UUID, request_id: str) -> AsyncIterator[ReachedDevice]:
        device = await self.presence.latest(user_id)
        if device is None or not await self.presence.connected(device):
            yield ReachedDevice()
            return
        async with _held_link(self.connections, device, request_id) as link:
            yield ReachedDevice(client=link, device_id=device[1])


@asynccontextmanager
async def _held_link(connections: ConnectionManager, device: DeviceKey, request_id: str) -> AsyncIterator[TurnLink]:
    link = connections.link(device)
    link.hold(request_id)
    try:
        yield link.for_turn(request_id)
    finally:
        link.forget(request_id)
        connections.release(device)
