"""Every benchmark still runs and gives its figures. What the figures are is not a test's business."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import laboratory
from benchmarks.__main__ import BENCHMARKS
from benchmarks.figures import many_processes
from benchmarks.laboratory import Laboratory, Sizes
from benchmarks.workers import WORKS

pytestmark = pytest.mark.end_to_end

TINY = Sizes(
    rounds=1,
    turns=3,
    paced_turns=1,
    crowd=2,
    crowd_s=0.2,
    idle=5,
    answers=8,
    cut_turns=4,
    cuts=8,
    people=2,
    facts=20,
    rotated=400,
    kills=1,
    killed=4,
)
COUNTS = {
    "first-text": 4,
    "round-trip": 4,
    "mcp": 3,
    "turn-cpu": 2,
    "crowd": 3,
    "idle": 1,
    "cuts": 6,
    "navigation": 2,
    "recall": 11,
    "rotation": 5,
}


@pytest.fixture(scope="module")
def tiny() -> Iterator[Laboratory]:
    with laboratory.opened(TINY, Path(sys.executable)) as opened:
        yield opened


@pytest.mark.parametrize("name", COUNTS)
def test_a_benchmark_gives_all_its_figures(name: str, tiny: Laboratory) -> None:
    _, measure = BENCHMARKS[name]

    figures = list(measure(tiny))

    assert len(figures) == COUNTS[name]
    assert all(figure.value > 0 or name in {"idle", "cuts"} for figure in figures)


@pytest.mark.redis
def test_many_processes_give_all_their_figures(tiny: Laboratory) -> None:
    figures = list(many_processes.measure(tiny))

    assert [figure.holds for figure in figures if "rows" in figure.name or "wrong" in figure.name] == [True, True]
    assert len(figures) == 7


def test_every_work_is_found_by_its_name() -> None:
    assert {name: work.__name__ for name, work in WORKS.items()} == {name: name for name in WORKS}
