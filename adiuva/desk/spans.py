"""The stretch of time that the desk shows, cut into equal steps. All in UTC."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)


class Stretch(StrEnum):
    """How far back, as addresses name it."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"

    @property
    def words(self) -> str:
        return {Stretch.DAY: "24 hours", Stretch.WEEK: "7 days", Stretch.MONTH: "30 days"}[self]


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """From ``start`` (aware, UTC) until now: ``count`` steps of one hour or one day, the last of them unfinished."""

    start: datetime
    step: timedelta
    count: int

    @property
    def unit(self) -> str:
        """The step as PostgreSQL's ``date_trunc`` names it."""
        return "hour" if self.step == _HOUR else "day"

    @property
    def steps(self) -> Sequence[datetime]:
        """When each step begins."""
        return [self.start + number * self.step for number in range(self.count)]

    @property
    def labels(self) -> Sequence[str]:
        """What to write below each step."""
        return [f"{moment:%H:%M}" if self.unit == "hour" else f"{moment:%d %b}" for moment in self.steps]


def span(stretch: Stretch, now: datetime) -> Span:
    """The ``stretch`` that ends with ``now`` (aware, UTC), begun where a step begins."""
    step, count = {Stretch.DAY: (_HOUR, 24), Stretch.WEEK: (_DAY, 7), Stretch.MONTH: (_DAY, 30)}[stretch]
    latest = now.replace(minute=0, second=0, microsecond=0)
    if step == _DAY:
        latest = latest.replace(hour=0)
    return Span(start=latest - (count - 1) * step, step=step, count=count)


def stretch_named(name: str) -> Stretch:
    """The stretch of this name; a week for any other."""
    return next((stretch for stretch in Stretch if stretch == name), Stretch.WEEK)
