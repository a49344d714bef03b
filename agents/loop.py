"""The only loop: model, its tool calls, model again, until it answers.

At most ``MAX_TOOL_ROUNDS`` rounds of tools; after them the model is asked once more without tools and must answer.
The loop yields events as they happen; collecting them (``collect``) is the non-streaming form.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final

from agents.adapters.base import AssistantMessage, Message, ModelAdapter, ModelParams, ToolMessage
from agents.errors import ModelBroken, ModelRefused
from agents.events import (
    AgentEvent,
    Finished,
    ModelEvent,
    ModelStopped,
    StopReason,
    TextDelta,
    ToolCall,
    ToolFinished,
    ToolStarted,
    Usage,
)
from agents.executor import ToolDispatcher, ToolOutcome

MAX_TOOL_ROUNDS: Final = 5


async def run(
    adapter: ModelAdapter, messages: Sequence[Message], dispatcher: ToolDispatcher, params: ModelParams
) -> AsyncGenerator[AgentEvent, None]:
    """The answer to ``messages``, as it is made.

    Raises ``ModelUnavailable``, ``ModelRefused`` or ``ModelBroken`` (also when the model ends without a word).
    """
    conversation = list(messages)
    said: list[str] = []
    for tool_round in range(MAX_TOOL_ROUNDS + 1):
        tools = dispatcher.schemas if tool_round < MAX_TOOL_ROUNDS else ()
        request = _Request()
        async with aclosing(adapter.stream(conversation, tools, params)) as events:
            async for event in events:
                request.take(event)
                if isinstance(event, TextDelta | Usage):
                    yield event
        said.extend(request.text)
        if not request.calls or not tools:
            yield Finished(text=_answer(said, request), tool_rounds=tool_round)
            return
        conversation.append(AssistantMessage(text="".join(request.text), tool_calls=tuple(request.calls)))
        for group in _groups(request.calls, dispatcher):
            for call in group:
                yield ToolStarted(call=call, label=dispatcher.label(call))
            for call, outcome in zip(group, await _dispatch(group, dispatcher), strict=True):
                conversation.append(ToolMessage(call_id=call.id, text=outcome.text))
                yield ToolFinished(call=call, text=outcome.text, ok=outcome.ok, duration_ms=outcome.duration_ms)


@dataclass
class _Request:
    """What one model request has yielded so far."""

    text: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    stopped: StopReason | None = None

    def take(self, event: ModelEvent) -> None:
        match event:
            case TextDelta():
                self.text.append(event.text)
            case ToolCall():
                self.calls.append(event)
            case ModelStopped():
                self.stopped = event.reason
            case Usage():
                pass


def _answer(said: Sequence[str], request: _Request) -> str:
    answer = "".join(said)
    if answer.strip():
        return answer
    if request.stopped is StopReason.REFUSED:
        raise ModelRefused
    raise ModelBroken("The model ended without an answer.")


def _groups(calls: Sequence[ToolCall], dispatcher: ToolDispatcher) -> Iterator[list[ToolCall]]:
    """The calls in order, neighbours that only read together: reads may overtake each other, never a write."""
    reads: list[ToolCall] = []
    for call in calls:
        if dispatcher.reads(call):
            reads.append(call)
            continue
        if reads:
            yield reads
            reads = []
        yield [call]
    if reads:
        yield reads


async def _dispatch(group: Sequence[ToolCall], dispatcher: ToolDispatcher) -> Iterable[ToolOutcome]:
    if len(group) == 1:
        return [await dispatcher.dispatch(group[0])]
    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(dispatcher.dispatch(call)) for call in group]
    return [task.result() for task in running]


async def collect(events: AsyncGenerator[AgentEvent, None]) -> Finished:
    """Run to the end and give what was said: the non-streaming form."""
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Finished):
                return event
    raise ModelBroken("The model ended without an answer.")
