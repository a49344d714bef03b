"""The days that a text names, in English and Italian, as spans relative to the day on which it was said. Pure."""

import calendar
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from itertools import islice
from typing import Final

import numpy as np

from memory.search.bm25 import Floats, Integers
from memory.search.calendar_names import (
    MONTH,
    MONTH_AFTER_DAY,
    MONTH_BEFORE_DAY,
    MONTH_DOT,
    MONTHS,
    SHORT_MONTHS,
    WEEKDAYS,
    any_of,
)
from memory.search.change_words import is_in_past_tense
from memory.search.words import folded, stems_of, words_of

_LAST_MONTH: Final = 12
_NUMBERS: Final = {
    name: number
    for names in (
        "one two three four five six seven eight nine ten",
        "un due tre quattro cinque sei sette otto nove dieci",
    )
    for number, name in enumerate(names.split(), start=1)
} | {"a": 1, "an": 1, "una": 1, "a couple of": 2, "un paio di": 2}
_DAYS: Final = {
    "the day before yesterday": -2, "the night before last": -2, "yesterday": -1, "last night": -1, "today": 0,
    "tonight": 0, "tomorrow": 1, "the day after tomorrow": 2,
    "l'altro ieri": -2, "l'altroieri": -2, "ieri l'altro": -2, "avantieri": -2, "ieri": -1, "oggi": 0, "stasera": 0,
    "domani": 1, "dopodomani": 2,
}  # fmt: skip
_UNITS: Final = {
    "day": "day", "days": "day", "giorno": "day", "giorni": "day",
    "week": "week", "weeks": "week", "settimana": "week", "settimane": "week",
    "weekend": "weekend", "fine settimana": "weekend",
    "month": "month", "months": "month", "mese": "month", "mesi": "month",
    "year": "year", "years": "year", "anno": "year", "anni": "year",
}  # fmt: skip
_SHIFTS: Final = {
    "last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1,
    "scorso": -1, "scorsa": -1, "passato": -1, "passata": -1, "questo": 0, "questa": 0, "prossimo": 1, "prossima": 1,
}  # fmt: skip
_FEASTS: Final[dict[str, Callable[[int], date]]] = {
    **dict.fromkeys(("easter", "pasqua"), lambda year: _easter(year)),
    **dict.fromkeys(("easter monday", "pasquetta"), lambda year: _easter(year) + timedelta(days=1)),
    **dict.fromkeys(("christmas eve", "vigilia di natale"), lambda year: date(year, 12, 24)),
    **dict.fromkeys(("christmas", "natale"), lambda year: date(year, 12, 25)),
    **dict.fromkeys(("new year's eve", "san silvestro"), lambda year: date(year, 12, 31)),
    **dict.fromkeys(("new year's day", "new year", "capodanno"), lambda year: date(year, 1, 1)),
    **dict.fromkeys(("epiphany", "epifania", "befana"), lambda year: date(year, 1, 6)),
    **dict.fromkeys(("valentine's day", "san valentino"), lambda year: date(year, 2, 14)),
    **dict.fromkeys(("halloween",), lambda year: date(year, 10, 31)),
    **dict.fromkeys(("ferragosto",), lambda year: date(year, 8, 15)),
}


_LONGER: Final = 0.3
"""The exponent of how much longer a span is: 16 May is rather about the weekend from 15 to 17, and hardly about May."""


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
        """How much spans are about the same days as this one, 0 to 1: less, the longer one is than the other.

        Each begins and ends on a day of ``firsts`` and ``lasts``, as ordinals.
        """
        common = np.minimum(lasts, self.last.toordinal()) - np.maximum(firsts, self.first.toordinal()) + 1
        days = lasts - firsts + 1
        shorter, longer = np.minimum(days, self.days), np.maximum(days, self.days)
        found: Floats = (np.maximum(common, 0) / shorter * (shorter / longer) ** _LONGER).astype(np.float32)
        return found


