"""One address for several servers: connections go to them in turn, and dead servers are skipped."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import count
from typing import Final

_CHUNK: Final = 65_536


class _Spreader:
    def __init__(self, ports: Sequence[int]) -> None:
        self._ports = ports
        self._numbers = count()

    async def serve(self, reader: asyncio.StreamReader, near: asyncio.StreamWriter) -> None:
        behind = await self._connected()
        if behind is None:
            near.transport.abort()
            return
        far_reader, far = behind
        try:
            async with asyncio.TaskGroup() as pumping:
                pumping.create_task(_pump(reader, far))
                pumping.create_task(_pump(far_reader, near))
        finally:
            for writer in (near, far):
                writer.transport.abort()

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        first = next(self._numbers)
        for number in range(len(self._ports)):
            port = self._ports[(first + number) % len(self._ports)]
            with suppress(OSError):
                return await asyncio.open_connection("127.0.0.1", port)
        return None


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await source.read(_CHUNK):
            target.write(data)
            await target.drain()
    # A killed server closes its end; the client must learn of it at once.
    target.close()


@asynccontextmanager
async def spread_over(ports: Sequence[int]) -> AsyncIterator[int]:
    """The port of the one address, until the block ends."""
    spreader, serving = _Spreader(ports), set[asyncio.Task[None]]()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        serving.add(task)
        try:
            await spreader.serve(reader, writer)
        except asyncio.CancelledError:  # asyncio would log a connection that is cancelled
            return
        finally:
            serving.discard(task)

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield listening.sockets[0].getsockname()[1]
    finally:
        listening.close()
        for task in list(serving):
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
