"""Finding habits in a user's episodes. Pure.

A habit is words that recur at the same hour of a weekday, week after week, or at the same hour day after day (an hour
more or less does not matter), or a name that recurs. Its confidence grows with the weeks or days that show it; each of
these counts half after a while. It is computed from the episodes each time, so nothing is counted twice.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from typing import Final, Self

from accounts.translations import gettext_noop, translations
from memory.search.words import folded

MIN_WEEKS: Final = 3
MIN_DAYS: Final = 5
MIN_NAME_DAYS: Final = 4
"""How often something must recur: in how many weeks at one hour of a weekday, on how many days at one hour, and a name
on how many days.
"""
_MIN_WEEKDAYS: Final = 3
"""On how many different weekdays a daily habit must occur: every Monday is not every day."""
HALF_LIFE_DAYS: Final = {"weekly": 42.0, "daily": 14.0, "name": 30.0}
_WEIGHTS: Final = {"weekly": 0.6, "daily": 0.3, "name": 0.35}
_OWN_SHARE: Final = 0.4
"""The least share of a word's uses that must be at the habit's hour."""
_ALIKE: Final = 0.5
"""The least share of common episodes that makes two words one habit."""
_MAX_WORDS: Final = 4
_HOURS: Final = 24


class Kind(StrEnum):
    """The kind of a habit."""

    WEEKLY = "weekly"
    DAILY = "daily"
    NAME = "name"


_SENTENCES: Final = {
    Kind.WEEKLY: gettext_noop("On {day} around {hour}:00 the user asks about: {words}."),
    Kind.DAILY: gettext_noop("Every day around {hour}:00 the user asks about: {words}."),
    Kind.NAME: gettext_noop("The user often speaks of {words}."),
}
_DAYS: Final = gettext_noop("Mondays, Tuesdays, Wednesdays, Thursdays, Fridays, Saturdays, Sundays")


@dataclass(frozen=True, kw_only=True, slots=True)
class Basis:
    """What recurs, and when. ``weekday`` counts from Monday (0). Either is -1 if it does not matter."""

    kind: Kind
    words: tuple[str, ...]
    weekday: int = -1
    hour: int = -1

    def as_text(self) -> str:
        """The basis as it is stored: JSON."""
        return json.dumps([self.kind, self.weekday, self.hour, *self.words], ensure_ascii=False)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The basis that ``as_text`` wrote."""
        kind, weekday, hour, *words = json.loads(text)
        return cls(kind=Kind(kind), weekday=weekday, hour=hour, words=tuple(words))

    def means(self, other: "Basis") -> bool:
        """Whether both are the same habit, which may have moved by an hour and changed some of its words."""
        near = self.hour == other.hour or apart(self.hour, other.hour) <= 1
        alike = not set(self.words).isdisjoint(other.words)
        return (self.kind, self.weekday) == (other.kind, other.weekday) and near and alike

    def sentence(self, language: str) -> str:
        """The habit in the user's language (an IETF tag); in English if that is not supported."""
        gettext = translations(language).gettext
        day = gettext(_DAYS).split(", ")[self.weekday] if self.weekday >= 0 else ""
        return gettext(_SENTENCES[self.kind]).format(day=day, hour=self.hour, words=", ".join(self.words))


