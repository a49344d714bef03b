"""Dates and spans of days in the user's words and calendar.

A weekday means its next day, or today. A date or a month without a year means the next one, or the present one. "Next
week" begins on Monday.
"""

import calendar
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from enum import StrEnum
from functools import cached_property
from typing import Final, TypeAlias, assert_never

from agents.offline.patterns import Pattern, compiled, filled, ungrouped


@dataclass(frozen=True, kw_only=True, slots=True)
class When:
    """The days from ``first`` to ``last``. ``at`` is a time of day, ``deadline`` the due date of a task for these days.

    A span without a beginning has ``date.min``, and a span without an end ``date.max``.
    """

    first: date
    last: date
    deadline: date
    at: time | None = None

    @property
    def is_open(self) -> bool:
        """Whether the span has no beginning."""
        return self.first == date.min

    @property
    def iso(self) -> str:
        """The deadline as tools take it: ``2026-11-24`` or ``2026-11-24T18:00``."""
        day = self.deadline.isoformat()
        return f"{day}T{self.at:%H:%M}" if self.at else day


class Meaning(StrEnum):
    """The meaning of a date's words, which determines the groups of its pattern."""

    DAYS = "days"
    """A fixed number of days from today. No groups."""
    WEEKDAY = "weekday"
    """A word before the name, the name, and a word after it. Either word can mean next week."""
    THIS_WEEK = "this_week"
    NEXT_WEEK = "next_week"
    WEEKEND = "weekend"
    THIS_MONTH = "this_month"
    NEXT_MONTH = "next_month"
    FROM_NOW = "from_now"
    """A number and a unit: that day."""
    UNTIL_THEN = "until_then"
    """A number and a unit: all days until then."""
    DAY_AND_MONTH = "day_and_month"
    """The day, the month's name, the year."""
    MONTH_AND_DAY = "month_and_day"
    """The month's name, the day, the year."""
    DAY_OF_MONTH = "day_of_month"
    """The day."""
    MONTH = "month"
    """The month's name, the year."""
    NUMERIC = "numeric"
    """Two numbers and the year; the day comes first unless it cannot."""
    ISO = "iso"
    """The year, the month, the day, the hour, the minutes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DateRule:
    """A way to write a date. ``bare``: it is recognized at the end of a title even without a preposition."""

    pattern: Pattern
    means: Meaning
    days: int = 0
    bare: bool = True


class Bound(StrEnum):
    """The meaning of a word before a date that is one end of a span."""

    BEFORE = "before"
    UNTIL = "until"
    """Up to this day, or to the last one of several."""
    SINCE = "since"
    """From this day on, or from the first one of several."""
    AFTER = "after"


_SHARED: Final = (
    DateRule(pattern=r"(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::\d{2})?)?", means=Meaning.ISO),
    DateRule(pattern=r"(?:il )?(\d{1,2})/(\d{1,2})(?:/(\d{4}|\d{2}))?", means=Meaning.NUMERIC, bare=False),
    DateRule(pattern=r"(?:il )?(\d{1,2})\.(\d{1,2})\.(\d{4})", means=Meaning.NUMERIC),
)
_WEEKS: Final = {Meaning.THIS_WEEK: (0, 6, 6), Meaning.NEXT_WEEK: (7, 13, 7), Meaning.WEEKEND: (5, 6, 6)}
"""The first day, the last and the deadline, as days after the Monday of this week."""
_WEEK: Final = timedelta(days=7)
_NOON: Final = 12
_CLOCK_GROUPS: Final = 4
"""The hour, the minutes, the half of the day, and a named time."""

Groups: TypeAlias = tuple[str | None, ...]


@dataclass(frozen=True, kw_only=True)
class DateWords:
    """The ways to write dates in one language. A space in a pattern matches one white-space character."""

    weekdays: tuple[str, ...]
    """From Monday on. Spellings of a day are separated by a bar. The first letters of a name suffice."""
    months: tuple[str, ...]
    numbers: Mapping[str, int]
    week: str
    """The beginning of the word for weeks."""
    month: str
    """The beginning of the word for months."""
    next: str
    """The beginning of a word that excludes today, as in "next Friday"."""
    parts: Mapping[str, Pattern]
    """The patterns for names in braces in ``rules``."""
    rules: tuple[DateRule, ...]
    spans: tuple[Pattern, ...]
    """Two dates, ``{first}`` and ``{last}``. The first can be just a number: "from 18 to 20 November"."""
    bounds: tuple[tuple[Pattern, Bound], ...]
    """A ``{day}`` that is one end of a span."""
    clock: Pattern
    """A time, with the groups ``hour``, ``minutes`` and ``half`` of the day ("am", "pm")."""
    named_times: tuple[tuple[Pattern, time], ...]
    halves: bool
    """Whether hours can be counted from 1 again in the afternoon."""

    def read(self, text: str, today: date) -> When | None:
        """The date that is all of ``text``, with or without a time of day; None if it is none, or does not exist."""
        for pattern, rule in self._compiled:
            if found := pattern.fullmatch(text):
                when = self._resolved(rule, found.groups()[:-_CLOCK_GROUPS], today)
                at = self._time(found)
                return replace(when, at=at) if when and at else when
        return None

    def read_time(self, text: str, *, instead: time | None = None) -> time | None:
        """The time of day that is all of ``text``. If it replaces one in the afternoon, “7” means 19:00."""
        found = compiled(self._clock).fullmatch(text)
        at = self._time(found) if found else None
        if at is None or found is None or instead is None or not self.halves or found["half"]:
            return at
        is_after_noon = instead.hour >= _NOON and 0 < at.hour < _NOON
        return at.replace(hour=at.hour + _NOON) if is_after_noon else at

    def read_span(self, text: str, today: date) -> When | None:
        """As ``read``, for the days between two dates, or before or after one."""
        try:
            return self._read_span(text, today)
        except OverflowError:  # beyond the first or the last day of the calendar
            return None

    def _read_span(self, text: str, today: date) -> When | None:
        for span in self._spans:
            if found := compiled(span).fullmatch(text):
                last = self.read(found["last"], today)
                return last and self._between(found["first"], last, today)
        for pattern, bound in self._bounds:
            if (found := compiled(pattern).fullmatch(text)) and (when := self.read(found["day"], today)):
                return _bounded(when, bound)
        return None

    @cached_property
    def count(self) -> str:
        """A pattern, without groups, that matches what ``days`` reads."""
        return ungrouped(self.parts["count"])

    @cached_property
    def span(self) -> str:
        """A pattern, without groups, that matches what ``read_span`` reads."""
        patterns = [*self._spans, *(pattern for pattern, _ in self._bounds)]
        return rf"(?<!\w)(?:{'|'.join(map(ungrouped, patterns))})(?!\w)"

    @cached_property
    def any(self) -> str:
        """A pattern, without groups, that matches every date."""
        return self._union(rule.pattern for rule in self._rules)

    @cached_property
    def bare(self) -> str:
        """A pattern, without groups, that matches dates which are clear without a preposition."""
        return self._union(rule.pattern for rule in self._rules if rule.bare)

    @cached_property
    def _rules(self) -> tuple[DateRule, ...]:
        return *_SHARED, *(replace(rule, pattern=filled(rule.pattern, self.parts)) for rule in self.rules)

    @cached_property
    def _compiled(self) -> tuple[tuple[re.Pattern[str], DateRule], ...]:
        return tuple((compiled(f"(?:{rule.pattern})(?:,? ?{self._clock})?"), rule) for rule in self._rules)

    @cached_property
    def _clock(self) -> str:
        named = "|".join(f"(?:{pattern})" for pattern, _ in self.named_times)
        return f"(?:{self.clock}|(?P<named>{named}))"

    @cached_property
    def _spans(self) -> tuple[str, ...]:
        first, last = rf"(?P<first>{self.any}|\d{{1,2}})", f"(?P<last>{self.any})"
        return tuple(filled(pattern, {"first": first, "last": last}) for pattern in self.spans)

    @cached_property
    def _bounds(self) -> tuple[tuple[str, Bound], ...]:
        day = {"day": f"(?P<day>{self.any})"}
        return tuple((filled(pattern, day), bound) for pattern, bound in self.bounds)

    def _between(self, beginning: str, last: When, today: date) -> When | None:
        number = self._day_alone(beginning)
        first = _day(last.last.year, last.last.month, number) if number else self.read(beginning, today)
        if first is None:
            return None
        begin, end = first.first, last.last
        if begin > end and begin - end < _WEEK:
            # The second of two weekdays is the one after the first.
            end += _WEEK
        elif begin > end:
            earlier = _day(begin.year - 1, begin.month, begin.day)
            begin = earlier.first if earlier else begin
        return When(first=begin, last=end, deadline=end) if begin <= end else None

    def _day_alone(self, text: str) -> int | None:
        """The number in a day without its month, such as "18" or "the 18th"."""
        if text.isdecimal():
            return int(text)
        rules = (pattern for pattern, rule in self._compiled if rule.means is Meaning.DAY_OF_MONTH)
        return next((int(found[1]) for pattern in rules if (found := pattern.fullmatch(text))), None)

    def days(self, text: str) -> int | None:
        """The number of days in ``text``, a number and a unit. A month counts as 30 days."""
        found = compiled(self.parts["count"]).fullmatch(text)
        return found and self._days(*found.groups())

    def _union(self, patterns: Iterable[str]) -> str:
        days = "|".join(map(ungrouped, patterns))
        named = "|".join(pattern for pattern, _ in self.named_times)
        return rf"(?<!\w)(?:{days})(?:,? ?(?:{ungrouped(self.clock)}|{named}))?(?!\w)"

    def _time(self, match: re.Match[str]) -> time | None:
        for pattern, at in self.named_times:
            if match["named"] and compiled(pattern).fullmatch(match["named"]):
                return at
        hour, minutes, half = match["hour"], match["minutes"], match["half"]
        return None if hour is None else _clock(int(hour), int(minutes or 0), (half or "").casefold())

    def _resolved(self, rule: DateRule, groups: Groups, today: date) -> When | None:
        match rule.means:
            case Meaning.WEEKDAY:
                return self._weekday(groups, today)
            case Meaning.FROM_NOW | Meaning.UNTIL_THEN:
                return self._counted(groups, today, whole=rule.means is Meaning.UNTIL_THEN)
            case Meaning.DAY_AND_MONTH:
                return self._dated(today, day=groups[0], name=groups[1], year=groups[2])
            case Meaning.MONTH:
                return self._named_month(today, name=groups[0], year=groups[1])
            case Meaning.MONTH_AND_DAY:
                return self._dated(today, day=groups[1], name=groups[0], year=groups[2])
            case _:
                return _resolved(rule, groups, today)

    def _weekday(self, groups: Groups, today: date) -> When | None:
        before, name, behind = groups
        number = _index(self.weekdays, name or "")
        if number is None:
            return None
        if any(word and self.week in word.casefold() for word in (before, behind)):
            return _single(today + timedelta(days=7 - today.weekday() + number))
        days = (number - today.weekday()) % 7
        is_next = any(word and word.casefold().strip().startswith(self.next) for word in (before, behind))
        return _single(today + timedelta(days=days or 7 if is_next else days))

    def _counted(self, groups: Groups, today: date, *, whole: bool) -> When | None:
        """A day at a distance from today; ``whole``: all days until then."""
        days = self._days(groups[0] or "", groups[1] or "")
        if days is None:
            return None
        end = today + timedelta(days=days)
        return When(first=today if whole else end, last=end, deadline=end)

    def _days(self, number: str, unit: str) -> int | None:
        count = int(number) if number.isdecimal() else self.numbers.get(" ".join(number.casefold().split()))
        if count is None:
            return None
        unit = unit.casefold()
        return count * (30 if unit.startswith(self.month) else 7 if unit.startswith(self.week) else 1)

    def _named_month(self, today: date, *, name: str | None, year: str | None) -> When | None:
        number = _index(self.months, name or "")
        if number is None:
            return None
        this = int(year) if year else today.year + (number + 1 < today.month)
        first = _day(this, number + 1, 1)
        return first and _whole_month(first.first)

    def _dated(self, today: date, *, day: str | None, name: str | None, year: str | None) -> When | None:
        number = _index(self.months, name or "")
        return None if number is None else _next_date(today, int(day or 0), number + 1, year)


def _resolved(rule: DateRule, groups: Groups, today: date) -> When | None:
    """The date of a rule whose groups, if any, are numbers."""
    match rule.means:
        case Meaning.DAYS:
            return _single(today + timedelta(days=rule.days))
        case Meaning.THIS_MONTH | Meaning.NEXT_MONTH:
            return _month(today, is_next=rule.means is Meaning.NEXT_MONTH)
        case Meaning.DAY_OF_MONTH:
            day = int(groups[0] or 0)
            month = today if day >= today.day else today.replace(day=1) + timedelta(days=32)
            return _day(month.year, month.month, day)
        case Meaning.NUMERIC:
            one, other, year = int(groups[0] or 0), int(groups[1] or 0), groups[2]
            return _next_date(today, one, other, year) or _next_date(today, other, one, year)
        case Meaning.ISO:
            found = _day(*(int(group or 0) for group in groups[:3]))
            hour, minutes = groups[3:]
            return replace(found, at=_clock(int(hour), int(minutes or 0), "")) if found and hour else found
        case week:
            first, last, deadline = (today + timedelta(days=days - today.weekday()) for days in _WEEKS[week])
            return When(first=first, last=last, deadline=deadline)


def _clock(hour: int, minutes: int, half: str) -> time | None:
    if half and not 1 <= hour <= 12:
        return None
    if half:
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    return time(hour, minutes) if hour < 24 and minutes < 60 else None


def _month(today: date, *, is_next: bool) -> When:
    first = today.replace(day=1)
    if not is_next:
        return _whole_month(first)
    first = (first + timedelta(days=32)).replace(day=1)
    return replace(_whole_month(first), deadline=first)


def _whole_month(first: date) -> When:
    last = first.replace(day=calendar.monthrange(first.year, first.month)[1])
    return When(first=first, last=last, deadline=last)


def _bounded(when: When, bound: Bound) -> When:
    match bound:
        case Bound.BEFORE:
            return _until(when.first - timedelta(days=1))
        case Bound.UNTIL:
            return _until(when.last)
        case Bound.SINCE:
            return When(first=when.first, last=date.max, deadline=when.first)
        case Bound.AFTER:
            first = when.last + timedelta(days=1)
            return When(first=first, last=date.max, deadline=first)
        case _:
            assert_never(bound)


def _until(last: date) -> When:
    return When(first=date.min, last=last, deadline=last)


def _index(names: tuple[str, ...], word: str) -> int | None:
    folded = word.casefold().rstrip("'.")
    found = [
        number
        for number, spellings in enumerate(names)
        if folded and any(name.startswith(folded) for name in spellings.split("|"))
    ]
    return found[0] if len(found) == 1 else None


def _single(day: date) -> When:
    return When(first=day, last=day, deadline=day)


def _day(year: int, month: int, day: int) -> When | None:
    try:
        return _single(date(year, month, day))
    except ValueError:
        return None


def _next_date(today: date, day: int, month: int, year: str | None) -> When | None:
    if year is not None:
        return _day(int(year) + (2000 if len(year) == 2 else 0), month, day)
    this_year = _day(today.year, month, day)
    if this_year and this_year.first >= today:
        return this_year
    # 29 February can be years away.
    candidates = (_day(later, month, day) for later in range(today.year + 1, today.year + 9))
    return next((found for found in candidates if found), None)
