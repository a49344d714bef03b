"""How long to wait before trying to connect again. Pure."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Backoff:
    """Growing pauses with random jitter, so that clients which lost the server together do not return together.

    Seconds. ``patience_s`` is how long callers wait for the server; a lost call waits 30.
    """

    first_s: float = 0.5
    most_s: float = 15.0
    patience_s: float = 120.0
    draw: Callable[[], float] = random.random
    """Gives a number from 0 to 1."""

    def pauses(self, *, at_least_s: float = 0.0) -> Iterator[float]:
        """Before each try. The first is not shorter than what the server asked for."""
        most = self.first_s
        yield at_least_s + most * self.draw()
        while True:
            most = min(self.most_s, most * 2)
            yield most * self.draw()