def apart(first: int, second: int) -> int:
    """How many hours of the day are apart: 23 and 1 are two."""
    return min((first - second) % _HOURS, (second - first) % _HOURS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """An episode: its text, and its time in the user's time zone."""

    text: str
    at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Recurring:
    """A habit and its confidence (0 to 1)."""

    basis: Basis
    confidence: float


def recurring(seen: Sequence[Seen], today: date) -> list[Recurring]:
    """The habits in these episodes, the most confident first."""
    said = {word: places for word, places in _places(seen, words_in).items() if len(places) >= MIN_WEEKS}
    daily = [found for word, places in said.items() if (found := _regular(seen, word, places)) is not None]
    known = {word for found in daily for word in found.basis.words}
    weekly = [
        found
        for word, places in said.items()
        if word not in known
        for weekday in sorted({seen[place].at.weekday() for place in places})
        if (found := _regular(seen, word, places, weekday)) is not None
    ]
    named = [
        _found(seen, Basis(kind=Kind.NAME, words=(name,)), places) for name, places in _places(seen, names_in).items()
    ]
    names = [each for each in named if len(each.days) >= MIN_NAME_DAYS]
    habits = [each.rated(today) for each in (*_merged(daily), *_merged(weekly), *names)]
    return sorted(habits, key=lambda each: (-each.confidence, each.basis.as_text()))


def _places(seen: Sequence[Seen], say: Callable[[str], Iterable[str]]) -> dict[str, list[int]]:
    """Each word that ``say`` finds in the episodes, with the indexes of the episodes that have it."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, each in enumerate(seen):
        for word in say(each.text):
            places[word].append(place)
    return places


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    """A habit, with the indexes and the days of the episodes that show it."""

    basis: Basis
    places: frozenset[int]
    days: frozenset[date]

    def rated(self, today: date) -> Recurring:
        half = HALF_LIFE_DAYS[self.basis.kind]
        support = sum(0.5 ** (max((today - day).days, 0) / half) for day in self.days)
        return Recurring(basis=self.basis, confidence=float(1 - 0.5 ** (_WEIGHTS[self.basis.kind] * support)))


def _found(seen: Sequence[Seen], basis: Basis, places: Iterable[int]) -> _Found:
    shown = frozenset(places)
    return _Found(basis=basis, places=shown, days=frozenset(seen[place].at.date() for place in shown))


def _regular(seen: Sequence[Seen], word: str, places: Sequence[int], weekday: int | None = None) -> _Found | None:
    """The word at the hour around which it was used on most days; None if it is mostly used at other times.

    With ``weekday``, only the days of that weekday count.
    """
    hours: dict[int, list[int]] = defaultdict(list)
    for place in places:
        at = seen[place].at
        if weekday in {None, at.weekday()}:
            hours[at.hour].append(place)
    about = {
        hour: [place for other, near in hours.items() if apart(hour, other) <= 1 for place in near]
        for hour in sorted(hours)
    }
    kind, day = (Kind.DAILY, -1) if weekday is None else (Kind.WEEKLY, weekday)
    found = [
        _found(seen, Basis(kind=kind, weekday=day, hour=hour, words=(word,)), near) for hour, near in about.items()
    ]
    # Of hours with the same number of days, the one at which the word was used most often.
    best = max(found, key=lambda each: (len(each.days), len(hours[each.basis.hour])))
    enough = len(best.days) >= (MIN_DAYS if weekday is None else MIN_WEEKS)
    spread = weekday is not None or len({each.weekday() for each in best.days}) >= _MIN_WEEKDAYS
    return best if enough and spread and len(best.places) >= _OWN_SHARE * len(places) else None


def _merged(found: Sequence[_Found]) -> list[_Found]:
    """Join the words that recur in the same episodes at the same time to one habit."""
    merged: list[_Found] = []
    for each in sorted(found, key=lambda each: (-len(each.places), each.basis.words)):
        place = next((at for at, other in enumerate(merged) if _one(each, other)), None)
        if place is None:
            merged.append(each)
            continue
        first = merged[place]
        words = (*first.basis.words, *each.basis.words)[:_MAX_WORDS]
        merged[place] = replace(first, basis=replace(first.basis, words=words))
    return merged


def _one(first: _Found, second: _Found) -> bool:
    if first.basis.weekday != second.basis.weekday or apart(first.basis.hour, second.basis.hour) > 1:
        return False
    return len(first.places & second.places) >= _ALIKE * len(first.places | second.places)


def aged(confidence: float, kind: Kind, *, days: float) -> float:
    """The confidence after so many days without evidence."""
    return float(confidence * 0.5 ** (days / HALF_LIFE_DAYS[kind]))


_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_STOP_WORDS: Final = frozenset(
    _WORD.findall(
        "the and are was were has have had for from with that this what which who when where how not but you your user "
        "users said says say asked ask asks asking answer answered answers assistant wanted want wants told tell tells "
        "requested request show shows showed list listed lists give gave given please there they them their its all "
        "any some can could would should about into been being did does done just now today tomorrow yesterday "
        "monday tuesday wednesday thursday friday saturday sunday "
        "gli del della delle dei degli dal dalla dalle nel nella nelle sul sulla che chi cosa come quando dove quale "
        "quali non per con tra fra una uno sono era erano hanno aveva questo questa questi queste tutti tutte suo sua "
        "suoi sue mio mia miei mie utente detto chiesto chiede risposta risposto assistente vuole voleva mostra "
        "mostrato elenca elencato dammi favore oggi domani ieri lunedi martedi mercoledi giovedi venerdi sabato "
        "domenica"
    )
)
_NOT_NAMES: Final = frozenset(
    _WORD.findall(
        "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
        "september october november december user assistant the this that answer utente risposta"
    )
)
_PART: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SENTENCE_STARTS_AFTER: Final = frozenset('.!?:…“”"«»(\n')


def said_in(texts: Iterable[str]) -> set[str]:
    """All words and names in ``texts``, in the form of ``Basis.words``."""
    return {word for text in texts for word in (*words_in(text), *names_in(text))}


def words_in(text: str) -> list[str]:
    """The words without stop words, each once, without case and accents."""
    return list(dict.fromkeys(word for word in _WORD.findall(folded(text)) if word not in _STOP_WORDS))


def names_in(text: str) -> set[str]:
    """Runs of capitalised words in the middle of a sentence."""
    names: set[str] = set()
    run: list[re.Match[str]] = []
    for part in _PART.finditer(text):
        if not _is_name(part, text):
            names.add(_name(run))
            run = []
        elif run and part.start() == run[-1].end() + 1 and text[run[-1].end()] == " ":
            run.append(part)
        else:
            names.add(_name(run))
            run = [part]
    names.add(_name(run))
    return names - {""}


def _is_name(part: re.Match[str], text: str) -> bool:
    word, before = part.group(), text[: part.start()].rstrip(" ")
    begins = not before or before[-1] in _SENTENCE_STARTS_AFTER
    return len(word) > 1 and word[0].isupper() and not begins and folded(word) not in _NOT_NAMES


def _name(run: list[re.Match[str]]) -> str:
    return " ".join(part.group() for part in run)
