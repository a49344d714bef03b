"""Chooses the script for a request: rules first, then the queue, then the default."""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.model_server.recorded import Recorded
from tests.model_server.scripts import Answering, says


@dataclass
class _Rule:
    """Scripts for matching requests, in order; the last one is repeated."""

    fits: Callable[[Recorded], bool]
    scripts: deque[Answering]

    def next(self) -> Answering:
        return self.scripts.popleft() if len(self.scripts) > 1 else self.scripts[0]


@dataclass
class Rules:
    """Written by the test's thread and read by the server's."""

    default: Answering = field(default_factory=lambda: says("I have no script."))
    _rules: list[_Rule] = field(default_factory=list)
    _queue: deque[Answering] = field(default_factory=deque)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def queue(self, *scripts: Answering) -> None:
        with self._lock:
            self._queue.extend(scripts)

    def add(self, fits: Callable[[Recorded], bool], *scripts: Answering) -> None:
        with self._lock:
            self._rules.append(_Rule(fits, deque(scripts)))

    def next_for(self, request: Recorded) -> Answering:
        with self._lock:
            for rule in self._rules:
                if rule.fits(request):
                    return rule.next()
            return self._queue.popleft() if self._queue else self.default
