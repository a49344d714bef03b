"""Many clients, each with one turn of 3 tool calls after another."""

from collections.abc import Iterator
from typing import Any, Final, cast

from benchmarks.environment import Environment
from benchmarks.processes import run_worker
from benchmarks.tables import Figure, percentile

TITLE: Final = "Many clients, each a turn of 3 tool calls after another"
_PLAN: Final = "three"


def measure(environment: Environment) -> Iterator[Figure]:
    """Turns a second and how long they take, beside as many loops by hand in one process. An error ends the run."""
    clients, seconds = environment.sizes.crowd, environment.sizes.crowd_s
    environment.say(f"  {clients} loops by hand for {seconds:g} s")
    hand = _run("sdk_loop_crowd", url=environment.model_url, clients=clients, plan=_PLAN, seconds=seconds)
    with environment.server() as server:
        tokens = [server.register() for _ in range(clients)]
        environment.say(f"  {clients} clients for {seconds:g} s")
        served = _run("server_crowd", url=server.socket_url, tokens=tokens, plan=_PLAN, seconds=seconds)
    counted = len(served["turns"])
    yield Figure(
        name=f"{clients} clients, {counted} turns without an error",
        unit="turns/s",
        value=counted / served["seconds"],
        floor=len(hand["turns"]) / hand["seconds"],
    )
    for name, share in (("median", 0.5), ("p99", 0.99)):
        yield Figure(
            name=f"{clients} clients, a turn, {name}",
            unit="ms",
            value=percentile(served["turns"], share) * 1000,
            floor=percentile(hand["turns"], share) * 1000,
        )


def _run(work: str, **arguments: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", run_worker(work, **arguments))
