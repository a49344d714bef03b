"""The devices of jobs: reached over the links of this process, or of others."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

from agents.errors import ClientAbsent
from agents.jobs.calls import JobClient
from chat.cluster.arrivals import Arrivals
from chat.devices.connections import ConnectionManager, DeviceKey


@dataclass(frozen=True, kw_only=True, slots=True)
class LinkedDevices:
    """The ``agents.jobs.calls.Devices`` of a process."""

    connections: ConnectionManager
    arrivals: Arrivals

    @asynccontextmanager
    async def client(self, user_id: UUID, device_id: str, job_id: UUID) -> AsyncIterator[JobClient]:
        device = await self._device(user_id, device_id)
        if device is None:
            raise ClientAbsent
        link = self.connections.link(device)
        link.hold(str(job_id))
        try:
            yield link.for_job(job_id)
        finally:
            link.forget(str(job_id))
            self.connections.release(device)

    async def connected(self, user_id: UUID, device_id: str) -> bool:
        device = await self._device(user_id, device_id)
        return device is not None and await self.arrivals.connected(device)

    async def _device(self, user_id: UUID, device_id: str) -> DeviceKey | None:
        """That device, or where none is named the one used last."""
        return (user_id, device_id) if device_id else await self.arrivals.latest(user_id)
