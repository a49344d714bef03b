"""The application of a test's ``Server`` on uvicorn and real sockets, in the test's process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adiuva.server.serve import Server as Uvicorn
from adiuva.server.serve import listening, server_config
from tests.chat.sockets import Server


@asynccontextmanager
async def serving(server: Server) -> AsyncIterator[str]:
    """The application of ``server`` on uvicorn; yields the socket's address."""

    async def http_or_sockets(scope, receive, send):  # type: ignore[no-untyped-def]
        assert scope["type"] == "websocket"
        await server.application(scope, receive, send)

    ready = asyncio.Event()
    config = server_config(http_or_sockets)
    config.lifespan = "off"
    uvicorn = Uvicorn(config, drain=lambda: server.services.aclose(), on_ready=ready.set)
    with listening("127.0.0.1", 0) as listener:
        task = asyncio.create_task(uvicorn.serve(sockets=[listener]))
        await ready.wait()
        yield f"ws://127.0.0.1:{listener.getsockname()[1]}/api/v1/ws/device"
        uvicorn.should_exit = True
        await task
