import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import pytest

from agents.adapters.base import Message, ModelParams, ToolSchema
from agents.engine.gathering import MAX_CHARACTERS, GatheringAdapter
from agents.errors import ModelBroken
from agents.events import ModelEvent, ModelProgress, ModelStopped, StopReason, TextDelta
from tests.agents.scripts import ScriptedAdapter, call, calls, says
from tests.chat.sockets import leap

STOPPED = ModelStopped(reason=StopReason.COMPLETE)


def text(*pieces: str) -> list[ModelEvent]:
    return [TextDelta(text=piece) for piece in pieces]


class Model:
    """A model whose output the test controls. ``closed`` tells whether its stream was closed."""

    name = "model"

    def __init__(self) -> None:
        self.closed = False
        self._written: asyncio.Queue[ModelEvent | None] = asyncio.Queue()

    def write(self, *events: ModelEvent | None) -> None:
        """Write ``events``; None is the end."""
        for event in events:
            self._written.put_nowait(event)

    async def stream(
        self, _messages: Sequence[Message], _tools: Sequence[ToolSchema], _params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        try:
            while (event := await self._written.get()) is not None:
                yield event
        finally:
            self.closed = True


class Reader:
    """Reads the gathered stream of ``model`` into ``read``."""

    def __init__(self, model: Model) -> None:
        self.read: list[ModelEvent] = []
        self.task = asyncio.create_task(self._read(model))

    async def _read(self, model: Model) -> None:
        async with aclosing(GatheringAdapter(model, gather_s=10, apart_s=4).stream((), (), ModelParams())) as events:
            async for event in events:
                self.read.append(event)

    async def has(self, expected: list[ModelEvent], *, after_s: float = 0) -> bool:
        """Whether it has read exactly ``expected`` after another ``after_s`` seconds."""
        leap(after_s)
        for _ in range(10):  # due callbacks run within ten iterations of the event loop
            await asyncio.sleep(0)
        return self.read == expected


async def all_of(adapter: ScriptedAdapter) -> list[ModelEvent]:
    return [event async for event in GatheringAdapter(adapter, gather_s=10).stream((), (), ModelParams())]


async def test_first_text_is_sent_at_once_and_later_text_in_batches() -> None:
    model = Model()
    reader = Reader(model)

    model.write(*text("a", "", "b", "c"))
    assert await reader.has(text("a"))
    assert await reader.has(text("a", "bc"), after_s=11)

    model.write(*text("d"))
    assert await reader.has(text("a", "bc"))
    assert await reader.has(text("a", "bc", "d"), after_s=11)
    assert await reader.has(text("a", "bc", "d"), after_s=11)
    model.write(*text("e", "f"), None)
    await reader.task
    assert reader.read == text("a", "bc", "d", "e", "f")


async def test_slow_text_is_sent_at_once() -> None:
    model = Model()
    reader = Reader(model)
    model.write(*text("a", "b"))
    assert await reader.has(text("a"))

    assert await reader.has(text("a"), after_s=4)
    model.write(*text("c"))
    assert await reader.has(text("a"))  # a single late piece
    assert await reader.has(text("a"), after_s=5)
    model.write(*text("d"))
    assert await reader.has(text("a", "bcd"))
    assert await reader.has(text("a", "bcd"), after_s=5)
    model.write(*text("e"))
    assert await reader.has(text("a", "bcd", "e"))

    model.write(*text("f"))
    assert await reader.has(text("a", "bcd", "e"))
    assert await reader.has(text("a", "bcd", "e"), after_s=9)
    assert await reader.has(text("a", "bcd", "e", "f"), after_s=2)
    model.write(None)
    await reader.task


async def test_other_events_are_sent_at_once_after_preceding_text() -> None:
    model, progress = Model(), ModelProgress(fraction=0.5)
    reader = Reader(model)

    model.write(*text("a", "b"), progress)
    assert await reader.has([*text("a", "b"), progress])
    model.write(*text("c"))
    assert await reader.has([*text("a", "b"), progress, *text("c")])

    model.write(None)
    await reader.task


async def test_calls_are_sent_after_text_and_before_end() -> None:
    wanted = [call("list_tasks", id="1"), call("list_notes", id="2")]
    stopped = ModelStopped(reason=StopReason.TOOL_CALLS)
    assert await all_of(ScriptedAdapter([calls(*wanted, text="Well,")])) == [*text("Well,"), *wanted, stopped]


async def test_gathered_text_is_bounded() -> None:
    half = "b" * (MAX_CHARACTERS // 2)
    read = await all_of(ScriptedAdapter([says("a", *[half] * 5)]))
    assert read == [*text("a", half * 2, half * 2, half), STOPPED]


async def test_error_is_raised_after_preceding_text() -> None:
    events = GatheringAdapter(ScriptedAdapter([[*text("a", "b"), ModelBroken()]])).stream((), (), ModelParams())
    assert [await anext(events), await anext(events)] == text("a", "b")
    with pytest.raises(ModelBroken):
        await anext(events)


async def test_model_stream_is_closed_when_reader_is_cancelled() -> None:
    model = Model()
    reader = Reader(model)
    assert await reader.has([])
    reader.task.cancel()
    await asyncio.gather(reader.task, return_exceptions=True)
    assert model.closed


async def test_model_stream_is_closed_with_gathered_stream() -> None:
    model = Model()
    model.write(*text("a"))
    async with aclosing(GatheringAdapter(model).stream((), (), ModelParams())) as events:
        assert await anext(events) == TextDelta(text="a")
    assert model.closed
