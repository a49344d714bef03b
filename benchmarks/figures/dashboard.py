"""How long the admin's first page takes with many turns to count, beside the same page with none."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from benchmarks.environment import Environment
from benchmarks.processes import run_inside
from benchmarks.tables import Bound, Figure, median, percentile

TITLE: Final = "The admin's first page, over 30 days"
_LIMIT_MS: Final = 300.0


def measure(environment: Environment) -> Iterator[Figure]:
    sizes = environment.sizes
    environment.say(f"  {sizes.counted:,} turns")
    measured = run_inside(
        "benchmarks.admin_page",
        data_dir=environment.data_dir,
        name="opening",
        turns=sizes.counted,
        users=sizes.people,
        times=max(sizes.turns // 2, 3),
    )
    found = cast("Mapping[str, Sequence[float]]", measured)
    full, empty = ([second * 1000 for second in found[name]] for name in ("full", "empty"))
    yield Figure(
        name=f"with {sizes.counted:,} turns of {sizes.people} users",
        unit="ms",
        value=median(full),
        floor=median(empty),
        bound=Bound.VALUE,
        limit=_LIMIT_MS,
        spread=f"p95 {percentile(full, 0.95):.3g}, least {min(full):.3g}",
    )
