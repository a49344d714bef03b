"""Two servers and a worker at work for long, while connections are cut and processes are killed."""

import asyncio
import os
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from benchmarks import processes
from benchmarks.environment import Environment
from benchmarks.processes import Server, resident_bytes
from benchmarks.services import (
    RABBITMQ_PORT,
    REDIS_PORT,
    REDIS_URL,
    amqp_prefix,
    amqp_url,
    is_there,
    redis_prefix,
)
from benchmarks.soaking import Outcome, Person, Plan, soak, teach
from benchmarks.tables import Bound, Figure, median
from benchmarks.worker_pool import WorkerPool
from tests.adiuva.servers import connect, kill_and_wait, reserved_port
from tests.model_server.server import ModelServer
from tests.proxied import devices_behind_proxy

TITLE: Final = "Two processes and a worker at work for long"
_DEVICES: Final = 12
_REMEMBER_ONE_IN: Final = 6
"""The memory of the other users is off: an index grows with what is said, up to its limit, which is no leak."""
_METRICS_TOKEN: Final = "metrics-of-the-soak"  # noqa: S105 - of a server of the benchmark
_MIB: Final = 1024 * 1024
_LOOK_S: Final = 2.0
_SAY_EVERY_S: Final = 300.0
_GROWTH_MIB: Final = 16.0
_MORE_DESCRIPTORS: Final = 20.0
_MORE_CONNECTIONS: Final = 10.0


def measure(environment: Environment) -> Iterator[Figure]:
    """What is lost, doubled or grows; nothing without a Redis and a RabbitMQ on this machine."""
    for service, port in (("Redis", REDIS_PORT), ("RabbitMQ", RABBITMQ_PORT)):
        if not is_there(port):
            environment.say(f"  no {service} is running at 127.0.0.1:{port}")
            return
    sizes = environment.sizes
    plan = Plan(
        seconds=sizes.soak_s,
        cuts=sizes.soak_cuts,
        kills=sizes.soak_kills,
        seed=random.SystemRandom().randrange(2**32),
    )
    environment.say(f"  {plan.seconds:g} s with {plan.cuts} cuts and {plan.kills} kills, seed {plan.seed}")
    with (
        _installation(environment) as installation,
        tempfile.TemporaryDirectory(prefix="adiuva-bench-") as folder,
        Watch(environment, installation) as watch,
    ):
        outcome = asyncio.run(
            soak(plan, installation.people, installation.ports, kill=installation.kill, folder=Path(folder))
        )
    yield from _found(outcome, plan)
    yield from _grown(watch)


@dataclass(kw_only=True)
class Installation:
    """Two servers, of which the first may be killed, and a worker."""

    environment: Environment
    model_url: str
    settings: Mapping[str, str]
    ports: list[int]
    workers: WorkerPool
    _killed: ExitStack = field(default_factory=ExitStack, init=False)
    servers: list[Server] = field(default_factory=list, init=False)
    people: list[Person] = field(default_factory=list, init=False)

    @contextmanager
    def started(self) -> Iterator[None]:
        """The block is while they run."""
        # The servers do so, too, but the killed one ends what it has begun.
        with devices_behind_proxy(), self.workers, ExitStack() as lasting, self._killed:
            self.servers = [self._start(self._killed, self.ports[0]), self._start(lasting, self.ports[1])]
            self.people = [self._register(number) for number in range(_DEVICES)]
            yield

    def kill(self, number: int) -> None:
        """Kill the first server, or every other time the worker, with -9, and start another in its place."""
        if number % 2:
            self.workers.kill_all()
            return
        kill_and_wait(self.servers[0].pid)
        self._killed.close()
        self.servers[0] = self._start(self._killed, self.ports[0])

    def _start(self, stack: ExitStack, port: int) -> Server:
        return stack.enter_context(
            processes.server(
                self.environment.data_dir,
                self.model_url,
                arguments=("--port", str(port)),
                memory=True,
                settings=self.settings,
            )
        )

    def _register(self, number: int) -> Person:
        account = {"email": f"{os.urandom(8).hex()}@example.com", "password": "correct horse battery staple"}
        access = self.servers[1].register(account)
        if number % _REMEMBER_ONE_IN:
            self.servers[1].stop_remembering(access)
        return Person(**account, access=access)


