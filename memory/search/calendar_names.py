"""The names of months, seasons and days of the week, in English and Italian, and patterns of them. Pure."""

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
"""Recognized only beside the number of a day, because most have other meanings."""
SEASONS: Final = {
    name: month
    for month, names in (
        (3, "spring primavera"),
        (6, "summer estate"),
        (9, "autumn fall autunno"),
        (12, "winter inverno"),
    )
    for name in names.split()
}
"""The first month of each meteorological season."""
NUMBERS: Final = {
    name: number
    for names in (
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen",
        "un due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici",
    )
    for number, name in enumerate(names.split(), start=1)
} | {
    "diciassette": 17, "diciotto": 18, "diciannove": 19, "venti": 20, "ventuno": 21, "ventidue": 22, "ventitré": 23,
    "ventitre": 23, "ventiquattro": 24, "venticinque": 25, "ventisei": 26, "ventisette": 27, "ventotto": 28,
    "ventinove": 29, "trenta": 30, "trentuno": 31, "twenty": 20, "thirty": 30,
    "a": 1, "an": 1, "una": 1, "a couple of": 2, "un paio di": 2,
}  # fmt: skip
ORDINALS: Final = {
    name: number
    for number, names in enumerate(
        (
            *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
            *("eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth"),
            *("nineteenth", "twentieth", "twenty-first", "twenty-second", "twenty-third", "twenty-fourth"),
            *("twenty-fifth", "twenty-sixth", "twenty-seventh", "twenty-eighth", "twenty-ninth", "thirtieth"),
            "thirty-first",
        ),
        start=1,
    )
    for name in (names, names.replace("-", " "))
}
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
"""Without “sun”, which has another meaning."""


def any_of(names: Iterable[str]) -> str:
    """A pattern of any of ``names``."""
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


MONTH: Final = any_of(MONTHS)
SEASON: Final = any_of(SEASONS)
MONTH_AFTER_DAY: Final = any_of(MONTHS | SHORT_MONTHS)
MONTH_BEFORE_DAY: Final = any_of([*MONTHS, *(name for name in SHORT_MONTHS if name not in {"set", "ago"})])
MONTH_DOT: Final = r"(?:(?:(?<=\b\w{3})(?<!may)|(?<=\bsept))\.)?"
"""The dot after a short month beside a day or a year: “Dec. 24”, but not “we move in May. 24 boxes …”."""
