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
from benchmarks.environment import Environment
from benchmarks.job_scripts import TASKS
from benchmarks.killed_jobs import Faults, Outcome, have_planned, moments
from benchmarks.processes import Server
from benchmarks.services import REDIS_PORT, REDIS_URL, amqp_url, is_there, redis_prefix
from benchmarks.tables import Bound, Figure
from benchmarks.worker_pool import WorkerPool
from tests.adiuva.servers import connect

TITLE: Final = "Jobs whose workers and broker are killed"
_DEVICES: Final = 5
_WORKERS: Final = 2
_SLOTS: Final = 4
_WITHIN_S: Final = 1200.0
_ENDS: Final = ("done", "failed", "delivered")
_MAX_DELAY_S: Final = 1.0
"""How long after a write a worker is killed that is not killed just then."""


def measure(environment: Environment) -> Iterator[Figure]:
    """What is lost or done twice; nothing without a Redis on this machine and a RabbitMQ that can be started."""
    if not is_there(REDIS_PORT):
        environment.say(f"  no Redis is running at 127.0.0.1:{REDIS_PORT}")
        return
    seed = random.SystemRandom().randrange(2**32)
    environment.say(f"  {environment.sizes.jobs} jobs, {environment.sizes.job_kills} kills, seed {seed}")
    try:
        with _installation(environment) as (server, pool, broker):
            started = time.monotonic()
            outcome = _killed(environment, server, pool, broker, random.Random(seed))  # noqa: S311 - not a secret
            seconds = time.monotonic() - started
            yield from _figures(environment, outcome, seed)
            yield Figure(name="kills of workers, one or all at a time", unit="kills", value=float(pool.killed))
            yield Figure(name="all of it", unit="s", value=seconds)
    except NoBroker:
        environment.say("  no RabbitMQ is installed that could be started")


@contextmanager
def _installation(environment: Environment) -> Iterator[tuple[Server, WorkerPool, Broker]]:
    with own_broker() as broker, redis_prefix() as prefix, ExitStack() as entered:
        settings = {
            "REDIS_URL": REDIS_URL,
            "ADIUVA_REDIS_PREFIX": prefix,
            "AMQP_URL": amqp_url(broker.port),
        }
        server = entered.enter_context(environment.server(settings=settings))
        pool = WorkerPool(
            data_dir=environment.data_dir,
            model_url=environment.model_url,
            settings=settings,
            workers=_WORKERS,
            slots=_SLOTS,
        )
        yield server, entered.enter_context(pool), broker


def _killed(
    environment: Environment, server: Server, pool: WorkerPool, broker: Broker, chance: random.Random
) -> Outcome:
    jobs, kills = environment.sizes.jobs, environment.sizes.job_kills
    later: list[Future[None]] = []
    with ThreadPoolExecutor() as apart, tempfile.TemporaryDirectory(prefix="adiuva-bench-") as folder:

        def soon(fault: Callable[[], None]) -> None:
            later.append(apart.submit(fault))

        def kill_one(after_s: float) -> None:
            time.sleep(after_s)
            pool.kill_one(chance)

        def restart() -> None:
            broker.kill()
            broker.start()

        at = list(moments(chance, of=kills + 1, among=jobs * TASKS))
        middle = at.pop(len(at) // 2)
        # Every other kill is of all workers: it hits jobs that wait for the answer to a finished write.
        faults: dict[int, Callable[[], None]] = {
            number: partial(soon, partial(kill_one, chance.uniform(0, _MAX_DELAY_S))) if each % 2 else pool.kill_all
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


def _figures(environment: Environment, outcome: Outcome, seed: int) -> Iterator[Figure]:
    jobs, spread = environment.sizes.jobs, f"seed {seed}"
    for state in ("done", "failed"):
        yield Figure(name=f"jobs that ended as {state}", unit="jobs", value=float(outcome.ends.get(state, 0)))
    for name, value in {
        f"of {jobs:,} jobs, their ends not told": outcome.lost,
        f"of {jobs:,} jobs, ended twice": outcome.ended_twice,
        "jobs missing, double or without an end in the database": _wrong_in_database(environment, jobs),
        f"of {jobs * TASKS:,} rows on the devices, missing or double": outcome.wrong_rows,
    }.items():
        yield Figure(name=name, unit="", value=float(value), bound=Bound.VALUE, limit=0.0, spread=spread)
    yield Figure(
        name="writes that came again when they had been done",
        unit="writes",
        value=float(outcome.repeated),
        bound=Bound.LEAST,
        limit=float(environment.sizes.job_kills > 0),
    )


def _wrong_in_database(environment: Environment, jobs: int) -> int:
    with connect(environment.data_dir) as connection:
        states = connection.execute("SELECT state FROM agents_tooljob WHERE tool = 'plan_project'").fetchall()
    return abs(len(states) - jobs) + sum(state not in _ENDS for (state,) in states)
