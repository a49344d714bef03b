"""How fast the home formatter reads, beside ``json.loads`` of the whole."""

import math
from collections.abc import Iterator
from typing import Final

from benchmarks import formatter
from benchmarks.environment import Environment
from benchmarks.tables import Bound, Figure

TITLE: Final = "The home formatter, fed 4 characters at a time"
_BASE: Final = "text, 10 kB"
_SAME: Final = ("text, 100 kB", "text, 1 MB")
_AT_LEAST: Final = 0.8


def measure(environment: Environment) -> Iterator[Figure]:
    """Characters a second for every kind of message; long texts beside a short one, which must be read as fast."""
    environment.say("  the formatter")
    speeds = {each.message: each for each in formatter.run() if each.fed != "whole"}
    for message, each in speeds.items():
        yield Figure(
            name=message,
            unit="Mchar/s",
            value=each.per_second / 1e6,
            floor=None if math.isnan(each.floor_per_second) else each.floor_per_second / 1e6,
        )
    for message in _SAME:
        yield Figure(
            name=f"{message}, beside {_BASE}",
            unit="Mchar/s",
            value=speeds[message].per_second / 1e6,
            floor=speeds[_BASE].per_second / 1e6,
            bound=Bound.LEAST_RATIO,
            limit=_AT_LEAST,
        )
