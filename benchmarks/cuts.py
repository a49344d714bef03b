"""Turns over sockets that are cut: the work of a process of its own, which holds servers, proxies and devices."""

import os
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

import django
from pydantic import JsonValue


async def socket_cuts(*, turns: int, frames: int, writes: int, cuts: int, seed: int) -> JsonValue:
    """What came of the experiment in ``tests/faults/cuts.py``, counted, and the seconds it took."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup(set_prefix=False)
    # Not at the top: they import models.
    from tests.faults.cuts import Plan, cut_sockets
    from tests.faults.producing import Share

    plan = Plan(
        turns=turns,
        share=Share(frames=frames, writes=writes),
        cuts=cuts,
        cuts_in_writes=cuts * 3 // 5,
        seed=seed,
    )
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="adiuva-cuts-") as folder:
        outcome = await cut_sockets(plan, folder=Path(folder))
    return {"memory": {**asdict(outcome), "seconds": time.monotonic() - began}}


async def cuts_between_processes(*, turns: int, frames: int, writes: int, cuts: int, seed: int) -> JsonValue:
    """As ``socket_cuts``, of two servers over one Redis; a device comes back to the other one each time."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup(set_prefix=False)
    # Not at the top: they import models.
    from tests.chat.cluster.backends import in_redis
    from tests.faults.cuts import Plan, cut_sockets
    from tests.faults.producing import Share

    share = Share(frames=frames, writes=writes)
    plan = Plan(turns=turns, share=share, cuts=cuts, cuts_in_writes=cuts * 3 // 5, seed=seed)
    with tempfile.TemporaryDirectory(prefix="adiuva-cuts-") as folder:
        async with in_redis() as backend:
            processes = [backend.ports(), backend.ports()]
            return asdict(await cut_sockets(plan, processes=processes, folder=Path(folder)))
