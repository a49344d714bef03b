"""Which passages someone has taken back or changed later, by their words and values, in English and Italian. Pure.

Only passages that are about to be told for one question are compared: what it asks narrows what can differ. An earlier
one gives way to a later one if both are about the same (rare words in common, of the question above all), and the later
one says that something changes (“instead”, “non più”, or the assistant answered that it has moved or deleted something)
or has another value of the same type: a day, a time, a number, a name.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from functools import cached_property
from typing import Final

from memory.search.dates import asked_spans
from memory.search.words import folded


class Value(StrEnum):
    """Types of what can be said of something and differ later."""

    WEEKDAY = "weekday"
    DATE = "date"
    CLOCK = "clock"
    NUMBER = "number"
    NAME = "name"


_MONTH: Final = (
    r"jan(?:uary)?|feb(?:ruary)?|march|mar|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?|gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|"
    r"dicembre"
)
_WEEKDAYS: Final = {
    "mon": 0, "tue": 1, "wed": 2, "thu": 3, "fri": 4, "sat": 5, "sun": 6,
    "lun": 0, "mar": 1, "mer": 2, "gio": 3, "ven": 4, "sab": 5, "dom": 6,
}  # fmt: skip
_WEEKDAY: Final = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|mon|tues?|weds?|thurs?|fri|sat|"
    r"lunedi|martedi|mercoledi|giovedi|venerdi|sabato|domenica)\b"
)
_DATE: Final = re.compile(
    rf"\b(?:(?:(?:on the|il|al) )?(?P<first>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})|"
    rf"(?P<other>{_MONTH}) (?P<second>\d{{1,2}})(?:st|nd|rd|th)?|(?:on the|il|al) (?P<day>\d{{1,2}})(?:st|nd|rd|th)?)\b"
)
_CLOCK: Final = re.compile(
    r"\b\d{1,2}[.:]\d\d(?:\s?[ap]m)?\b|\b\d{1,2}\s?[ap]m\b|"
    r"\b(?:at|by|from|until|doors|load in|alle|dalle|ore) \d{1,2}\b"
    r"(?![.:]\d| ?(?:euro|%))|\b(?:half|quarter) (?:past |to )?\w+|\b(?:noon|midnight|mezzogiorno)\b"
)
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
_NUMBER: Final = re.compile(rf"(?<![\w.,])(?:\d[\d.,/]*\d|\d)(?=(?:h|k|kg|km|m)?\b)|\b(?:{'|'.join(_NUMBER_WORDS)})\b")
_NAME: Final = re.compile(r"(?<![.!?:“\"] )(?<!^)(?<![\w’'])[^\W\d_a-zà-ÿ][^\W\d_]{2,}")

_SAYS_CHANGE: Final = re.compile(
    r"\b(?:instead|after all|no longer|no more|not? (?:\w+ ){0,5}any ?more|any ?more|scrap|forget (?!to\b)|"
    r"change of plans?|changed? (?:my|our|his|her|their|your) minds?|changed?(?: \w+){1,4} to|"
    r"mov(?:ed|es|e|ing)(?: \w+){0,5} to|goes to|(?:is|are) now|now (?:on|at|in|is|it's)|from now on|"
    r"switch(?:ed|es|ing)?|swapped|postponed|pushed|brought forward|rescheduled|called off|cancel\w*|"
    r"(?:cut|raised|lowered|reduced|dropped)(?: \w+){1,4} to|(?:is|are|went|gone|goes) (?:up|down) to|up to \d|"
    r"correction|turns out|let's (?:go for|make it|do|say)|make (?:it|that)|can't (?:\w+ ){1,6}now|is out|are out|"
    r"replac\w+|convinced me|on second thoughts?|rather than|were wrong|was wrong|new (?!zealand|york)\w+|"
    r"(?:we're|i'm|is|are) not (?:getting|going|doing|coming)|fine (?:\w+ ){1,4}again|back from|"
    r"starting|as of|from (?:" + _MONTH + r")|"
    r"invece|non (?:\w+ ){1,4}piu|niente piu|contrordine|cambiat[oaie]|cambiamo|cambio|adesso|d'ora in poi|"
    r"da (?:" + _MONTH + r"|oggi|domani|adesso)|spost\w+|slitta\w*|rimand\w+|rinvi\w+|anticip\w+|annull\w+|disdett\w+|"
    r"si passa|passiamo|passa (?:a|al|alla|ai)|trasferit[oaie]|(?:e|sono) (?:salit|sces|aument)[oaie]\w*|anzi|"
    r"in realta|ripensat\w+|rinunciato|ribalt\w+|si riprende|facciamol[oa]|nuov[oaie])\b|"
    r"\b(?:is|are|they're) full on\b|\bnot \w+ but\b"
)
_SAYS_END: Final = re.compile(
    r"\b(?:delete|remove|scrap|throw (?:\w+ )?away|drop|cancel|get rid of|forget|"
    r"elimina|cancella|togli|rimuovi|butta)\b"
)
_ANSWERS_CHANGE: Final = re.compile(
    r"\bi(?:'ve| have)? (?:changed|moved|updated|corrected|replaced|rescheduled|raised|lowered|removed|postponed)\b|"
    r"^(?:moved|changed|updated|corrected|rescheduled)\b|"
    r"\bho (?:cambiato|spostato|aggiornato|corretto|modificato|sostituito|alzato|abbassato|tolto|"
    r"rinviato|anticipato)\b|"
    r"^(?:spostat|aggiornat|corrett|cambiat|modificat)[oaie]\b"
)
_ANSWERS_END: Final = re.compile(
    r"\bi(?:'ve| have)? (?:deleted|removed|cancelled|canceled)\b|^(?:deleted|removed|cancelled)\b|"
    r"\bho (?:eliminato|cancellato|rimosso|tolto)\b|^(?:eliminat|cancellat|rimoss)[oaie]\b"
)
_TITLE: Final = re.compile('[“"«]([^”"»]{3,80})[”"»]')
_WORD: Final = re.compile(r"[^\W_]+")
_ASKS_WHEN: Final = re.compile(
    r"\b(?:when|what time|which days?|what days?|what date|dates?|doors|due|birthday|until|"
    r"quando|a che ora|che ora|che giorn[oi]|in che giorn[oi]|che data|scade|compie|compleanno)\b"
)
_ASKS_AMOUNT: Final = re.compile(
    r"\b(?:how (?:many|much|long|big|old)|what size|size|price|cost|budget|rate|number|most|password|code|floor|"
    r"quant[oaie]|costa|costano|taglia|prezzo|numero|piano|budget)\b"
)
_ASKS_NAME: Final = re.compile(
    r"\b(?:who|whose|where|which|name|called|city|chi|dove|quale|quali|da che|in che|come si chiama|nome|citta)\b"
)
_ASKED: Final = (
    (_ASKS_WHEN, (Value.WEEKDAY, Value.DATE, Value.CLOCK)),
    (_ASKS_AMOUNT, (Value.NUMBER,)),
    (_ASKS_NAME, (Value.NAME,)),
)


_PAST: Final = re.compile(
    r"\b(?:used to|before|previous(?:ly)?|former(?:ly)?|original(?:ly)?|initial(?:ly)?|at first|first|in the past|"
    r"earlier|back then|at the time|until|no longer|any ?more|old|history|changed?|over time|ever|"
    r"prima|preceden\w*|in passato|una volta|in origine|originari\w*|inizial\w*|all['’]inizio|un tempo|allora|"
    r"vecchi[oaie]|finora|non più|cambiat\w*|storia|mai)\b|"
    r"\b(?:did|was|were) (?:i|we|my|our|the)\b|\b(?:vivevo|abitavo|lavoravo|ero|era|avevo|mi piaceva)\b",
    re.IGNORECASE,
)

# How likely it is that the later of two passages has changed the earlier, as log odds: fitted to the project's own
# cases, then set by hand.
_NEVER: Final = -5.6
_RARE: Final = 2.3
_MOST_RARE: Final = 3.0
_WORDS: Final = 10
"""Longer texts than this have words in common by chance."""
_OF_QUESTION: Final = 3.2
_SAID: Final = 1.4
_ANSWERED: Final = 0.4
_TITLE_GONE: Final = 3.9
_VALUE: Final = 1.6
_OTHER_NAME: Final = 1.2
_LIKELY: Final = 0.5
_SURE: Final = 3.0
_ANSWER_CHARS: Final = 200
"""As much of an answer says what was done."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """That a passage was taken back or changed at ``since``; not ``sure``: perhaps."""

    since: datetime
    sure: bool


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A passage, what was answered to its message, and its stems with how rare each is (0 to 1).

    ``speaker`` is the name before a colon, as in copied chats. ``changes`` is whether it may change an earlier one:
    what the assistant says does not.
    """

    number: int
    at: datetime
    text: str
    answer: str
    changes: bool
    speaker: frozenset[str]
    stems: Mapping[str, float] = field(repr=False)

    @cached_property
    def plain(self) -> str:
        """The text, folded."""
        return _plain(self.text)

    @cached_property
    def plain_answer(self) -> str:
        """How the answer begins, folded."""
        return _plain(self.answer[:_ANSWER_CHARS])

    @cached_property
    def values(self) -> Mapping[Value, frozenset[str]]:
        """As ``values_of``."""
        return values_of(self.text, self.plain)

    @cached_property
    def changing(self) -> float:
        """How plainly it or its answer says that something changes."""
        said = _SAYS_CHANGE.search(self.plain) is not None
        return _SAID * said + _ANSWERED * (_ANSWERS_CHANGE.search(self.plain_answer) is not None)

    @cached_property
    def ended(self) -> Sequence[frozenset[str]]:
        """The words of each title of which the answer says that it is gone."""
        if not (_ANSWERS_END.search(self.plain_answer) and _SAYS_END.search(self.plain)):
            return ()
        return [frozenset(_WORD.findall(title)) for title in _TITLE.findall(self.plain_answer)]

    @cached_property
    def named(self) -> frozenset[str]:
        """Its words, and those of the titles in its answer."""
        return frozenset(_WORD.findall(f"{self.plain} {' '.join(_TITLE.findall(self.plain_answer))}"))


