"""Dates and spans of days in a person's words, in the calendar of the person.

A bare weekday is the next one, today included; a date without a year is the next one, today included; "next week"
begins on Monday.
"""

import calendar
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, time, timedelta
from functools import cached_property
from typing import TypeAlias


@dataclass(frozen=True, kw_only=True, slots=True)
class When:
    """The days from ``first`` to ``last``; ``at`` is a time of day; ``deadline`` is the day a task for then is due."""

    first: date
    last: date
    deadline: date
    at: time | None = None

    @property
    def iso(self) -> str:
        """The deadline as tools take it: ``2026-11-24`` or ``2026-11-24T18:00``."""
        day = self.deadline.isoformat()
        return f"{day}T{self.at:%H:%M}" if self.at else day


_CLOCK_GROUPS = 4
"""Hour, minutes, half of the day, and a time that has a name."""

Groups: TypeAlias = tuple[str | None, ...]
Resolve: TypeAlias = Callable[[Groups, date], When | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class DateRule:
    """A way to say a date. ``bare``: clear enough to stand without a preposition at the end of a title."""

    pattern: str
    resolve: Resolve
    bare: bool = True


@dataclass(frozen=True, kw_only=True)
class DateWords:
    """The ways to say dates in one language. In patterns a space stands for one white-space character.

    ``clock`` has the groups hour, minutes and half of the day ("am", "pm").
    """

    rules: tuple[DateRule, ...]
    clock: str
    named_times: tuple[tuple[str, time], ...]

    def read(self, text: str, today: date) -> When | None:
        """What ``text`` says, when all of it is a date, with or without a time of day, that exists."""
        for pattern, resolve in self._rules:
            if found := pattern.fullmatch(text):
                when = resolve(found.groups()[:-_CLOCK_GROUPS], today)
                return _at(when, self._time(found)) if when else None
        return None

    @cached_property
    def any(self) -> str:
        """A pattern, without groups, that matches every date."""
        return self._union(rule.pattern for rule in self.rules)

    @cached_property
    def bare(self) -> str:
        """A pattern, without groups, that matches dates which are clear without a preposition."""
        return self._union(rule.pattern for rule in self.rules if rule.bare)

    @cached_property
    def _rules(self) -> tuple[tuple[re.Pattern[str], Resolve], ...]:
        named = "|".join(f"(?:{pattern})" for pattern, _ in self.named_times)
        clock = f"(?:,? ?(?:{self.clock}|(?P<named>{named})))?"
        return tuple((compiled(f"(?:{rule.pattern}){clock}"), rule.resolve) for rule in self.rules)

    def _union(self, patterns: Iterable[str]) -> str:
        days = "|".join(map(_ungrouped, patterns))
        named = "|".join(pattern for pattern, _ in self.named_times)
        return rf"(?<!\w)(?:{days})(?:,? ?(?:{_ungrouped(self.clock)}|{named}))?(?!\w)"

    def _time(self, match: re.Match[str]) -> time | None:
        for pattern, at in self.named_times:
            if match["named"] and compiled(pattern).fullmatch(match["named"]):
                return at
        hour, minutes, half = match["hour"], match["minutes"], match["half"]
        if hour is None:
            return None
        return _clock(int(hour), int(minutes or 0), (half or "").casefold())


def compiled(pattern: str) -> re.Pattern[str]:
    """``pattern`` for any case; a space in it stands for any one white-space character."""
    return re.compile(pattern.replace(" ", r"\s"), re.IGNORECASE | re.DOTALL)


def single(day: date) -> When:
    """One day."""
    return When(first=day, last=day, deadline=day)


def after(days: int) -> Resolve:
    """So many days from today."""
    return lambda _groups, today: _later(today, days)


def this_week(_groups: Groups, today: date) -> When:
    sunday = today + timedelta(days=6 - today.weekday())
    return When(first=today - timedelta(days=today.weekday()), last=sunday, deadline=sunday)


def next_week(_groups: Groups, today: date) -> When:
    monday = today + timedelta(days=7 - today.weekday())
    return When(first=monday, last=monday + timedelta(days=6), deadline=monday)


def weekend(_groups: Groups, today: date) -> When:
    saturday = today + timedelta(days=5 - today.weekday())
    return When(first=saturday, last=saturday + timedelta(days=1), deadline=saturday + timedelta(days=1))


def this_month(_groups: Groups, today: date) -> When:
    return _month(today, deadline_last=True)


def next_month(_groups: Groups, today: date) -> When:
    last = calendar.monthrange(today.year, today.month)[1]
    return _month(today.replace(day=last) + timedelta(days=1), deadline_last=False)


def weekday(names: tuple[str, ...]) -> Resolve:
    """The next day of a name in ``names`` (seven, from Monday on; the first letters are enough).

    Groups: a word before the name or None, the name, a word after it or None; with a word such as "next", today does
    not count.
    """

    def resolve(groups: Groups, today: date) -> When | None:
        before, name, behind = groups
        number = _index(names, name or "")
        if number is None:
            return None
        days = (number - today.weekday()) % 7
        return single(today + timedelta(days=days or 7 if _is_next(before, behind) else days))

    return resolve


def in_units(numbers: tuple[tuple[str, int], ...], *, weeks: str, months: str, whole: bool = False) -> Resolve:
    """So many days, weeks or months from today; ``whole``: all the days until then. Groups: number, unit."""

    def resolve(groups: Groups, today: date) -> When | None:
        count = _number(groups[0] or "", numbers)
        unit = (groups[1] or "").casefold()
        if count is None:
            return None
        days = count * (30 if unit.startswith(months) else 7 if unit.startswith(weeks) else 1)
        end = _later(today, days)
        return When(first=today, last=end.last, deadline=end.last) if whole else end

    return resolve


def day_and_month(months: tuple[str, ...]) -> Resolve:
    """Groups: day, month's name, year or None; the first letters of a name in ``months`` are enough."""

    def resolve(groups: Groups, today: date) -> When | None:
        day, name, year = groups
        number = _index(months, name or "")
        return _dated(today, int(day or 0), number + 1, year) if number is not None else None

    return resolve


def month_and_day(months: tuple[str, ...]) -> Resolve:
    """As ``day_and_month``, with the month's name first."""
    resolve = day_and_month(months)
    return lambda groups, today: resolve((groups[1], groups[0], groups[2]), today)


def day_of_month(groups: Groups, today: date) -> When | None:
    """The next such day; group: its number."""
    day = int(groups[0] or 0)
    month = today if day >= today.day else today.replace(day=1) + timedelta(days=32)
    return _dated(today, day, month.month, str(month.year))


def numeric(groups: Groups, today: date) -> When | None:
    """Day and month in figures, the day first unless it cannot be. Groups: two numbers, year or None."""
    first, second, year = int(groups[0] or 0), int(groups[1] or 0), groups[2]
    return _dated(today, first, second, year) or _dated(today, second, first, year)


def iso(groups: Groups, _today: date) -> When | None:
    """Groups: year, month, day, and hour and minutes or None."""
    year, month, day, hour, minutes = groups
    found = _day(int(year or 0), int(month or 0), int(day or 0))
    if found is None:
        return None
    return _at(found, _clock(int(hour), int(minutes or 0), "") if hour else None)


ISO = DateRule(pattern=r"(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::\d{2})?)?", resolve=iso)
NUMERIC = (
    DateRule(pattern=r"(?:il )?(\d{1,2})/(\d{1,2})(?:/(\d{4}|\d{2}))?", resolve=numeric, bare=False),
    DateRule(pattern=r"(?:il )?(\d{1,2})\.(\d{1,2})\.(\d{4})", resolve=numeric),
)


def _ungrouped(pattern: str) -> str:
    """``pattern`` with groups that capture nothing, so that it can stand in others more than once."""
    return re.sub(r"\((?:\?P<\w+>|(?!\?))", "(?:", pattern)


def _at(when: When, at: time | None) -> When:
    if at is None:
        return when
    return When(first=when.first, last=when.last, deadline=when.deadline, at=at)


def _clock(hour: int, minutes: int, half: str) -> time | None:
    if half and not 1 <= hour <= 12:
        return None
    if half:
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    return time(hour, minutes) if hour < 24 and minutes < 60 else None


def _later(today: date, days: int) -> When:
    return single(today + timedelta(days=days))


def _month(day: date, *, deadline_last: bool) -> When:
    first = day.replace(day=1)
    last = day.replace(day=calendar.monthrange(day.year, day.month)[1])
    return When(first=first, last=last, deadline=last if deadline_last else first)


def _is_next(*words: str | None) -> bool:
    return any(word and word.casefold().strip()[:4] in {"next", "pros"} for word in words)


def _index(names: tuple[str, ...], word: str) -> int | None:
    folded = word.casefold().rstrip("'.").replace("ì", "i")
    found = [number for number, name in enumerate(names) if folded and name.startswith(folded)]
    return found[0] if len(found) == 1 else None


def _number(word: str, numbers: tuple[tuple[str, int], ...]) -> int | None:
    if word.isdecimal():
        return int(word)
    return dict(numbers).get(" ".join(word.casefold().split()))


def _day(year: int, month: int, day: int) -> When | None:
    try:
        return single(date(year, month, day))
    except ValueError:
        return None


def _dated(today: date, day: int, month: int, year: str | None) -> When | None:
    if year is not None:
        return _day(int(year) + (2000 if len(year) == 2 else 0), month, day)
    this_year = _day(today.year, month, day)
    if this_year and this_year.first >= today:
        return this_year
    # 29 February may be years away.
    candidates = (_day(later, month, day) for later in range(today.year + 1, today.year + 9))
    return next((found for found in candidates if found), None)
