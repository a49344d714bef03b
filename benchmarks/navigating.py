"""A device that goes from page to page, or says that it is there, while an answer streams to it."""

import asyncio
import itertools
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from pydantic import JsonValue

from benchmarks.devices import Device, connected
from benchmarks.processes import cpu_seconds

_EVERY_S: Final = 0.002
_PLAN: Final = "paced"

_Said = Callable[[int], dict[str, Any]]


def _ping(_: int) -> dict[str, Any]:
    return {"type": "ping"}


def _scope_update(number: int) -> dict[str, Any]:
    counts = {"tasks": number, "notes": 0, "milestones": 0}
    page = {"page": "project", "entityType": "project", "entityId": f"p{number}", "entityName": "Website"}
    return {"type": "contextual_scope_update", "session_id": "s", "scope": {**page, "counts": counts}}


_KINDS: Final[dict[str, _Said | None]] = {"nothing": None, "pings": _ping, "scope updates": _scope_update}


async def server_navigation(*, url: str, token: str, pid: int, kind: str, turns: int) -> JsonValue:
    """How long each answer took (s), the server's CPU (s) for all of them, and how many frames were sent meanwhile."""
    async with connected(url, token) as device:
        await device.turn(_PLAN)
        before, sent = cpu_seconds(pid), itertools.count()
        saying = asyncio.create_task(_say(device, _KINDS[kind], sent))
        took: list[JsonValue] = [(await device.turn(_PLAN)).seconds for _ in range(turns)]
        saying.cancel()
        with suppress(asyncio.CancelledError):
            await saying
        return {"seconds": took, "cpu": cpu_seconds(pid) - before, "sent": next(sent)}


async def _say(device: Device, said: _Said | None, sent: "itertools.count[int]") -> None:
    while said is not None:
        await device.send(**said(next(sent)))
        await asyncio.sleep(_EVERY_S)
