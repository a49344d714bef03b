"""What a habit stands on, apart from the words it is told in. Pure."""

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self

_HOURS: Final = 24


class Kind(StrEnum):
    """How something recurs."""

    WEEKLY = "weekly"
    DAILY = "daily"
    NAME = "name"


@dataclass(frozen=True, kw_only=True, slots=True)
class Basis:
    """What recurs. ``weekday`` counts from Monday (0); it and ``hour`` are -1 where they do not matter."""

    kind: Kind
    words: tuple[str, ...]
    weekday: int = -1
    hour: int = -1

    def as_text(self) -> str:
        """One text to be kept."""
        return json.dumps([self.kind, self.weekday, self.hour, *self.words], ensure_ascii=False)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """What ``as_text`` wrote."""
        kind, weekday, hour, *words = json.loads(text)
        return cls(kind=Kind(kind), weekday=weekday, hour=hour, words=tuple(words))

    def means(self, other: "Basis") -> bool:
        """Whether both are the same habit, which may have moved by an hour and changed a word."""
        near = self.hour == other.hour or apart(self.hour, other.hour) <= 1
        alike = not set(self.words).isdisjoint(other.words)
        return (self.kind, self.weekday) == (other.kind, other.weekday) and near and alike


def apart(first: int, second: int) -> int:
    """Hours between two hours of the day, the shorter way round."""
    return min((first - second) % _HOURS, (second - first) % _HOURS)
