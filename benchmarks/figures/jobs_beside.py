"""Turns of a process while jobs run elsewhere, beside the same process without any."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final, cast

from pydantic import JsonValue

from benchmarks.environment import Environment
from benchmarks.job_scripts import REVIEW_S
from benchmarks.processes import Server, run_worker, tool_worker
from benchmarks.services import RABBITMQ_PORT, REDIS_PORT, REDIS_URL, amqp_prefix, amqp_url, is_there, redis_prefix
from benchmarks.tables import Bound, Figure, percentile, spread_of

TITLE: Final = "Turns while jobs run elsewhere"
_WORKERS: Final = 2
_PLAN: Final = "three"
_IDLE_S: Final = 5.0
_AS_FAST: Final = 1.15


def measure(environment: Environment) -> Iterator[Figure]:
    """Median and p95 of a turn; nothing without a Redis and a RabbitMQ on this machine."""
    for service, port in {"Redis": REDIS_PORT, "RabbitMQ": RABBITMQ_PORT}.items():
        if not is_there(port):
            environment.say(f"  no {service} is running at 127.0.0.1:{port}")
            return
    rounds: list[dict[str, list[float]]] = []
    jobs = environment.sizes.jobs_beside
    with _installation(environment, jobs) as server:
        for number in range(environment.sizes.rounds):
            environment.say(f"  {jobs} jobs, round {number + 1}")
            rounds.append(_round(server, jobs))
    yield from _figures(rounds, "running", f"a turn while {jobs} jobs of {REVIEW_S:g} s run", limit=_AS_FAST)
    yield from _figures(rounds, "all", f"a turn from asking for {jobs} jobs to their end", limit=None)


@contextmanager
def _installation(environment: Environment, jobs: int) -> Iterator[Server]:
    """A server, and workers enough for all jobs at a time."""
    with redis_prefix() as redis, amqp_prefix() as amqp, ExitStack() as entered:
        settings = {
            "REDIS_URL": REDIS_URL,
            "ADIUVA_REDIS_PREFIX": redis,
            "AMQP_URL": amqp_url(),
            "ADIUVA_AMQP_PREFIX": amqp,
        }
        server = entered.enter_context(environment.server(settings=settings))
        for _ in range(_WORKERS):
            slots = -(-jobs // _WORKERS)
            entered.enter_context(
                tool_worker(environment.data_dir, environment.model_url, slots=slots, settings=settings)
            )
        yield server


def _round(server: Server, jobs: int) -> dict[str, list[float]]:
    tokens: list[JsonValue] = [server.register() for _ in range(2)]
    seen = run_worker("turns_beside_jobs", url=server.socket_url, tokens=tokens, plan=_PLAN, jobs=jobs, idle_s=_IDLE_S)
    return cast("dict[str, list[float]]", seen)


def _figures(rounds: list[dict[str, list[float]]], part: str, name: str, *, limit: float | None) -> Iterator[Figure]:
    """Median and p95 of all turns, whose spread is that of the rounds' own."""
    turns = [[each * 1000 for each in seen[part]] for seen in rounds]
    floors = [[each * 1000 for each in seen["idle"]] for seen in rounds]
    for which, share in {"median": 0.5, "p95": 0.95}.items():
        yield Figure(
            name=f"{name}, {which}",
            unit="ms",
            value=percentile([each for round_ in turns for each in round_], share),
            floor=percentile([each for round_ in floors for each in round_], share),
            bound=Bound.RATIO if limit is not None else Bound.NONE,
            limit=limit,
            spread=spread_of(*([percentile(each, share) for each in measured] for measured in (turns, floors))),
        )