def asks_about_past(question: str, today: date) -> bool:
    """Whether ``question`` is about what was, in English or Italian."""
    return _PAST.search(question) is not None or any(span.last < today for span in asked_spans(question, today))


def changed(
    statements: Iterable[Statement], asked: Sequence[tuple[AbstractSet[str], float]], question: str
) -> dict[int, Change]:
    """By their number the ``statements`` that later ones have changed, by the first one that is likely to.

    ``asked`` are the words of ``question``, each as its stems, with how rare it is.
    """
    kinds, found = asked_values(question), dict[int, Change]()
    ordered = sorted(statements, key=lambda each: each.at)
    total = sum(weight for _, weight in asked) or 1.0
    for place, later in enumerate(ordered):
        if not later.changes or not (later.changing or later.ended or later.values):
            continue
        for earlier in ordered[:place]:
            if earlier.speaker != later.speaker:
                continue
            if earlier.at < later.at and not ((known := found.get(earlier.number)) and known.sure):
                likely = _likelihood(earlier, later, asked, total, kinds)
                if likely > (_SURE if known else _LIKELY):
                    found[earlier.number] = Change(since=later.at, sure=likely > _SURE)
    return found


def _likelihood(
    earlier: Statement,
    later: Statement,
    asked: Sequence[tuple[AbstractSet[str], float]],
    total: float,
    kinds: AbstractSet[Value],
) -> float:
    shared = earlier.stems.keys() & later.stems.keys()
    if not shared:
        return _NEVER
    others = {
        kind for kind, values in later.values.items() if kind in earlier.values and not values & earlier.values[kind]
    }
    if not (others or later.changing or later.ended):
        return _NEVER
    by_chance = max(math.sqrt(len(earlier.stems) * len(later.stems)) / _WORDS, 1.0)
    rare = sum(earlier.stems[stem] for stem in shared) / by_chance
    of_question = sum(
        weight for stems, weight in asked if not (stems.isdisjoint(earlier.stems) or stems.isdisjoint(later.stems))
    )
    return (
        _NEVER
        + _RARE * min(rare, _MOST_RARE)
        + _OF_QUESTION * of_question / total
        + later.changing
        + _TITLE_GONE * any(title <= earlier.named for title in later.ended)
        + _VALUE * bool(others & kinds - {Value.NAME})
        + _OTHER_NAME * (Value.NAME in others & kinds)
    )


