"""What devices that do nothing and turns that have ended cost the server's memory."""

from collections.abc import Iterator
from typing import Final, cast

from pydantic import JsonValue

from benchmarks import processes
from benchmarks.environment import Environment
from benchmarks.processes import run_worker
from benchmarks.tables import Bound, Figure

TITLE: Final = "Idle devices and ended turns"
_DEVICE_KIB: Final = 26.0
_TURN_KIB: Final = 8.0
_ACCOUNTS: Final = 20
_KIB: Final = 1024


def measure(environment: Environment) -> Iterator[Figure]:
    """Memory of many devices more than of none, beside as many connections to a bare echo; then of many turns."""
    devices, turns = environment.sizes.idle, environment.sizes.ended
    with processes.echo() as (url, pid):
        environment.say(f"  {devices} connections to an echo")
        floor = cast("float", run_worker("echo_idle", url=url, pid=pid, devices=devices))
    with environment.server() as server:
        tokens = [server.register() for _ in range(_ACCOUNTS)]
        environment.say(f"  {devices} devices")
        of_devices = cast(
            "float",
            run_worker("server_idle", url=server.socket_url, tokens=list(tokens), pid=server.pid, devices=devices),
        )
    with environment.server() as server:
        environment.say(f"  {turns} turns")
        tokens = [server.register() for _ in range(_ACCOUNTS)]
        asked: dict[str, JsonValue] = {"tokens": list(tokens), "plan": "paced", "turns": turns}
        of_turn = cast("float", run_worker("server_ended", url=server.socket_url, pid=server.pid, **asked))
    yield Figure(
        name=f"memory of an idle device, of {devices}",
        unit="KiB",
        value=of_devices / devices / _KIB,
        floor=floor / devices / _KIB,
        bound=Bound.VALUE,
        limit=_DEVICE_KIB,
    )
    yield Figure(
        name=f"memory of an ended turn of 3 tool calls and 200 chunks, of {turns}",
        unit="KiB",
        value=of_turn / _KIB,
        bound=Bound.VALUE,
        limit=_TURN_KIB,
    )
