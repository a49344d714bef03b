"""CPU of the server process for a whole turn while it is traced, beside the same turn while it is not."""

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from typing import Final, cast

from benchmarks import processes
from benchmarks.environment import Environment
from benchmarks.processes import run_worker
from benchmarks.tables import Bound, Figure, median, spread_of
from tests.langfuse_server.ingestion import PATH

TITLE: Final = "CPU of a traced turn: 2 tool calls together, 1 more, 200 chunks, 7 spans"
_OFF, _TO_LANGFUSE, _BY_OTLP, _TO_BOTH = "untraced", "to Langfuse", "by OTLP", "to both"
_WARM: Final = 5
_MAX_RATIO: Final = 1.05
_TIMES: Final = 3
"""How many more rounds than elsewhere: a twentieth is less than one round differs from the next."""


def measure(environment: Environment) -> Iterator[Figure]:
    """Servers at the same time, asked in turn: three send traces to servers of this machine, one sends none."""
    with ExitStack() as stack:
        langfuse = {
            "LANGFUSE_PUBLIC_KEY": "pk-lf-test",
            "LANGFUSE_SECRET_KEY": "sk-lf-test",
            "LANGFUSE_HOST": stack.enter_context(processes.traces(PATH)),
        }
        otlp = {
            "ADIUVA_OTLP_ENDPOINT": stack.enter_context(processes.traces("/v1/traces", "secret")),
            "ADIUVA_OTLP_HEADERS": "authorization=secret",
        }
        settings = {_OFF: {}, _TO_LANGFUSE: langfuse, _BY_OTLP: otlp, _TO_BOTH: {**langfuse, **otlp}}
        servers = {how: stack.enter_context(environment.server(settings=given)) for how, given in settings.items()}
        works = {
            how: partial(run_worker, "server_cpu", url=server.socket_url, token=server.register(), pid=server.pid)
            for how, server in servers.items()
        }
        runs: dict[str, list[float]] = {how: [] for how in works}
        for number in range(environment.sizes.rounds * _TIMES):
            environment.say(f"  round {number + 1}")
            for how, work in works.items():
                ms = cast("float", work(plan="turn", turns=environment.sizes.turns, warm=_WARM)) * 1000
                runs[how].append(ms)
    for how in (_TO_LANGFUSE, _BY_OTLP, _TO_BOTH):
        yield Figure(
            name=f"traced {how}, beside untraced",
            unit="ms",
            value=median(runs[how]),
            floor=median(runs[_OFF]),
            bound=Bound.RATIO,
            limit=_MAX_RATIO,
            spread=spread_of(runs[how], runs[_OFF]),
        )
