"""Finding what recurs in a user's requests: the same words at the same hour of the week, and the same names. Pure.

A habit shows in words that recur at the same hour of a weekday, week after week, or at the same hour day after day; an
hour more or less does not matter. Its confidence grows with the weeks or days that show it, and each counts half after
a while. It is computed from the episodes each time, so nothing is counted twice.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from memory.mining.basis import Basis, Kind, apart
from memory.mining.words import names_in, words_in

MIN_WEEKS: Final = 3
MIN_DAYS: Final = 5
MIN_NAME_DAYS: Final = 4
"""How often something must recur: weeks at one hour of a weekday, days at one hour, days."""
_MIN_WEEKDAYS: Final = 3
"""On how many weekdays a daily habit must show: every Monday is not every day."""
HALF_LIFE_DAYS: Final = {"weekly": 42.0, "daily": 14.0, "name": 30.0}
_WEIGHTS: Final = {"weekly": 0.6, "daily": 0.3, "name": 0.35}
_OWN_SHARE: Final = 0.4
"""The least share of a word's uses that must be at the habit's hour."""
_ALIKE: Final = 0.5
"""The least share of common episodes that makes two words one habit."""
_MAX_WORDS: Final = 4


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
    said = _Said(seen)
    daily = [found for word in said.words if (found := _daily(said, word)) is not None]
    known = {word for found in daily for word in found.basis.words}
    weekly = [
        found
        for word in said.words
        if word not in known
        for weekday in sorted(said.weekdays(word))
        if (found := _weekly(said, word, weekday)) is not None
    ]
    habits = [*_merged(daily), *_merged(weekly), *_names(seen)]
    sure = [Recurring(basis=each.basis, confidence=_confidence(each, today)) for each in habits]
    return sorted(sure, key=lambda each: (-each.confidence, each.basis.as_text()))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    """A habit, the indexes of the episodes that show it, and the days of these."""

    basis: Basis
    places: frozenset[int]
    days: frozenset[date]


class _Said:
    """The indexes of the episodes that contain a word, for each word that is in enough of them."""

    def __init__(self, seen: Sequence[Seen]) -> None:
        self.seen = seen
        everything: dict[str, list[int]] = defaultdict(list)
        for place, each in enumerate(seen):
            for word in words_in(each.text):
                everything[word].append(place)
        self.words = {word: places for word, places in everything.items() if len(places) >= MIN_WEEKS}

    def by_hour(self, word: str, weekday: int | None) -> dict[int, list[int]]:
        """The word's episodes by the hour of the day; only those of ``weekday`` if it is given."""
        hours: dict[int, list[int]] = defaultdict(list)
        for place in self.words[word]:
            at = self.seen[place].at
            if weekday in {None, at.weekday()}:
                hours[at.hour].append(place)
        return hours

    def weekdays(self, word: str) -> set[int]:
        return {self.seen[place].at.weekday() for place in self.words[word]}

    def days(self, places: Iterable[int]) -> frozenset[date]:
        return frozenset(self.seen[place].at.date() for place in places)


def _daily(said: _Said, word: str) -> _Found | None:
    best = _best(said, word, None)
    if best is None:
        return None
    hour, places = best
    days = said.days(places)
    if len(days) < MIN_DAYS or len({day.weekday() for day in days}) < _MIN_WEEKDAYS:
        return None
    return _Found(basis=Basis(kind=Kind.DAILY, hour=hour, words=(word,)), places=frozenset(places), days=days)


def _weekly(said: _Said, word: str, weekday: int) -> _Found | None:
    best = _best(said, word, weekday)
    if best is None:
        return None
    hour, places = best
    days = said.days(places)
    if len(days) < MIN_WEEKS:
        return None
    basis = Basis(kind=Kind.WEEKLY, weekday=weekday, hour=hour, words=(word,))
    return _Found(basis=basis, places=frozenset(places), days=days)


def _best(said: _Said, word: str, weekday: int | None) -> tuple[int, list[int]] | None:
    """The hour around which the word was used on most days, if it is mostly used then."""
    hours = said.by_hour(word, weekday)
    about = {
        hour: [place for other, places in hours.items() if apart(hour, other) <= 1 for place in places]
        for hour in sorted(hours)
    }
    # Of hours with as many days, the one at which the word was used most often.
    hour = max(about, key=lambda each: (len(said.days(about[each])), len(hours[each])))
    return (hour, about[hour]) if len(about[hour]) >= _OWN_SHARE * len(said.words[word]) else None


def _merged(found: Sequence[_Found]) -> list[_Found]:
    """Words in the same episodes at the same time are one habit."""
    merged: list[_Found] = []
    for each in sorted(found, key=lambda each: (-len(each.places), each.basis.words)):
        place = next((at for at, other in enumerate(merged) if _one(each, other)), None)
        if place is None:
            merged.append(each)
        else:
            merged[place] = _joined(merged[place], each)
    return merged


def _one(first: _Found, second: _Found) -> bool:
    if first.basis.weekday != second.basis.weekday or apart(first.basis.hour, second.basis.hour) > 1:
        return False
    return len(first.places & second.places) >= _ALIKE * len(first.places | second.places)


def _joined(first: _Found, second: _Found) -> _Found:
    words = (*first.basis.words, *second.basis.words)[:_MAX_WORDS]
    basis = Basis(kind=first.basis.kind, weekday=first.basis.weekday, hour=first.basis.hour, words=words)
    return _Found(basis=basis, places=first.places, days=first.days)


def _names(seen: Sequence[Seen]) -> list[_Found]:
    by_name: dict[str, set[int]] = defaultdict(set)
    for place, each in enumerate(seen):
        for name in names_in(each.text):
            by_name[name].add(place)
    found = [
        _Found(
            basis=Basis(kind=Kind.NAME, words=(name,)),
            places=frozenset(places),
            days=frozenset(seen[place].at.date() for place in places),
        )
        for name, places in by_name.items()
    ]
    return [each for each in found if len(each.days) >= MIN_NAME_DAYS]


def _confidence(found: _Found, today: date) -> float:
    half = HALF_LIFE_DAYS[found.basis.kind]
    support = sum(0.5 ** (max((today - day).days, 0) / half) for day in found.days)
    return float(1 - 0.5 ** (_WEIGHTS[found.basis.kind] * support))


def aged(confidence: float, kind: Kind, *, days: float) -> float:
    """The confidence after so many days without evidence."""
    return float(confidence * 0.5 ** (days / HALF_LIFE_DAYS[kind]))
