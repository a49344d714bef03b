"""What load and floors do, each in a process of its own (``benchmarks.processes.run_worker``)."""

import asyncio
import gc
import json
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from itertools import chain
from typing import Any, Final

import django
import uvloop
from django.apps import apps
from pydantic import JsonValue
from websockets.asyncio.client import connect

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adiuva.settings")
if not apps.ready:  # in a test it is
    django.setup(set_prefix=False)

# After Django is set up: the agents whose prompts and tools the work uses know models.
from benchmarks import cuts, journaled_device, navigating, queueing, slow_readers, turns_during_jobs, turns_under_attack
from benchmarks.devices import Device, all_connected, connected
from benchmarks.mcp_clients import calls_by_http, calls_by_sdk
from benchmarks.processes import cpu_seconds, resident_bytes
from benchmarks.sdk_loop import SdkLoop

_SETTLE_S: Final = 1.0
"""What a connection leaves to be done is done by then."""
_FIRST_ROUNDS: Final = 10
"""What a server keeps for turns in general is there from then on: one turn each, with 20 devices, is not enough."""

Asking = Callable[[str], Awaitable[Any]]


async def server_first_text(*, url: str, tokens: list[str], plan: str, turns: int) -> JsonValue:
    """The first text's delay (s) in every turn of devices that ask at the same time."""
    async with all_connected(url, tokens) as devices:
        return await _delays([device.turn for device in devices], plan, turns)


async def sdk_first_text(*, url: str, clients: int, plan: str, turns: int) -> JsonValue:
    """As ``server_first_text``, of readers of the SDK's own stream."""
    sdk_loop = SdkLoop(url)
    return await _delays([sdk_loop.turn] * clients, plan, turns)


async def server_waits(*, url: str, tokens: list[str], plan: str, turns: int) -> JsonValue:
    """How long devices wait from asking to the first text (s), one device after another, each ``turns`` times."""
    waits: list[JsonValue] = []
    for token in tokens:
        async with connected(url, token) as device:
            waits += [(await device.turn(plan)).waited for _ in range(turns)]
    return waits


async def _delays(askers: list[Asking], plan: str, turns: int) -> JsonValue:
    for ask in askers:
        await ask("words")

    async def ask_often(ask: Asking, number: int) -> list[float]:
        # The answers begin evenly spread, as those of people do who do not know each other.
        await asyncio.sleep(0.4 * number / len(askers))
        return [(await ask(plan)).first_text for _ in range(turns)]

    async with asyncio.TaskGroup() as tasks:
        asking = [tasks.create_task(ask_often(ask, number)) for number, ask in enumerate(askers)]
    delays: list[JsonValue] = [*chain.from_iterable(each.result() for each in asking)]
    return delays


async def server_cpu(*, url: str, token: str, pid: int, plan: str, turns: int, warm: int) -> JsonValue:
    """CPU seconds a turn of the server process ``pid``."""
    async with connected(url, token) as device:
        return await _cpu(device.turn, lambda: cpu_seconds(pid), plan, turns=turns, warm=warm)


async def sdk_loop_cpu(*, url: str, plan: str, turns: int, warm: int) -> JsonValue:
    """CPU seconds a turn of this process, which does everything by hand."""
    return await _cpu(SdkLoop(url).turn, time.process_time, plan, turns=turns, warm=warm)


async def _cpu(ask: Asking, cpu: Callable[[], float], plan: str, *, turns: int, warm: int) -> float:
    for _ in range(warm):
        await ask(plan)
    before = cpu()
    for _ in range(turns):
        await ask(plan)
    return (cpu() - before) / turns


async def server_calls(*, url: str, token: str, plan: str, turns: int) -> JsonValue:
    """Round trips (s) of calls and an answer as it was sent, by action."""
    trips: dict[str, list[JsonValue]] = {}
    answers: dict[str, JsonValue] = {}
    async with connected(url, token) as device:
        await device.turn(plan)
        for _ in range(turns):
            turn = await device.turn(plan)
            answers.update(turn.answers)
            for action, measured in turn.round_trips.items():
                trips.setdefault(action, []).extend(measured)
    return {action: {"trips": measured, "answer": answers[action]} for action, measured in trips.items()}


async def mcp_calls(*, url: str, socket_url: str, access: str, token: str, turns: int) -> JsonValue:
    """How long ``list_tasks`` takes over MCP (s), by bare HTTP and by the SDK's client, on a device that has 20."""
    async with connected(socket_url, access) as device:
        answering = asyncio.create_task(device.answer())
        try:
            return {"http": await calls_by_http(url, token, turns), "sdk": await calls_by_sdk(url, token, turns)}
        finally:
            answering.cancel()
            await asyncio.gather(answering, return_exceptions=True)


