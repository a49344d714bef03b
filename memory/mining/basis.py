"""What recurs in a habit, and the sentence that says it. Pure."""

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self

from accounts.translations import gettext_noop, translations

_HOURS: Final = 24


class Kind(StrEnum):
    """How something recurs."""

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
    """What recurs. ``weekday`` counts from Monday (0); ``weekday`` and ``hour`` are -1 where they do not matter."""

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
        """Whether both are the same habit: it may have moved by an hour and changed a word."""
        near = self.hour == other.hour or apart(self.hour, other.hour) <= 1
        alike = not set(self.words).isdisjoint(other.words)
        return (self.kind, self.weekday) == (other.kind, other.weekday) and near and alike

    def sentence(self, language: str) -> str:
        """The habit in the user's language (an IETF tag); in English if there are no words in it."""
        gettext = translations(language).gettext
        day = gettext(_DAYS).split(", ")[self.weekday] if self.weekday >= 0 else ""
        return gettext(_SENTENCES[self.kind]).format(day=day, hour=self.hour, words=", ".join(self.words))


def apart(first: int, second: int) -> int:
    """The hours between two hours of the day, the shorter way round."""
    return min((first - second) % _HOURS, (second - first) % _HOURS)
