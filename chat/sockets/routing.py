"""The paths of sockets."""

import re
from collections.abc import Awaitable, Callable
from typing import Any, Final

from chat.services import ChatServices
from chat.sockets.consumer import DeviceConsumer

_DEVICE: Final = re.compile("/+api/v1/(?:ws/)?device")
"""The path without ``ws/`` is an alias for older clients."""


def websocket_application(services: ChatServices) -> Callable[[Any, Any, Any], Awaitable[None]]:
    """The ASGI application of all sockets."""

    async def application(scope: Any, receive: Any, send: Any) -> None:
        # Not Channels' router, which keeps two stack frames and a copy of the scope for every socket.
        if _DEVICE.fullmatch(scope["path"]):
            await DeviceConsumer(services)(scope, receive, send)
        else:
            # ASGI refuses a handshake (403) if it is closed before it is accepted.
            await send({"type": "websocket.close"})

    return application