_TO: Final = r"[ ]?(?:-|–|to|until|till|through|al|all'|fino al|fino all')[ ]?"
_DAY: Final = rf"(?:\d\d?|primo(?=[ ](?:al|all'|(?:di[ ])?(?:{MONTH}))\b))"
_NTH: Final = r"(?:st|nd|rd|th|°|º)?"
_YEAR: Final = r"(?:19|20)\d\d\b"
_MONTH_NUMBERS: Final = SHORT_MONTHS | MONTHS
_SHIFTS_AFTER: Final = "scors[oa]|passat[oa]|prossim[oa]"
_UNIT_OR_WEEKDAY: Final = any_of([*_UNITS, *WEEKDAYS])
_DATED: Final = re.compile(
    rf"""\b(?:
      (?P<iso>\d{{4}}-\d\d?-\d\d?)
    | (?P<slashed>\d\d?/\d\d?/\d{{4}})
    | (?:(?P<begin>{_DAY}){_NTH}
      (?:[ ](?:of[ ]|di[ ])?(?P<begin_month>{MONTH_AFTER_DAY})\b{MONTH_DOT}(?:,?[ ](?P<begin_year>{_YEAR}))?)?{_TO})?
      (?P<day>{_DAY}){_NTH}[ ](?:of[ ]|di[ ])?(?P<month>{MONTH_AFTER_DAY})\b(?:{MONTH_DOT},?[ ](?P<year>\d{{4}}))?
    | (?P<back>\d{{1,3}}|{any_of(_NUMBERS)})[ ](?P<unit3>{any_of(_UNITS)})[ ](?:ago|fa)
    | (?P<ahead>\d{{1,3}}|{any_of(_NUMBERS)})[ ](?P<unit4>{any_of(_UNITS)})[ ]from[ ](?:now|today)
    | (?:in(?![ ]una?[ ](?!paio))|tra|fra)[ ](?P<ahead2>\d{{1,3}}|{any_of(_NUMBERS)})[ ](?P<unit5>{any_of(_UNITS)})
    | (?P<part>(?:last|next)[ ](?:days?|(?:night|{_UNIT_OR_WEEKDAY})(?=[ ]of\b))
      |(?<=the[ ])last[ ](?:{_UNIT_OR_WEEKDAY})(?=[ ](?:to|in|for|before)\b))
    | (?P<shift3>{any_of(_SHIFTS)})[ ](?P<month5>{MONTH})
    | (?:in|since|during|of|ad?|da|di|nel)[ ](?P<month4>{MONTH})
      (?:[ ](?:(?P<year4>{_YEAR})|(?P<shift4>{_SHIFTS_AFTER})))?
    | (?:(?P<begin_month2>{MONTH_BEFORE_DAY}){MONTH_DOT}[ ](?P<begin2>\d\d?){_NTH}
      (?:,?[ ](?P<begin_year2>{_YEAR}))?{_TO}
      (?P<month2>{MONTH_BEFORE_DAY}){MONTH_DOT}[ ]
      |(?P<month6>{MONTH_BEFORE_DAY}){MONTH_DOT}[ ](?:(?P<begin3>\d\d?){_NTH}{_TO})?)
      (?P<day2>\d\d?){_NTH}\b(?:,?[ ](?P<year2>\d{{4}}))?
    | (?P<month3>{MONTH_BEFORE_DAY}){MONTH_DOT}[ ](?P<year3>\d{{4}})
    | (?P<month7>{MONTH})[ ](?P<shift5>{_SHIFTS_AFTER})
    | (?P<shift>{any_of(_SHIFTS)})[ ](?P<unit>{_UNIT_OR_WEEKDAY})
    | (?P<unit2>{_UNIT_OR_WEEKDAY})[ ](?P<shift2>{_SHIFTS_AFTER})
    | (?P<feast>{any_of(_FEASTS)})(?:,?[ ](?P<year5>{_YEAR}))?
    | (?P<relative>{any_of(_DAYS)})
    | (?P<weekday>{any_of(WEEKDAYS)})
    )\b""",
    re.VERBOSE,
)
"""``part`` is none: “the last week of August” is not the week before this one, nor “the last day to pay” yesterday."""
_VERB: Final = re.compile(r"\b([Tt]his|[Ll]ast|[Nn]ext) may\b(?!\W*(?:\Z|[.;:!?]))")
"""“This may sound odd” names no month; “this May” and “what is on this may?” do."""
_BESIDE: Final = re.compile(
    r"\b(?:(?P<unit>day|weekend|week|month) (?P<side>before|after)"
    r"|(?P<unit2>giorno|fine settimana|settimana|mese) (?P<side2>prima|dopo))"
    r" (?:the |di |del |della |dell'|il |la )?$"
)
_OF_ANY: Final = re.compile(r"\b(?:how (?:many|much|often)|once|twice|times)\b[^.!?\n]*$")
"""Before “in a week”, which is then any week: “how many hours are there in a week”, “twice in a month”."""
_BEFORE_CHARS: Final = 40
_YEAR_DIGITS: Final = 4
_SIGNS: Final = frozenset(
    word
    for names in (MONTHS, SHORT_MONTHS, WEEKDAYS, _DAYS, _UNITS, _FEASTS)
    for name in names
    for word in name.replace("'", " ").split()
) - {"the", "before", "after", "last", "fine", "di", "s", "l", "san", "new", "eve"}
_CALENDAR: Final = frozenset({"iso", "slashed", "month", "feast"})
_BEFORE: Final = frozenset({"before", "prima"})
_YEAR_DAYS: Final = 365
_YEARS_BACK: Final = 3
"""How many years a question looks back for a date without a year."""
_MOST_DATES: Final = 100
"""So many dates of a text are read: each takes time."""


