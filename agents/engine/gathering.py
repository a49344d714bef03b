"""Joins pieces of a model's text that follow each other quickly.

Each piece passes through the loop and the formatter and becomes a frame, which costs more than reading it from the
model. A fast model writes several pieces while a display shows one image. The pieces of a slow model are not delayed,
because nothing would be joined with them.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Final

from agents.adapters.base import Message, ModelAdapter, ModelParams, ToolSchema
from agents.events import ModelEvent, TextDelta

GATHER_S: Final = 0.020
APART_S: Final = 0.008
"""Half the time between two images of a display with 60 Hz. Pieces that are further apart get a frame each."""
MAX_CHARACTERS: Final = 16_384
"""The longest joined text: it becomes one frame, which a slow client must read whole."""


class GatheringAdapter:
    """The ``ModelAdapter`` ``inner``, with its text in fewer pieces.

    The first piece is passed on at once. So are those of a slow model: a piece counts as one if both it and the piece
    before it came ``apart_s`` seconds or more after their predecessors. Faster pieces are joined, and passed on
    ``gather_s`` seconds after the text before. Everything that is not text, the end, and errors are passed on at once,
    after the text before them.
    """

    def __init__(self, inner: ModelAdapter, *, gather_s: float = GATHER_S, apart_s: float = APART_S) -> None:
        self._inner = inner
        self._gather_s = gather_s
        self._apart_s = apart_s

    @property
    def name(self) -> str:
        return self._inner.name

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        """As ``ModelAdapter.stream``."""
        gathered = _Gathered(self._gather_s, self._apart_s)
        reading = asyncio.create_task(gathered.read(self._inner.stream(messages, tools, params)))
        try:
            while events := await gathered.taken():
                for event in events:
                    yield event
            await reading
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


class _Gathered:
    """The events of a stream that were read and not passed on yet."""

    def __init__(self, gather_s: float, apart_s: float) -> None:
        self._gather_s = gather_s
        self._apart_s = apart_s
        self._loop = asyncio.get_running_loop()
        self._written_at = self._loop.time()
        self._is_apart = False
        self._events: list[ModelEvent] = []
        self._texts: list[str] = []
        self._length = 0
        self._pause: asyncio.TimerHandle | None = None
        self._is_over = False
        self._news = asyncio.Event()

    async def read(self, events: AsyncGenerator[ModelEvent, None]) -> None:
        """Read ``events`` to their end. Raises as they do."""
        try:
            async with aclosing(events):
                async for event in events:
                    self._add(event)
        finally:
            self._is_over = True
            self._flush()

    async def taken(self) -> Sequence[ModelEvent]:
        """The events that are ready, as soon as there are any; none at the end."""
        if not self._events and not self._is_over:
            self._news.clear()
            await self._news.wait()
        events, self._events = self._events, []
        return events

    def _add(self, event: ModelEvent) -> None:
        if not isinstance(event, TextDelta):
            self._flush()
            self._give(event)
        elif event.text:
            self._texts.append(event.text)
            self._length += len(event.text)
            if self._is_slow() or self._pause is None or self._length >= MAX_CHARACTERS:
                self._release()

    def _is_slow(self) -> bool:
        """Note the time of a piece. Returns whether both it and the one before came late."""
        written_at, self._written_at = self._written_at, self._loop.time()
        was_apart, self._is_apart = self._is_apart, self._written_at - written_at >= self._apart_s
        return was_apart and self._is_apart

    def _flush(self) -> None:
        """Make the joined text ready, because something else follows it. The next text counts as a first piece."""
        self._release()
        self._stop_pause()
        self._news.set()

    def _release(self) -> None:
        if self._texts:
            self._give(TextDelta(text="".join(self._texts)))
            self._texts.clear()
            self._length = 0
            self._stop_pause()
            self._pause = self._loop.call_later(self._gather_s, self._end_pause)

    def _stop_pause(self) -> None:
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None

    def _end_pause(self) -> None:
        self._pause = None
        self._release()

    def _give(self, event: ModelEvent) -> None:
        self._events.append(event)
        self._news.set()
