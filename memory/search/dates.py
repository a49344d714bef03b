"""The dates in a text, in English and Italian, as spans of days relative to the day on which it was said. Pure."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from itertools import islice
from string import digits
from typing import Final

import numpy as np

from memory.search.bm25 import Floats, Integers
from memory.search.calendar_names import MONTHS, NUMBERS, ORDINALS, SEASONS, SHORT_MONTHS, WEEKDAYS
from memory.search.change_words import is_in_past_tense
from memory.search.date_pattern import AFTER_FIGURE, BEFORE_FIGURE, DATED, RELATIVE_DAYS, SHIFTS, UNITS
from memory.search.holidays import HOLIDAY_WORDS, HOLIDAYS
from memory.search.words import folded, stems_of, words_of

_LAST_MONTH: Final = 12
_QUARTER_MONTHS: Final = 3
_MONTH_NUMBERS: Final = SHORT_MONTHS | MONTHS
_LENGTH_EXPONENT: Final = 0.3
"""The exponent of the ratio of lengths: 16 May is more about the weekend from 15 to 17 than about May."""


@dataclass(frozen=True, order=True, slots=True)
class Span:
    """Days from ``first`` to ``last``, both included."""

    first: date
    last: date

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1

    def moved(self, days: int) -> "Span":
        return Span(self.first + timedelta(days=days), self.last + timedelta(days=days))

    def overlaps(self, firsts: Integers, lasts: Integers) -> Floats:
        """The overlap of each of many spans with this one, 0 to 1: the more their lengths differ, the less.

        The spans begin on the days ``firsts`` and end on the days ``lasts``, as ordinals.
        """
        common = np.minimum(lasts, self.last.toordinal()) - np.maximum(firsts, self.first.toordinal()) + 1
        days = lasts - firsts + 1
        shorter, longer = np.minimum(days, self.days), np.maximum(days, self.days)
        found: Floats = (np.maximum(common, 0) / shorter * (shorter / longer) ** _LENGTH_EXPONENT).astype(np.float32)
        return found


_VERB: Final = re.compile(r"\b([Tt]his|[Ll]ast|[Nn]ext) may\b(?!\W*(?:\Z|[.;:!?]))")
"""“This may sound odd” has no month; “this May” and “what is on this may?” do."""
_BESIDE: Final = re.compile(
    r"\b(?:(?P<unit>day|weekend|week|month) (?P<side>before|after)"
    r"|(?P<unit2>giorno|fine settimana|settimana|mese) (?P<side2>prima|dopo))"
    r" (?:the |di |del |della |dell'|il |la )?$"
)
_OF_ANY: Final = re.compile(r"\b(?:how (?:many|much|often)|once|twice|times)\b[^.!?\n]*$")
"""Words before “in a week” that make it any week: “how many hours are there in a week”, “twice in a month”."""
_BEFORE_CHARS: Final = 40
_DATE_WORDS: Final = HOLIDAY_WORDS | frozenset(
    word
    for names in (MONTHS, SHORT_MONTHS, WEEKDAYS, SEASONS, RELATIVE_DAYS, UNITS)
    for name in names
    for word in folded(name).replace("'", " ").split()
) - {"the", "before", "after", "last", "fine", "l"}
_CALENDAR: Final = frozenset({"iso", "numbers", "short", "month", "season", "only_year", "quarter", "holiday"})
_BEFORE: Final = frozenset({"before", "prima"})
_YEAR_DAYS: Final = 365
_MONTH_DAYS: Final = 31
_LAST_SHORT_YEAR: Final = 99
_BEGINNINGS: Final = frozenset({"beginning of", "start of", "early", "inizio", "primi"})
_ENDS: Final = frozenset({"end of", "late", "fine", "ultimi"})
_YEARS_BACK: Final = 3
"""How many years a question looks back for a date without a year."""
_MAX_DATES: Final = 100
"""How many dates of a text are read, because each takes time."""


def may_have_date(words: Sequence[str]) -> bool:
    """Whether a text of these words (folded) may have a date; much faster than finding it."""
    return not _DATE_WORDS.isdisjoint(words) or any(word[0].isdigit() for word in words)


@cache
def calendar_stems(language: str) -> frozenset[str]:
    """The stems of the names of months and weekdays, and of “month” and “year”."""
    units = (name for name, unit in UNITS.items() if unit in {"month", "year"})
    return frozenset(stems_of(sorted({folded(name) for name in (*MONTHS, *WEEKDAYS, *units)}), language))


def named_spans(text: str, day: date) -> list[Span]:
    """The dates in ``text``, said on ``day``, in order. A date without a year is the nearest one."""
    return [spans[0] for spans in _spans(text, day)]


def asked_spans(question: str, day: date) -> list[Span]:
    """As ``named_spans``. A date without a year also means those in the years before."""
    if not may_have_date(words_of(question)):
        return []
    return [span for spans in _spans(question, day) for span in spans]


def names_past(question: str, day: date) -> bool:
    """Whether ``question``, asked on ``day``, has a date in the past.

    A date without a year is in the past if it is far nearer than the next one: in June, “Christmas” may be the next
    one. So may a weekday, but “who came on Sunday” means the last one.
    """
    if not may_have_date(words_of(question)):
        return False
    in_past_tense = is_in_past_tense(question)
    for meant in _spans(question, day):
        nearest, has_year = meant[0], len(meant) == 1
        since = (day - nearest.last).days
        if since > 0 and (has_year or 2 * since < (nearest.moved(_YEAR_DAYS).first - day).days):
            return True
        if in_past_tense and any(span.last < day for span in meant):
            return True
    return False


def _spans(text: str, day: date) -> Iterator[list[Span]]:
    """For each of the first dates in ``text``, the spans that it may mean, likeliest first."""
    plain = _VERB.sub(r"\1 might", text).lower().replace("’", "'")
    for match in islice(DATED.finditer(plain), _MAX_DATES):
        before = plain[max(match.start() - _BEFORE_CHARS, 0) : match.start()]
        if (count := match["count3"]) and _number(count) == 1 and _OF_ANY.search(before):
            continue
        if (match["numbers"] or match["short2"]) and _is_figure(plain, match, before):
            continue
        beside = _BESIDE.search(before)
        try:
            spans = _resolved(match, day)
            if beside is not None:
                spans = [_beside(span, beside) for span in spans]
        except (ValueError, OverflowError):
            # Such as 31 February, or a day after the last one of the calendar.
            continue
        if spans:
            yield spans


def _is_figure(plain: str, match: re.Match[str], before: str) -> bool:
    """Whether an apparent date is a ratio, a score, a version or the like. ``before`` is the text before it."""
    return BEFORE_FIGURE.search(before) is not None or AFTER_FIGURE.match(plain, match.end()) is not None


def _resolved(match: re.Match[str], day: date) -> list[Span]:
    """The spans of a match. Raises ``ValueError`` or ``OverflowError`` if there is no such day."""
    found = {name.rstrip(digits): value.strip() for name, value in match.groupdict().items() if value}
    spans = _in_calendar(found, day) if found.keys() & _CALENDAR else _from_day(found, day)
    return [_section(span, found["section"]) for span in spans] if "section" in found else spans


def _in_calendar(found: Mapping[str, str], day: date) -> list[Span]:
    match found:
        case {"iso": text}:
            year, month, number = map(int, text.split("-"))
            return [_single(date(year, month, number))]
        case {"numbers": text}:
            number, month, year = map(int, re.split("[/.-]", text))
            return [_single(_day_and_month(year if year > _LAST_SHORT_YEAR else year + 2000, number, month))]
        case {"short": text}:
            number, month = map(int, text.split("/"))
            return _yearless(lambda year: _single(_day_and_month(year, number, month)), day)
        case {"only_year": year}:
            return [_months(int(year), 1, _LAST_MONTH)]
        case {"day": _, "begin_year": year} if "year" not in found:
            spans = [_days(found, int(year) + more) for more in (0, 1)]
            return [span for span in spans if span.first.year == int(year)]
        case {"season": name, "shift": shift}:
            return [_shifted_season(SEASONS[name], SHIFTS[shift], day)]
        case {"month": name, "shift": shift}:
            return [_shifted_month(MONTHS[name], SHIFTS[shift], day)]
        case {"year": year}:
            return [_in_year(found, int(year))]
    return _yearless(lambda year: _in_year(found, year), day)


def _in_year(found: Mapping[str, str], year: int) -> Span:
    match found:
        case {"day": _}:
            return _days(found, year)
        case {"holiday": name}:
            return _single(HOLIDAYS[name](year))
        case {"quarter": number}:
            return _quarter(year, int(number))
        case {"season": name}:
            return _months(year, SEASONS[name], _QUARTER_MONTHS)
    return _month(year, _MONTH_NUMBERS[found["month"]])


def _from_day(found: Mapping[str, str], day: date) -> list[Span]:
    match found:
        case {"part": _}:
            return []
        case {"relative": words}:
            return [_single(day + timedelta(days=RELATIVE_DAYS[words]))]
        case {"ago": _, "count": count, "unit": unit}:
            return [_shifted(unit, -_number(count), day)]
        case {"count": count, "unit": unit}:
            return [_shifted(unit, _number(count), day)]
        case {"unit": unit}:
            return [_shifted(unit, SHIFTS[found.get("shift", "this")], day)]
        case {"weekend": _}:
            # Past or future, as a day of the week.
            return [_shifted("weekend", by, day) for by in (0, -1)]
        case {"number": number}:
            return _days_of_month(int(number), day)
    return _weekdays(found, day)


def _weekdays(found: Mapping[str, str], day: date) -> list[Span]:
    ahead = (WEEKDAYS[found["weekday"]] - day.weekday()) % 7
    match found:
        case {"nth": count}:
            return [_single(day + timedelta(days=(ahead or 7) + 7 * (_number(count) - 1)))]
        case {"count": count}:
            return [_single(day + timedelta(days=ahead + 7 * _number(count)))]
        case {"week": _}:
            return [_single(day + timedelta(days=ahead + 7))]
    # A day of the week may be past or future.
    return [_single(day + timedelta(days=ahead)), _single(day + timedelta(days=ahead - 7))]


def _section(span: Span, name: str) -> Span:
    """The beginning, middle or end of ``span``: a third of a month, a sixth of a year."""
    days = span.days // (3 if span.days <= _MONTH_DAYS else 6)
    if name in _BEGINNINGS:
        return Span(span.first, span.first + timedelta(days=days - 1))
    if name in _ENDS:
        return Span(span.last - timedelta(days=days - 1), span.last)
    first = span.first + timedelta(days=(span.days - days) // 2)
    return Span(first, first + timedelta(days=days - 1))


def _day_and_month(year: int, number: int, month: int) -> date:
    """The day comes before the month, unless there is no such month."""
    return date(year, month, number) if month <= _LAST_MONTH else date(year, number, month)


def _days_of_month(number: int, day: date) -> list[Span]:
    """The next day of a month with this ``number``, from ``day`` on, and the last one before: “on the 3rd”.

    Raises ``ValueError`` if no month has it.
    """
    months = range(day.year * 12 + day.month - 1 - 2, day.year * 12 + day.month - 1 + 3)
    spans = _spans_in(lambda month: _single(date(month // 12, month % 12 + 1, number)), months)
    ahead, back = ([span for span in spans if (span.first >= day) is is_ahead] for is_ahead in (True, False))
    if not spans:
        raise ValueError(number)
    return [*ahead[:1], *back[-1:]]


def _single(day: date) -> Span:
    return Span(day, day)


def _days(found: Mapping[str, str], year: int) -> Span:
    """A day of a month in ``year``, or the days up to it, from another month or the year before if these are given."""
    last = date(year, _MONTH_NUMBERS[found["month"]], _day(found["day"]))
    month = _MONTH_NUMBERS[found.get("begin_month", found["month"])]
    first = date(year - (month > last.month), month, _day(found.get("begin", found["day"])))
    return Span(min(first, last), last)


def _day(words: str) -> int:
    return 1 if words == "primo" else ORDINALS.get(words) or _number(words)


def _month(year: int, month: int) -> Span:
    return _months(year, month, 1)


def _months(year: int, month: int, count: int) -> Span:
    """``count`` months, from one of ``year`` on."""
    number = year * 12 + month - 1 + count
    return Span(date(year, month, 1), date(number // 12, number % 12 + 1, 1) - timedelta(days=1))


def _quarter(year: int, number: int) -> Span:
    return _months(year, _QUARTER_MONTHS * number - 2, _QUARTER_MONTHS)


def _shifted_season(month: int, by: int, day: date) -> Span:
    """The season that begins in ``month``: the nearest one, the next one after ``day``, or the last one that ended
    before it.
    """
    seasons = [_months(year, month, _QUARTER_MONTHS) for year in range(day.year - 2, day.year + 2)]
    if by > 0:
        return next(season for season in seasons if season.first > day)
    if by < 0:
        return next(season for season in reversed(seasons) if season.last < day)
    return min(seasons, key=lambda season: abs(season.first - day))


def _shifted_month(month: int, by: int, day: date) -> Span:
    """The ``month`` in the year of ``day``; the next one after it, or the last one before it."""
    return _month(day.year + (by > 0 and month <= day.month) - (by < 0 and month >= day.month), month)


def _number(words: str) -> int:
    return int(words) if words.isdigit() else NUMBERS[words]


def _yearless(make: Callable[[int], Span], day: date) -> list[Span]:
    """The span in the year in which it is nearest to ``day``, then those of the years before.

    Raises ``ValueError`` if no year nearby has it; most have no 29 February.
    """
    years = range(day.year - _YEARS_BACK - 1, day.year + 2)
    spans = _spans_in(make, years)
    if len(spans) < len(years):
        # The next leap year may be nearer than the last one.
        spans += _spans_in(make, range(years.stop, years.stop + _YEARS_BACK))
    if not spans:
        raise ValueError(day)
    nearest = min(spans, key=lambda span: abs(span.first - day))
    earlier = [span for span in spans if span.first < nearest.first]
    return [nearest, *earlier[: -_YEARS_BACK - 1 : -1]]


def _spans_in(make: Callable[[int], Span], years: Iterable[int]) -> list[Span]:
    """The spans in those of ``years`` that have one."""
    found = []
    for year in years:
        with suppress(ValueError):
            found.append(make(year))
    return found


def _shifted(unit: str, by: int, day: date) -> Span:
    """The day, week, weekend, month or year that is ``by`` units after that of ``day``; or a day of the week."""
    monday = day - timedelta(days=day.weekday())
    match UNITS.get(unit):
        case "day":
            return _single(day + timedelta(days=by))
        case "week":
            return Span(monday, monday + timedelta(days=6)).moved(7 * by)
        case "weekend":
            return Span(monday + timedelta(days=5), monday + timedelta(days=6)).moved(7 * by)
        case "fortnight":
            return Span(monday, monday + timedelta(days=6)).moved(14 * by)
        case "quarter":
            quarters = day.year * 4 + (day.month - 1) // _QUARTER_MONTHS + by
            return _quarter(quarters // 4, quarters % 4 + 1)
        case "month":
            months = day.year * 12 + day.month - 1 + by
            return _month(months // 12, months % 12 + 1)
        case "year":
            return Span(date(day.year + by, 1, 1), date(day.year + by, 12, 31))
    ahead = (WEEKDAYS[unit] - day.weekday()) % 7
    if by > 0:
        return _single(day + timedelta(days=ahead or 7))
    return _single(day + timedelta(days=ahead - 7 if by < 0 else ahead))


def _beside(span: Span, match: re.Match[str]) -> Span:
    """The day, week, weekend or month before or after ``span``. The week before a day is the seven days before it."""
    found = {name.rstrip("2"): value for name, value in match.groupdict().items() if value}
    is_before = found["side"] in _BEFORE
    match UNITS[found["unit"]]:
        case "day":
            return _single(span.first - timedelta(days=1)) if is_before else _single(span.last + timedelta(days=1))
        case "week" if span.days == 1:
            week = Span(span.first, span.first + timedelta(days=6))
            return week.moved(-7 if is_before else 1)
    return _shifted(found["unit"], -1 if is_before else 1, span.first if is_before else span.last)
