"""A library that says the same again and again, made to say it once a minute, in our words."""

import logging
import time
from collections.abc import Callable
from typing import Final

logger = logging.getLogger(__name__)

EVERY_S: Final = 60.0


def quiet(name: str, sentence: str, *, clock: Callable[[], float] = time.monotonic) -> None:
    """Whatever the library's logger ``name`` warns of is ``sentence`` from now on, once in ``EVERY_S`` at most.

    Its own words may hold what it was sending. Saying so again changes nothing.
    """
    theirs = logging.getLogger(name)
    if not any(isinstance(handler, _Once) for handler in theirs.handlers):
        theirs.addHandler(_Once(sentence, clock))
    theirs.propagate = False


class _Once(logging.Handler):
    def __init__(self, sentence: str, clock: Callable[[], float]) -> None:
        super().__init__(logging.WARNING)
        self._sentence = sentence
        self._clock = clock
        self._said_at: float | None = None

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002 - what it says is not repeated
        now = self._clock()
        if self._said_at is None or now - self._said_at >= EVERY_S:
            self._said_at = now
            logger.warning(self._sentence)
