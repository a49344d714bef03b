"""The pattern of dates in texts, in English and Italian, and the meanings of its words. Pure."""

import re
from typing import Final

from memory.search.calendar_names import (
    MONTH,
    MONTH_AFTER_DAY,
    MONTH_BEFORE_DAY,
    MONTH_DOT,
    NUMBERS,
    ORDINALS,
    SEASON,
    SHORT_WEEKDAYS,
    WEEKDAYS,
    any_of,
)
from memory.search.holidays import HOLIDAYS

RELATIVE_DAYS: Final = {
    "the day before yesterday": -2, "the night before last": -2, "yesterday": -1, "last night": -1, "today": 0,
    "tonight": 0, "tomorrow": 1, "the day after tomorrow": 2,
    "l'altro ieri": -2, "l'altroieri": -2, "ieri l'altro": -2, "avantieri": -2, "ieri": -1, "oggi": 0, "stasera": 0,
    "domani": 1, "dopodomani": 2,
}  # fmt: skip
UNITS: Final = {
    "day": "day", "days": "day", "giorno": "day", "giorni": "day",
    "week": "week", "weeks": "week", "settimana": "week", "settimane": "week",
    "fortnight": "fortnight", "weekend": "weekend", "fine settimana": "weekend",
    "month": "month", "months": "month", "mese": "month", "mesi": "month",
    "quarter": "quarter", "quarters": "quarter", "trimestre": "quarter", "trimestri": "quarter",
    "year": "year", "years": "year", "anno": "year", "anni": "year",
}  # fmt: skip
SHIFTS: Final = {
    "last": -1, "past": -1, "previous": -1, "this": 0, "quest'": 0, "next": 1, "coming": 1,
    "scorso": -1, "scorsa": -1, "passato": -1, "passata": -1, "questo": 0, "questa": 0, "prossimo": 1, "prossima": 1,
}  # fmt: skip

