"""CPU of the server process for a whole turn while it is traced, beside the same turn while it is not."""

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from typing import Final, cast

from benchmarks import processes
from benchmarks.environment import Environment
from benchmarks.processes import run_worker
from benchmarks.tables import Bound, Figure, median, spread_of

TITLE: Final = "CPU of a traced turn: 2 tool calls together, 1 more, 200 chunks, 7 spans"
_WARM: Final = 5
_MOST: Final = 1.05
_TIMES: Final = 3
"""How many more rounds than elsewhere: a twentieth is less than one round differs from the next."""


def measure(environment: Environment) -> Iterator[Figure]:
    """Two servers at the same time, asked in turn: one sends traces to a server of this machine, one sends none."""
    runs: dict[str, list[float]] = {"off": [], "on": []}
    with ExitStack() as stack:
        keys = {"LANGFUSE_PUBLIC_KEY": "pk-lf-test", "LANGFUSE_SECRET_KEY": "sk-lf-test"}
        settings = {"off": {}, "on": {**keys, "LANGFUSE_HOST": stack.enter_context(processes.traces())}}
        servers = {how: stack.enter_context(environment.server(settings=given)) for how, given in settings.items()}
        works = {
            how: partial(run_worker, "server_cpu", url=server.socket_url, token=server.register(), pid=server.pid)
            for how, server in servers.items()
        }
        for number in range(environment.sizes.rounds * _TIMES):
            environment.say(f"  round {number + 1}")
            for how, work in works.items():
                ms = cast("float", work(plan="turn", turns=environment.sizes.turns, warm=_WARM)) * 1000
                runs[how].append(ms)
    yield Figure(
        name="traced, beside untraced",
        unit="ms",
        value=median(runs["on"]),
        floor=median(runs["off"]),
        bound=Bound.RATIO,
        limit=_MOST,
        spread=spread_of(runs["on"], runs["off"]),
    )
