"""A TCP proxy that injects network faults: it cuts connections, stalls, trickles, and leaves them half open."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

_CHUNK: Final = 65_536


@dataclass(eq=False)
class Pipe:
    """One connection, in both directions."""

    near: asyncio.StreamWriter
    far: asyncio.StreamWriter
    forgotten: bool = False

    def cut(self) -> None:
        """End both sides; nothing more arrives."""
        for writer in (self.near, self.far):
            writer.transport.abort()


@dataclass(eq=False)
class FaultProxy:
    """Forwards bytes to the port, or the Unix socket, ``behind`` unless a fault is set. ``on_cut`` is called before
    each cut.
    """

    behind: int | str
    on_cut: Callable[[], None] = lambda: None
    refusing: bool = False
    """New connections are ended at once."""
    trickling: bool = False
    """One byte at a time."""
    port: int = 0
    cuts: int = 0
    connections: int = 0
    held: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once a stall holds something back."""
    _pipes: set[Pipe] = field(default_factory=set)
    _armed: deque[int] = field(default_factory=deque)
    _flowing: asyncio.Event = field(default_factory=asyncio.Event)

    def cut(self) -> None:
        """Cut every connection now."""
        self.on_cut()
        self.cuts += 1
        for pipe in list(self._pipes):
            pipe.cut()

    def cut_after(self, count: int) -> None:
        """Cut after ``count`` more bytes in either direction; counting starts when earlier cuts are done."""
        self._armed.append(count)

    def forget(self) -> None:
        """Make the present connections half open: neither end receives anything more, nor learns of the other's end."""
        for pipe in self._pipes:
            pipe.forgotten = True

    def stall(self) -> None:
        """Hold everything back until ``flow``."""
        self._flowing.clear()

    def flow(self) -> None:
        self._flowing.set()

    async def _serve(self, reader: asyncio.StreamReader, near: asyncio.StreamWriter) -> None:
        try:
            far_reader, far = await self._behind()
        except OSError:  # nothing listens there
            near.transport.abort()
            return
        self.connections += 1
        pipe = Pipe(near, far)
        self._pipes.add(pipe)
        try:
            async with asyncio.TaskGroup() as pumping:
                pumping.create_task(self._pump(pipe, reader, far))
                pumping.create_task(self._pump(pipe, far_reader, near))
        finally:
            self._pipes.discard(pipe)
            pipe.cut()

    async def _behind(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self.refusing:
            raise ConnectionRefusedError
        if isinstance(self.behind, str):
            return await asyncio.open_unix_connection(self.behind)
        return await asyncio.open_connection("127.0.0.1", self.behind)

    async def _pump(self, pipe: Pipe, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await source.read(_CHUNK):
                for piece in self._pieces(data):
                    await self._let_flow()
                    if not pipe.forgotten and not await self._passed(piece, target):
                        return
            if not pipe.forgotten:
                target.close()

    async def _let_flow(self) -> None:
        if not self._flowing.is_set():
            self.held.set()
            await self._flowing.wait()

    def _pieces(self, data: bytes) -> Iterator[bytes]:
        size = 1 if self.trickling else _CHUNK
        return (data[start : start + size] for start in range(0, len(data), size))

    async def _passed(self, piece: bytes, target: asyncio.StreamWriter) -> bool:
        """Forward what is allowed; return whether that was everything."""
        allowed = len(piece) if not self._armed else min(len(piece), self._armed[0])
        target.write(piece[:allowed])
        await target.drain()
        if not self._armed:
            return True
        self._armed[0] -= allowed
        if self._armed[0] > 0:
            return True
        self._armed.popleft()
        self.cut()
        return False


@asynccontextmanager
async def fault_proxy(behind: int | str) -> AsyncIterator[FaultProxy]:
    """A proxy in front of a local port or Unix socket, until the block ends."""
    proxy = FaultProxy(behind)
    proxy.flow()
    serving: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        serving.add(task)
        try:
            await proxy._serve(reader, writer)
        except asyncio.CancelledError:  # asyncio would log a connection that is cancelled
            return
        finally:
            serving.discard(task)

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    proxy.port = listening.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        listening.close()
        for task in list(serving):
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
