"""The only loop: model, its tool calls, model again, until it answers.

At most ``MAX_TOOL_ROUNDS`` rounds of tools; after them the model is asked once more without tools and must answer.
The loop yields events as they happen; collecting them (``collect``) is the non-streaming form.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Final

from agents.adapters.base import AssistantMessage, Message, ModelAdapter, ModelParams, ToolMessage
from agents.engine.executor import ToolDispatcher, ToolOutcome
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

MAX_TOOL_ROUNDS: Final = 5
_READ_BEFORE: Final = "[This was read while the change before it waited for the user: it does not show that change.]"


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
    """The calls in order, neighbours that only read together, those behind a change with the change before them."""
    group: list[ToolCall] = []
    for call in calls:
        if group and not dispatcher.reads(call):
            yield group
            group = []
        group.append(call)
    if group:
        yield group


async def _dispatch(group: Sequence[ToolCall], dispatcher: ToolDispatcher) -> Iterable[ToolOutcome]:
    """The outcomes of a group. Reads may overtake each other, and a change only while it waits for a person."""
    first, *behind = group
    if not behind:
        return [await dispatcher.dispatch(first)]
    ahead = False
    async with asyncio.TaskGroup() as tasks:
        if dispatcher.reads(first):
            change = tasks.create_task(dispatcher.dispatch(first))
        else:
            change, ahead = await _until_waiting(first, dispatcher, tasks)
        reads = [tasks.create_task(dispatcher.dispatch(call)) for call in behind]
    outcomes = [task.result() for task in reads]
    if ahead and change.result().ok:
        # The model reads the outcomes in the order of its calls, in which this one came after the change.
        outcomes = [replace(outcome, text=f"{outcome.text}\n{_READ_BEFORE}") for outcome in outcomes]
    return [change.result(), *outcomes]


async def _until_waiting(
    call: ToolCall, dispatcher: ToolDispatcher, tasks: asyncio.TaskGroup
) -> tuple[asyncio.Task[ToolOutcome], bool]:
    """Begin ``call``; its task once it has ended or waits for a person, and whether it waits."""
    moved = asyncio.Event()
    task = tasks.create_task(dispatcher.dispatch(call, on_waiting=moved.set))
    task.add_done_callback(lambda _: moved.set())
    await moved.wait()
    return task, not task.done()


async def collect(events: AsyncGenerator[AgentEvent, None]) -> Finished:
    """Run to the end and give what was said: the non-streaming form."""
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Finished):
                return event
    raise ModelBroken("The model ended without an answer.")
