"""Turns by OpenTelemetry's semantic conventions for generative AI, for any receiver of OTLP.

The names are those of https://github.com/open-telemetry/semantic-conventions-genai, which are still in development.
They are written out here, because the package that lists them marks them as private. Attributes without a name in the
conventions begin with ``adiuva.``.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Final

from opentelemetry.trace import SpanKind

from agents.adapters.base import AssistantMessage, Message, SystemMessage, ToolMessage
from agents.events import ToolCall
from agents.telemetry.tracing.export import Attributes, Pseudonyms, SpanContent
from agents.telemetry.turns import Generation, GenerationContent, ObservedTurn, ToolUse, TurnOutcome

_OTHER: Final = "_OTHER"
"""The convention's error type for an error that has no code."""


class GenAiConvention:
    """The ``Convention`` of OpenTelemetry."""

    def turn(self, turn: ObservedTurn, who: Pseudonyms) -> SpanContent:
        origin, failed = turn.origin, turn.outcome is TurnOutcome.ERROR
        provider = turn.generations[-1].provider if turn.generations else ""
        attributes = _known(
            {
                "gen_ai.operation.name": "invoke_agent" if turn.agent else None,
                "gen_ai.agent.name": turn.agent,
                "gen_ai.provider.name": provider,
                "gen_ai.request.model": turn.model,
                "gen_ai.usage.input_tokens": turn.usage.input_tokens or None,
                "gen_ai.usage.output_tokens": turn.usage.output_tokens or None,
                "gen_ai.usage.cache_read.input_tokens": turn.usage.cached_tokens or None,
                "error.type": (turn.error_code or _OTHER) if failed else None,
                "adiuva.request.id": origin.request_id,
                "adiuva.turn.kind": origin.kind.value,
                "adiuva.turn.source": origin.source.value,
                "adiuva.turn.outcome": turn.outcome.value,
                "adiuva.turn.time_to_first_text": turn.first_text_s,
            }
        )
        name = f"invoke_agent {turn.agent}" if turn.agent else f"{origin.kind} turn"
        return SpanContent(name=name, attributes=attributes | _of(who), failed=failed)

    def generation(self, generation: Generation, turn: ObservedTurn, who: Pseudonyms) -> SpanContent:  # noqa: ARG002 - the port's
        usage, prompt, began = generation.usage, generation.prompt, generation.first_text_s
        failed = not (generation.ok or generation.stopped)
        attributes = _known(
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": generation.provider,
                "gen_ai.request.model": generation.model,
                "gen_ai.request.stream": True,
                "gen_ai.response.time_to_first_chunk": None if began is None else began - generation.began_s,
                "gen_ai.usage.input_tokens": None if usage is None else usage.input_tokens,
                "gen_ai.usage.output_tokens": None if usage is None else usage.output_tokens,
                "gen_ai.usage.cache_read.input_tokens": None if usage is None else usage.cached_tokens,
                "gen_ai.prompt.name": None if prompt is None else prompt.name,
                "adiuva.prompt.origin": None if prompt is None else prompt.origin,
                "adiuva.prompt.version": None if prompt is None else prompt.version,
                "error.type": _OTHER if failed else None,
            }
        )
        if generation.content is not None:
            attributes |= _told(generation.content, failed=failed)
        return SpanContent(
            name=f"chat {generation.model}", attributes=attributes | _of(who), kind=SpanKind.CLIENT, failed=failed
        )

    def tool(self, use: ToolUse, turn: ObservedTurn, who: Pseudonyms) -> SpanContent:  # noqa: ARG002 - the port's
        content = use.content
        attributes = _known(
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": use.tool,
                "gen_ai.tool.type": "function",
                "gen_ai.tool.call.arguments": None if content is None else content.arguments,
                "gen_ai.tool.call.result": None if content is None else content.result,
                "error.type": None if use.ok else _OTHER,
            }
        )
        return SpanContent(name=f"execute_tool {use.tool}", attributes=attributes | _of(who), failed=not use.ok)


def _of(who: Pseudonyms) -> Attributes:
    return _known({"enduser.pseudo.id": who.user, "gen_ai.conversation.id": who.session})


def _known(values: dict[str, str | bool | float | None]) -> Attributes:
    return {name: value for name, value in values.items() if value is not None and value != ""}


def _told(content: GenerationContent, *, failed: bool) -> Attributes:
    """Messages in the form of the convention's JSON schemas: a role and parts."""
    instructions = [_text(each.text) for each in content.messages if isinstance(each, SystemMessage)]
    messages = [_message(each) for each in content.messages if not isinstance(each, SystemMessage)]
    answer = {"role": "assistant", "parts": _parts(content.text, content.calls)}
    answer["finish_reason"] = "error" if failed else "tool_call" if content.calls else "stop"
    return {
        "gen_ai.system_instructions": json.dumps(instructions),
        "gen_ai.input.messages": json.dumps(messages),
        "gen_ai.output.messages": json.dumps([answer]),
    }


def _message(message: Message) -> dict[str, object]:
    match message:
        case AssistantMessage():
            return {"role": "assistant", "parts": _parts(message.text, message.tool_calls)}
        case ToolMessage():
            part = {"type": "tool_call_response", "id": message.call_id, "response": message.text}
            return {"role": "tool", "parts": [part]}
        case _:
            return {"role": "user", "parts": [_text(message.text)]}


def _parts(text: str, calls: Iterable[ToolCall]) -> Sequence[dict[str, str]]:
    called = [{"type": "tool_call", "id": call.id, "name": call.name, "arguments": call.arguments} for call in calls]
    return [*([_text(text)] if text else []), *called]


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "content": text}
