"""The ASGI application: HTTP by Django, sockets by Channels, and one way to leave."""

import os
from typing import Any

from channels.routing import ProtocolTypeRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adiuva.settings")
http_application = get_asgi_application()

# After Django is set up: what follows imports models.
from adiuva import wiring  # noqa: E402
from chat.leaving import leave  # noqa: E402
from chat.routing import websocket_application  # noqa: E402


class Application(ProtocolTypeRouter):  # type: ignore[misc] # Channels has no types
    """Everything this process serves. ``drain`` is awaited when it stops, before its connections are cut."""

    def __init__(self) -> None:
        self.services = wiring.chat_services()
        protocols: dict[str, Any] = {
            "http": http_application,
            "websocket": websocket_application(self.services),
        }
        super().__init__(protocols)

    async def drain(self) -> None:
        await leave(self.services)


application = Application()
