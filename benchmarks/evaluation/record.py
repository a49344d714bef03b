"""What a turn asked of models and tools, as a line of JSON from the server's process to ours."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from pydantic import TypeAdapter

from agents.adapters.base import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage
from agents.events import ToolCall
from agents.telemetry.turns import Generation, ObservedTurn
from benchmarks.evaluation.conversation import ModelMessage, ModelRequest, ToolUse


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """One turn that has ended."""

    request_id: str
    agent: str = ""
    requests: Sequence[ModelRequest] = ()
    tools: Sequence[ToolUse] = ()
    seen: Sequence[ModelMessage] = ()


RECORD: Final = TypeAdapter(Record)
LINE: Final = "turn "
"""How a line with a record begins."""


def record_of(turn: ObservedTurn) -> Record:
    """The record of a turn whose content was kept."""
    return Record(
        request_id=turn.origin.request_id,
        agent=turn.agent,
        requests=[_request(generation) for generation in turn.generations],
        tools=[
            ToolUse(tool=use.tool, ok=use.ok, arguments=use.content.arguments, result=use.content.result)
            for use in turn.tools
            if use.content is not None
        ],
        seen=list(_seen(turn.generations[-1])) if turn.generations else [],
    )


def _request(generation: Generation) -> ModelRequest:
    usage = generation.usage
    return ModelRequest(
        model=generation.model,
        seconds=generation.ended_s - generation.began_s,
        input_tokens=0 if usage is None else usage.input_tokens,
        cached_tokens=0 if usage is None else usage.cached_tokens,
        output_tokens=0 if usage is None else usage.output_tokens,
    )


def _seen(generation: Generation) -> Iterator[ModelMessage]:
    content = generation.content
    if content is not None:
        yield from map(_message, content.messages)
        yield ModelMessage(role="assistant", text=_with_calls(content.text, content.calls))


def _message(message: Message) -> ModelMessage:
    match message:
        case SystemMessage():
            return ModelMessage(role="system", text=message.text)
        case UserMessage():
            return ModelMessage(role="user", text=message.text)
        case AssistantMessage():
            return ModelMessage(role="assistant", text=_with_calls(message.text, message.tool_calls))
        case ToolMessage():
            return ModelMessage(role="tool", text=message.text)
        case _:
            assert_never(message)


def _with_calls(text: str, calls: Sequence[ToolCall]) -> str:
    return "\n".join(filter(None, [text, *(f"→ {call.name}({call.arguments})" for call in calls)]))
