"""A timeline as a strip of text, and the dates below it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Final

from pydantic import JsonValue
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from device.wording import one_line, said_date

_WIDEST_STRIP: Final = 40


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """A point on the timeline, in milliseconds since 1970."""

    title: str
    date: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Timeline:
    """The moments in order; a rich renderable."""

    moments: tuple[Moment, ...]
    zone: tzinfo

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> RenderResult:
        if not self.moments:
            yield Text("(nothing on the timeline)", style="dim")
            return
        if len(self.moments) > 1:
            yield Text(self._strip(min(_WIDEST_STRIP, options.max_width), options), style="cyan", no_wrap=True)
        dates = [said_date(moment.date, self.zone) for moment in self.moments]
        width = max(len(date) for date in dates)
        for moment, date in zip(self.moments, dates, strict=True):
            yield Text.assemble((date.ljust(width), "dim"), "  ", moment.title)

    def _strip(self, width: int, options: ConsoleOptions) -> str:
        """A line with a point for every moment, as far apart as their dates are."""
        line, point = ("-", "o") if options.ascii_only else ("─", "●")
        first, last = self.moments[0].date, self.moments[-1].date
        span = (last - first) or 1.0
        points = {round((moment.date - first) / span * (width - 1)) for moment in self.moments}
        return "".join(point if place in points else line for place in range(width))


def timeline_of(data: Mapping[str, JsonValue], zone: tzinfo) -> Timeline:
    """The timeline that a ``timeline`` block describes, earliest first.

    Checkpoints without a date are left out, and those whose date is none: JSON as Python reads it has ``NaN`` and
    integers that no float can hold.
    """
    checkpoints = data.get("checkpoints")
    moments = [
        Moment(title=one_line(checkpoint.get("title")) or "Untitled", date=float(date))
        for checkpoint in (checkpoints if isinstance(checkpoints, list) else [])
        if isinstance(checkpoint, dict)
        and isinstance(date := checkpoint.get("date"), int | float)
        and said_date(date, zone)
    ]
    return Timeline(moments=tuple(sorted(moments, key=lambda moment: moment.date)), zone=zone)
