"""Jobs whose workers are killed at random, and whose broker is killed and comes back."""

import asyncio
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.broker import Broker, NoBroker, own_broker
from benchmarks.commissions import TASKS
from benchmarks.crew import Crew
from benchmarks.killed_jobs import Faults, Outcome, have_planned, moments
from benchmarks.laboratory import Laboratory
from benchmarks.processes import Server, shared_keys
from benchmarks.services import REDIS_PORT, REDIS_URL, amqp_url, is_there, redis_prefix
from benchmarks.tables import Bound, Figure
from tests.adiuva.servers import connect

TITLE: Final = "Jobs whose workers and broker are killed"
_DEVICES: Final = 5
_WORKERS: Final = 2
_SLOTS: Final = 4
_WITHIN_S: Final = 1200.0
_ENDS: Final = ("done", "failed", "delivered")
_LATEST_S: Final = 1.0
"""How long after a write a worker is killed that is not killed just then."""


def measure(laboratory: Laboratory) -> Iterator[Figure]:
    """What is lost or done twice; nothing without a Redis on this machine and a RabbitMQ that can be started."""
    if not is_there(REDIS_PORT):
        laboratory.say(f"  no Redis is running at 127.0.0.1:{REDIS_PORT}")
        return
    seed = random.SystemRandom().randrange(2**32)
    laboratory.say(f"  {laboratory.sizes.jobs} jobs, {laboratory.sizes.job_kills} kills, seed {seed}")
    try:
        with _plant(laboratory) as (server, crew, broker):
            started = time.monotonic()
            outcome = _killed(laboratory, server, crew, broker, random.Random(seed))  # noqa: S311 - not a secret
            seconds = time.monotonic() - started
            yield from _figures(laboratory, outcome, seed)
            yield Figure(name="kills of workers, one or all at a time", unit="kills", value=float(crew.killed))
            yield Figure(name="all of it", unit="s", value=seconds)
    except NoBroker:
        laboratory.say("  no RabbitMQ is installed that could be started")


@contextmanager
def _plant(laboratory: Laboratory) -> Iterator[tuple[Server, Crew, Broker]]:
    with own_broker() as broker, redis_prefix() as prefix, ExitStack() as entered:
        settings = {
            **shared_keys(),
            "REDIS_URL": REDIS_URL,
            "ADIUVA_REDIS_PREFIX": prefix,
            "AMQP_URL": amqp_url(broker.port),
        }
        server = entered.enter_context(laboratory.server(settings=settings))
        crew = Crew(
            data_dir=laboratory.data_dir,
            model_url=laboratory.model_url,
            settings=settings,
            workers=_WORKERS,
            slots=_SLOTS,
        )
        yield server, entered.enter_context(crew), broker


def _killed(laboratory: Laboratory, server: Server, crew: Crew, broker: Broker, chance: random.Random) -> Outcome:
    jobs, kills = laboratory.sizes.jobs, laboratory.sizes.job_kills
    later: list[Future[None]] = []
    with ThreadPoolExecutor() as apart, tempfile.TemporaryDirectory(prefix="adiuva-bench-") as folder:

        def soon(fault: Callable[[], None]) -> None:
            later.append(apart.submit(fault))

        def kill_one(after_s: float) -> None:
            time.sleep(after_s)
            crew.kill_one(chance)

        def restart() -> None:
            broker.kill()
            broker.start()

        at = list(moments(chance, of=kills + 1, among=jobs * TASKS))
        middle = at.pop(len(at) // 2)
        # Every other kill is of all workers: it hits whoever waits for the answer to a write that is done.
        faults: dict[int, Callable[[], None]] = {
            number: partial(soon, partial(kill_one, chance.uniform(0, _LATEST_S))) if each % 2 else crew.kill_all
            for each, number in enumerate(at)
        }
        faults[middle] = partial(soon, restart)
        people = [server.register() for _ in range(_DEVICES)]
        outcome = asyncio.run(
            have_planned(
                server.url, people, jobs=jobs, faults=Faults(at=faults), within_s=_WITHIN_S, folder=Path(folder)
            )
        )
    for fault in later:
        fault.result()
    return outcome


def _figures(laboratory: Laboratory, outcome: Outcome, seed: int) -> Iterator[Figure]:
    jobs, spread = laboratory.sizes.jobs, f"seed {seed}"
    for state in ("done", "failed"):
        yield Figure(name=f"jobs that ended as {state}", unit="jobs", value=float(outcome.ends.get(state, 0)))
    for name, value in {
        f"of {jobs:,} jobs, their ends not told": outcome.lost,
        f"of {jobs:,} jobs, ended twice": outcome.ended_twice,
        "jobs missing, double or without an end in the database": _wrong_in_database(laboratory, jobs),
        f"of {jobs * TASKS:,} rows on the devices, missing or double": outcome.wrong_rows,
    }.items():
        yield Figure(name=name, unit="", value=float(value), bound=Bound.VALUE, limit=0.0, spread=spread)
    yield Figure(
        name="writes that came again when they had been done",
        unit="writes",
        value=float(outcome.repeated),
        bound=Bound.LEAST,
        limit=float(laboratory.sizes.job_kills > 0),
    )


def _wrong_in_database(laboratory: Laboratory, jobs: int) -> int:
    with connect(laboratory.data_dir) as connection:
        states = connection.execute("SELECT state FROM agents_tooljob WHERE tool = 'plan_project'").fetchall()
    return abs(len(states) - jobs) + sum(state not in _ENDS for (state,) in states)
