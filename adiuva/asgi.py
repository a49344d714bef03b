"""The ASGI application: HTTP by Django, sockets by Channels, and one way to leave."""

import os
from typing import Any

import django
from channels.routing import ProtocolTypeRouter

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adiuva.settings")
django.setup(set_prefix=False)

# After Django is set up: what follows imports models.
from django.conf import settings  # noqa: E402

from adiuva import wiring  # noqa: E402
from adiuva.health import readiness  # noqa: E402
from adiuva.http import HttpApplication  # noqa: E402
from adiuva.job_wiring import check_broker  # noqa: E402
from adiuva.mcp_wiring import McpBeside, mcp_endpoint  # noqa: E402
from adiuva.metrics import metrics  # noqa: E402
from adiuva.wiring import Parts  # noqa: E402
from chat.leaving import leave  # noqa: E402
from chat.routing import websocket_application  # noqa: E402

_CALLS_END_S = 5.0
"""For calls over MCP to end when the process stops."""


class Application(ProtocolTypeRouter):  # type: ignore[misc] # Channels has no types
    """Everything this process serves. ``drain`` is awaited when it stops, before its connections are cut.

    Background work begins with the first event: not every server has a lifespan that it could begin with.
    """

    def __init__(self, parts: Parts) -> None:
        self.services, self._memory = parts.services, parts.memory
        self._observation, self._prompts = parts.observation, parts.prompts
        metrics.sockets = lambda: len(self.services.connections)
        self._mcp = mcp_endpoint(self.services)
        protocols: dict[str, Any] = {
            "http": McpBeside(self._mcp, HttpApplication(self.services)),
            "websocket": websocket_application(self.services),
        }
        super().__init__(protocols)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.services.neighbours.begin()
        self._mcp.begin()
        self.services.quotas.begin()
        if self.services.jobs is not None:
            self.services.jobs.begin()
        if self.services.attendance is not None:
            self.services.attendance.begin()
        if self._memory is not None:
            self._memory.start()
        if self._prompts is not None:
            self._prompts.start()
            await self._prompts.known()
        await super().__call__(scope, receive, send)

    async def drain(self) -> None:
        # Before the devices are told to go: their calls may be under way.
        await self._mcp.drain(_CALLS_END_S)
        await leave(self.services)
        if self._memory is not None:
            await self._memory.aclose()
        await self._observation.aclose()
        if self._prompts is not None:
            await self._prompts.aclose()


if settings.REDIS_URL:
    readiness.add("redis", wiring.check_redis)
if settings.AMQP_URL:
    readiness.add("rabbitmq", check_broker)
application = Application(wiring.parts())
