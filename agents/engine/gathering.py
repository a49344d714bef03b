"""A model's text, gathered as it comes.

Each piece passes the loop and the formatter and becomes a frame, which costs more than reading it from the model does.
People notice only the wait for the first word.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Final

from agents.adapters.base import Message, ModelAdapter, ModelParams, ToolSchema
from agents.events import ModelEvent, TextDelta

GATHER_S: Final = 0.020
MAX_CHARACTERS: Final = 16_384
"""The longest gathered text: it becomes a frame, which a slow client must take whole."""


class GatheringAdapter:
    """The ``ModelAdapter`` ``inner``, whose text comes in few pieces.

    The first comes at once, and what follows it within ``gather_s`` seconds as one piece. Anything but text comes at
    once, after the text before it; so do the end and an error.
    """

    def __init__(self, inner: ModelAdapter, *, gather_s: float = GATHER_S) -> None:
        self._inner = inner
        self._gather_s = gather_s

    @property
    def name(self) -> str:
        return self._inner.name

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        """As ``ModelAdapter.stream``."""
        gathered = _Gathered(self._gather_s)
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
    """The events of a stream that were read and not taken yet."""

    def __init__(self, gather_s: float) -> None:
        self._gather_s = gather_s
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
        """What is ready, once there is anything; nothing at the end."""
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
            if self._pause is None or self._length >= MAX_CHARACTERS:
                self._release()

    def _flush(self) -> None:
        """Make the gathered text ready, because something else comes after it. The next text is a first one again."""
        self._release()
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None
        self._news.set()

    def _release(self) -> None:
        if self._texts:
            self._give(TextDelta(text="".join(self._texts)))
            self._texts.clear()
            self._length = 0
            if self._pause is None:
                self._pause = asyncio.get_running_loop().call_later(self._gather_s, self._end_pause)

    def _end_pause(self) -> None:
        self._pause = None
        self._release()

    def _give(self, event: ModelEvent) -> None:
        self._events.append(event)
        self._news.set()
