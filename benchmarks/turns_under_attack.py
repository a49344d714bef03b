"""Turns of a user while another user attacks the server."""

import asyncio
import json
import sys
import time
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final, cast

from pydantic import JsonValue

from benchmarks.devices import Device, all_connected
from benchmarks.processes import cpu_seconds, resident_bytes
from tests.forks import ROOT

_EVERY_S: Final = 0.1
_ASKS_EVERY_S: Final = 0.6
"""Less often than the limit of requests a minute allows."""
_LEAVING_S: Final = 30.0


async def turns_beside_an_attacker(
    *, url: str, tokens: list[str], attacker: str, pid: int, plan: str, kind: str, seconds: float, idle_s: float
) -> JsonValue:
    """How long turns of devices take (s) that each ask every ``_ASKS_EVERY_S``: ``idle``, and ``beside`` an attacker.

    ``idle_cpu`` and ``beside_cpu`` are the seconds of the processor that the server takes in a second meanwhile,
    ``grown`` by how many bytes its memory grew at most; the rest is what the attacker printed.
    """
    async with _attacking(kind, url, attacker, seconds) as attacking, all_connected(url, tokens) as devices:
        for device in devices:
            await device.turn(plan)
        idle, idle_cpu = await _turns(devices, plan, asyncio.create_task(asyncio.sleep(idle_s)), pid)
        attack = asyncio.create_task(_attack(attacking, seconds))
        growth = asyncio.create_task(_growth(pid, attack))
        beside, beside_cpu = await _turns(devices, plan, attack, pid)
        took = {"idle": idle, "idle_cpu": idle_cpu, "beside": beside, "beside_cpu": beside_cpu}
        return {**took, "grown": await growth, **(await attack)}


async def _turns(
    devices: list[Device], plan: str, meanwhile: asyncio.Task[Any], pid: int
) -> tuple[list[JsonValue], float]:
    """The seconds of all turns that begin until ``meanwhile`` is over, and the processors that ``pid`` takes."""
    cpu, began_all = cpu_seconds(pid), time.monotonic()

    async def ask(device: Device, number: int) -> list[JsonValue]:
        took: list[JsonValue] = []
        await asyncio.sleep(_ASKS_EVERY_S * number / len(devices))
        while not meanwhile.done():
            began = time.monotonic()
            took.append((await device.turn(plan)).seconds)
            await asyncio.sleep(max(0.0, began + _ASKS_EVERY_S - time.monotonic()))
        return took

    asked = await asyncio.gather(*(ask(device, number) for number, device in enumerate(devices)))
    share = (cpu_seconds(pid) - cpu) / (time.monotonic() - began_all)
    return [seconds for each in asked for seconds in each], share


@asynccontextmanager
async def _attacking(kind: str, url: str, token: str, seconds: float) -> AsyncIterator[Process]:
    """A process that is ready to attack: its start is no part of the attack."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks.attackers", kind, url, token, str(seconds)),
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        await cast("asyncio.StreamReader", process.stdout).readline()
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def _attack(attacking: Process, seconds: float) -> dict[str, Any]:
    async with asyncio.timeout(seconds + _LEAVING_S):
        printed, _ = await attacking.communicate(b"go\n")
    seen: dict[str, Any] = json.loads(printed)
    return seen


async def _growth(pid: int, attack: asyncio.Task[Any]) -> int:
    """The most bytes by which the process grows until the attack is over."""
    before = most = resident_bytes(pid)
    while not attack.done():
        await asyncio.sleep(_EVERY_S)
        most = max(most, resident_bytes(pid))
    return most - before
