"""Gathering a model's tokens into frames."""

import asyncio
from collections.abc import Callable
from typing import Final

GATHER_S: Final = 0.020
MAX_CHARACTERS: Final = 16_384
"""How much is gathered at most: a frame is what a slow client must take whole."""


class TextGatherer:
    """Emits the first text at once and gathers what follows, for ``gather_s`` seconds at most, into one piece.

    Waiting for the first word is what a person notices; a frame for every later token is what costs the server.
    """

    def __init__(self, emit: Callable[[str], None], *, gather_s: float = GATHER_S) -> None:
        self._emit = emit
        self._gather_s = gather_s
        self._pieces: list[str] = []
        self._length = 0
        self._timer: asyncio.TimerHandle | None = None

    def add(self, text: str) -> None:
        if not text:
            return
        self._pieces.append(text)
        self._length += len(text)
        if self._timer is None or self._length >= MAX_CHARACTERS:
            self._release()
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._gather_s, self._due)

    def flush(self) -> None:
        """Emit what is gathered, because something else must come after it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._release()

    def _due(self) -> None:
        self._timer = None
        if self._pieces:
            self._release()
            self._timer = asyncio.get_running_loop().call_later(self._gather_s, self._due)

    def _release(self) -> None:
        if self._pieces:
            text = "".join(self._pieces)
            self._pieces.clear()
            self._length = 0
            self._emit(text)
