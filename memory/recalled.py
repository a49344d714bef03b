"""What was recalled for a message, as the model gets it and as clients show it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import chain
from typing import Final
from uuid import UUID

ALWAYS: Final = ("always",)
"""Why preferences and habits are recalled: with every message."""


class ItemKind(StrEnum):
    """What an item is."""

    PREFERENCE = "preference"
    FACT = "fact"
    EXCHANGE = "exchange"
    HABIT = "habit"


@dataclass(frozen=True, kw_only=True, slots=True)
class RecalledItem:
    """One thing that is remembered.

    ``id`` is the id of its row, for passages that of their exchange. ``text`` is what the model gets, for a preference
    the value under ``key``. ``why`` are the signals by which it was found, the strongest first. ``said_in`` is the
    exchange that it comes from, and ``said_at`` when it was said, if that is known. ``entity_type`` and ``entity_id``
    name the row on the device that a fact is about.
    """

    id: UUID
    kind: ItemKind
    text: str
    why: tuple[str, ...] = ALWAYS
    key: str = ""
    said_at: datetime | None = None
    said_in: UUID | None = None
    entity_type: str = ""
    entity_id: str = ""

    @property
    def undated(self) -> str:
        """The text without the date at its beginning."""
        return self.text.partition(": ")[2]

    @property
    def shown(self) -> str:
        """The text with its key, for people."""
        return f"{self.key}: {self.text}" if self.key else self.text


@dataclass(frozen=True, kw_only=True, slots=True)
class Recalled:
    """What the model gets of the memory with a message.

    Of the preferences, those that changed last come first; of facts and habits, those that matter most. Exchanges are
    passages of earlier ones, the oldest first, or without an index the newest summaries, the newest first. ``off`` says
    that the user has turned the memory off. ``as_of`` is the number of the last change before the recall, if known.
    """

    items: Sequence[RecalledItem] = ()
    off: bool = False
    as_of: int | None = field(default=None, compare=False)

    @property
    def empty(self) -> bool:
        return not self.items

    @property
    def core(self) -> list[tuple[str, str]]:
        """The preferences, as pairs of key and value."""
        return [(item.key, item.text) for item in self.of(ItemKind.PREFERENCE)]

    @property
    def facts(self) -> list[str]:
        return [item.text for item in self.of(ItemKind.FACT)]

    @property
    def episodes(self) -> list[str]:
        return [item.text for item in self.of(ItemKind.EXCHANGE)]

    @property
    def habits(self) -> list[str]:
        return [item.text for item in self.of(ItemKind.HABIT)]

    def of(self, kind: ItemKind) -> list[RecalledItem]:
        """The items of one kind, in their order."""
        return [item for item in self.items if item.kind is kind]


def joined(*parts: Sequence[RecalledItem]) -> Recalled:
    """A recall of all these items, in this order."""
    return Recalled(items=tuple(chain.from_iterable(parts)))
