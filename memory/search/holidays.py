"""The dates of holidays, in English and Italian: fixed, relative to Easter, or a certain weekday of a month. Pure.

Holidays whose date differs by country, such as Mother's Day and Thanksgiving, are left out.
"""

import calendar
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final


def _easter(year: int) -> date:
    """Easter Sunday in the Gregorian calendar (the anonymous algorithm, Nature 1876)."""
    century, rest = divmod(year, 100)
    golden = year % 19
    epact = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    late = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * late + 114, 31)
    return date(year, month, day + 1)


def _after_easter(days: int) -> Callable[[int], date]:
    return lambda year: _easter(year) + timedelta(days=days)


def _on(month: int, day: int) -> Callable[[int], date]:
    return lambda year: date(year, month, day)


def _nth(number: int, weekday: int, month: int) -> Callable[[int], date]:
    """The first, second, … such weekday of a month."""

    def in_year(year: int) -> date:
        first = date(year, month, 1)
        return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (number - 1))

    return in_year


_NAMES: Final = {
    _after_easter(-47): ("shrove tuesday", "pancake day", "mardi gras", "martedì grasso"),
    _after_easter(-46): ("ash wednesday", "mercoledì delle ceneri"),
    _after_easter(-21): ("mothering sunday",),
    _after_easter(-7): ("palm sunday", "domenica delle palme"),
    _after_easter(-3): ("maundy thursday", "giovedì santo"),
    _after_easter(-2): ("good friday", "venerdì santo"),
    _after_easter(-1): ("holy saturday", "sabato santo"),
    _after_easter(0): ("easter", "easter sunday", "pasqua"),
    _after_easter(1): ("easter monday", "pasquetta", "lunedì dell'angelo"),
    _after_easter(49): ("pentecost", "whitsun", "whit sunday", "pentecoste"),
    _after_easter(50): ("whit monday",),
    _nth(2, calendar.SUNDAY, 5): ("festa della mamma",),
    _on(1, 1): ("new year's day", "new year", "capodanno"),
    _on(1, 6): ("epiphany", "epifania", "befana"),
    _on(2, 14): ("valentine's day", "san valentino"),
    _on(3, 8): ("international women's day", "festa della donna"),
    _on(3, 17): ("st patrick's day",),
    _on(3, 19): ("festa del papà",),
    _on(4, 25): ("festa della liberazione",),
    _on(6, 2): ("festa della repubblica",),
    _on(8, 15): ("ferragosto",),
    _on(10, 31): ("halloween",),
    _on(11, 1): ("all saints", "ognissanti"),
    _on(11, 5): ("bonfire night", "guy fawkes night"),
    _on(12, 8): ("immacolata",),
    _on(12, 24): ("christmas eve", "vigilia di natale"),
    _on(12, 25): ("christmas", "natale"),
    _on(12, 26): ("boxing day", "santo stefano"),
    _on(12, 31): ("new year's eve", "san silvestro", "ultimo dell'anno"),
}
HOLIDAYS: Final = {name: day for day, names in _NAMES.items() for name in names}
"""For each name, the function from a year to its date."""
HOLIDAY_WORDS: Final = frozenset(
    {
        *("easter", "pasqua", "pasquetta", "pentecost", "whitsun", "pentecoste", "whit", "festa", "year", "day"),
        *("capodanno", "epiphany", "epifania", "befana", "valentino", "ferragosto", "halloween", "saints", "gras"),
        *("ognissanti", "bonfire", "fawkes", "immacolata", "christmas", "natale", "santo", "silvestro", "ultimo"),
    }
)
"""For each holiday, a word (folded) of its name other than the day of the week."""
