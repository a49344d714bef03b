"""The tables of two checkouts, as one."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks import comparison
from benchmarks.comparison import Told, told_in
from benchmarks.tables import Bound, Figure, show


def printed(*figures: Figure) -> str:
    written = io.StringIO()
    show("Round trip", figures, Console(file=written, width=180))
    return written.getvalue()


def figure(value: float, *, name: str = "a task read", floor: float = 200.0) -> Figure:
    return Figure(name=name, unit="µs", value=value, floor=floor, bound=Bound.RATIO, limit=3.0)


def test_what_a_table_tells_is_read_back() -> None:
    told = told_in(f"round-trip:\n{printed(figure(1_028), figure(464, name='a task inserted'))}")

    assert told == {
        "a task read": Told(value="1,028 µs", ratio="5.14", limit="at most the floor times 3", holds="NO"),
        "a task inserted": Told(value="464 µs", ratio="2.32", limit="at most the floor times 3", holds="yes"),
    }


def test_row_of_several_lines_is_one_figure() -> None:
    name = "20 users sign out everywhere: the socket on the other process closes after, at the longest"
    spread = (
        "123456 sent; answered: 1200 4008, 1300 invalid, 12 rate_limited, 4000 unknown_request; CPU 12%, 98% beside"
    )
    wide = Figure(name=name, unit="s", value=1.2, bound=Bound.VALUE, limit=5.0, spread=spread)
    other = Figure(name="growth", unit="MiB", value=3.0, spread=spread)

    told = told_in(printed(wide, other))

    assert told == {
        name: Told(value="1.2 s", ratio="", limit="at most 5 s", holds="yes"),
        "growth": Told(value="3 MiB", ratio="", limit="", holds=""),
    }


def test_figures_of_both_are_in_one_row() -> None:
    written = io.StringIO()
    before = told_in(printed(figure(1_000), figure(10, name="gone")))
    now = told_in(printed(figure(500), figure(10, name="new")))

    comparison.show("Round trip", now, before, Console(file=written, width=150))

    lines = [line for line in written.getvalue().splitlines() if line.startswith("|")]
    _, _, *rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    limit = "at most the floor times 3"
    assert rows == [
        ["a task read", "1,000 µs", "5.00", "500 µs", "2.50", "0.50", limit, "yes"],
        ["gone", "10 µs", "0.05", "", "", "", "", ""],
        ["new", "", "", "10 µs", "0.05", "", limit, "yes"],
    ]


def test_nothing_of_nothing_has_no_share() -> None:
    nothing = Told(value="0 turns", ratio="", limit="", holds="yes")
    assert comparison.share(nothing, nothing) == ""


@pytest.mark.parametrize(("codes", "code"), [((0, 0), 0), ((0, 1), 1)])
def test_the_exit_code_is_that_of_this_checkout(
    codes: tuple[int, int],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    ran: list[tuple[Path, tuple[str, ...]]] = []

    def run(checkout: Path, arguments: list[str]) -> tuple[str, int]:
        ran.append((checkout, tuple(arguments)))
        return printed(figure(500)), codes[len(ran) - 1]

    monkeypatch.setattr(comparison, "_printed", run)

    assert comparison.run(tmp_path, {"round-trip": "Round trip"}, ["--quick"]) == code
    assert ran == [(tmp_path, ("--quick", "round-trip")), (Path.cwd(), ("--quick", "round-trip"))]
    assert "a task read" in capsys.readouterr().out
