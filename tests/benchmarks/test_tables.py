"""Limits: which figures pass, and how a table shows it."""

import io

import pytest
from rich.console import Console

from benchmarks.tables import Bound, Figure, percentile, show


def figure(value: float, bound: Bound, limit: float | None = 2.0, floor: float | None = 10.0) -> Figure:
    return Figure(name="a figure", unit="ms", value=value, floor=floor, bound=bound, limit=limit)


@pytest.mark.parametrize(
    ("bound", "at_limit", "beyond"),
    [
        (Bound.VALUE, 2.0, 2.1),
        (Bound.LEAST, 2.0, 1.9),
        (Bound.DIFFERENCE, 12.0, 12.1),
        (Bound.RATIO, 20.0, 20.1),
        (Bound.LEAST_RATIO, 20.0, 19.9),
    ],
)
def test_a_figure_holds_up_to_its_limit(bound: Bound, at_limit: float, beyond: float) -> None:
    assert figure(at_limit, bound).holds is True
    assert figure(beyond, bound).holds is False


def test_a_figure_without_a_limit_neither_holds_nor_fails() -> None:
    assert figure(5.0, Bound.NONE, None).holds is None


def test_a_limit_beside_a_floor_needs_the_floor() -> None:
    with pytest.raises(ValueError, match="needs a floor"):
        _ = figure(5.0, Bound.RATIO, floor=None).holds


def test_a_table_says_what_does_not_hold() -> None:
    written = io.StringIO()

    show("Title", [figure(25.0, Bound.RATIO)], Console(file=written, width=150))

    [line] = [line for line in written.getvalue().splitlines() if "a figure" in line]
    row = [cell.strip() for cell in line.split("|")]
    assert row[1:7] == ["a figure", "25 ms", "10", "2.50", "at most the floor times 2", "NO"]


def test_a_percentile_is_one_of_the_values() -> None:
    assert percentile([5.0, 1.0, 3.0], 0.5) == 3.0
    assert percentile([5.0, 1.0, 3.0], 0.99) == 5.0
