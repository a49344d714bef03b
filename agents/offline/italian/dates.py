"""How Italian says dates."""

from datetime import time

from agents.offline import dates
from agents.offline.dates import DateRule, DateWords

_WEEKDAYS = ("lunedi", "martedi", "mercoledi", "giovedi", "venerdi", "sabato", "domenica")
_WEEKDAY = (
    "(lunedì|lunedi'?|martedì|martedi'?|mercoledì|mercoledi'?|giovedì|giovedi'?|venerdì|venerdi'?|sabato|domenica)"
)
_MONTHS = (
    "gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno",
    "luglio", "agosto", "settembre", "ottobre", "novembre", "dicembre",
)  # fmt: skip
_MONTH = (
    "(gennaio|gen|febbraio|feb|marzo|mar|aprile|apr|maggio|mag|giugno|giu|luglio|lug|agosto|ago|settembre|set"
    "|ottobre|ott|novembre|nov|dicembre|dic)"
)
_NUMBERS = (
    ("un", 1), ("uno", 1), ("una", 1), ("due", 2), ("tre", 3), ("quattro", 4), ("cinque", 5),
    ("sei", 6), ("sette", 7), ("dieci", 10),
)  # fmt: skip
_COUNT = r"(\d{1,3}|uno|una|un|due|tre|quattro|cinque|sei|sette|dieci) (giorn[oi]|settiman[ae]|mes[ei])"
_FROM_NOW = dates.in_units(_NUMBERS, weeks="settiman", months="mes")
_UNTIL_THEN = dates.in_units(_NUMBERS, weeks="settiman", months="mes", whole=True)

DATES = DateWords(
    rules=(
        dates.ISO,
        *dates.NUMERIC,
        DateRule(pattern="oggi(?: pomeriggio)?|stamattina|stasera|stanotte|(?:in )?giornata", resolve=dates.after(0)),
        DateRule(pattern="dopodomani|dopo domani", resolve=dates.after(2)),
        DateRule(pattern="domani(?: mattina| pomeriggio| sera)?|domattina", resolve=dates.after(1)),
        DateRule(pattern="ieri", resolve=dates.after(-1)),
        DateRule(
            pattern=f"(?:il |lo |la )?(?:(questo|questa|prossimo|prossima) )?{_WEEKDAY}(?: (prossimo|prossima))?",
            resolve=dates.weekday(_WEEKDAYS),
        ),
        DateRule(
            pattern=(
                "questa settimana|(?:la )?settimana (?:corrente|in corso)|(?:la )?fine (?:della|di questa) settimana"
            ),
            resolve=dates.this_week,
        ),
        DateRule(pattern="la settimana", resolve=dates.this_week, bare=False),
        DateRule(pattern="(?:la )?(?:prossima settimana|settimana prossima)", resolve=dates.next_week),
        DateRule(pattern="(?:il |questo |nel )?(?:week-?end|fine ?settimana|finesettimana)", resolve=dates.weekend),
        DateRule(pattern="questo mese|(?:la )?fine (?:del |di questo )?mese", resolve=dates.this_month),
        DateRule(pattern="(?:il )?(?:prossimo mese|mese prossimo)", resolve=dates.next_month),
        DateRule(pattern=f"(?:tra|fra) {_COUNT}", resolve=_FROM_NOW),
        DateRule(pattern=f"(?:(?:nei|nelle|entro i|entro le|entro|i|le) )?prossim[ie] {_COUNT}", resolve=_UNTIL_THEN),
        DateRule(pattern=f"entro {_COUNT}", resolve=_UNTIL_THEN),
        DateRule(
            pattern=rf"(?:il |l')?(?:giorno )?(\d{{1,2}})[°º]? (?:di )?{_MONTH}(?: (?:del )?(\d{{4}}))?",
            resolve=dates.day_and_month(_MONTHS),
        ),
        DateRule(pattern=r"(?:il |l'|il giorno )(\d{1,2})", resolve=dates.day_of_month, bare=False),
    ),
    clock=(
        r"(?:(?:per le|entro le|dopo le|alle ore|alle|all'|ore|h) ?"
        r"|(?=\d{1,2}:\d{2}))(?P<hour>\d{1,2})(?:[:.](?P<minutes>\d{2}))?(?P<half>(?!))?"
    ),
    named_times=(("a mezzogiorno", time(12)), ("a mezzanotte", time(0))),
)
