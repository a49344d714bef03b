"""How fast a user's key is rotated, beside bare Fernet, and what a rotation loses that is killed."""

from collections.abc import Iterator
from typing import Final, cast

from pydantic import JsonValue

from benchmarks.laboratory import Laboratory
from benchmarks.processes import run_inside
from benchmarks.tables import Bound, Figure, median, spread_of

TITLE: Final = "Rotation of users' keys"
_AT_LEAST: Final = 0.5
_USERS: Final = 20


def measure(laboratory: Laboratory) -> Iterator[Figure]:
    """Rows a second, of text alone and of all tiers with their vectors; then what kills leave of them."""
    yield from _speed(laboratory, "rows of text", tiers=False)
    yield from _speed(laboratory, "rows of all tiers, 45 in 100 with a vector", tiers=True)
    kills = laboratory.sizes.kills
    laboratory.say(f"  {kills} kills")
    done = cast("dict[str, int]", _run(laboratory, "kills", rows=laboratory.sizes.rotated // 5, kills=kills))
    yield Figure(
        name=f"rows as they were written, after {kills} kills while others write",
        unit="rows",
        value=done["rows"] - done["lost"],
        floor=done["rows"],
        bound=Bound.LEAST_RATIO,
        limit=1,
        spread=f"{done['killed']} killed before it was done",
    )


def _speed(laboratory: Laboratory, name: str, *, tiers: bool) -> Iterator[Figure]:
    rows = laboratory.sizes.rotated // _USERS
    laboratory.say(f"  {rows * _USERS} {name}")
    rounds = cast(
        "list[dict[str, float]]",
        _run(laboratory, "speed", users=_USERS, rows=rows, tiers=tiers, rounds=laboratory.sizes.rounds),
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


def _run(laboratory: Laboratory, name: str, **arguments: JsonValue) -> JsonValue:
    return run_inside("benchmarks.rotating", name, laboratory.data_dir, **arguments)
