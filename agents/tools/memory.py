"""The port to what is remembered of a user: what the tools may ask of it and do to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, kw_only=True, slots=True)
class Preference:
    """Something the user wants remembered, under a key that names it."""

    key: str
    value: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """Something found by its meaning; ``score`` is 1 for the very same text and about 0 for an unrelated one."""

    id: str
    content: str
    score: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Episode:
    """What happened in an earlier exchange; ``at`` is aware."""

    id: str
    summary: str
    at: datetime


class Recollection(Protocol):
    """The memory of one user. Everything here raises ``ToolFailed`` while the user has it turned off."""

    async def remember(self, key: str, value: str) -> None:
        """Keep ``value`` under ``key``, in the place of what stood there. Raises ``ModelRetry`` when it is too long."""

    async def preferences(self) -> Sequence[Preference]:
        """All that is kept under a key."""

    async def facts(self, query: str, *, limit: int) -> Sequence[Fact]:
        """What comes closest to ``query`` in meaning, nearest first. Raises ``ToolFailed`` when there is no way to."""

    async def forget(self, key: str) -> bool:
        """Drop what is kept under ``key``, or the fact that has it for an id; whether there was any."""

    async def episodes(self, query: str, *, since: datetime | None, limit: int) -> Sequence[Episode]:
        """Earlier exchanges that have the words of ``query``, or all when it is blank, newest first."""
