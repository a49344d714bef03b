"""Waking whoever waits for something to change."""

import asyncio


class Signal:
    """Wakes every waiter at once; who comes later waits for the next change."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def notify(self) -> None:
        # Setting resolves the present waiters for good; clearing at once makes later ones wait for the next change.
        self._event.set()
        self._event.clear()

    async def wait(self) -> None:
        await self._event.wait()
