"""Charts as bars of text."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue
from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from device.wording import one_line

_EIGHTHS: Final = " ▏▎▍▌▋▊▉"
_WIDEST_BAR: Final = 40
_WIDEST_LABEL: Final = 24
_COLORS: Final = ("cyan", "magenta", "yellow", "green", "blue", "red")
_HEX_COLOR: Final = re.compile("#[0-9a-fA-F]{6}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Bar:
    """One value of one series."""

    label: str
    value: float
    color: str


@dataclass(frozen=True, kw_only=True, slots=True)
class BarChart:
    """Every type of chart as horizontal bars; a rich renderable."""

    title: str
    bars: tuple[Bar, ...]

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(self.title, style="bold")
        if not self.bars:
            yield Text("(no data)", style="dim")
            return
        labels = max(cell_len(bar.label) for bar in self.bars)
        values = max(len(_said(bar.value)) for bar in self.bars)
        room = max(1, min(_WIDEST_BAR, options.max_width - labels - values - 3))
        largest = max(abs(bar.value) for bar in self.bars)
        for bar in self.bars:
            share = abs(bar.value) / largest if largest else 0.0
            yield Text.assemble(
                set_cell_size(bar.label, labels),
                " ",
                (_drawn(share * room, ascii_only=options.ascii_only), bar.color),
                " ",
                _said(bar.value),
                no_wrap=True,
            )


def chart_of(data: Mapping[str, JsonValue]) -> BarChart:
    """The chart that a ``chart`` block describes; values that are no numbers are left out."""
    rows = [row for row in _list(data.get("data")) if isinstance(row, dict)]
    config = data.get("config")
    series = _series(config if isinstance(config, dict) else {}, rows)
    return BarChart(title=one_line(data.get("title")), bars=tuple(_bars(rows, series)))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Series:
    key: str
    label: str
    color: str


def _series(config: Mapping[str, JsonValue], rows: Sequence[Mapping[str, JsonValue]]) -> list[_Series]:
    keys = list(dict.fromkeys(key for row in rows for key, value in row.items() if _number(value) is not None))
    # What has a label is meant to be drawn; without any, every number is.
    named = [key for key in keys if key in config] or keys
    return [
        _Series(key=key, label=_setting(config, key, "label") or one_line(key), color=_color(config, key, number))
        for number, key in enumerate(named)
    ]


def _bars(rows: Sequence[Mapping[str, JsonValue]], series: Sequence[_Series]) -> Iterator[Bar]:
    for row in rows:
        name = one_line(next((value for value in row.values() if isinstance(value, str)), ""))
        for one in series:
            value = _number(row.get(one.key))
            if value is not None:
                yield Bar(
                    label=_label(name, one.label if len(series) > 1 or not name else ""), value=value, color=one.color
                )


def _label(name: str, series: str) -> str:
    """Both, the name cut rather than the series, which tells the bars of one row apart."""
    if not series:
        return _clipped(name, _WIDEST_LABEL)
    room = _WIDEST_LABEL - min(cell_len(series) + 1, _WIDEST_LABEL // 2)
    return _clipped(f"{_clipped(name, room)} {series}".lstrip(), _WIDEST_LABEL)


def _setting(config: Mapping[str, JsonValue], key: str, name: str) -> str:
    entry = config.get(key)
    return one_line(entry.get(name)) if isinstance(entry, dict) else ""


def _color(config: Mapping[str, JsonValue], key: str, number: int) -> str:
    # Colours are written for web pages: what is not a plain number of a colour means nothing here.
    color = _setting(config, key, "color")
    return color if _HEX_COLOR.fullmatch(color) else _COLORS[number % len(_COLORS)]


def _number(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _said(value: float) -> str:
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e15 else f"{value:.4g}"


def _clipped(text: str, cells: int) -> str:
    return text if cell_len(text) <= cells else f"{set_cell_size(text, cells - 1)}…"


def _drawn(length: float, *, ascii_only: bool) -> str:
    if ascii_only:
        return "#" * round(length)
    whole, eighths = divmod(round(length * 8), 8)
    return "█" * whole + (_EIGHTHS[eighths] if eighths else "")
