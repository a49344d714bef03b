"""How a process takes leave of its clients when it stops (protocol: server stops)."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

from chat.protocol.frames.server import ServerShutdown
from chat.protocol.frames.vocabulary import CloseCode
from chat.services import ChatServices

logger = logging.getLogger(__name__)

RETRY_AFTER_MS: Final = 2000
_CLOSING_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class ChatBackground:
    """``services`` as one ``BackgroundPart``: there for clients, until they are taken leave of."""

    services: ChatServices

    def begin(self) -> None:
        for part in self.services.background:
            part.begin()

    async def aclose(self) -> None:
        await leave(self.services)


async def end_in_turn(*ends: Callable[[], Awaitable[None]]) -> None:
    """Await one after the other. What fails is logged, and keeps none behind it from ending."""
    for end in ends:
        try:
            await end()
        except Exception:  # the boundary of each that ends
            logger.exception("something did not end as it should; the others do")


async def leave(services: ChatServices) -> None:
    """Announce the end, let running turns end for ``drain_s`` seconds, then close every socket with 1012.

    What turns have left to be remembered is written before. At last the background work ends.
    """
    background = (part.aclose for part in reversed(services.background))
    await end_in_turn(partial(_take_leave, services), services.revocation.aclose, *background)


async def _take_leave(services: ChatServices) -> None:
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
