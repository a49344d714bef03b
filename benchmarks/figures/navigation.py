"""What it costs that the user goes from page to page while an answer streams, beside a device that sends pings."""

from collections.abc import Iterator
from typing import Any, Final, cast

from benchmarks.environment import Environment
from benchmarks.processes import run_worker
from benchmarks.tables import Bound, Figure, median, spread_of

TITLE: Final = "Scope updates while an answer streams, 500 a second"
_KINDS: Final = ("nothing", "pings", "scope updates")
_NOISE: Final = 1.05


def measure(environment: Environment) -> Iterator[Figure]:
    """How long the answer takes, and the server's CPU for each frame."""
    runs: dict[str, list[dict[str, Any]]] = {kind: [] for kind in _KINDS}
    with environment.server() as server:
        token = server.register()
        for number in range(environment.sizes.rounds):
            environment.say(f"  round {number + 1}")
            for kind, run in runs.items():
                work = run_worker(
                    "server_navigation",
                    url=server.socket_url,
                    token=token,
                    pid=server.pid,
                    kind=kind,
                    turns=environment.sizes.paced_turns,
                )
                run.append(cast("dict[str, Any]", work))
    lengths = {kind: [median(each["seconds"]) * 1000 for each in run] for kind, run in runs.items()}
    yield Figure(
        name="an answer, with scope updates beside with pings",
        unit="ms",
        value=median(lengths["scope updates"]),
        floor=median(lengths["pings"]),
        bound=Bound.RATIO,
        limit=_NOISE,
        spread=spread_of(lengths["scope updates"], lengths["pings"]),
    )
    quiet = [run["cpu"] for run in runs["nothing"]]
    costs = {
        kind: [(run["cpu"] - alone) / run["sent"] * 1e6 for run, alone in zip(runs[kind], quiet, strict=True)]
        for kind in _KINDS[1:]
    }
    yield Figure(
        name="CPU of a scope update and its answer, beside a ping, which gets none",
        unit="µs",
        value=median(costs["scope updates"]),
        floor=median(costs["pings"]),
        spread=spread_of(costs["scope updates"], costs["pings"]),
    )
