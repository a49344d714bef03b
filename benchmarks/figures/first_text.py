"""How long the first text takes from the model's first token to the client, beside the SDK read directly."""

from collections.abc import Iterator
from typing import cast

from benchmarks.laboratory import Laboratory
from benchmarks.processes import Server, run_worker
from benchmarks.tables import Bound, Figure, median, spread_of

TITLE = "First text"
_PLAN = "words"
_LIMITS_MS = {1: 3.0, 20: 10.0}


def measure(laboratory: Laboratory) -> Iterator[Figure]:
    """With one client, and with twenty at the same time."""
    with laboratory.server() as server:
        for clients, limit in _LIMITS_MS.items():
            yield _with(clients, limit, laboratory, server)


def _with(clients: int, limit_ms: float, laboratory: Laboratory, server: Server) -> Figure:
    tokens: list[str] = [server.register() for _ in range(clients)]
    turns = max(3, laboratory.sizes.turns // (3 * clients))
    direct: list[list[float]] = []
    served: list[list[float]] = []
    for number in range(laboratory.sizes.rounds):
        laboratory.say(f"  {clients} clients, round {number + 1}")
        direct.append(
            _ms(run_worker("sdk_first_text", url=laboratory.model_url, clients=clients, plan=_PLAN, turns=turns))
        )
        served.append(
            _ms(run_worker("server_first_text", url=server.socket_url, tokens=list(tokens), plan=_PLAN, turns=turns))
        )
    return Figure(
        name=f"first text, {clients} client{'s' if clients > 1 else ''}, median",
        unit="ms",
        value=median([delay for each in served for delay in each]),
        floor=median([delay for each in direct for delay in each]),
        bound=Bound.DIFFERENCE,
        limit=limit_ms,
        spread=spread_of([median(each) for each in served], [median(each) for each in direct]),
    )


def _ms(seconds: object) -> list[float]:
    return [each * 1000 for each in cast("list[float]", seconds)]