@contextmanager
def _installation(environment: Environment) -> Iterator[Installation]:
    with (
        ModelServer(keeps_requests=False) as model,
        redis_prefix() as redis,
        amqp_prefix() as amqp,
        reserved_port() as first,
        reserved_port() as second,
    ):
        teach(model)
        settings = {
            "REDIS_URL": REDIS_URL,
            "ADIUVA_REDIS_PREFIX": redis,
            "AMQP_URL": amqp_url(),
            "ADIUVA_AMQP_PREFIX": amqp,
            "ADIUVA_LOGIN_RATE": "1000/s",
            "ADIUVA_METRICS_TOKEN": _METRICS_TOKEN,
        }
        workers = WorkerPool(
            data_dir=environment.data_dir, model_url=model.base_url, settings=settings, workers=1, slots=4
        )
        installation = Installation(
            environment=environment,
            model_url=model.base_url,
            settings=settings,
            ports=[first, second],
            workers=workers,
        )
        with installation.started():
            yield installation


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """What the server that is never killed has, and how many connections to the database there are."""

    bytes: int
    """Without the indexes of what users have said."""
    descriptors: int
    connections: int


class Watch:
    """Samples, taken every ``_LOOK_S`` seconds while the context is open. Leaving it raises what ended them early."""

    def __init__(self, environment: Environment, installation: Installation) -> None:
        self.samples: list[Sample] = []
        self._environment, self._installation = environment, installation
        self._over = threading.Event()
        self._thread = ThreadPoolExecutor(1)

    def __enter__(self) -> Self:
        self._looking = self._thread.submit(self._look)
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        with self._thread:
            self._looking.result()

    def _look(self) -> None:
        began = said = time.monotonic()
        with connect(self._environment.data_dir) as database:
            while not self._over.wait(_LOOK_S):
                server = self._installation.servers[1]
                row = database.execute("SELECT count(*) FROM pg_stat_activity WHERE datname IS NOT NULL").fetchone()
                assert row is not None
                found = Sample(
                    bytes=resident_bytes(server.pid)
                    - round(server.metric("adiuva_memory_index_bytes", _METRICS_TOKEN)),
                    descriptors=sum(1 for _ in Path(f"/proc/{server.pid}/fd").iterdir()),
                    connections=int(str(row[0])),
                )
                self.samples.append(found)
                if time.monotonic() - said > _SAY_EVERY_S:
                    said = time.monotonic()
                    self._environment.say(
                        f"  after {(said - began) / 60:.0f} min: {found.bytes / _MIB:.0f} MiB, "
                        f"{found.descriptors} descriptors, {found.connections} connections to the database"
                    )


def _found(outcome: Outcome, plan: Plan) -> Iterator[Figure]:
    spread = f"seed {plan.seed}"
    yield Figure(
        name=f"answered beside {outcome.cuts} cuts and {plan.kills} kills",
        unit="requests",
        value=float(outcome.answered),
        spread=f"{outcome.asked_again} more told as lost",
    )
    for name, value in {
        "requests that ended otherwise": outcome.refused.total(),
        f"of {outcome.jobs:,} jobs, without an end": outcome.jobs_without_end,
        f"of {outcome.jobs:,} jobs, ended twice": outcome.jobs_ended_twice,
        f"of {outcome.rows:,} rows, missing or double": outcome.wrong_rows,
    }.items():
        yield Figure(name=name, unit="", value=float(value), bound=Bound.VALUE, limit=0.0, spread=spread)
    if outcome.refused:
        yield Figure(name=f"these were {dict(outcome.refused)}", unit="", value=float(outcome.refused.total()))


def _grown(watch: Watch) -> Iterator[Figure]:
    """From the second quarter of the time, when all is warm, to the last."""
    quarter = max(1, len(watch.samples) // 4)
    early, late = watch.samples[quarter : 2 * quarter], watch.samples[-quarter:]
    kinds: dict[str, tuple[Callable[[Sample], float], float]] = {
        "MiB of the server that is not killed, without its indexes": (lambda sample: sample.bytes / _MIB, _GROWTH_MIB),
        "its descriptors": (lambda sample: sample.descriptors, _MORE_DESCRIPTORS),
        "connections to the database": (lambda sample: sample.connections, _MORE_CONNECTIONS),
    }
    for name, (of, limit) in kinds.items():
        before, after = (median([of(each) for each in part]) for part in (early, late))
        yield Figure(
            name=f"{name}: growth",
            unit="",
            value=after - before,
            bound=Bound.VALUE,
            limit=limit,
            spread=f"{before:.0f} in the second quarter, {after:.0f} in the last",
        )
