"""How a process takes leave of its clients when it stops (protocol: server stops)."""

import asyncio
from contextlib import suppress
from typing import Final

from chat.frames.server import ServerShutdown
from chat.frames.vocabulary import CloseCode
from chat.services import ChatServices

RETRY_AFTER_MS: Final = 2000
_CLOSING_S: Final = 2.0


async def leave(services: ChatServices) -> None:
    """Announce the end, let running turns end for ``drain_s`` seconds, then close every socket with 1012.

    What turns have left to be remembered is written before.
    """
    for connection in services.connections.all():
        connection.socket.tell(ServerShutdown(retry_after_ms=RETRY_AFTER_MS))
    services.turns.kit.approvals.leave()
    await asyncio.gather(
        services.supervisor.drain(services.timings.drain_s),
        *([] if services.jobs is None else [services.jobs.drain(services.timings.drain_s)]),
    )
    if (memory := services.turns.kit.memory) is not None:
        await memory.drain()
    sockets = [connection.socket for connection in services.connections.all()]
    for socket in sockets:
        socket.close_soon(CloseCode.RESTARTING)
    with suppress(TimeoutError):
        async with asyncio.timeout(_CLOSING_S):
            await asyncio.gather(*(socket.wait_closed() for socket in sockets))
    if services.jobs is not None:
        await services.jobs.aclose()
    if services.attendance is not None:
        await services.attendance.aclose()
    await services.revocation.aclose()
    await services.quotas.aclose()
    await services.neighbours.aclose()
