"""The same benchmarks of two checkouts in turn, in one table: what a change has brought, measured on one machine.

The other one is run with this interpreter, so both need the same packages. Only what it prints is read, so it may be of
any earlier release.
"""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table

_COLUMNS: Final = 7
"""Those of ``tables.show``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """A figure as a table tells it: ``value`` has its unit, ``ratio`` is to the floor of the same run."""

    value: str
    ratio: str
    limit: str
    holds: str


def told_in(printed: str) -> Mapping[str, Told]:
    """The figures by name in what benchmarks have printed."""
    lines = (line for line in printed.splitlines() if line.startswith("|"))
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    rows: list[list[str]] = []
    for row in cells:
        if len(row) != _COLUMNS or row[0] == "figure" or row[0].startswith("-"):
            continue
        if row[1]:
            rows.append(row)
        elif rows:  # the rest of a row that was too wide for one line
            rows[-1] = [f"{cell} {rest}".strip() for cell, rest in zip(rows[-1], row, strict=True)]
    return {
        name: Told(value=value, ratio=ratio, limit=limit, holds=holds)
        for name, value, _, ratio, limit, holds, _ in rows
    }


def share(now: Told, before: Told) -> str:
    """What part of the earlier value is left, such as ``0.62``; empty if that cannot be said."""
    first, second = (float(each.value.split()[0].replace(",", "")) for each in (now, before))
    return f"{first / second:.2f}" if second else ""


def show(title: str, now: Mapping[str, Told], before: Mapping[str, Told], console: Console) -> None:
    """Print one benchmark of both: values, ratios to the floors of their own runs, and the limit of this checkout."""
    table = Table(title=title, title_justify="left", box=box.MARKDOWN)
    table.add_column("figure")
    for heading in ("before", "ratio", "now", "ratio", "now of before"):
        table.add_column(heading, justify="right")
    table.add_column("limit")
    table.add_column("holds")
    for name in dict.fromkeys([*before, *now]):
        then, today = before.get(name), now.get(name)
        table.add_row(
            name,
            *(("", "") if then is None else (then.value, then.ratio)),
            *(("", "") if today is None else (today.value, today.ratio)),
            "" if then is None or today is None else share(today, then),
            *(("", "") if today is None else (today.limit, today.holds)),
        )
    console.print(table)


def run(other: Path, titles: Mapping[str, str], options: Sequence[str]) -> int:
    """Measure the benchmarks that ``titles`` names in ``other`` and here, and show each; the exit code of those here.

    ``options`` are passed on. One that the other checkout does not have has no value before.
    """
    codes = []
    for name, title in titles.items():
        before, _ = _printed(other, [*options, name])
        now, code = _printed(Path.cwd(), [*options, name])
        show(title, told_in(now), told_in(before), Console(width=180))
        codes.append(code)
    return int(any(codes))


def _printed(checkout: Path, arguments: Sequence[str]) -> tuple[str, int]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    return done.stdout, done.returncode
