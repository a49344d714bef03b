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
from adiuva.wiring import Parts  # noqa: E402
from chat.leaving import leave  # noqa: E402
from chat.routing import websocket_application  # noqa: E402


class Application(ProtocolTypeRouter):  # type: ignore[misc] # Channels has no types
    """Everything this process serves. ``drain`` is awaited when it stops, before its connections are cut.

    Background work begins with the first event: not every server has a lifespan that it could begin with.
    """

    def __init__(self, parts: Parts) -> None:
        self.services, self._memory, self._observation = parts.services, parts.memory, parts.observation
        protocols: dict[str, Any] = {
            "http": HttpApplication(self.services),
            "websocket": websocket_application(self.services),
        }
        super().__init__(protocols)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.services.neighbours.begin()
        self.services.quotas.begin()
        if self.services.jobs is not None:
            self.services.jobs.begin()
        if self._memory is not None:
            self._memory.start()
        await super().__call__(scope, receive, send)

    async def drain(self) -> None:
        await leave(self.services)
        if self._memory is not None:
            await self._memory.aclose()
        await self._observation.aclose()


if settings.REDIS_URL:
    readiness.add("redis", wiring.check_redis)
if settings.AMQP_URL:
    readiness.add("rabbitmq", check_broker)
application = Application(wiring.parts())
