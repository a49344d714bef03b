"""The devices of MCP's callers: reached over the links of this process, or of others."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

from agents.mcp.devices import Reached
from chat.cluster.arrivals import Arrivals
from chat.devices.connections import ConnectionManager


@dataclass(frozen=True, kw_only=True, slots=True)
class LatestDevices:
    """The ``agents.mcp.devices.Devices`` of a process."""

    connections: ConnectionManager
    arrivals: Arrivals

    @asynccontextmanager
    async def reached(self, user_id: UUID, request_id: str) -> AsyncIterator[Reached]:
        device = await self.arrivals.latest(user_id)
        if device is None or not await self.arrivals.connected(device):
            yield Reached()
            return
        link = self.connections.link(device)
        link.hold(request_id)
        try:
            yield Reached(client=link.for_turn(request_id), device_id=device[1])
        finally:
            link.forget(request_id)
            self.connections.release(device)
