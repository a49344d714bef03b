"""How missing and superfluous rows are counted, and when the jobs' workers are killed."""

import random
from collections import Counter

import pytest

from benchmarks.job_scripts import titles
from benchmarks.killed_jobs import Faults, moments, wrong_rows

FIRST, SECOND = titles("p1", "a"), titles("p1", "b")


@pytest.mark.parametrize(
    ("rows", "done", "wrong"),
    [
        (FIRST, True, 0),
        (FIRST[:1], True, 1),
        ([], True, 2),
        ([], False, 0),
        (FIRST[:1], False, 0),
        ([*FIRST, FIRST[0]], True, 1),
        ([*FIRST, FIRST[0]], False, 1),
        ([*FIRST, *SECOND], True, 2),
        ([*FIRST, SECOND[0]], False, 1),
        (titles("p2", "a"), True, 4),
        (titles("p2", "a"), False, 2),
    ],
)
def test_rows_of_a_job_are_to_be_those_of_one_asking(rows: list[str], done: bool, wrong: int) -> None:
    assert wrong_rows("p1", Counter(rows), done=done) == wrong


def test_faults_happen_at_their_writes_and_writes_that_come_again_are_counted() -> None:
    happened: list[str] = []
    faults = Faults(at={2: lambda: happened.append("second"), 5: lambda: happened.append("fifth")})
    seen = []
    for call_id in ("a", "b", "a", "c"):
        faults.written(call_id)
        seen.append(list(happened))

    assert seen == [[], ["second"], ["second"], ["second"]]
    assert faults.repeated == 1


@pytest.mark.parametrize(("of", "among"), [(11, 2_000), (4, 200), (1, 12), (1, 1)])
def test_moments_are_different_and_come_before_the_last_writes(of: int, among: int) -> None:
    drawn = moments(random.Random(7), of=of, among=among)

    assert len(set(drawn)) == of
    assert list(drawn) == sorted(drawn)
    assert 1 <= drawn[0] <= drawn[-1] <= max(among * 9 // 10, of)