def values_of(text: str, plain: str) -> dict[Value, frozenset[str]]:
    """The values in ``text`` by type; ``plain`` is ``text`` folded."""
    left = plain

    def taken(pattern: re.Pattern[str]) -> list[re.Match[str]]:
        nonlocal left
        found = list(pattern.finditer(left))
        left = pattern.sub(" ", left)
        return found

    dates = frozenset(_day(match) for match in taken(_DATE))
    clocks = frozenset("".join(char for char in match[0] if char.isdigit()) or match[0] for match in taken(_CLOCK))
    weekdays = frozenset(str(_WEEKDAYS[match[0][:3]]) for match in taken(_WEEKDAY))
    numbers = frozenset(_NUMBER_WORDS.get(match[0], match[0]) for match in taken(_NUMBER))
    names = frozenset(folded(match) for match in _NAME.findall(text)) - frozenset(_MONTH.split("|"))
    found = {
        Value.DATE: dates, Value.CLOCK: clocks, Value.WEEKDAY: weekdays, Value.NUMBER: numbers, Value.NAME: names,
    }  # fmt: skip
    return {kind: values for kind, values in found.items() if values}


def asked_values(question: str) -> frozenset[Value]:
    """The types of values that ``question`` asks for."""
    plain = folded(question)
    return frozenset(kind for pattern, kinds in _ASKED for kind in kinds if pattern.search(plain))


def _day(match: re.Match[str]) -> str:
    day, month = match["first"] or match["second"] or match["day"], match["month"] or match["other"] or ""
    return f"{day} {month[:3]}".strip()


def _plain(text: str) -> str:
    return folded(text).replace("’", "'")
