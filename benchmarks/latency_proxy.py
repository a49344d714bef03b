"""A relay that makes Redis far away: everything takes a while in either direction. It counts the commands."""

import asyncio
import re
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import Synchronized
from typing import Final, cast

from tests.forks import FORKS

_COMMAND: Final = re.compile(rb"\*\d+\r\n\$")
"""How a command begins. What is cut into two pieces is not counted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Relay:
    """A port of this machine behind which Redis is."""

    port: int
    _counted: "Synchronized[int]"

    @property
    def commands(self) -> int:
        """The commands that have passed."""
        return self._counted.value


@contextmanager
def relay(behind: int, *, delay_s: float) -> Iterator[Relay]:
    """A process that passes on what comes to the local port ``behind`` and back, each piece ``delay_s`` later."""
    ours, theirs = FORKS.Pipe()
    counted = FORKS.Value("q", 0)
    process = FORKS.Process(target=_serve, args=(behind, delay_s, counted, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        yield Relay(port=ours.recv(), _counted=cast("Synchronized[int]", counted))
    finally:
        process.kill()
        process.join()


def _serve(behind: int, delay_s: float, counted: "Synchronized[int]", told: Connection) -> None:
    async def serve() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Near(behind, delay_s, counted), "127.0.0.1", 0)
        told.send(server.sockets[0].getsockname()[1])
        await asyncio.Event().wait()

    asyncio.run(serve())


class _End(asyncio.Protocol):
    """One end of a connection; what comes goes to the other end, in order and late."""

    def __init__(self, delay_s: float) -> None:
        self.other: _End | None = None
        self.transport: asyncio.Transport | None = None
        self._delay_s = delay_s
        self._late: deque[Callable[[], None]] = deque()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._later(partial(self._pass_on, data))

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        self._later(self._end_other)

    def _later(self, do: Callable[[], None]) -> None:
        self._late.append(do)
        asyncio.get_running_loop().call_later(self._delay_s, lambda: self._late.popleft()())

    def _pass_on(self, data: bytes) -> None:
        if self.other is not None and self.other.transport is not None:
            self.other.transport.write(data)

    def _end_other(self) -> None:
        if self.other is not None and self.other.transport is not None:
            self.other.transport.close()


class _Near(_End):
    """The client's end, which connects to what is behind."""

    def __init__(self, behind: int, delay_s: float, counted: "Synchronized[int]") -> None:
        super().__init__(delay_s)
        self._behind, self._counted = behind, counted
        self._connecting: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._connecting = asyncio.create_task(self._connect(cast("asyncio.Transport", transport)))

    def data_received(self, data: bytes) -> None:
        with self._counted.get_lock():
            self._counted.value += len(_COMMAND.findall(data))
        super().data_received(data)

    async def _connect(self, near: asyncio.Transport) -> None:
        near.pause_reading()
        _, far = await asyncio.get_running_loop().create_connection(
            lambda: _End(self._delay_s), "127.0.0.1", self._behind
        )
        far.other, self.other = self, far
        near.resume_reading()
