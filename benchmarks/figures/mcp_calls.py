"""``list_tasks`` called over MCP, beside the same call of a turn's over the socket."""

from collections.abc import Iterator
from itertools import chain
from typing import Any, Final, cast

from benchmarks import processes
from benchmarks.environment import Environment
from benchmarks.processes import Server, run_worker
from benchmarks.tables import Figure, median, spread_of

TITLE: Final = "A tool call over MCP"
_CLIENTS: Final = {"http": "bare HTTP", "sdk": "the SDK's client"}


def measure(environment: Environment) -> Iterator[Figure]:
    """The whole call as its client waits for it: beside a turn's as the device sees it, beside what of it is the way to
    the device and back, and beside the SDK's own server, whose tool does nothing.
    """
    taken: dict[str, list[list[float]]] = {name: [] for name in ("socket", *_CLIENTS, *map(_bare, _CLIENTS))}
    with environment.timed_server() as (server, waited), processes.sdk_server() as sdk_url:
        access = server.register()
        token = server.personal_token(access)
        for number in range(environment.sizes.rounds):
            environment.say(f"  round {number + 1}")
            _round(taken, environment.sizes.turns, server, access=access, token=token)
            of_sdk = run_worker("sdk_calls", url=sdk_url, turns=environment.sizes.turns * 4)
            for client, seconds in cast("dict[str, list[float]]", of_sdk).items():
                taken[_bare(client)].append(_us(seconds))
    floors = taken["socket"]
    for client, name in _CLIENTS.items():
        yield Figure(
            name=f"20 tasks read over MCP by {name}, beside a turn's from call to call, median",
            unit="µs",
            value=_median(taken[client]),
            floor=_median(floors),
            spread=spread_of(list(map(median, taken[client])), list(map(median, floors))),
        )
    for client, name in _CLIENTS.items():
        yield Figure(
            name=f"20 tasks read over MCP by {name}, beside the SDK's own server, median",
            unit="µs",
            value=_median(taken[client]),
            floor=_median(taken[_bare(client)]),
        )
    yield Figure(
        name="20 tasks read over MCP by bare HTTP, beside the way to the device and back, median",
        unit="µs",
        value=_median(taken["http"]),
        floor=median([trip * 1e6 for trip in waited["select"]]),
    )


def _round(taken: dict[str, list[list[float]]], turns: int, server: Server, *, access: str, token: str) -> None:
    of_a_turn = run_worker("server_calls", url=server.socket_url, token=access, plan="reads", turns=max(2, turns // 12))
    over_mcp = run_worker(
        "mcp_calls", url=server.url, socket_url=server.socket_url, access=access, token=token, turns=turns * 4
    )
    taken["socket"].append(_us(cast("dict[str, Any]", of_a_turn)["select"]["trips"]))
    for client, seconds in cast("dict[str, list[float]]", over_mcp).items():
        taken[client].append(_us(seconds))


def _bare(client: str) -> str:
    return f"{client}, of the SDK's own server"


def _median(rounds: list[list[float]]) -> float:
    return median(list(chain.from_iterable(rounds)))


def _us(seconds: list[float]) -> list[float]:
    return [each * 1e6 for each in seconds]
