"""Turns for Langfuse, which receives them by OTLP: a span, and below it the requests to models and the tool calls.

The names of the attributes are those of Langfuse's SDK.
"""

import base64
import json
from datetime import timedelta

from langfuse import LangfuseOtelSpanAttributes as Name

from agents.adapters.base import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage
from agents.events import ToolCall
from agents.prompts.rendering import PromptOrigin
from agents.telemetry.tracing.export import Attributes, OtlpEndpoint, Pseudonyms, SpanContent
from agents.telemetry.turns import Generation, ObservedTurn, ToolUse, TurnOutcome


def langfuse_endpoint(*, host: str, public_key: str, secret_key: str) -> OtlpEndpoint:
    """Where Langfuse at ``host`` receives the traces of the project with these keys."""
    credentials = base64.b64encode(f"{public_key}:{secret_key}".encode()).decode()
    return OtlpEndpoint(
        url=f"{host.rstrip('/')}/api/public/otel/v1/traces",
        # The version of the ingestion that shows traces at once.
        headers={"Authorization": f"Basic {credentials}", "x-langfuse-ingestion-version": "4"},
    )


class LangfuseConvention:
    """The ``Convention`` of Langfuse. ``environment`` and ``release`` are left out if they are empty."""

    def __init__(self, *, environment: str = "", release: str = "") -> None:
        given = {Name.ENVIRONMENT: environment, Name.RELEASE: release}
        self._server: Attributes = {name: value for name, value in given.items() if value}

    def turn(self, turn: ObservedTurn, who: Pseudonyms) -> SpanContent:
        return SpanContent(name=f"{turn.origin.kind} turn", attributes=self._trace(turn, who) | _of_turn(turn))

    def generation(self, generation: Generation, turn: ObservedTurn, who: Pseudonyms) -> SpanContent:
        attributes = self._trace(turn, who) | _of_generation(generation, turn)
        return SpanContent(name=f"{generation.size} model", attributes=attributes)

    def tool(self, use: ToolUse, turn: ObservedTurn, who: Pseudonyms) -> SpanContent:
        return SpanContent(name=use.tool, attributes=self._trace(turn, who) | _of_tool(use))

    def _trace(self, turn: ObservedTurn, who: Pseudonyms) -> Attributes:
        """The attributes of the whole trace, which every span has."""
        trace: Attributes = {Name.TRACE_NAME: turn.origin.kind.value, Name.TRACE_USER_ID: who.user}
        session: Attributes = {Name.TRACE_SESSION_ID: who.session} if who.session else {}
        return self._server | trace | session


def _of_turn(turn: ObservedTurn) -> Attributes:
    attributes: Attributes = {
        Name.IS_APP_ROOT: True,
        Name.OBSERVATION_TYPE: "span",
        **_metadata(
            request_id=turn.origin.request_id,
            kind=turn.origin.kind.value,
            source=turn.origin.source.value,
            agent=turn.agent,
            outcome=turn.outcome.value,
            first_text_ms=None if turn.first_text_s is None else round(turn.first_text_s * 1000),
        ),
    }
    if turn.outcome is TurnOutcome.ERROR:
        attributes |= {Name.OBSERVATION_LEVEL: "ERROR", Name.OBSERVATION_STATUS_MESSAGE: turn.error_code}
    if turn.outcome is TurnOutcome.CANCELLED:
        attributes[Name.OBSERVATION_STATUS_MESSAGE] = "cancelled"
    last = turn.generations[-1].content if turn.generations else None
    if last is not None:
        asked = next((message.text for message in reversed(last.messages) if isinstance(message, UserMessage)), "")
        attributes |= {Name.OBSERVATION_INPUT: asked, Name.OBSERVATION_OUTPUT: last.text}
    return attributes


def _of_generation(generation: Generation, turn: ObservedTurn) -> Attributes:
    attributes: Attributes = {Name.OBSERVATION_TYPE: "generation", Name.OBSERVATION_MODEL: generation.model}
    if generation.usage is not None:
        usage = generation.usage
        # Langfuse adds the kinds, so none may be part of another.
        counted = {"input": usage.input_tokens - usage.cached_tokens, "output": usage.output_tokens}
        counted |= {"input_cached_tokens": usage.cached_tokens} if usage.cached_tokens else {}
        attributes[Name.OBSERVATION_USAGE_DETAILS] = json.dumps(counted)
    if generation.first_text_s is not None:
        attributes[Name.OBSERVATION_COMPLETION_START_TIME] = json.dumps(
            (turn.started_at + timedelta(seconds=generation.first_text_s)).isoformat()
        )
    if (prompt := generation.prompt) is not None:
        attributes |= _metadata(prompt=prompt.name, prompt_origin=prompt.origin, prompt_version=prompt.version)
        if prompt.origin == PromptOrigin.LANGFUSE and prompt.version is not None:
            # These link the generation to that version.
            attributes |= {
                Name.OBSERVATION_PROMPT_NAME: prompt.name,
                Name.OBSERVATION_PROMPT_VERSION: prompt.version,
            }
    if generation.stopped:
        attributes[Name.OBSERVATION_STATUS_MESSAGE] = "stopped"
    elif not generation.ok:
        attributes[Name.OBSERVATION_LEVEL] = "ERROR"
    if (content := generation.content) is not None:
        said = {"text": content.text, "tool_calls": [_called(call) for call in content.calls]}
        attributes[Name.OBSERVATION_INPUT] = json.dumps([_said(message) for message in content.messages])
        attributes[Name.OBSERVATION_OUTPUT] = json.dumps(said)
    return attributes


def _said(message: Message) -> dict[str, object]:
    match message:
        case SystemMessage():
            return {"role": "system", "content": message.text}
        case UserMessage():
            return {"role": "user", "content": message.text}
        case AssistantMessage():
            calls = [_called(call) for call in message.tool_calls]
            return {"role": "assistant", "content": message.text, "tool_calls": calls}
        case ToolMessage():
            return {"role": "tool", "content": message.text, "tool_call_id": message.call_id}


def _called(call: ToolCall) -> dict[str, str]:
    """``call`` without its state, which is only for the model's server."""
    return {"id": call.id, "name": call.name, "arguments": call.arguments}


def _of_tool(use: ToolUse) -> Attributes:
    attributes: Attributes = {Name.OBSERVATION_TYPE: "tool", **_metadata(ok=use.ok)}
    if not use.ok:
        attributes[Name.OBSERVATION_LEVEL] = "WARNING"
    if use.content is not None:
        attributes |= {Name.OBSERVATION_INPUT: use.content.arguments, Name.OBSERVATION_OUTPUT: use.content.result}
    return attributes


def _metadata(**values: str | float | None) -> Attributes:
    """Metadata in the SDK's form: values as JSON, without empty ones."""
    prefix = Name.OBSERVATION_METADATA
    return {f"{prefix}.{name}": json.dumps(value) for name, value in values.items() if value not in (None, "")}
