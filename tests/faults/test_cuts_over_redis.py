"""Sockets that are cut and reconnect to another process each time."""

import os
import random
from pathlib import Path

import pytest

from tests.chat.cluster.backends import in_redis
from tests.faults.cuts import Plan, cut_sockets
from tests.faults.judging import Outcome
from tests.faults.producing import Share


@pytest.mark.redis
async def test_turns_of_device_that_changes_processes_lose_and_repeat_nothing(
    tmp_path: Path,
) -> None:
    seed = 1 if os.environ.get("CI") == "true" else random.SystemRandom().randrange(2**32)
    plan = Plan(turns=6, share=Share(frames=100, writes=8), cuts=30, cuts_in_writes=18, seed=seed)

    async with in_redis() as backend:
        outcome = await cut_sockets(plan, processes=[backend.ports(), backend.ports()], folder=tmp_path)

    counted = Outcome(turns=6, frames=outcome.frames, writes=48, cuts=30)
    unmeasured = {"connections": outcome.connections, "cuts_in_writes": outcome.cuts_in_writes}
    assert outcome == Outcome(**{**vars(counted), **unmeasured}), plan
    assert outcome.cuts_in_writes >= 8, plan
    assert outcome.frames >= 600, plan
