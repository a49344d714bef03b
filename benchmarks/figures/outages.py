"""How soon users are told that the database is away, and how soon others take over the job of a worker that ends."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, suppress
from typing import Final
from uuid import uuid4

import httpx

from agents.adapters.base import Purpose
from agents.tools.overviews import WORDS
from benchmarks import processes
from benchmarks.devices import Device, TurnFailed, connected
from benchmarks.environment import Environment
from benchmarks.processes import Server, tool_worker
from benchmarks.services import RABBITMQ_PORT, REDIS_PORT, REDIS_URL, amqp_prefix, amqp_url, is_there, redis_prefix
from benchmarks.tables import Bound, Figure
from tests.adiuva.servers import connect
from tests.faults.proxy import FaultProxy, fault_proxy
from tests.forks import Fork
from tests.model_server.recorded import Recorded
from tests.model_server.scripts import Hold, calls, says, wants
from tests.model_server.server import ModelServer

TITLE: Final = "While the database is away, and when a worker ends"
_PLAN: Final = "three"
_TOLD_S: Final = 5.0
_PROBE_S: Final = 1.0
_WELL_S: Final = 3.0
_HANDED_BACK_S: Final = 3.0
_TAKEN_OVER_S: Final = 15.0
_TIMEOUT_S: Final = 90.0
"""What takes longer has failed."""
_LOOK_S: Final = 0.02
_REVIEW: Final = "Review my week."


def measure(environment: Environment) -> Iterator[Figure]:
    """Of workers nothing without a Redis and a RabbitMQ on this machine."""
    yield from asyncio.run(_without_database(environment))
    if not environment.sizes.job_kills:
        return
    for service, port in {"Redis": REDIS_PORT, "RabbitMQ": RABBITMQ_PORT}.items():
        if not is_there(port):
            environment.say(f"  no {service} is running at 127.0.0.1:{port}")
            return
    yield from _without_worker(environment)


async def _without_database(environment: Environment) -> list[Figure]:
    figures: list[Figure] = []
    async with _relayed(environment) as (proxy, server):
        token = await asyncio.to_thread(server.register)
        for how, away, back in (
            ("refuses connections", lambda: _refuse(proxy), lambda: _admit(proxy)),
            ("is behind a network that swallows packets", proxy.stall, proxy.flow),
        ):
            environment.say(f"  the database {how}")
            figures += await _outage(server, token, how, away, back)
    return figures


@asynccontextmanager
async def _relayed(environment: Environment) -> AsyncIterator[tuple[FaultProxy, Server]]:
    """A server that reaches the database through a proxy, beside one that keeps the database running."""
    with ExitStack() as stack:
        await asyncio.to_thread(stack.enter_context, environment.server())
        with connect(environment.data_dir) as database:
            place = database.info
            folder, name, user = place.host, place.dbname, place.user
        async with fault_proxy(f"{folder}/.s.PGSQL.5432") as proxy:
            settings = {"DATABASE_URL": f"postgresql://{user}@127.0.0.1:{proxy.port}/{name}"}
            server = await asyncio.to_thread(stack.enter_context, environment.server(settings=settings))
            yield proxy, server
            # It stops before its proxy, or it would wait for the database.
            await asyncio.to_thread(stack.close)


def _refuse(proxy: FaultProxy) -> None:
    proxy.refusing = True
    proxy.cut()


def _admit(proxy: FaultProxy) -> None:
    proxy.refusing = False


async def _outage(
    server: Server, token: str, how: str, away: Callable[[], None], back: Callable[[], None]
) -> list[Figure]:
    headers = {"Authorization": f"Bearer {token}", "X-Forwarded-Proto": "https"}
    async with (
        connected(server.socket_url, token) as device,
        httpx.AsyncClient(base_url=server.url, headers=headers, timeout=_TIMEOUT_S, trust_env=False) as client,
    ):
        await device.turn(_PLAN)
        away()
        told = await asyncio.gather(
            _seconds(_failed(device)), _seconds(_refused(client, "/api/v1/jobs")), _seconds(_refused(client, "/readyz"))
        )
        back()
        well = await _seconds(_done(device))
    limits = {
        "a turn says so after": _TOLD_S,
        "REST answers 503 after": _TOLD_S,
        "/readyz answers after": _PROBE_S,
    }
    named = zip(limits.items(), told, strict=True)
    return [
        *(_within(f"the database {how}: {what}", seconds, limit) for (what, limit), seconds in named),
        _within("a turn is done again after", well, _WELL_S),
    ]


async def _failed(device: Device) -> None:
    try:
        await device.turn(_PLAN)
    except TurnFailed:
        return
    raise TurnFailed("a turn was done without a database")


async def _refused(client: httpx.AsyncClient, path: str) -> None:
    answer = await client.get(path)
    if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
        raise TurnFailed(f"{path} was answered with {answer.status_code} without a database")


async def _done(device: Device) -> None:
    while True:
        with suppress(TurnFailed):
            await device.turn(_PLAN)
            return
        await asyncio.sleep(_LOOK_S)


def _without_worker(environment: Environment) -> list[Figure]:
    with ExitStack() as stack:
        model = stack.enter_context(ModelServer())
        model.when(_writes_review, [Hold(), *says("All is well.")])
        model.when(lambda request: request.asked == _REVIEW, calls(wants("weekly_review")), says("It is on its way."))
        settings = {
            "REDIS_URL": REDIS_URL,
            "ADIUVA_REDIS_PREFIX": stack.enter_context(redis_prefix()),
            "AMQP_URL": amqp_url(),
            "ADIUVA_AMQP_PREFIX": stack.enter_context(amqp_prefix()),
        }
        server = stack.enter_context(
            processes.server(environment.data_dir, model.base_url, settings=settings),
        )

        def worker() -> Fork:
            return stack.enter_context(tool_worker(environment.data_dir, model.base_url, slots=1, settings=settings))

        # Its queues are removed on a loop of their own.
        return asyncio.run(_ends(environment, server, model, worker))


async def _ends(
    environment: Environment, server: Server, model: ModelServer, worker: Callable[[], Fork]
) -> list[Figure]:
    """Have a review written by a worker that is stopped at once, then by one that is killed, then by a third."""
    first = await asyncio.to_thread(worker)
    token = await asyncio.to_thread(server.register)
    async with connected(server.socket_url, token) as device:
        await device.send(type="home_request", message=_REVIEW, request_id=str(uuid4()))
        answering = asyncio.create_task(device.answer())
        await _seconds(_asked(model, 1))
        second = await asyncio.to_thread(worker)
        environment.say("  a worker is told twice to stop")
        first.terminate()
        await asyncio.sleep(_LOOK_S * 10)  # two signals at the same time may be one
        first.terminate()
        handed_back = await _seconds(_asked(model, 2))
        await asyncio.to_thread(worker)
        environment.say("  a worker is killed")
        second.kill()
        taken_over = await _seconds(_asked(model, 3))
        model.open()
        answering.cancel()
    return [
        _within("of a worker that is told twice to stop, another one has the job after", handed_back, _HANDED_BACK_S),
        _within("of a worker that is killed with -9, another one has the job after", taken_over, _TAKEN_OVER_S),
    ]


def _writes_review(request: Recorded) -> bool:
    return request.asked.startswith(WORDS[Purpose.WEEKLY_REVIEW])


async def _asked(model: ModelServer, times: int) -> None:
    while sum(map(_writes_review, model.requests)) < times:  # noqa: ASYNC110 - the model runs on another thread
        await asyncio.sleep(_LOOK_S)


async def _seconds(work: Awaitable[None]) -> float:
    """How long ``work`` takes. Raises ``TimeoutError``."""
    began = time.monotonic()
    async with asyncio.timeout(_TIMEOUT_S):
        await work
    return time.monotonic() - began


def _within(name: str, seconds: float, limit: float) -> Figure:
    return Figure(name=name, unit="s", value=seconds, bound=Bound.VALUE, limit=limit)
