"""What devices cost the server's memory that are connected and do nothing."""

from collections.abc import Iterator
from typing import Final, cast

from benchmarks import processes
from benchmarks.environment import Environment
from benchmarks.processes import run_worker
from benchmarks.tables import Bound, Figure

TITLE: Final = "Idle devices"
_LIMIT_MIB: Final = 40.0
_FOR: Final = 1000
_ACCOUNTS: Final = 20
_MIB: Final = 1024 * 1024


def measure(environment: Environment) -> Iterator[Figure]:
    """Memory of many devices more than of none, beside as many connections to a bare echo."""
    devices = environment.sizes.idle
    with processes.echo() as (url, pid):
        environment.say(f"  {devices} connections to an echo")
        floor = cast("float", run_worker("echo_idle", url=url, pid=pid, devices=devices))
    with environment.server() as server:
        tokens = [server.register() for _ in range(_ACCOUNTS)]
        environment.say(f"  {devices} devices")
        grown = cast(
            "float",
            run_worker("server_idle", url=server.socket_url, tokens=list(tokens), pid=server.pid, devices=devices),
        )
    yield Figure(
        name=f"memory of {devices} idle devices",
        unit="MiB",
        value=grown / _MIB,
        floor=floor / _MIB,
        bound=Bound.VALUE,
        limit=_LIMIT_MIB * devices / _FOR,
        spread=f"{grown / devices / 1024:.1f} KiB a device",
    )
