"""The timers of one socket."""

import asyncio
from collections.abc import Callable


class Deadlines:
    """Named timers: setting one again replaces it, and ``clear`` ends them all."""

    def __init__(self) -> None:
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def set(self, name: str, delay_s: float, action: Callable[[], None]) -> None:
        """Call ``action`` in ``delay_s`` seconds; at once when that is past."""
        self.cancel(name)
        self._timers[name] = asyncio.get_running_loop().call_later(max(0.0, delay_s), action)

    def cancel(self, name: str) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()

    def clear(self) -> None:
        for name in list(self._timers):
            self.cancel(name)
