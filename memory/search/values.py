"""Values that differ after a change: days, times, numbers, names and colours, in English and Italian. Pure.

Also which types of values a question asks for, and whether it may have several answers.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import IntEnum
from typing import Final

from memory.search.bm25 import Integers
from memory.search.calendar_names import (
    MONTH_AFTER_DAY,
    MONTH_BEFORE_DAY,
    MONTH_DOT,
    MONTHS,
    SHORT_MONTHS,
    SHORT_WEEKDAYS,
    WEEKDAYS,
    any_of,
)
from memory.search.terms import NUMBER_BYTES, NumberLists
from memory.search.words import comparable, folded


class ValueType(IntEnum):
    """The type of a value."""

    WEEKDAY = 0
    DATE = 1
    CLOCK = 2
    NUMBER = 3
    NAME = 4
    COLOUR = 5
    PART = 6
    """A part of the day, the week or the year. Two statements about different parts can both hold."""
    MONTH = 7
    """A month without a day."""


def _by_word(*groups: str) -> dict[str, str]:
    """A map from each word to the first word of its group, whose words mean the same."""
    return {word: group.split()[0] for group in groups for word in group.split()}


_WEEKDAY_NUMBERS: Final = {folded(name): number for name, number in (WEEKDAYS | SHORT_WEEKDAYS).items()}
_WEEKDAY: Final = re.compile(rf"\b(?P<name>{any_of(_WEEKDAY_NUMBERS)})s?\b")
_MONTH_NUMBERS: Final = SHORT_MONTHS | MONTHS
_DATE: Final = re.compile(
    rf"\b(?:(?:(?:on the|il|al) )?(?P<first>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{MONTH_AFTER_DAY})|"
    rf"(?P<other>{MONTH_BEFORE_DAY}){MONTH_DOT} (?P<second>\d{{1,2}})(?:st|nd|rd|th)?|"
    r"(?:on the|il|al) (?P<day>\d{1,2})(?:st|nd|rd|th)?)\b"
)
_MONTH: Final = re.compile(
    rf"\b(?:(?<=in )|(?<=by )|(?<=since )|(?<=until )|(?<=from )|(?<=of )|(?!march\b|may\b))({any_of(MONTHS)})\b"
)
"""A month without a day. “March” and “may” have other meanings."""
_OF_AMOUNTS: Final = r"euro|eur\b|[€£%]|[kcm]?g\b|km\b|pounds|quid|dollars|per ?cent|degrees|gradi"
_CLOCK: Final = re.compile(
    r"\b(?:[01]?\d|2[0-3]):[0-5]\d(?:\s?[ap]m)?\b|\b\d{1,2}(?:[.:]\d\d)?\s?[ap]m\b|"
    r"\b(?:at|by|from|until|till|doors|load in|"
    r"(?:moved|pushed|changed|brought forward|put back|spostat[oaie]) (?:to|at)|"
    r"alle|dalle|ore) \d{1,2}(?:\.[0-5]\d)?\b"
    rf"(?![.:]\d| ?(?:{_OF_AMOUNTS}))|\b(?:half|quarter) (?:past |to )?\w+|\b(?:noon|midnight|mezzogiorno)\b"
)
_TIME_OR_PRICE: Final = re.compile(
    r"\b(?<![£$€.,])(?<![£$€] )(?:[01]?\d|2[0-3])\.[0-5]\d\b"
    rf"(?! ?(?:{_OF_AMOUNTS}))"
)
"""“10.30”: which of the two matters follows from the question."""
_NUMBER_WORDS: Final = {
    word: str(number)
    for words in (
        "two three four five six seven eight nine ten eleven twelve",
        "due tre quattro cinque sei sette otto nove dieci undici dodici",
        "second third fourth fifth sixth seventh eighth ninth tenth",
        "secondo terzo quarto quinto sesto settimo ottavo nono decimo",
    )
    for number, word in enumerate(words.split(), start=2)
}
_COLOURS: Final = _by_word(
    "red rosso rossa rossi rosse",
    "blue blu navy azzurro azzurra azzurri azzurre celeste",
    "green verde verdi sage",
    "yellow giallo gialla gialli gialle ochre ocra",
    "orange arancione arancioni",
    "purple viola violet lilac lilla",
    "pink rosa",
    "black nero nera neri nere",
    "white bianco bianca bianchi bianche",
    "grey gray grigio grigia grigi grigie",
    "brown marrone marroni",
    "beige cream crema avorio ivory tortora",
    "teal turquoise turchese",
    "gold oro",
    "silver argento",
    "burgundy bordeaux maroon",
)
_PARTS: Final = _by_word(
    "morning mornings breakfast mattina mattine mattino colazione",
    "midday lunch lunchtime pranzo mezzogiorno",
    "afternoon afternoons pomeriggio pomeriggi",
    "evening evenings night nights bedtime dinner sera serata notte cena",
    "weekday weekdays feriali feriale",
    "weekend weekends festivi festivo",
    "spring primavera",
    "summer estate",
    "autumn autunno",
    "winter inverno",
)
_UNIT: Final = "h|hrs?|mins?|k|x|[kmgt]b|[km]?g|[mck]?m|m?l|k?wh?|v"
_NUMBER: Final = re.compile(rf"(?<![\w.,])(?:\d[\d.,/]*\d|\d)(?=(?:{_UNIT})?\b)|\b(?:{'|'.join(_NUMBER_WORDS)})\b")
_NAME: Final = re.compile(r"(?<![.!?:“\"] )(?<!^)(?<![\w’'])[^\W\d_a-zà-ÿ][^\W\d_]{2,}")
_WEEKDAY_WORDS: Final = frozenset([*_WEEKDAY_NUMBERS, *(f"{name}s" for name in _WEEKDAY_NUMBERS)])
_WITHOUT_DIGITS: Final = frozenset(
    [
        *_WEEKDAY_WORDS,
        *_NUMBER_WORDS,
        *MONTHS,
        *("half", "quarter", "noon", "midnight", "mezzogiorno"),
    ]
)
_DIGIT: Final = re.compile(r"\d")
_NO_NAMES: Final = frozenset(folded(name) for name in (*MONTHS, *WEEKDAYS))
_TYPES: Final = 8
"""The number of a value is the number of its text, times this, plus its type."""
_NAME_BYTES: Final = 100
"""A name in the set of names."""
_VALUE_BYTES: Final = 190
"""The first occurrence of a value."""
_ASKS_WHEN: Final = re.compile(
    # “Due” is “two” in Italian.
    r"\b(?:when|what time|which days?|what days?|what date|dates?|doors|(?:is|are|was)(?: \w+){0,6} due|"
    r"due (?:on|by|date|in|back)|birthday|until|"
    r"quando|quand(?=')|a che ora|che or[ae]|che giorn[oi]|che data|scade|compie|compleanno)\b"
)
_ASKS_AMOUNT: Final = re.compile(
    r"\b(?:how (?:many|much|long|big|old|tall|wide|high|deep|heavy|far|often|fast|large)|what size|size|price|cost|"
    r"budget|rate|fee|salary|number|most|password|code|pin|phone|do(?:se|sage)|percent|extension|weighs?|floor|"
    r"set (?:at|to)|quant(?:[oaie]\b|(?='))|costa|costano|codice|telefono|tasso|tariffa|stipendio|taglia|misura|prezzo|"
    r"numero|interno|(?:che|quale) piano|alt[oaie]|larg[oaie]|pesa)\b"
)
_NAMED: Final = r"(?:sur)?names?|called|(?:cog)?nome"
_ASKS_NAME: Final = re.compile(
    rf"\b(?:who|whose|where|which|{_NAMED}|city|"
    r"chi|dove|dov(?=')|quale|quali|da che|in che|come si chiama(?:no)?|citta)\b"
)
_ASKS_WHAT_IT_IS_CALLED: Final = re.compile(rf"\b(?:{_NAMED}|(?:cog)?nomi|chiama(?:no)?)\b")
_ASKS_COLOUR: Final = re.compile(r"\b(?:colou?rs?|colore|colori)\b")
_ASKED: Final = (
    (_ASKS_WHEN, (ValueType.WEEKDAY, ValueType.DATE, ValueType.MONTH, ValueType.CLOCK, ValueType.PART)),
    (_ASKS_AMOUNT, (ValueType.NUMBER,)),
    (_ASKS_NAME, (ValueType.NAME,)),
    (_ASKS_COLOUR, (ValueType.COLOUR,)),
)

_ASKS_WHERE: Final = re.compile(r"\b(?:where|dov(?:e\b|'))")
_PLACE: Final = re.compile(
    r"\b(?:in|inside|at|behind|under|underneath|on|by|near|above|below|beside|between|next to|beneath|over|to|from|"
    # Someone may have it.
    r"with|next|has|have|con|ha|hanno|"
    r"nel|nello|nella|nei|nelle|dentro|dietro|sotto|sopra|vicino|accanto|davanti|presso|da|dal|dalla|al|alla|ai|alle|"
    r"sul|sulla|fuori|a) (?!last\b|once\b|least\b|first\b|all\b|time\b|the end\b|fine\b)\w"
)
_ASKS_SEVERAL: Final = re.compile(
    # In the plural: "which budgets", "when are the visits", "quali".
    r"\b(?:what|which) (?!does\b|is\b|was\b|has\b|this\b|days\b|hours\b|size\b)(?:[a-z]+ )?"
    r"(?!does\b|is\b|was\b|has\b|this\b|days\b|hours\b)[a-z]+[a-hj-rtv-z]s\b"
    r"(?!'| (?:branch|brand|edition|model|number|size|type|version)\b)|"
    r"\bwhere (?:are|were) .{0,80} and |\b(?:what|when|who|how) (?:are|were) (?:the|my|our|\w+'s) (?!\w+ing\b)|"
    r"\bquali\b|\bche (?:[a-z]+ )?[a-z]{3,}i\b|\bche [a-z]+(?:ie|he|ite)\b|"
    r"\bwhat do (?:you|we) (?:know|have)\b|\btell me (?:\w+ )?about\b|\bcosa sai\b|\b(?:parla|racconta)mi\b|"
    r"\b(?:both|all(?!')|any|every|everything|anything|everyone|else|left|things|entramb[ie]|tutt[oie]|ogni(?! quanto)|"
    r"cose|pezzi)\b|"
    # What people have or do several of.
    r"\b(?:what|who|which)(?: \w+){1,5} (?:needs?|miss\w*|owes?|promised?|asks?|asked|tell|told|say|said|likes?|loves?|"
    r"hates?|prefers?|bring|buy|offer\w*|know|not)\b|\bwho(?:'s| is| are) (?:all )?coming\b|\bwho ha(?:s|ve)\b|"
    r"\bwhat'?s wrong\b|\ballerg\w+|"
    # Two questions in one.
    r"\b(?:and|or|ed?|o|oppure)(?: (?:in|from|to|at|a|da|con|di))? (?:who|whose|what|which|when|where|why|how|"
    r"chi|che|cosa|quando|dove|come|quant[oaie]|quale|perche)\b|"
    # Sums.
    r"\b(?:spen[dt]|spending|altogether|in total|speso|spendo|spese|in tutto)\b|"
    r"\b(?:cosa|chi)\b.{0,80}\b(?:manc\w+|dev[oei]|dobbiamo|serv\w+|piac\w+|chies\w+|dett\w+|promess\w+)\b"
)

_ASKS_WHAT: Final = re.compile(
    r"^(?:(?:so|and|ok|hey|e|ma) )?(?:what (?:do|does|did|has|have|had|should|can|could|will|am|are)\b|(?:che )?cosa\b)"
)
_ASKS_WHETHER_STILL: Final = re.compile(r"\b(?:still|ancora|these days|currently|now|adesso)\b")


def values_of(text: str, plain: str, words: Sequence[str]) -> dict[ValueType, frozenset[str]]:
    """The values in ``text``, by type. ``plain`` is ``text`` folded, and ``words`` are its words."""
    names = () if text.islower() else _NAME.findall(text)
    found = {
        ValueType.NAME: frozenset(map(folded, names)) - _NO_NAMES,
        ValueType.COLOUR: _meanings(_COLOURS, words),
        ValueType.PART: _meanings(_PARTS, words),
    }
    has_digits = _DIGIT.search(plain) is not None
    if has_digits or not _WITHOUT_DIGITS.isdisjoint(words):
        has_weekday = not _WEEKDAY_WORDS.isdisjoint(words)
        found |= _days_and_numbers(plain, has_digits=has_digits, has_weekday=has_weekday)
    return {kind: values for kind, values in found.items() if values}


def _meanings(meanings: Mapping[str, str], words: Sequence[str]) -> frozenset[str]:
    if meanings.keys().isdisjoint(words):
        return frozenset()
    return frozenset(meanings[word] for word in words if word in meanings)


def _days_and_numbers(plain: str, *, has_digits: bool, has_weekday: bool) -> dict[ValueType, frozenset[str]]:
    left = plain

    def taken(pattern: re.Pattern[str]) -> list[re.Match[str]]:
        nonlocal left
        found = list(pattern.finditer(left))
        if found:
            left = pattern.sub(" ", left)
        return found

    dates, clocks = taken(_DATE) if has_digits else [], taken(_CLOCK)
    if "." in left:
        clocks += _TIME_OR_PRICE.finditer(left)
    return {
        ValueType.DATE: frozenset(map(_day, dates)),
        ValueType.MONTH: frozenset(str(MONTHS[month]) for month in _MONTH.findall(left)),
        ValueType.CLOCK: frozenset(map(_clock, clocks)),
        ValueType.WEEKDAY: frozenset(
            str(_WEEKDAY_NUMBERS[match["name"]]) for match in (taken(_WEEKDAY) if has_weekday else ())
        ),
        ValueType.NUMBER: frozenset(_NUMBER_WORDS.get(match[0], match[0]) for match in taken(_NUMBER)),
    }


def _day(match: re.Match[str]) -> str:
    day, month = match["first"] or match["second"] or match["day"], match["month"] or match["other"]
    return f"{day}.{_MONTH_NUMBERS[month]}" if month else str(day)


def _clock(match: re.Match[str]) -> str:
    return "".join(filter(str.isdigit, match[0])) or match[0]


class NumberedValues:
    """The values of passages, in the order of their numbers."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._names: set[str] = set()
        self._lists = NumberLists()
        self._occurrences = 0

    @property
    def size(self) -> int:
        """The approximate size in bytes."""
        return _VALUE_BYTES * len(self._numbers) + _NAME_BYTES * len(self._names) + NUMBER_BYTES * self._occurrences

    def is_name(self, word: str) -> bool:
        """Whether any passage has ``word`` (folded) as a name."""
        return word in self._names

    def append(self, values: Mapping[ValueType, AbstractSet[str]]) -> None:
        """Add the values of the next passage."""
        numbers = [
            _TYPES * self._numbers.setdefault(value, len(self._numbers)) + kind
            for kind, found in values.items()
            for value in found
        ]
        self._names.update(values.get(ValueType.NAME, ()))
        self._lists.append(numbers)
        self._occurrences += len(numbers)

    def numbers_of(self, values: Mapping[ValueType, AbstractSet[str]]) -> list[int]:
        """The numbers of the ``values`` that occur."""
        return [
            _TYPES * number + kind
            for kind, found in values.items()
            for value in found
            if (number := self._numbers.get(value)) is not None
        ]

    def joined(self, passages: Iterable[int]) -> tuple[Integers, Integers, Integers]:
        """The values of these passages, the type of each, and the index of its passage in ``passages``."""
        numbers, which = self._lists.joined(passages)
        return numbers, numbers % _TYPES, which


def asked_types(question: str) -> frozenset[ValueType]:
    """The types of values that ``question`` asks for."""
    plain = comparable(question)
    return frozenset(kind for pattern, kinds in _ASKED for kind in kinds if pattern.search(plain))


def asks_what_it_is_called(question: str) -> bool:
    """Whether ``question`` asks what someone or something is called."""
    return _ASKS_WHAT_IT_IS_CALLED.search(folded(question)) is not None


def asks_where(question: str) -> bool:
    """Whether ``question`` asks for a place."""
    return _ASKS_WHERE.search(comparable(question)) is not None


def names_place(plain: str) -> bool:
    """Whether a text (folded) may say where something is."""
    return _PLACE.search(plain) is not None


def asks_for_several(question: str) -> bool:
    """Whether ``question`` may have several answers, so that another one need not replace the first."""
    return _ASKS_SEVERAL.search(comparable(question)) is not None


def asks_what(question: str) -> bool:
    """Whether ``question`` asks what someone does or has, which often has several answers."""
    return _ASKS_WHAT.search(folded(question).strip()) is not None


def asks_whether_still(question: str) -> bool:
    """Whether ``question`` asks what still holds, or holds now."""
    return _ASKS_WHETHER_STILL.search(folded(question)) is not None
