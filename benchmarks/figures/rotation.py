"""How fast a user's key is rotated, beside bare Fernet, and what a rotation loses that is killed."""

from collections.abc import Iterator
from typing import Final, cast

from pydantic import JsonValue

from benchmarks.environment import Environment
from benchmarks.processes import run_inside
from benchmarks.tables import Bound, Figure, median, spread_of

TITLE: Final = "Rotation of users' keys"
_AT_LEAST: Final = 0.5
_USERS: Final = 20


def measure(environment: Environment) -> Iterator[Figure]:
    """Rows a second, of text alone and of all tiers with their vectors; then what kills leave of them."""
    yield from _speed(environment, "rows of text", tiers=False)
    yield from _speed(environment, "rows of all tiers, 45 in 100 with a vector", tiers=True)
    kills = environment.sizes.kills
    environment.say(f"  {kills} kills")
    done = cast("dict[str, int]", _run(environment, "kills", rows=environment.sizes.rotated // 5, kills=kills))
    yield Figure(
        name=f"rows as they were written, after {kills} kills while others write",
        unit="rows",
        value=done["rows"] - done["lost"],
        floor=done["rows"],
        bound=Bound.LEAST_RATIO,
        limit=1,
        spread=f"{done['killed']} killed before it was done",
    )


def _speed(environment: Environment, name: str, *, tiers: bool) -> Iterator[Figure]:
    rows = environment.sizes.rotated // _USERS
    environment.say(f"  {rows * _USERS} {name}")
    rounds = cast(
        "list[dict[str, float]]",
        _run(environment, "speed", users=_USERS, rows=rows, tiers=tiers, rounds=environment.sizes.rounds),
    )
    for kind, unit, value, floor in (
        ("", "rows/s", "seconds", "floor"),
        (", by CPU", "rows/CPU s", "cpu", "floor_cpu"),
    ):
        limited = not tiers and value == "seconds"
        figures = [rows * _USERS / each[value] for each in rounds]
        floors = [rows * _USERS / each[floor] for each in rounds]
        yield Figure(
            name=f"{rows * _USERS} {name}{kind}",
            unit=unit,
            value=median(figures),
            floor=median(floors),
            bound=Bound.LEAST_RATIO if limited else Bound.NONE,
            limit=_AT_LEAST if limited else None,
            spread=spread_of(figures, floors),
        )


def _run(environment: Environment, name: str, **arguments: JsonValue) -> JsonValue:
    return run_inside("benchmarks.rotating", name, environment.data_dir, **arguments)
