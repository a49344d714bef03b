"""The server with a stopwatch at the one place where its tools call a device; everything else is as it is served.

``python -m benchmarks.timed_server FILE`` serves on a free port. When it ends, FILE holds a JSON object: the seconds of
every call, by action, from the tool's asking to the checked answer.
"""

import json
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from adiuva.server import serve
from agents.calls import ClientAnswer, ClientCall
from agents.tools.client import OnLate
from chat.devices.links import TurnLink

Execute = Callable[..., Awaitable[ClientAnswer]]


def timed(execute: Execute, trips: dict[str, list[float]]) -> Execute:
    """``execute``, whose calls are noted in ``trips``."""

    async def timing(link: TurnLink, call: ClientCall, *, on_late: OnLate, repeated: bool = False) -> ClientAnswer:
        started = time.perf_counter()
        answer = await execute(link, call, on_late=on_late, repeated=repeated)
        trips.setdefault(call.action, []).append(time.perf_counter() - started)
        return answer

    return timing


def main(kept: Path) -> int:
    """Serve until a signal; gives the exit code."""
    trips: dict[str, list[float]] = {}
    TurnLink.execute = timed(TurnLink.execute, trips)  # type: ignore[method-assign,assignment] # the stopwatch
    code = serve.main(["--port", "0"])
    kept.write_text(json.dumps(trips))
    return code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
