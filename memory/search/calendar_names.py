"""The names of months and days of the week, in English and Italian, and patterns of them. Pure."""

import re
from collections.abc import Iterable
from typing import Final

MONTHS: Final = {
    name: number
    for names in (
        "january february march april may june july august september october november december",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    )
    for number, name in enumerate(names.split(), start=1)
}
SHORT_MONTHS: Final = {
    name: number
    for names in ("jan feb mar apr may jun jul aug sep oct nov dec", "gen feb mar apr mag giu lug ago set ott nov dic")
    for number, name in enumerate(names.split(), start=1)
} | {"sept": 9}
"""Only beside the number of a day: most are words of their own."""
WEEKDAYS: Final = {
    name: number
    for names in (
        "monday tuesday wednesday thursday friday saturday sunday",
        "lunedì martedì mercoledì giovedì venerdì sabato domenica",
        "lunedi martedi mercoledi giovedi venerdi sabato domenica",
    )
    for number, name in enumerate(names.split())
}
SHORT_WEEKDAYS: Final = {
    name: number
    for number, names in enumerate(("mon", "tue tues", "wed weds", "thu thurs", "fri", "sat"))
    for name in names.split()
}
"""Without “sun”, which is a word of its own."""


def any_of(names: Iterable[str]) -> str:
    """A pattern of any of ``names``."""
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


MONTH: Final = any_of(MONTHS)
MONTH_AFTER_DAY: Final = any_of(MONTHS | SHORT_MONTHS)
MONTH_BEFORE_DAY: Final = any_of([*MONTHS, *(name for name in SHORT_MONTHS if name not in {"set", "ago"})])
MONTH_DOT: Final = r"(?:(?:(?<=\b\w{3})(?<!may)|(?<=\bsept))\.)?"
"""After a month beside a day or a year, if that is short: “Dec. 24”, and not “we move in May. 24 boxes …”."""
