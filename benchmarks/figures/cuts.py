"""Sockets cut at random bytes, with writes pending: what is lost, and what is done twice."""

import random
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from benchmarks.environment import Environment
from benchmarks.processes import run_worker
from benchmarks.tables import Bound, Figure

TITLE: Final = "Sockets cut at random bytes"
_FRAMES: Final = 400
_WRITES: Final = 12


def measure(environment: Environment) -> Iterator[Figure]:
    """Of every log of frames there is: nothing may be missing, double or out of place."""
    sizes, seed = environment.sizes, random.SystemRandom().randrange(2**32)
    environment.say(f"  {sizes.cut_turns} turns, {sizes.cuts} cuts, seed {seed}")
    counted = cast(
        "dict[str, dict[str, Any]]",
        run_worker("socket_cuts", turns=sizes.cut_turns, frames=_FRAMES, writes=_WRITES, cuts=sizes.cuts, seed=seed),
    )
    for log, outcome in counted.items():
        yield from _figures(log, outcome, cuts=sizes.cuts, spread=f"seed {seed}")


def _figures(log: str, outcome: Mapping[str, Any], *, cuts: int, spread: str) -> Iterator[Figure]:
    nothing_of = {
        "turns": (outcome["unfinished_turns"], f"turns that did not end well, of {outcome['turns']}"),
        "frames": (outcome["wrong_frames"], f"frames missing, double or different, of {outcome['frames']:,}"),
        "rows": (outcome["wrong_writes"], f"rows not written exactly once, of {outcome['writes']}"),
    }
    for unit, (value, name) in nothing_of.items():
        yield Figure(name=f"{log}: {name}", unit=unit, value=float(value), bound=Bound.VALUE, limit=0.0, spread=spread)
    yield Figure(name=f"{log}: cuts", unit="cuts", value=float(outcome["cuts"]), bound=Bound.LEAST, limit=float(cuts))
    yield Figure(
        name=f"{log}: cuts while a write was pending",
        unit="cuts",
        value=float(outcome["cuts_in_writes"]),
        bound=Bound.LEAST,
        limit=cuts / 4,
    )
    yield Figure(name=f"{log}: all of it", unit="s", value=outcome["seconds"])
