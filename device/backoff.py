"""How long to wait before trying to connect again. Pure."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Backoff:
    """Exponential back-off with full jitter, so that clients which lost the server together do not return together.

    Seconds. ``patience_s`` is how long callers wait for the server; a lost call waits 30.
    """

    first_s: float = 0.5
    most_s: float = 15.0
    patience_s: float = 120.0
    draw: Callable[[], float] = random.random
    """Gives a number from 0 to 1."""

    def pauses(self) -> Iterator[float]:
        """Before each try, in addition to what the server asks for."""
        most = self.first_s
        while True:
            yield most * self.draw()
            most = min(self.most_s, most * 2)