async def sdk_calls(*, url: str, turns: int) -> JsonValue:
    """As ``mcp_calls``, of a server that needs neither a token nor a device."""
    return {"http": await calls_by_http(url, "none", turns), "sdk": await calls_by_sdk(url, "none", turns)}


async def echo_calls(*, url: str, payload: str, times: int) -> JsonValue:
    """Round trips (s) of ``payload`` to a bare echo and back."""
    async with connect(url, compression=None, proxy=None) as connection:
        trips: list[JsonValue] = [await _echoed(connection.send, connection.recv, payload) for _ in range(times + 50)]
        return trips[50:]


async def _echoed(send: Callable[[str], Awaitable[None]], receive: Callable[[], Awaitable[Any]], text: str) -> float:
    started = time.monotonic()
    await send(text)
    json.loads(await receive())  # as the device reads its calls
    return time.monotonic() - started


async def server_crowd(*, url: str, tokens: list[str], plan: str, seconds: float) -> JsonValue:
    """How long every turn took (s) that devices began, one after another each, within ``seconds``."""
    async with all_connected(url, tokens) as devices:
        return await _crowd([device.turn for device in devices], plan, seconds)


async def sdk_loop_crowd(*, url: str, clients: int, plan: str, seconds: float) -> JsonValue:
    """As ``server_crowd``, by hand."""
    sdk_loop = SdkLoop(url)
    return await _crowd([sdk_loop.turn] * clients, plan, seconds)


async def _crowd(askers: list[Asking], plan: str, seconds: float) -> JsonValue:
    end = time.monotonic() + seconds

    async def ask_on(ask: Asking) -> list[float]:
        took: list[float] = []
        while time.monotonic() < end:
            took.append((await ask(plan)).seconds)
        return took

    started = time.monotonic()
    async with asyncio.TaskGroup() as tasks:
        asking = [tasks.create_task(ask_on(ask)) for ask in askers]
    return {
        "turns": [took for each in asking for took in each.result()],
        "seconds": time.monotonic() - started,
    }


async def server_idle(*, url: str, tokens: list[str], pid: int, devices: int) -> JsonValue:
    """By how many bytes the server grows for this many devices that only say hello."""
    async with connected(url, tokens[0]) as device:
        await device.turn("words")  # what the first turn makes for all is not a device's
    async with AsyncExitStack() as stack:

        async def arrive(number: int) -> Device:
            return await stack.enter_async_context(connected(url, tokens[number % len(tokens)]))

        return await _growth(arrive, pid, devices)


async def echo_idle(*, url: str, pid: int, devices: int) -> JsonValue:
    """As ``server_idle``, of connections to a bare echo."""
    async with AsyncExitStack() as stack:

        async def arrive(_number: int) -> object:
            return await stack.enter_async_context(connect(url, compression=None, proxy=None))

        return await _growth(arrive, pid, devices)


async def server_ended(*, url: str, tokens: list[str], pid: int, plan: str, turns: int) -> JsonValue:
    """By how many bytes the server grows for each of about this many turns that have ended."""
    async with all_connected(url, tokens) as devices:

        async def ask(times: int) -> None:
            for _ in range(times):
                await asyncio.gather(*(device.turn(plan) for device in devices))

        await ask(_FIRST_ROUNDS)
        before, times = await _resident_bytes(pid), max(1, turns // len(devices))
        await ask(times)
        return (await _resident_bytes(pid) - before) / (times * len(devices))


async def _growth(arrive: Callable[[int], Awaitable[object]], pid: int, devices: int) -> float:
    for number in range(10):  # pools and threads are there from then on
        await arrive(number)
    before = await _resident_bytes(pid)
    for number in range(devices):
        await arrive(number)
    return await _resident_bytes(pid) - before


async def _resident_bytes(pid: int) -> int:
    await asyncio.sleep(_SETTLE_S)
    return resident_bytes(pid)


WORKS: Final[Mapping[str, Callable[..., Awaitable[JsonValue]]]] = {
    work.__name__: work
    for work in (
        server_first_text,
        sdk_first_text,
        server_waits,
        server_cpu,
        sdk_loop_cpu,
        server_calls,
        mcp_calls,
        sdk_calls,
        echo_calls,
        server_crowd,
        sdk_loop_crowd,
        server_idle,
        echo_idle,
        server_ended,
        slow_readers.slow_reader,
        navigating.server_navigation,
        turns_under_attack.turns_beside_an_attacker,
        turns_during_jobs.turns_beside_jobs,
        queueing.queue_port,
        queueing.bare_queue,
        journaled_device.journaled_writes,
        cuts.socket_cuts,
        cuts.cuts_between_processes,
    )
}


def work(name: str, arguments: Mapping[str, JsonValue]) -> JsonValue:
    """What the work of this name gives."""
    gc.freeze()
    return uvloop.run(WORKS[name](**arguments))  # type: ignore[arg-type] # all are coroutines