_TO: Final = r"[ ]?(?:-|–|to|until|till|through|al|all'|fino al|fino all')[ ]?"
_OF_MONTH: Final = rf"[ ](?:of[ ]|di[ ])?(?:{MONTH})\b"
_DAY: Final = (
    r"(?=[\dcdefnopqstuv])"
    rf"(?:\d\d?|primo(?=[ ](?:al|all')|{_OF_MONTH})|(?:{any_of(name for name in NUMBERS if NUMBERS[name] > 1)})"
    rf"(?=[ ](?:al|all')|{_OF_MONTH})|(?:{any_of(ORDINALS)})(?=[ ]of[ ](?:{MONTH})\b))"
)
_NTH: Final = r"(?:st|nd|rd|th|°|º)?"
_YEAR: Final = r"(?:19|20)\d\d\b"
_SHIFT: Final = rf"(?:(?:{any_of(SHIFTS)})[ ]|quest')"
_SHIFTS_AFTER: Final = "scors[oa]|passat[oa]|prossim[oa]"
_NUMBER: Final = rf"\d{{1,3}}|{any_of(NUMBERS)}"
_UNIT: Final = rf"(?:{any_of(UNITS)})(?!(?<=quarter)[ ](?:of|to|past)\b)"
_WEEKDAY: Final = any_of(WEEKDAYS)
_UNIT_OR_WEEKDAY: Final = rf"(?:{_UNIT}|{_WEEKDAY})"
_CLOCK: Final = r"(?=:[ ]|[ ](?:at|alle|ore)[ ]\d)"
_PLAIN_MONTH: Final = "month|mese|year|anno"
DATED: Final = re.compile(
    rf"""\b(?:
      (?P<iso>\d{{4}}-\d\d?-\d\d?)
    | (?<!\d[./-])(?P<numbers>\d\d?(?:/\d\d?/(?:19|20)?\d\d|(?P<dash>[.-])\d\d?(?P=dash)(?:19|20)\d\d))(?![./-]\d)
    | (?:on|until|il|{_WEEKDAY}|{any_of(SHORT_WEEKDAYS)}|lun|mar|mer|gio|ven|sab|dom),?[ ]
      (?P<short>\d\d?/\d\d?)(?![\d/%]|[ ]of[ ](?:the|a|my|our)\b)
    | (?P<short2>(?!24/7\b)(?:1[3-9]|2\d|3[01])/(?:0?[1-9]|1[0-2])|0[1-9]/\d\d|\d\d?/\d\d?{_CLOCK})(?![\d/%])
    | (?P<section>beginning[ ]of|start[ ]of|early|inizio|primi|mid(?:dle[ ]of)?|metà|end[ ]of|late|fine|ultimi)
      (?:[ ]di|[ ]giorni[ ]di|[ ]the|[ ]del|[ ]dell')?[- ]?(?:
      (?P<month8>{MONTH})(?:[ ](?P<year8>{_YEAR}))?|(?P<shift8>{_SHIFT})?(?P<unit8>{_PLAIN_MONTH}))
    | (?:(?P<begin>{_DAY}){_NTH}
      (?:[ ](?:of[ ]|di[ ])?(?P<begin_month>{MONTH_AFTER_DAY})\b{MONTH_DOT}(?:,?[ ](?P<begin_year>{_YEAR}))?)?{_TO})?
      (?P<day>{_DAY}){_NTH}[ ](?:of[ ]|di[ ])?(?P<month>{MONTH_AFTER_DAY})\b(?:{MONTH_DOT},?[ ](?P<year>\d{{4}}))?
    | (?P<count>{_NUMBER})[ ](?:(?P<unit3>{_UNIT})[ ](?:(?P<ago>ago|fa)|from[ ](?:now|today))
      |weeks?[ ](?:from|on)[ ](?P<weekday2>{_WEEKDAY}))
    | (?P<weekday3>{_WEEKDAY})[ ](?:(?P<week>week)(?![ ](?:of|to|after|before)\b)
      |(?:tra|fra)[ ](?P<count2>{_NUMBER})[ ]settiman[ae])
    | (?:tra|fra)[ ](?P<nth>{_NUMBER})[ ](?P<weekday4>{_WEEKDAY})
    | (?:in(?![ ]una?[ ](?!paio))|tra|fra)[ ](?P<count3>{_NUMBER})[ ](?P<unit5>{_UNIT})
    | (?P<part>(?:last|next)[ ](?:days?|(?:night|{_UNIT_OR_WEEKDAY})(?=[ ]of\b))
      |(?<=the[ ])last[ ](?:{_UNIT_OR_WEEKDAY})(?=[ ](?:to|in|for|before)\b))
    | (?P<shift3>{_SHIFT})(?P<month5>{MONTH})
    | (?P<shift6>{_SHIFT})(?P<season>{SEASON})
    | (?<!real[ ])(?P<season2>{SEASON})[ ](?:(?:of[ ]|del[ ])?(?P<year9>{_YEAR})|(?P<shift7>{_SHIFTS_AFTER}))
    | (?:in|since|during|of|ad?|da|di|nel)[ ](?P<month4>{MONTH})
      (?:[ ](?:(?:of[ ]|del[ ])?(?P<year4>{_YEAR})|(?P<shift4>{_SHIFTS_AFTER})))?
    | (?:in|since|during|nel|dal)[ ](?P<only_year>{_YEAR})(?!-|[ ](?:words|parole|euros?|dollars)\b)
    | (?:in|by|for|nel|per[ ]il|entro[ ]il)[ ]q(?P<quarter>[1-4])\b(?:[ ](?P<year6>{_YEAR}))?
    | (?:(?P<begin_month2>{MONTH_BEFORE_DAY}){MONTH_DOT}[ ](?P<begin2>\d\d?){_NTH}
      (?:,?[ ](?P<begin_year2>{_YEAR}))?{_TO}
      (?P<month2>{MONTH_BEFORE_DAY}){MONTH_DOT}[ ]
      |(?P<month6>{MONTH_BEFORE_DAY}){MONTH_DOT}[ ](?:(?P<begin3>\d\d?){_NTH}{_TO})?)
      (?P<day2>\d\d?){_NTH}\b(?:,?[ ](?P<year2>\d{{4}}))?
    | (?P<month3>{MONTH_BEFORE_DAY}){MONTH_DOT}[ ](?P<year3>\d{{4}})
    | (?P<month7>{MONTH})[ ](?P<shift5>{_SHIFTS_AFTER})
    | (?P<shift>{_SHIFT})(?P<unit>{_UNIT_OR_WEEKDAY})
    | (?P<unit2>{_UNIT_OR_WEEKDAY})[ ](?P<shift2>{_SHIFTS_AFTER})
    | (?P<weekend>(?:at|on|over)[ ]the[ ]weekend|(?:nel|il)[ ](?:weekend|fine[ ]settimana))
      (?![ ](?:of|after|before|dopo|prima|del|di|{_SHIFTS_AFTER})\b)
    | (?:on|by|until|since)[ ]the[ ](?P<number>\d\d?)(?:st|nd|rd|th)(?=[ ]?(?:\Z|[.,;:!?)]|(?:at|for|with|and|but)\b))
    | (?:(?:il|dal|entro[ ]il|per[ ]il)[ ]|l'(?=8|11))(?P<number2>\d\d?)
      (?![\w/.,:%°ªº-]|[ ]?%|[ ]per[ ]?cento|[ ]di[ ](?!{MONTH})|{_TO}\d|[ ](?:di[ ])?(?:{MONTH_AFTER_DAY})\b)
    | (?P<holiday>{any_of(HOLIDAYS)})(?:,?[ ](?:in[ ]|of[ ]|nel[ ]|del[ ])?(?P<year5>{_YEAR}))?
    | (?P<relative>{any_of(RELATIVE_DAYS)})
    | (?P<weekday>{_WEEKDAY})
    )\b""",
    re.VERBOSE,
)
"""``part`` is no date: “the last week of August” is not last week, and “the last day to pay” is not yesterday."""
BEFORE_FIGURE: Final = re.compile(
    r"(?:\b(?:un|una|an?|in|at|won|lost|vinto|perso|odds|quotat[oaie]|fractions?|frazion[ei]|simplify|semplifica\w*|"
    r"ratio|rapporto|proportions?|proporzion[ei]|pressure|pressione|score|punteggio)(?: of| di| is| are| è| era)? |"
    r"\b(?:v|vers?|version|versione|firmware|chapter|section|capitolo|paragrafo) |[=+*×] ?)(?<!\bfino a )$"
)
"""Words before “16/9” or “3.12.2026” that make it a ratio or a version."""
AFTER_FIGURE: Final = re.compile(
    r" ?[=+*×]| as an? (?:decimal|fraction|percentage)\b|"
    r"(?:(?<=/9)|(?<=/10)) (?:ratio|format|screen|display|monitor|tv|telly|television|footage)\b(?! \w+y\b)"
)
"""Words after “16/9” that make it a ratio. “21/9 monitor delivery” is a date."""
