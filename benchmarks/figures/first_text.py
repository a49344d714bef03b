"""How long the first text takes from the model's first token to the client, beside the SDK read directly.

Then how long it takes from asking, with memory beside without: who nothing is remembered of should not wait for it.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import cast

from benchmarks.environment import Environment
from benchmarks.processes import Server, run_worker
from benchmarks.tables import Bound, Figure, median, spread_of

TITLE = "First text"
_PLAN = "words"
_LIMITS_MS = {1: 3.0, 20: 10.0}
_MEMORY_MS = {"nothing remembered": 30.0, "remembered": 300.0}


def measure(environment: Environment) -> Iterator[Figure]:
    """With one client, and with twenty at the same time; then from asking."""
    with environment.server() as server:
        for clients, limit in _LIMITS_MS.items():
            yield _with(clients, limit, environment, server)
        with environment.server(memory=True) as remembering:
            yield from _waits(environment, remembering, server)


def _waits(environment: Environment, remembering: Server, server: Server) -> Iterator[Figure]:
    turns = environment.sizes.turns // 3
    kinds: Mapping[str, Callable[[Server], list[float]]] = {
        "nothing remembered": lambda server: _waited(server, [server.register() for _ in range(turns)], turns=1),
        "remembered": lambda server: _waited(server, [server.register()], turns=turns),
    }
    for kind, measured in kinds.items():
        with_memory: list[list[float]] = []
        without: list[list[float]] = []
        for number in range(environment.sizes.rounds):
            environment.say(f"  from asking, {kind}, round {number + 1}")
            without.append(measured(server))
            with_memory.append(measured(remembering))
        yield Figure(
            name=f"from asking to the first text, {kind}, median",
            unit="ms",
            value=median([wait for each in with_memory for wait in each]),
            floor=median([wait for each in without for wait in each]),
            bound=Bound.DIFFERENCE,
            limit=_MEMORY_MS[kind],
            spread=spread_of([median(each) for each in with_memory], [median(each) for each in without]),
        )


def _waited(server: Server, tokens: list[str], *, turns: int) -> list[float]:
    return _ms(run_worker("server_waits", url=server.socket_url, tokens=list(tokens), plan=_PLAN, turns=turns))


def _with(clients: int, limit_ms: float, environment: Environment, server: Server) -> Figure:
    tokens: list[str] = [server.register() for _ in range(clients)]
    turns = max(3, environment.sizes.turns // (3 * clients))
    direct: list[list[float]] = []
    served: list[list[float]] = []
    for number in range(environment.sizes.rounds):
        environment.say(f"  {clients} clients, round {number + 1}")
        direct.append(
            _ms(run_worker("sdk_first_text", url=environment.model_url, clients=clients, plan=_PLAN, turns=turns))
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
