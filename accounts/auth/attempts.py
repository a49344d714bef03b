"""Limits on attempts to prove who one is, by ``settings.ATTEMPT_RATES``: over REST and in the admin alike.

An attempt counts for the network it comes from and then, if it names one, for the email address it is about. Networks
have the lower limit and are checked first; an attempt refused there does not count for the address, so one network
alone cannot lock out an address. Counters are incremented atomically in Django's cache (docs/decisions.md).
"""

import hashlib
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.conf import settings
from django.core.cache import cache

from accounts.addresses import normalised_address
from accounts.errors import TooManyAttempts
from accounts.networks import network_of

clock = time.time
_NEWS_S: Final = 3600
_LATE_S: Final = 60
"""How long a counter outlives its period: if it expired between two operations, incrementing it would fail."""


def wait_s(scope: str, *, ip: str, address: str | None, now: float) -> float | None:
    """Count an attempt; None if it is allowed, otherwise the seconds until the next one is.

    Networks have the rate named ``scope``, addresses the rate with ``_address`` appended, if it exists.
    """
    for name, subject in _subjects(scope, ip=ip, address=address):
        if (wait := _wait_s(name, subject, now=now)) is not None:
            return wait
    return None


def check(scope: str, *, ip: str, address: str) -> None:
    """Count an attempt as ``wait_s`` does. Raises ``TooManyAttempts`` if it is not allowed."""
    wait = wait_s(scope, ip=ip, address=address, now=clock())
    if wait is not None:
        raise TooManyAttempts(wait)


def is_within_rate(name: str, address: str) -> bool:
    """Count one more for this email address by the rate ``name``, and say whether it is allowed."""
    return _wait_s(name, normalised_address(address), now=clock()) is None


def failures_wait_s(scope: str, ip: str, *, now: float) -> float | None:
    """None while the network of ``ip`` has failed less often than the rate ``scope`` allows, otherwise as ``wait_s``.

    Counts nothing: ``count_failure`` does.
    """
    rate = settings.ATTEMPT_RATES[scope]
    failed = cache.get(_key(scope, network_of(ip), now=now), 0)
    return None if failed < rate.limit else rate.period_s - now % rate.period_s


def count_failure(scope: str, ip: str, *, now: float) -> None:
    _wait_s(scope, network_of(ip), now=now)


def is_news(event: str, subject: str) -> bool:
    """Whether this process has not been asked the same within the last hour."""
    return cache.add(f"news:{event}:{_digest(subject)}", True, timeout=_NEWS_S)


@dataclass(frozen=True, kw_only=True, slots=True)
class Count:
    """What a subject has used of a rate: ``used`` of ``limit`` in the period that ends in ``reset_s`` seconds."""

    limit: int
    period_s: int
    used: int
    reset_s: float

    @property
    def wait_s(self) -> float | None:
        return None if self.used <= self.limit else self.reset_s


def count_of_user(name: str, user_id: UUID, *, now: float) -> Count:
    """Count a request of a signed-in user by the rate ``name``."""
    return _counted(name, str(user_id), now=now)


def _subjects(scope: str, *, ip: str, address: str | None) -> Iterator[tuple[str, str]]:
    """Each with the name of its rate."""
    yield scope, network_of(ip)
    if address is not None and f"{scope}_address" in settings.ATTEMPT_RATES:
        yield f"{scope}_address", normalised_address(address)


def _wait_s(name: str, subject: str, *, now: float) -> float | None:
    return _counted(name, subject, now=now).wait_s


def _counted(name: str, subject: str, *, now: float) -> Count:
    rate = settings.ATTEMPT_RATES[name]
    key = _key(name, subject, now=now)
    cache.add(key, 0, timeout=rate.period_s + _LATE_S)
    # Atomic: concurrent attempts are all counted.
    used = cache.incr(key)
    return Count(limit=rate.limit, period_s=rate.period_s, used=used, reset_s=rate.period_s - now % rate.period_s)


def _key(name: str, subject: str, *, now: float) -> str:
    return f"attempts:{name}:{_digest(subject)}:{math.floor(now / settings.ATTEMPT_RATES[name].period_s)}"


def _digest(subject: str) -> str:
    """Subjects may be long, and a shared cache must not reveal them."""
    return hashlib.sha256(subject.encode("utf-8", "replace")).hexdigest()
