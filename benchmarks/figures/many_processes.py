"""Two processes over one Redis: what is lost when one is killed or sockets are cut, and what a turn costs."""

import asyncio
import os
import random
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, cast

from benchmarks.environment import Environment
from benchmarks.processes import Server, run_worker
from benchmarks.services import REDIS_PORT, REDIS_URL, is_there, redis_prefix
from benchmarks.tables import Bound, Figure, median, spread_of
from tests.faults.killing import DeviceAccount, Outcome, kill_one_of_two, teach
from tests.model_server.server import ModelServer

TITLE: Final = "Two processes over one Redis"
_LOST_S: Final = 5.0
_WARM: Final = 5
_DEVICES: Final = 5
_FRAMES: Final = 400
_WRITES: Final = 12


def measure(environment: Environment) -> Iterator[Figure]:
    """A kill, cuts, and the cost; none of them without a Redis on this machine."""
    if not is_there(REDIS_PORT):
        environment.say(f"  no Redis is running at 127.0.0.1:{REDIS_PORT}")
        return
    with redis_prefix() as prefix:
        settings = {"REDIS_URL": REDIS_URL, "ADIUVA_REDIS_PREFIX": prefix}
        yield from _killed(environment, settings)
        yield from _cut(environment)
        yield from _costs(environment, settings)


def _killed(environment: Environment, settings: dict[str, str]) -> Iterator[Figure]:
    turns = environment.sizes.killed
    environment.say(f"  one of two processes is killed during {turns} turns")
    with ModelServer() as model, tempfile.TemporaryDirectory(prefix="adiuva-bench-") as folder:
        teach(model)
        with (
            environment.server(model_url=model.base_url, settings=settings) as killed,
            environment.server(model_url=model.base_url, settings=settings) as other,
        ):
            outcome = asyncio.run(_kill(killed, other, turns, Path(folder)))
    yield Figure(
        name=f"one killed during {turns} turns: answered in the end", unit="turns", value=float(outcome.finished)
    )
    yield Figure(
        name=f"the latest of {outcome.asked_again} lost turns is said to be lost",
        unit="s",
        value=max(outcome.lost_s, default=0.0),
        bound=Bound.VALUE,
        limit=_LOST_S,
    )
    yield Figure(
        name="rows missing or double", unit="", value=float(outcome.wrong_writes), bound=Bound.VALUE, limit=0.0
    )


async def _kill(killed: Server, other: Server, turns: int, folder: Path) -> Outcome:
    people = [DeviceAccount(email="", password="", access=other.register()) for _ in range(_DEVICES)]
    return await kill_one_of_two(
        people,
        [killed.url, other.url],
        turns=turns,
        kill=lambda: os.kill(killed.pid, signal.SIGKILL),
        folder=folder,
    )


def _cut(environment: Environment) -> Iterator[Figure]:
    sizes, seed = environment.sizes, random.SystemRandom().randrange(2**32)
    environment.say(f"  {sizes.cuts} cuts in {sizes.cut_turns} turns, seed {seed}")
    seen = cast(
        "dict[str, Any]",
        run_worker(
            "cuts_between_processes",
            turns=sizes.cut_turns,
            frames=_FRAMES,
            writes=_WRITES,
            cuts=sizes.cuts,
            seed=seed,
        ),
    )
    counted = f"{seen['turns']} turns, {seen['frames']:,} frames and {seen['writes']} writes"
    yield Figure(
        name=f"{seen['cuts']} cuts in {counted}: wrong",
        unit="",
        value=float(seen["wrong_frames"] + seen["wrong_writes"] + seen["unfinished_turns"]),
        bound=Bound.VALUE,
        limit=0.0,
        spread=f"seed {seed}",
    )
    yield Figure(
        name="of these cuts, while a write was pending",
        unit="cuts",
        value=float(seen["cuts_in_writes"]),
        bound=Bound.LEAST,
        limit=sizes.cuts / 4,
    )


def _costs(environment: Environment, settings: dict[str, str]) -> Iterator[Figure]:
    """One process with Redis beside one without."""
    turns = environment.sizes.paced_turns
    cpu: dict[str, list[float]] = {"with": [], "without": []}
    texts: dict[str, list[list[float]]] = {"with": [], "without": []}
    with environment.server() as without, environment.server(settings=settings) as beside:
        for number in range(environment.sizes.rounds):
            environment.say(f"  the cost of a turn, round {number + 1}")
            for name, server in (("without", without), ("with", beside)):
                token = server.register()
                given: dict[str, Any] = {"url": server.socket_url, "plan": "paced", "turns": turns, "warm": _WARM}
                cpu[name].append(cast("float", run_worker("server_cpu", token=token, pid=server.pid, **given)) * 1000)
                seconds = run_worker(
                    "server_first_text", url=server.socket_url, tokens=[token], plan="words", turns=turns
                )
                texts[name].append([each * 1000 for each in cast("list[float]", seconds)])
    yield Figure(
        name="CPU of a turn, a chunk every 5 ms (floor: without Redis)",
        unit="ms",
        value=median(cpu["with"]),
        floor=median(cpu["without"]),
        spread=spread_of(cpu["with"], cpu["without"]),
    )
    medians = {name: [median(each) for each in rounds] for name, rounds in texts.items()}
    yield Figure(
        name="first text, median (floor: without Redis)",
        unit="ms",
        value=median(medians["with"]),
        floor=median(medians["without"]),
        spread=spread_of(medians["with"], medians["without"]),
    )
