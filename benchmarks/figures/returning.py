"""Devices that come back, all at once, to a server that was restarted or killed."""

import asyncio
import os
import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks import processes
from benchmarks.environment import Environment
from benchmarks.processes import Server
from benchmarks.tables import Bound, Figure, percentile
from device.addresses import server_address
from device.errors import DeviceError
from device.executor import Executor
from device.hello import CAPABILITIES, Capability, Hello
from device.link import Account, Link
from device.store import Store, new_uuid
from tests.adiuva.servers import reserved_port

TITLE: Final = "Devices that come back after a restart"
_DEVICES_OF_A_USER: Final = 5
_LIMITS: Final = {
    "ADIUVA_MAX_SOCKETS": "10",
    "ADIUVA_MAX_DEVICES": "20",
    "ADIUVA_CONNECTIONS_PER_MINUTE": "60",
    "ADIUVA_CONNECTIONS_PER_ADDRESS": "256",
}
"""Those of a user, as in production: here they must allow it."""
_CAPABILITIES: Final = CAPABILITIES | {Capability.APPROVALS, Capability.JOB_ACK}
"""Those of the desktop app: it is told of its open questions and its jobs when it comes back."""
_WITHIN_S: Final = 30.0
_AT_ONCE: Final = 50
"""Devices that connect for the first time."""


def measure(environment: Environment) -> Iterator[Figure]:
    """Seconds from when the server is ready again to when a device is welcomed, and errors that its user saw."""
    devices = environment.sizes.returning
    environment.say(f"  {devices} devices")
    with reserved_port() as port, tempfile.TemporaryDirectory(prefix="adiuva-bench-") as folder:
        returned = asyncio.run(_Restarts(environment=environment, port=port, folder=Path(folder)).measured(devices))
    for how, (seconds, errors) in returned.items():
        yield Figure(
            name=f"{devices} devices of a server that was {how}, half of them", unit="s", value=_share(seconds, 0.5)
        )
        yield Figure(name="all of them", unit="s", value=_share(seconds, 1.0), bound=Bound.VALUE, limit=_WITHIN_S)
        yield Figure(name="errors that a user saw", unit="", value=float(errors), bound=Bound.VALUE, limit=0.0)


def _share(seconds: Sequence[float], share: float) -> float:
    return percentile(seconds, share) if seconds else float("inf")


@dataclass(kw_only=True)
class _Restarts:
    environment: Environment
    port: int
    folder: Path
    _running: ExitStack = field(default_factory=ExitStack)

    async def measured(self, devices: int) -> dict[str, tuple[list[float], int]]:
        server = await asyncio.to_thread(self._start)
        try:
            with closing(Store(self.folder / "device.sqlite3")) as store:
                async with AsyncExitStack() as entered:
                    links = await self._connected(server, devices, Executor(store), entered)
                    restarted = await self._returned(links, server, killed=False)
                    return {"restarted": restarted, "killed": await self._returned(links, self._server, killed=True)}
        finally:
            await asyncio.to_thread(self._running.close)

    def _start(self) -> Server:
        self._server = self._running.enter_context(
            processes.server(
                self.environment.data_dir,
                self.environment.model_url,
                arguments=("--port", str(self.port)),
                settings=_LIMITS,
            )
        )
        return self._server

    async def _connected(
        self, server: Server, devices: int, executor: Executor, entered: AsyncExitStack
    ) -> Sequence[Link]:
        with ThreadPoolExecutor(4) as threads:
            tokens = list(threads.map(lambda _: server.register(), range(-(-devices // _DEVICES_OF_A_USER))))
        account = Account(server_address(server.url), email="", password="")
        links = [
            await entered.enter_async_context(
                Link(
                    account,
                    tokens[number % len(tokens)],
                    executor=executor,
                    hello=Hello(device_id=new_uuid(), capabilities=_CAPABILITIES),
                )
            )
            for number in range(devices)
        ]
        some = asyncio.Semaphore(_AT_ONCE)

        async def connect(link: Link) -> None:
            async with some:
                await link.client()

        await asyncio.gather(*map(connect, links))
        return links

    async def _returned(self, links: Sequence[Link], server: Server, *, killed: bool) -> tuple[list[float], int]:
        """When each device was back, in seconds, and how many errors there were instead."""
        clients = [await link.client() for link in links]

        async def back(number: int) -> float:
            await clients[number].gone()
            await links[number].back()
            return time.monotonic()

        returning = [asyncio.create_task(back(number)) for number in range(len(links))]
        if killed:
            os.kill(server.pid, signal.SIGKILL)
        await asyncio.to_thread(self._running.close)
        await asyncio.to_thread(self._start)
        ready = time.monotonic()
        came = await asyncio.gather(*returning, return_exceptions=True)
        errors = [each for each in came if isinstance(each, BaseException)]
        if unexpected := [error for error in errors if not isinstance(error, DeviceError)]:
            raise unexpected[0]
        return [max(0.0, each - ready) for each in came if isinstance(each, float)], len(errors)
