"""Turns while jobs run elsewhere."""

import asyncio
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from benchmarks.devices import Device, connected
from benchmarks.plans import message

_ALL_S = 120.0
"""No jobs take longer, or they have failed."""


@dataclass(kw_only=True)
class _Owner:
    """Has jobs made, and notes which run or have run, and how they ended."""

    device: Device
    running: set[str] = field(default_factory=set)
    ended: dict[str, str] = field(default_factory=dict)
    answered: int = 0
    news: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def listen(self) -> None:
        """Read what comes, for ever."""
        while True:
            frame = await self.device.receive()
            async with self.news:
                self._note(frame)
                self.news.notify_all()

    async def start_jobs(self, jobs: int) -> None:
        """Ask for this many, one after another."""
        for number in range(self.answered, self.answered + jobs):
            await self.device.send(type="home_request", message=message("review"), request_id=str(uuid.uuid4()))
            await self.until(lambda: self.answered > number)  # noqa: B023 - it is awaited here

    async def until(self, is_so: Callable[[], bool]) -> None:
        async with self.news:
            await self.news.wait_for(is_so)

    def _note(self, frame: Mapping[str, Any]) -> None:
        match frame["type"], frame.get("state"):
            case "stream_end", _:
                self.answered += 1
            case "job_update", "running":
                self.running.add(frame["job_id"])
            case "job_update", "done" | "failed" | "cancelled" as state:
                self.ended[frame["job_id"]] = state


async def turns_beside_jobs(*, url: str, tokens: list[str], plan: str, jobs: int, idle_s: float) -> JsonValue:
    """How long turns of one device take (s), one after another, while another device has this many jobs.

    ``idle``: for ``idle_s`` without any; ``running``: from when all of them run until the first has ended; ``all``: of
    as many jobs once more, from asking for the first to the end of the last.
    """
    asking, owning = tokens
    async with asyncio.timeout(_ALL_S), connected(url, asking) as device, connected(url, owning) as owning_device:
        await device.turn(plan)
        idle = await _turns(device, plan, asyncio.create_task(asyncio.sleep(idle_s)))
        owner = _Owner(device=owning_device)
        listening = asyncio.create_task(owner.listen())
        try:
            before = await _all_running(owner, jobs)
            running = await _turns(device, plan, asyncio.create_task(owner.until(lambda: len(owner.ended) > before)))
            await owner.until(lambda: len(owner.ended) == before + jobs)
            beside = await _turns(device, plan, asyncio.create_task(_started(owner, jobs)))
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
    assert set(owner.ended.values()) == {"done"}, owner.ended
    return {"idle": idle, "running": running, "all": beside}


async def _all_running(owner: _Owner, jobs: int) -> int:
    """Start jobs until this many run at the same time; returns how many had ended before.

    On a busy machine the first has ended by the time that the last one begins: then it is tried again.
    """
    while True:
        before = len(owner.ended)
        await owner.start_jobs(jobs)
        await owner.until(lambda: len(owner.running) == before + jobs)  # noqa: B023 - it is awaited here
        if len(owner.ended) == before:
            return before
        await owner.until(lambda: len(owner.ended) == before + jobs)  # noqa: B023


async def _started(owner: _Owner, jobs: int) -> None:
    ended = len(owner.ended) + jobs
    await owner.start_jobs(jobs)
    await owner.until(lambda: len(owner.ended) == ended)


async def _turns(device: Device, plan: str, meanwhile: asyncio.Task[None]) -> list[JsonValue]:
    """The seconds of turns, one after another, until ``meanwhile`` is over."""
    turns: list[JsonValue] = []
    try:
        while not meanwhile.done():
            turns.append((await device.turn(plan)).seconds)
    finally:
        meanwhile.cancel()
        await asyncio.wait({meanwhile})
    meanwhile.result()
    return turns