def may_name(words: Sequence[str]) -> bool:
    """Whether a text of these words (folded) may name a date at all; this is quick, and finding the date is not."""
    return not _SIGNS.isdisjoint(words) or any(word.isdigit() for word in words if len(word) == _YEAR_DIGITS)


@cache
def calendar_stems(language: str) -> frozenset[str]:
    """The stems of the names of months and weekdays, and of “month” and “year”."""
    units = (name for name, unit in _UNITS.items() if unit in {"month", "year"})
    return frozenset(stems_of(sorted({folded(name) for name in (*MONTHS, *WEEKDAYS, *units)}), language))


def named_spans(text: str, day: date) -> list[Span]:
    """The spans that ``text``, said on ``day``, names, in order. Of a date without a year the nearest one is meant."""
    return [spans[0] for spans in _spans(text, day)]


def asked_spans(question: str, day: date) -> list[Span]:
    """As ``named_spans``; a date without a year is also looked for in the years before."""
    if not may_name(words_of(question)):
        return []
    return [span for spans in _spans(question, day) for span in spans]


def names_past(question: str, day: date) -> bool:
    """Whether ``question``, asked on ``day``, names days that are over.

    A date without a year is over if it is far nearer than in the year after: in June, “Christmas” may be the next one.
    So may a weekday, but “who came on Sunday” means the last one.
    """
    if not may_name(words_of(question)):
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
    """For each of the first dates in ``text`` the spans that it may mean, the likeliest first."""
    plain = _VERB.sub(r"\1 might", text).lower().replace("’", "'")
    for match in islice(_DATED.finditer(plain), _MOST_DATES):
        before = plain[max(match.start() - _BEFORE_CHARS, 0) : match.start()]
        if (count := match["ahead2"]) and _number(count) == 1 and _OF_ANY.search(before):
            continue
        beside = _BESIDE.search(before)
        try:
            spans = _resolved(match, day)
            if beside is not None:
                spans = [_beside(span, beside) for span in spans]
        except (ValueError, OverflowError):
            # The 31st of February, a year that no calendar has, or a day after the last one.
            continue
        if spans:
            yield spans


def _resolved(match: re.Match[str], day: date) -> list[Span]:
    """Raises ``ValueError`` or ``OverflowError`` if there is no such day."""
    found = {name.rstrip("234567"): value for name, value in match.groupdict().items() if value}
    return _in_calendar(found, day) if found.keys() & _CALENDAR else _from_day(found, day)


def _in_calendar(found: Mapping[str, str], day: date) -> list[Span]:
    match found:
        case {"iso": text}:
            year, month, number = map(int, text.split("-"))
            return [_one(date(year, month, number))]
        case {"slashed": text}:
            number, month, year = map(int, text.split("/"))
            return [_one(date(year, month, number) if month <= _LAST_MONTH else date(year, number, month))]
        case {"day": _, "year": year}:
            return [_days(found, int(year))]
        case {"day": _, "begin_year": year}:
            spans = [_days(found, int(year) + more) for more in (0, 1)]
            return [span for span in spans if span.first.year == int(year)]
        case {"day": _}:
            return _yearless(lambda year: _days(found, year), day)
        case {"month": name, "year": year}:
            return [_month(int(year), _MONTH_NUMBERS[name])]
        case {"month": name, "shift": shift}:
            return [_shifted_month(MONTHS[name], _SHIFTS[shift], day)]
        case {"month": name}:
            return _yearless(lambda year: _month(year, MONTHS[name]), day)
        case {"feast": name, "year": year}:
            return [_one(_FEASTS[name](int(year)))]
    return _yearless(lambda year: _one(_FEASTS[found["feast"]](year)), day)


