"""A model whose requests are noted with the turn that they belong to."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from agents.adapters.base import Message, ModelAdapter, ModelParams, ModelSize, ToolSchema
from agents.events import ModelEvent, TextDelta, ToolCall, Usage
from agents.telemetry.turns import Generation, Written
from agents.telemetry.watching import TurnWatch, turn_under_way


class ObservedAdapter:
    """The ``ModelAdapter`` that ``inner`` is. ``models`` are its names by size, for which its own stands in."""

    def __init__(self, inner: ModelAdapter, models: Mapping[ModelSize, str] | None = None) -> None:
        self._inner = inner
        self._models = models or {}

    @property
    def name(self) -> str:
        return self._inner.name

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        """As ``ModelAdapter.stream``. Outside of a turn it is the inner adapter's own."""
        events = self._inner.stream(messages, tools, params)
        watch = turn_under_way()
        if watch is None:
            return events
        model = self._models.get(params.size, self._inner.name)
        return _noted(events, _Request(watch=watch, model=model, size=params.size, messages=messages))


@dataclass(kw_only=True, slots=True, eq=False)
class _Request:
    """One request under way. Text is kept only for a watch that keeps content."""

    watch: TurnWatch
    model: str
    size: ModelSize
    messages: Sequence[Message]
    began_s: float = field(init=False)
    first_text_s: float | None = None
    usage: Usage | None = None
    text: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.began_s = self.watch.now()
        # The loop adds to its conversation while the request lies here.
        self.messages = tuple(self.messages) if self.watch.keeps_content else ()

    def end(self, *, ok: bool) -> None:
        written = Written(messages=self.messages, text="".join(self.text), calls=tuple(self.calls))
        self.watch.generated(
            Generation(
                model=self.model,
                size=self.size,
                began_s=self.began_s,
                ended_s=self.watch.now(),
                ok=ok,
                first_text_s=self.first_text_s,
                usage=self.usage,
                written=written if self.watch.keeps_content else None,
            )
        )


async def _noted(events: AsyncGenerator[ModelEvent, None], request: _Request) -> AsyncGenerator[ModelEvent, None]:
    """``events`` as they come. What is done for each is as little as can be: an answer has hundreds."""
    kept = request.text if request.watch.keeps_content else None
    ok = False
    try:
        async with aclosing(events):
            async for event in events:
                if type(event) is TextDelta:
                    if request.first_text_s is None:
                        request.first_text_s = request.watch.now()
                    if kept is not None:
                        kept.append(event.text)
                elif type(event) is Usage:
                    request.usage = event
                elif kept is not None and type(event) is ToolCall:
                    request.calls.append(event)
                yield event
            ok = True
    finally:
        request.end(ok=ok)
