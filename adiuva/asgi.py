"""The ASGI application: HTTP by Django, sockets by Channels, and one way to leave."""

import os
from collections.abc import Sequence
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
from agents.mcp.endpoint import McpEndpoint  # noqa: E402
from chat.services import BackgroundPart  # noqa: E402
from chat.sockets.leaving import ChatBackground, end_in_turn  # noqa: E402
from chat.sockets.routing import websocket_application  # noqa: E402


class Application(ProtocolTypeRouter):  # type: ignore[misc] # Channels has no types
    """Everything this process serves. ``drain`` is awaited when it stops, before its connections are cut.

    Background work begins with the first event: not every server has a lifespan that it could begin with.
    """

    def __init__(self, parts: Parts) -> None:
        self.services, self._prompts = parts.services, parts.prompts
        metrics.sockets = lambda: len(self.services.connections)
        mcp = mcp_endpoint(self.services)
        self._background = _background(parts, mcp)
        self._leaving = False
        protocols: dict[str, Any] = {
            "http": McpBeside(mcp, HttpApplication(self.services)),
            "websocket": websocket_application(self.services),
        }
        super().__init__(protocols)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if not self._leaving:
            for part in self._background:
                part.begin()
        if self._prompts is not None:
            await self._prompts.known()
        await super().__call__(scope, receive, send)

    async def drain(self) -> None:
        self._leaving = True
        await end_in_turn(*(part.aclose for part in reversed(self._background)))


def _background(parts: Parts, mcp: McpEndpoint) -> Sequence[BackgroundPart]:
    """What works in the background, in the order in which it begins; it ends in the reverse one.

    Calls over MCP end first: they may need the devices, which are told to go after that. What turns use comes last.
    """
    found: tuple[BackgroundPart | None, ...] = (
        parts.reader,
        parts.prompts,
        parts.observation,
        parts.memory,
        parts.forgetting,
        ChatBackground(parts.services),
        mcp,
    )
    return [part for part in found if part is not None]


if settings.REDIS_URL:
    readiness.add("redis", wiring.check_redis)
if settings.AMQP_URL:
    readiness.add("rabbitmq", check_broker)
application = Application(wiring.parts())
