"""The addresses of sockets."""

from typing import Any

from channels.routing import URLRouter
from django.urls import re_path

from chat.services import ChatServices
from chat.sockets.consumer import DeviceConsumer


def websocket_application(services: ChatServices) -> URLRouter:
    """The ASGI application of all sockets; ``api/v1/device`` is an alias for older clients."""

    async def refuse(scope: Any, receive: Any, send: Any) -> None:  # noqa: ARG001 - an ASGI application
        # Closing before accepting is how ASGI refuses a handshake (403).
        await send({"type": "websocket.close"})

    others: Any = refuse  # Django's types know only views here
    return URLRouter(
        [re_path("^api/v1/(?:ws/)?device$", DeviceConsumer.as_asgi(services=services)), re_path("", others)]
    )
