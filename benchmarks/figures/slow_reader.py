"""A client that stops reading: what it costs, and that it is closed."""

from collections.abc import Iterator
from typing import Any, Final, cast

from benchmarks.environment import Environment
from benchmarks.processes import run_worker
from benchmarks.slow_readers import PATIENCE_S
from benchmarks.tables import Bound, Figure

TITLE: Final = "A client that stops reading"
_LIMIT_MIB: Final = 2.0
_MIB: Final = 1024 * 1024


def measure(environment: Environment) -> Iterator[Figure]:
    """The server's growth beside all that the client asked for, and the time until it is closed."""
    with environment.server() as server:
        environment.say("  a client that stops reading")
        seen = cast(
            "dict[str, Any]",
            run_worker(
                "slow_reader",
                url=server.socket_url,
                token=server.register(),
                pid=server.pid,
                answers=environment.sizes.answers,
            ),
        )
    yield Figure(
        name="growth of the server (floor: what was asked for)",
        unit="MiB",
        value=seen["grown"] / _MIB,
        floor=seen["asked"] / _MIB,
        bound=Bound.VALUE,
        limit=_LIMIT_MIB,
    )
    closed = seen["closed_after"]
    yield Figure(
        name="time until it is closed",
        unit="s",
        value=float("inf") if closed is None else closed,
        bound=Bound.VALUE,
        limit=PATIENCE_S,
    )
