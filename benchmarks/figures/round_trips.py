"""A tool call's round trip beside a bare ``websockets`` echo of the same payload on the same kind of loop."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final, cast

from benchmarks import processes
from benchmarks.environment import Environment
from benchmarks.processes import run_worker
from benchmarks.tables import Bound, Figure, median, spread_of

TITLE: Final = "Round trip of a tool call"
_LIMIT: Final = 3.0
_KINDS: Final = {"insert": "a task inserted", "select": "20 tasks read"}
_PLANS: Final = {"insert": "writes", "select": "reads"}


@dataclass(kw_only=True, slots=True)
class _Trips:
    """Of one action, a list a round (µs): from call to call at the device, and of the echo."""

    cycles: list[list[float]] = field(default_factory=list)
    echoes: list[list[float]] = field(default_factory=list)


def measure(environment: Environment) -> Iterator[Figure]:
    """The call as its tool waits for it, and the whole way to the next call: tool, loop and status frames too."""
    trips = {action: _Trips() for action in _KINDS}
    with environment.timed_server() as (server, waited), processes.echo() as (echo_url, _):
        token = server.register()
        for number in range(environment.sizes.rounds):
            environment.say(f"  round {number + 1}")
            for action, plan in _PLANS.items():
                _round(trips[action], action, plan, environment, (server.socket_url, token, echo_url))
    for action, what in _KINDS.items():
        yield from _figures(what, [trip * 1e6 for trip in waited[action]], trips[action])


def _round(trips: _Trips, action: str, plan: str, environment: Environment, where: tuple[str, str, str]) -> None:
    socket_url, token, echo_url = where
    turns = max(2, environment.sizes.turns // 12)
    calls = cast("dict[str, Any]", run_worker("server_calls", url=socket_url, token=token, plan=plan, turns=turns))
    measured = calls[action]
    trips.cycles.append(_us(measured["trips"]))
    times = len(measured["trips"])
    trips.echoes.append(_us(run_worker("echo_calls", url=echo_url, payload=measured["answer"], times=times)))


def _figures(what: str, waited: list[float], trips: _Trips) -> Iterator[Figure]:
    floor = median(list(chain.from_iterable(trips.echoes)))
    yield Figure(
        name=f"{what}, as its tool waits, median",
        unit="µs",
        value=median(waited),
        floor=floor,
        bound=Bound.RATIO,
        limit=_LIMIT,
    )
    yield Figure(
        name=f"{what}, from call to call, median",
        unit="µs",
        value=median(list(chain.from_iterable(trips.cycles))),
        floor=floor,
        spread=spread_of(list(map(median, trips.cycles)), list(map(median, trips.echoes))),
    )


def _us(seconds: object) -> list[float]:
    return [each * 1e6 for each in cast("list[float]", seconds)]
