"""The ASGI application: HTTP by Django, sockets by Channels, and one way to leave."""

import os
from typing import Any

import django
from channels.routing import ProtocolTypeRouter

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adiuva.settings")
django.setup(set_prefix=False)

# After Django is set up: what follows imports models.
from adiuva import wiring  # noqa: E402
from adiuva.http import HttpApplication  # noqa: E402
from chat.leaving import leave  # noqa: E402
from chat.routing import websocket_application  # noqa: E402
from chat.services import ChatServices  # noqa: E402


class Application(ProtocolTypeRouter):  # type: ignore[misc] # Channels has no types
    """Everything this process serves. ``drain`` is awaited when it stops, before its connections are cut."""

    def __init__(self, services: ChatServices) -> None:
        self.services = services
        protocols: dict[str, Any] = {
            "http": HttpApplication(services),
            "websocket": websocket_application(services),
        }
        super().__init__(protocols)

    async def drain(self) -> None:
        await leave(self.services)


application = Application(wiring.chat_services())
