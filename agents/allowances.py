"""Quotas as values: a user's daily limits, and their usage. Pure.

A day begins at midnight UTC for all users.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final


@dataclass(frozen=True, kw_only=True, slots=True)
class QuotaOverride:
    """The limits of one user. None means the installation's limit, 0 no limit."""

    turns: int | None = None
    tokens: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Quota:
    """A user's daily limits. 0 means no limit."""

    turns: int = 0
    tokens: int = 0

    @property
    def limits(self) -> bool:
        """Whether there is any limit."""
        return bool(self.turns or self.tokens)

    def changed_by(self, override: QuotaOverride) -> "Quota":
        """This quota with the limits that ``override`` sets."""
        return Quota(
            turns=self.turns if override.turns is None else override.turns,
            tokens=self.tokens if override.tokens is None else override.tokens,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Turns of conversations, and tokens of all requests to models."""

    turns: int = 0
    tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(turns=self.turns + other.turns, tokens=self.tokens + other.tokens)


@dataclass(frozen=True, kw_only=True, slots=True)
class Meter:
    """A limit that is exhausted."""

    name: str
    limit: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Allowance:
    """A user's quota and usage at the aware time ``now``."""

    quota: Quota
    usage: Usage
    now: datetime

    @property
    def used_up(self) -> tuple[Meter, ...]:
        """The limits that are exhausted today. A turn can begin if there are none."""
        meters = (
            ("turns", self.quota.turns, self.usage.turns),
            ("tokens", self.quota.tokens, self.usage.tokens),
        )
        return tuple(Meter(name=name, limit=limit) for name, limit, used in meters if limit and used >= limit)

    @property
    def renews_at(self) -> datetime:
        """The next midnight UTC, when all limits are renewed."""
        return day_of(self.now) + timedelta(days=1)

    @property
    def waits_s(self) -> float:
        """The time from ``now`` until ``renews_at``, in seconds."""
        return (self.renews_at - self.now).total_seconds()

    @property
    def sentence(self) -> str:
        """The sentence for the user, if any limit is exhausted."""
        used_up = " and ".join(f"{meter.limit} {_WORDS[meter.name]}" for meter in self.used_up)
        return f"The {used_up} of the day are used up. There will be new ones at {written(self.renews_at)}."


_WORDS: Final = {"turns": "requests", "tokens": "tokens"}


def day_of(now: datetime) -> datetime:
    """The midnight that began the day of ``now``."""
    return now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def written(moment: datetime) -> str:
    """``moment`` as ``2026-03-30T00:00:00Z``."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
