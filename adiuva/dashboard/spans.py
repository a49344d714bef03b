"""The time that the dashboard shows, in equal steps. All in UTC."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)


class Period(StrEnum):
    """How far back, as named in the address."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"

    @property
    def words(self) -> str:
        return {Period.DAY: "24 hours", Period.WEEK: "7 days", Period.MONTH: "30 days"}[self]


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """From ``start`` (aware, UTC) until now: ``count`` steps of an hour or a day, the last of them unfinished."""

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
        """The text below each step."""
        return [f"{moment:%H:%M}" if self.unit == "hour" else f"{moment:%d %b}" for moment in self.steps]


def span(period: Period, now: datetime) -> Span:
    """The ``period`` that ends with ``now`` (aware, UTC) and starts where a step starts."""
    step, count = {Period.DAY: (_HOUR, 24), Period.WEEK: (_DAY, 7), Period.MONTH: (_DAY, 30)}[period]
    latest = now.replace(minute=0, second=0, microsecond=0)
    if step == _DAY:
        latest = latest.replace(hour=0)
    return Span(start=latest - (count - 1) * step, step=step, count=count)


def period_named(name: str) -> Period:
    """The period with this name; a week for any other name."""
    return next((period for period in Period if period == name), Period.WEEK)
