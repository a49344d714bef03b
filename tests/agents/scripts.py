"""A model at its port that says what a test scripted."""

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from agents.adapters.base import Message, ModelParams, ToolSchema
from agents.events import AgentEvent, Finished, ModelEvent, ModelStopped, StopReason, TextDelta, ToolCall

Reply: TypeAlias = Sequence[ModelEvent | BaseException]


@dataclass(frozen=True)
class Request:
    """One request to the model."""

    messages: list[Message]
    tools: list[ToolSchema]
    params: ModelParams


@dataclass
class ScriptedAdapter:
    """Gives one reply per request, in order; an exception in a reply is raised at its place. Records the requests."""

    replies: list[Reply | Callable[[Request], Reply]]
    requests: list[Request] = field(default_factory=list)
    closed: int = 0
    name: str = "scripted"

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        request = Request(list(messages), list(tools), params)
        self.requests.append(request)
        reply = self.replies.pop(0)
        try:
            for event in reply(request) if callable(reply) else reply:
                if isinstance(event, BaseException):
                    raise event
                yield event
        finally:
            self.closed += 1


def says(*pieces: str) -> list[ModelEvent]:
    """A reply of text."""
    return [*(TextDelta(text=piece) for piece in pieces), ModelStopped(reason=StopReason.COMPLETE)]


def calls(*wanted: ToolCall, text: str = "") -> list[ModelEvent]:
    """A reply of tool calls, with some text before them."""
    said: list[ModelEvent] = [TextDelta(text=text)] if text else []
    return [*said, *wanted, ModelStopped(reason=StopReason.TOOL_CALLS)]


def call(name: str, arguments: str = "{}", *, id: str = "call-1") -> ToolCall:  # noqa: A002 - the wire's name
    return ToolCall(id=id, name=name, arguments=arguments)


async def finished(events: AsyncGenerator[AgentEvent, None]) -> Finished:
    """The last of the loop's ``events``."""
    [*_, last] = [event async for event in events]
    assert isinstance(last, Finished)
    return last
