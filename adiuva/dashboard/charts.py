"""Charts as django-unfold draws them with Chart.js. Pure."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple


class Colour(StrEnum):
    """Visible on light and dark backgrounds, and distinguishable for colour-blind readers (Okabe and Ito)."""

    BLUE = "#0284c7"
    ORANGE = "#e69f00"
    VERMILION = "#d55e00"
    GREEN = "#009e73"
    GREY = "#9ca3af"


class ChartKind(StrEnum):
    LINE = "line"
    BAR = "bar"


class Series(NamedTuple):
    """One line or row of bars: a value for each step, None for a gap."""

    name: str
    colour: Colour
    values: Sequence[float | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Chart:
    """One chart: ``unit`` follows the numbers on its axis, which ends at ``highest`` if that is known.

    ``said`` is its text alternative.
    """

    title: str
    kind: ChartKind
    labels: Sequence[str]
    series: Sequence[Series]
    unit: str = ""
    highest: float | None = None

    @property
    def empty(self) -> bool:
        return not any(value for series in self.series for value in series.values)

    @property
    def said(self) -> str:
        return f"{self.title}. " + "; ".join(f"{series.name}: {_told(series, self)}" for series in self.series)

    @property
    def data(self) -> str:
        """As unfold's script reads it."""
        return json.dumps({"labels": list(self.labels), "datasets": [_dataset(series, self) for series in self.series]})


_TICKS: Final = 8


def _dataset(series: Series, chart: Chart) -> dict[str, object]:
    return {
        "label": series.name,
        "data": list(series.values),
        "borderColor": series.colour,
        "backgroundColor": series.colour,
        "displayYAxis": True,
        "maxTicksXLimit": _TICKS,
        "spanGaps": True,
        # A line needs two points: a single one is drawn as a dot.
        **({"pointStyle": "circle", "pointRadius": 4} if _points(series) == 1 else {}),
        **({"suffixYAxis": chart.unit} if chart.unit else {}),
    }


def _points(series: Series) -> int:
    return sum(value is not None for value in series.values)


def _told(series: Series, chart: Chart) -> str:
    known = [(value, label) for value, label in zip(series.values, chart.labels, strict=True) if value is not None]
    if not known:
        return "nothing"
    most, when = max(known)
    unit = f" {chart.unit}" if chart.unit else ""
    return f"{known[-1][0]:g}{unit} at the end, {most:g}{unit} at most ({when})"
