"""Figures beside their floors, and the table that shows them."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from rich import box
from rich.console import Console
from rich.table import Table


class Bound(Enum):
    """What a figure's limit bounds. ``NONE``: the figure is only said."""

    VALUE = "at most"
    LEAST = "at least"
    DIFFERENCE = "at most the floor and"
    RATIO = "at most the floor times"
    LEAST_RATIO = "at least the floor times"
    NONE = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """One measured value, in ``unit``, beside its floor of the same run. ``spread`` is said as it is."""

    name: str
    unit: str
    value: float
    floor: float | None = None
    bound: Bound = Bound.NONE
    limit: float | None = None
    spread: str = ""

    @property
    def ratio(self) -> float | None:
        return None if not self.floor else self.value / self.floor

    @property
    def holds(self) -> bool | None:
        """Whether the figure keeps its limit; ``None`` without one."""
        if self.bound is Bound.NONE or self.limit is None:
            return None
        if self.bound is Bound.VALUE:
            return self.value <= self.limit
        if self.bound is Bound.LEAST:
            return self.value >= self.limit
        if self.floor is None:
            raise ValueError(f"the limit of {self.name!r} needs a floor")
        if self.bound is Bound.DIFFERENCE:
            return self.value - self.floor <= self.limit
        if self.bound is Bound.RATIO:
            return self.value <= self.floor * self.limit
        return self.value >= self.floor * self.limit

    @property
    def limit_in_words(self) -> str:
        if self.limit is None:
            return ""
        unit = self.unit if self.bound in {Bound.VALUE, Bound.LEAST, Bound.DIFFERENCE} else ""
        return f"{self.bound.value} {self.limit:g} {unit}".rstrip()


def show(title: str, figures: Iterable[Figure], console: Console) -> None:
    """Print the figures of one benchmark."""
    table = Table(title=title, title_justify="left", box=box.MARKDOWN)
    table.add_column("figure")
    for heading in ("value", "floor", "ratio"):
        table.add_column(heading, justify="right")
    for heading in ("limit", "holds", "spread"):
        table.add_column(heading)
    for figure in figures:
        table.add_row(
            figure.name,
            f"{_number(figure.value)} {figure.unit}",
            "" if figure.floor is None else _number(figure.floor),
            "" if figure.ratio is None else f"{figure.ratio:.2f}",
            figure.limit_in_words,
            {True: "yes", False: "NO", None: ""}[figure.holds],
            figure.spread,
        )
    console.print(table)


def percentile(values: Sequence[float], share: float) -> float:
    """The quantile of the values at ``share`` (0 to 1)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]


def spread_of(medians: Sequence[float], floors: Sequence[float]) -> str:
    """The medians of the rounds of one run, the figure's and the floor's: smallest to largest."""
    return f"{_range(medians)}; floor {_range(floors)}"


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def _range(values: Sequence[float]) -> str:
    return f"{_number(min(values))}–{_number(max(values))}"


def _number(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
