"""Every benchmark runs and gives its figures. The figures themselves are not tested."""

import math
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import environment
from benchmarks.__main__ import BENCHMARKS
from benchmarks.attackers import KINDS
from benchmarks.environment import Environment, Sizes
from benchmarks.figures import jobs_beside, jobs_killed, jobs_queue, many_devices, many_processes, soak
from benchmarks.workers import WORKS

pytestmark = pytest.mark.end_to_end

TINY = Sizes(
    rounds=1,
    turns=3,
    paced_turns=1,
    crowd=2,
    crowd_s=0.2,
    idle=5,
    returning=6,
    devices=6,
    devices_s=2.0,
    stalls=0,
    ended=5,
    answers=8,
    cut_turns=4,
    cuts=8,
    people=2,
    facts=20,
    conversations=1,
    rotated=400,
    kills=1,
    killed=4,
    counted=50,
    jobs_beside=2,
    jobs=6,
    job_kills=0,
    messages=20,
    tasks=300,
    openings=2,
    attacks=1,
    attack_s=0.5,
    soak_s=4.0,
    soak_cuts=4,
    soak_kills=1,
)
COUNTS = {
    "first-text": 4,
    "round-trip": 4,
    "mcp": 5,
    "returning": 6,
    "turn-cpu": 2,
    "turn-database": 3,
    "outages": 8,
    "crowd": 3,
    "idle": 2,
    "cuts": 6,
    "navigation": 2,
    "prompts": 8,
    "memory-quality": 16,
    "recall": 24,
    "rotation": 5,
    "desk": 1,
    "abuse": 3,
}
MAY_BE_NOTHING = {"idle", "turn-database", "memory-quality", "recall", "returning", "cuts", "navigation", "abuse"}
"""They count losses or subtract measurements, which in such short runs is mostly noise."""


@pytest.fixture(scope="module")
def tiny() -> Iterator[Environment]:
    with environment.opened(TINY, Path(sys.executable)) as opened:
        yield opened


@pytest.mark.parametrize("name", COUNTS)
def test_a_benchmark_gives_all_its_figures(name: str, tiny: Environment) -> None:
    _, measure = BENCHMARKS[name]

    figures = list(measure(tiny))

    assert len(figures) == COUNTS[name]
    assert all(math.isfinite(figure.value) for figure in figures)
    assert all(figure.value > 0 or name in MAY_BE_NOTHING for figure in figures)


@pytest.mark.redis
def test_many_processes_give_all_their_figures(tiny: Environment) -> None:
    figures = list(many_processes.measure(tiny))

    assert [figure.holds for figure in figures if "rows" in figure.name or "wrong" in figure.name] == [True, True]
    assert len(figures) == 7


@pytest.mark.redis
def test_many_devices_give_all_their_figures(tiny: Environment) -> None:
    figures = list(many_devices.measure(tiny))

    assert [figure.value for figure in figures if figure.limit == 0.0] == [0.0] * 3
    assert (figures[-1].value > 0, len(figures)) == (True, 13)


@pytest.mark.rabbitmq
def test_the_queue_of_jobs_gives_all_its_figures(tiny: Environment) -> None:
    figures = list(jobs_queue.measure(tiny))

    assert len(figures) == 6
    assert all(figure.value > 0 and figure.ratio is not None for figure in figures)


@pytest.mark.redis
@pytest.mark.rabbitmq
def test_jobs_beside_turns_give_all_their_figures(tiny: Environment) -> None:
    figures = list(jobs_beside.measure(tiny))

    assert [figure.limit is not None for figure in figures] == [True, True, False, False]
    assert all(figure.value > 0 and figure.ratio is not None for figure in figures)


@pytest.mark.redis
@pytest.mark.rabbitmq
def test_no_job_is_lost_or_done_twice_when_the_broker_is_killed_and_comes_back(tiny: Environment) -> None:
    figures = list(jobs_killed.measure(tiny))
    if not figures:
        pytest.skip("no RabbitMQ is installed that a test could start")

    assert [figure.name for figure in figures if figure.holds is False] == []
    assert (figures[0].value, len(figures)) == (TINY.jobs, 9)


@pytest.mark.redis
@pytest.mark.rabbitmq
def test_a_soak_loses_nothing_and_gives_all_its_figures(tiny: Environment) -> None:
    figures = list(soak.measure(tiny))

    assert [figure.name for figure in figures if figure.limit == 0 and not figure.holds] == []
    assert (figures[0].value > 0, len(figures)) == (True, 8)


def test_every_kind_of_attack_is_tried() -> None:
    assert environment.FULL.attacks == environment.QUICK.attacks == len(KINDS)


def test_every_work_is_found_by_its_name() -> None:
    assert {name: work.__name__ for name, work in WORKS.items()} == {name: name for name in WORKS}
