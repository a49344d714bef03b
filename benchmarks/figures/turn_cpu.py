"""CPU of the server process for a whole turn, beside the same turn by hand on the SDK's own parsed stream."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, cast

from benchmarks.environment import Environment
from benchmarks.frameworks.processes import framework_cpu, installed
from benchmarks.processes import run_worker
from benchmarks.tables import Bound, Figure, median, spread_of

TITLE: Final = "CPU of a turn: 2 tool calls together, 1 more, 200 chunks"
_WARM: Final = 5
_PLANS: Final = {"turn": "chunks at once", "paced": "a chunk every 5 ms"}


def measure(environment: Environment) -> Iterator[Figure]:
    """The server; then the agent frameworks, where they are installed."""
    frameworks = installed(environment.frameworks)
    if not frameworks:
        environment.say("  no agent framework is installed: pip install 'openai-agents' 'pydantic-ai-slim[openai]'")
    with environment.server() as server:
        token = server.register()
        for plan, how in _PLANS.items():
            turns = environment.sizes.turns if plan == "turn" else environment.sizes.paced_turns
            served = partial(run_worker, "server_cpu", url=server.socket_url, token=token, pid=server.pid)
            sdk_loop = partial(run_worker, "sdk_loop_cpu", url=environment.model_url)
            others: dict[str, Callable[..., object]] = {
                name: partial(framework_cpu, environment.frameworks, name, url=environment.model_url)
                for name in frameworks
            }
            works: dict[str, Callable[..., object]] = {"by hand": sdk_loop, "server": served, **others}
            runs: dict[str, list[float]] = {}
            for number in range(environment.sizes.rounds):
                environment.say(f"  {how}, round {number + 1}")
                for name, work in works.items():
                    ms = cast("float", work(plan=plan, turns=turns, warm=_WARM)) * 1000
                    runs.setdefault(name, []).append(ms)
            yield from _figures(how, runs)


def _figures(how: str, runs: dict[str, list[float]]) -> Iterator[Figure]:
    floors = runs.pop("by hand")
    for name, values in runs.items():
        limited = name == "server"
        yield Figure(
            name=f"{name}, {how}",
            unit="ms",
            value=median(values),
            floor=median(floors),
            bound=Bound.RATIO if limited else Bound.NONE,
            limit=1.0 if limited else None,
            spread=spread_of(values, floors),
        )
