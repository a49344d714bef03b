"""Thousands of idle devices on two server processes: what they cost, and whether each process knows of the other's."""

import asyncio
import os
import random
import signal
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final

import httpx
import psycopg
from redis.asyncio import Redis
from websockets.exceptions import ConnectionClosed

from benchmarks.devices import Device, connected
from benchmarks.latency_proxy import Relay
from benchmarks.plans import message
from benchmarks.processes import Server, cpu_seconds, resident_bytes

STALL_S: Final = 2.9
_LOOK_EVERY_S: Final = 0.05
_ASK_EVERY_S: Final = 1.0
_REVOKED: Final = 20
_AT_ONCE: Final = 8
_SETTLE_S: Final = 2.0
_DATABASE: Final = (
    "SELECT xact_commit + xact_rollback, active_time / 1000 FROM pg_stat_database WHERE datname = current_database()"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Person:
    """A user with a device on each of the processes, and the tokens of those."""

    id: str
    tokens: Sequence[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Installation:
    """Two processes, the relay between each and Redis, and how to ask Redis and the database directly."""

    servers: Sequence[Server]
    relays: Sequence[Relay]
    people: Sequence[Person]
    redis: Redis
    prefix: str
    database: psycopg.Connection[Any]
    say: Callable[[str], None]

    def key(self, *parts: str) -> str:
        """The name of a key in Redis."""
        return ":".join([self.prefix, *parts])


@dataclass(frozen=True, kw_only=True, slots=True)
class Use:
    """What has been used until ``at`` (s): CPU of each process (s), commands to Redis, and of the database."""

    at: float
    cpu_s: Sequence[float]
    commands: Sequence[int]
    transactions: float
    database_s: float

    @classmethod
    def of(cls, here: Installation) -> "Use":
        row = here.database.execute(_DATABASE).fetchone()
        assert row is not None
        return cls(
            at=time.monotonic(),
            cpu_s=[cpu_seconds(server.pid) for server in here.servers],
            commands=[relay.commands for relay in here.relays],
            transactions=float(row[0]),
            database_s=float(row[1]),
        )

    def since(self, before: "Use") -> "Use":
        return Use(
            at=self.at - before.at,
            cpu_s=[after - each for after, each in zip(self.cpu_s, before.cpu_s, strict=True)],
            commands=[after - each for after, each in zip(self.commands, before.commands, strict=True)],
            transactions=self.transactions - before.transactions,
            database_s=self.database_s - before.database_s,
        )


@dataclass(kw_only=True)
class Looks:
    """Looks at a process or at a device on it, and how many of them found it gone."""

    looks: int = 0
    gone: int = 0

    async def look(self, here: Installation, processes: Sequence[str], over: asyncio.Event) -> None:
        """Look on until it is ``over``: the client of Redis may swallow a cancellation."""
        while not over.is_set():
            await asyncio.sleep(_LOOK_EVERY_S)
            person = random.choice(here.people)  # noqa: S311 - not a secret
            places = await here.redis.hvals(here.key("places", person.id))
            alive = await here.redis.exists(*(here.key("process", name) for name in processes))
            self.looks += 2 * len(processes)
            self.gone += 2 * len(processes) - len(places) - alive


@dataclass(kw_only=True)
class Found:
    """What came of it. Bytes, CPU and commands are a process's each; times in seconds."""

    bytes_of_device: list[float] = field(default_factory=list)
    rest: Use | None = None
    looks: Looks = field(default_factory=Looks)
    asked: int = 0
    unreached: int = 0
    stalled: Looks = field(default_factory=Looks)
    revoked_s: list[float] = field(default_factory=list)
    revoking: Use | None = None
    killed_s: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class _Connected:
    device: Device
    task: asyncio.Task[None]


async def watched(here: Installation, *, seconds: float, stalls: int) -> Found:
    """Connect a device of each person to each process, watch them for ``seconds``, and end one process.

    In the second half of the time REST requests are made.
    """
    found, names = Found(), await _processes(here)
    before = [resident_bytes(server.pid) for server in here.servers]
    async with _fleet(here) as fleet:
        await asyncio.sleep(_SETTLE_S)
        found.bytes_of_device = [
            (resident_bytes(server.pid) - was) / len(here.people)
            for server, was in zip(here.servers, before, strict=True)
        ]
        async with _looking(here, names, found.looks):
            here.say(f"  {len(here.people)} devices on each process rest")
            use = Use.of(here)
            await asyncio.sleep(seconds / 2)
            found.rest = Use.of(here).since(use)
            here.say("  requests to the process that the device is not connected to")
            await _ask_on(here, fleet, found, until=time.monotonic() + seconds / 2)
        here.say("  stalls, sign-outs, and a kill")
        async with _looking(here, names, found.stalled):
            for number in range(stalls):
                await _stall(here, fleet, found, number)
        await _revoke(here, fleet, found)
        found.killed_s = await _kill(here, names)
    return found


async def _processes(here: Installation) -> Sequence[str]:
    """The names of the processes, once each has its lease."""
    prefix, names = here.key("process", ""), set[str]()
    while len(names) < len(here.servers):
        names |= {key.removeprefix(prefix) async for key in here.redis.scan_iter(match=f"{prefix}*", count=1000)}
    return sorted(names)


@asynccontextmanager
async def _fleet(here: Installation) -> AsyncIterator[list[list[_Connected]]]:
    """For each process the devices on it, one of each person."""
    limit, tasks = asyncio.Semaphore(_AT_ONCE), list[asyncio.Task[None]]()

    async def stay(number: int, person: Person, started: asyncio.Future[Device]) -> None:
        url, token = here.servers[number].socket_url, person.tokens[number]
        try:
            async with connected(url, token, device_id=_device_id(number), ping_interval=None) as device:
                started.set_result(device)
                with suppress(ConnectionClosed):
                    await device.answer()
        except Exception as error:  # whoever waits for the device is told
            if started.done():
                raise
            started.set_exception(error)

    async def connect(number: int, person: Person) -> _Connected:
        async with limit:
            started: asyncio.Future[Device] = asyncio.get_running_loop().create_future()
            task = asyncio.create_task(stay(number, person, started))
            tasks.append(task)
            return _Connected(device=await started, task=task)

    try:
        yield [list(await asyncio.gather(*(connect(each, person) for person in here.people))) for each in (0, 1)]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def _looking(here: Installation, names: Sequence[str], looks: Looks) -> AsyncIterator[None]:
    over = asyncio.Event()
    async with asyncio.TaskGroup() as looking:
        looking.create_task(looks.look(here, names, over))
        try:
            yield
        finally:
            over.set()


async def _ask_on(here: Installation, fleet: Sequence[Sequence[_Connected]], found: Found, *, until: float) -> None:
    async with asyncio.TaskGroup() as asking:
        for number in range(len(here.people)):
            asking.create_task(_ask(here, fleet, found, number % 2))
            await asyncio.sleep(_ASK_EVERY_S)
            if time.monotonic() > until:
                return


async def _ask(here: Installation, fleet: Sequence[Sequence[_Connected]], found: Found, number: int) -> None:
    """Ask one process by REST for what only a device on process ``number`` can answer."""
    position = random.randrange(len(here.people))  # noqa: S311 - not a secret
    device, other = fleet[number][position].device, here.servers[1 - number]
    before, is_answered = device.answered, False
    with suppress(httpx.TimeoutException):
        answer = await _post(
            f"{other.url}/api/v1/chat",
            here.people[position].tokens[1 - number],
            {"message": message("three"), "device_id": _device_id(number)},
        )
        is_answered = answer.is_success
    found.asked += 1
    found.unreached += not (is_answered and device.answered > before)


async def _stall(here: Installation, fleet: Sequence[Sequence[_Connected]], found: Found, number: int) -> None:
    """Hold one process up for a while, at any moment between two renewals, while the other asks its devices."""
    await asyncio.sleep(random.random())  # noqa: S311 - not a secret
    pid = here.servers[number % 2].pid
    os.kill(pid, signal.SIGSTOP)
    try:
        asking = asyncio.create_task(_ask(here, fleet, found, number % 2))
        await asyncio.sleep(STALL_S)
    finally:
        os.kill(pid, signal.SIGCONT)
    await asking


async def _revoke(here: Installation, fleet: Sequence[Sequence[_Connected]], found: Found) -> None:
    """Sign people out everywhere on the first process; how long their devices on the second stay connected."""
    number = min(_REVOKED, len(here.people) // 2)
    before = Use.of(here)
    for position in range(number):
        url, token = f"{here.servers[0].url}/api/v1/auth/logout-everywhere", here.people[position].tokens[0]
        (await _post(url, token, {})).raise_for_status()
        began = time.monotonic()
        await asyncio.wait([fleet[1][position].task])
        found.revoked_s.append(time.monotonic() - began)
    found.revoking = Use.of(here).since(before)


async def _kill(here: Installation, names: Sequence[str]) -> float:
    began = time.monotonic()
    os.kill(here.servers[0].pid, signal.SIGKILL)
    keys = [here.key("process", name) for name in names]
    while await here.redis.exists(*keys) == len(keys):  # noqa: ASYNC110 - it is Redis that knows
        await asyncio.sleep(_LOOK_EVERY_S / 10)
    return time.monotonic() - began


async def _post(url: str, token: str, body: dict[str, str]) -> httpx.Response:
    headers = {"X-Forwarded-Proto": "https", "Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(timeout=60, trust_env=False) as client:
        return await client.post(url, json=body, headers=headers)


def _device_id(number: int) -> str:
    return f"device {number}"