def _from_day(found: Mapping[str, str], day: date) -> list[Span]:
    match found:
        case {"part": _}:
            return []
        case {"relative": words}:
            return [_one(day + timedelta(days=_DAYS[words]))]
        case {"shift": shift, "unit": unit}:
            return [_shifted(unit, _SHIFTS[shift], day)]
        case {"back": count, "unit": unit}:
            return [_shifted(unit, -_number(count), day)]
        case {"ahead": count, "unit": unit}:
            return [_shifted(unit, _number(count), day)]
    # A day of the week, past or to come: both are named like this.
    ahead = (WEEKDAYS[found["weekday"]] - day.weekday()) % 7
    return [_one(day + timedelta(days=ahead)), _one(day + timedelta(days=ahead - 7))]


def _one(day: date) -> Span:
    return Span(day, day)


def _days(found: Mapping[str, str], year: int) -> Span:
    """One day of a month in ``year``, or the days up to it, which may begin in another month or in the year before."""
    last = date(year, _MONTH_NUMBERS[found["month"]], _day(found["day"]))
    month = _MONTH_NUMBERS[found.get("begin_month", found["month"])]
    first = date(year - (month > last.month), month, _day(found.get("begin", found["day"])))
    return Span(min(first, last), last)


def _day(number: str) -> int:
    return 1 if number == "primo" else int(number)


def _month(year: int, month: int) -> Span:
    return Span(date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))


def _shifted_month(month: int, by: int, day: date) -> Span:
    """Such a month of the year of ``day``; the next one after it, or the last one before it."""
    return _month(day.year + (by > 0 and month <= day.month) - (by < 0 and month >= day.month), month)


def _number(words: str) -> int:
    return int(words) if words.isdigit() else _NUMBERS[words]


def _yearless(make: Callable[[int], Span], day: date) -> list[Span]:
    """The span in the year in which it is nearest to ``day``, then those of the years before.

    Raises ``ValueError`` if no year near has it: most do not have a 29 February.
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
    """The span in each of ``years`` that has it."""
    found = []
    for year in years:
        with suppress(ValueError):
            found.append(make(year))
    return found


def _shifted(unit: str, by: int, day: date) -> Span:
    """The day, week, weekend, month or year ``by`` after the one of ``day``, or such a day of the week."""
    monday = day - timedelta(days=day.weekday())
    match _UNITS.get(unit):
        case "day":
            return _one(day + timedelta(days=by))
        case "week":
            return Span(monday, monday + timedelta(days=6)).moved(7 * by)
        case "weekend":
            return Span(monday + timedelta(days=5), monday + timedelta(days=6)).moved(7 * by)
        case "month":
            months = day.year * 12 + day.month - 1 + by
            return _month(months // 12, months % 12 + 1)
        case "year":
            return Span(date(day.year + by, 1, 1), date(day.year + by, 12, 31))
    ahead = (WEEKDAYS[unit] - day.weekday()) % 7
    if by > 0:
        return _one(day + timedelta(days=ahead or 7))
    return _one(day + timedelta(days=ahead - 7 if by < 0 else ahead))


def _beside(span: Span, match: re.Match[str]) -> Span:
    """The day, week, weekend or month before or after ``span``; the week before a day are the seven days before it."""
    found = {name.rstrip("2"): value for name, value in match.groupdict().items() if value}
    is_before = found["side"] in _BEFORE
    match _UNITS[found["unit"]]:
        case "day":
            return _one(span.first - timedelta(days=1)) if is_before else _one(span.last + timedelta(days=1))
        case "week" if span.days == 1:
            week = Span(span.first, span.first + timedelta(days=6))
            return week.moved(-7 if is_before else 1)
    return _shifted(found["unit"], -1 if is_before else 1, span.first if is_before else span.last)


def _easter(year: int) -> date:
    """Easter Sunday in the Gregorian calendar (the anonymous algorithm, Nature 1876)."""
    century, rest = divmod(year, 100)
    golden = year % 19
    epact = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    late = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * late + 114, 31)
    return date(year, month, day + 1)
