"""Waiting for another process by polling."""

import asyncio
from collections.abc import Awaitable, Callable

from tests.chat.sockets import WAIT_S


async def until(so: Callable[[], Awaitable[bool]], *, within_s: float = WAIT_S) -> None:
    """Return once ``so`` returns true; other tasks run between polls."""
    async with asyncio.timeout(within_s):
        while not await so():  # noqa: ASYNC110 - there is no event to wait for across processes
            await asyncio.sleep(0)
