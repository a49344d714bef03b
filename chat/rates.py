"""How many requests a user may begin."""

import time
from collections.abc import Callable
from uuid import UUID


class RequestRate:
    """A token bucket a user: ``per_minute`` requests at once, and as many again over the next minute."""

    def __init__(self, *, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._buckets: dict[UUID, tuple[float, float]] = {}

    def admit(self, user_id: UUID) -> bool:
        """Count a request of the user; whether it may begin."""
        now = self._clock()
        self._prune(now)
        left, at = self._buckets.get(user_id, (float(self._per_minute), now))
        left = min(float(self._per_minute), left + (now - at) * self._per_minute / 60)
        admitted = left >= 1
        self._buckets[user_id] = (left - 1 if admitted else left, now)
        return admitted

    def _prune(self, now: float) -> None:
        """A bucket untouched for a minute is full again, so it need not be kept."""
        if len(self._buckets) > 1000:
            self._buckets = {user: (left, at) for user, (left, at) in self._buckets.items() if now - at < 60}
