"""Requests of the Chat Completions API, in the dialect of a server. Pure."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias, assert_never

from agents.adapters.base import (
    AssistantMessage,
    Message,
    ModelParams,
    SystemMessage,
    ToolChoice,
    ToolMessage,
    ToolSchema,
    UserMessage,
)
from agents.adapters.dialects import DIALECTS, CallRequirement, Dialect, DialectName, Effort
from agents.adapters.reading import NOTHING, mapping, mended
from agents.events import ToolCall

Param: TypeAlias = dict[str, object]
"""A JSON object of a request."""

PLAIN: Final = DIALECTS[DialectName.COMPATIBLE]
_SHORT_ID: Final = re.compile(r"[A-Za-z0-9]{9}")
_UNSIGNED: Final = {"google": {"thought_signature": "skip_thought_signature_validator"}}
"""For a call that Gemini has not made itself (ai.google.dev/gemini-api/docs/thought-signatures)."""


def chat_body(
    messages: Sequence[Message],
    tools: Sequence[ToolSchema],
    params: ModelParams,
    *,
    dialect: Dialect = PLAIN,
    effort: Effort | None = None,
    owner: str = "",
) -> Param:
    """The body of a request, without its model. ``owner`` is the owner of the ``ModelState`` that is sent back."""
    body: Param = {"messages": message_params(messages, dialect=dialect, owner=owner), "stream": True}
    if dialect.counts_on_request:
        body["stream_options"] = {"include_usage": True}
    if dialect.stores_unless_told:
        body["store"] = False
    if dialect.tells_progress:
        body["return_progress"] = True
    body.update(_tools(tools, params, dialect))
    if params.response_schema is not None:
        body["response_format"] = schema_param(params.response_schema)
    if params.temperature is not None:
        body["temperature"] = params.temperature
    if params.max_tokens is not None:
        body[dialect.limit_field] = params.max_tokens
    if effort is not None and dialect.effort_in_object:
        body["reasoning"] = {"effort": effort.value}
    elif effort is not None:
        body["reasoning_effort"] = effort.value
    return body


def _tools(tools: Sequence[ToolSchema], params: ModelParams, dialect: Dialect) -> Param:
    choice = params.tool_choice
    if not tools or (choice is ToolChoice.NONE and not dialect.has_tool_choice):
        return {}
    sent: Param = {"tools": tool_params(tools)}
    if choice is ToolChoice.REQUIRED and dialect.requires_calls is CallRequirement.SCHEMA:
        # With any other choice the server would use its grammar for calls besides the schema.
        required = [tool for tool in tools if tool.name in params.required_tools] or tools
        return {**sent, "tool_choice": ToolChoice.NONE.value, "response_format": schema_param(_call_schema(required))}
    if choice is ToolChoice.REQUIRED and dialect.requires_calls is None:
        return sent
    if choice is not ToolChoice.AUTO and dialect.has_tool_choice:
        sent["tool_choice"] = choice.value
    return sent


def _call_schema(tools: Sequence[ToolSchema]) -> Param:
    """The schema of a call of one of ``tools``, written as text."""
    return {
        "anyOf": [
            {
                "type": "object",
                "properties": {"name": {"const": tool.name}, "arguments": dict(tool.parameters)},
                "required": ["name", "arguments"],
                "additionalProperties": False,
            }
            for tool in tools
        ]
    }


def tool_params(tools: Sequence[ToolSchema]) -> list[Param]:
    """The tools as functions."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in tools
    ]


def schema_param(schema: Mapping[str, object]) -> Param:
    """The format of an answer that must conform to ``schema``."""
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(schema), "strict": True}}


def with_schema_in_words(messages: Sequence[Message], schema: Mapping[str, object]) -> list[Message]:
    """The conversation for a server that does not know schemas: the first system message asks for the format."""
    wanted = f"Answer with nothing but JSON that fits this JSON Schema:\n{json.dumps(schema, ensure_ascii=False)}"
    if messages and isinstance(messages[0], SystemMessage):
        return [SystemMessage(text=f"{messages[0].text}\n\n{wanted}"), *messages[1:]]
    return [SystemMessage(text=wanted), *messages]


def message_params(messages: Sequence[Message], *, dialect: Dialect = PLAIN, owner: str = "") -> list[Param]:
    """The conversation in the form that a server of this dialect accepts."""
    if dialect.alternating:
        messages = list(_alternating(messages))
    return [_message_param(message, dialect, owner) for message in messages]


def _alternating(messages: Sequence[Message]) -> Iterator[Message]:
    """The same conversation with alternating roles, and with only one system message, at the beginning."""
    start = next((at for at, each in enumerate(messages) if not isinstance(each, SystemMessage)), len(messages))
    if start:
        yield SystemMessage(text=_paragraphs(messages[:start]))
    last: Message | None = None
    for message in messages[start:]:
        following = UserMessage(text=message.text) if isinstance(message, SystemMessage) else message
        if last is None and isinstance(following, AssistantMessage):
            # The beginning of the conversation was left out.
            yield UserMessage(text="…")
        joined = None if last is None else _joined(last, following)
        if joined is None and last is not None:
            yield last
        last = joined or following
    if last is not None:
        yield last


def _joined(first: Message, second: Message) -> Message | None:
    """Both as one message; None if they must stay separate."""
    text = _paragraphs([first, second])
    if isinstance(first, UserMessage) and isinstance(second, UserMessage):
        return UserMessage(text=text, images=first.images + second.images)
    if isinstance(first, AssistantMessage) and isinstance(second, AssistantMessage) and not first.tool_calls:
        return AssistantMessage(text=text, tool_calls=second.tool_calls)
    return None


def _paragraphs(messages: Sequence[Message]) -> str:
    return "\n\n".join(message.text for message in messages if message.text)


def _message_param(message: Message, dialect: Dialect, owner: str) -> Param:
    match message:
        case SystemMessage():
            return {"role": "system", "content": mended(message.text)}
        case UserMessage(images=()):
            return {"role": "user", "content": mended(message.text)}
        case UserMessage():
            images = [{"type": "image_url", "image_url": {"url": each.url}} for each in message.images]
            return {"role": "user", "content": [{"type": "text", "text": mended(message.text)}, *images]}
        case AssistantMessage(tool_calls=()):
            return {"role": "assistant", "content": mended(message.text)}
        case AssistantMessage():
            states = [state_of(call, owner) for call in message.tool_calls]
            returned = next((mapping(state["message"]) for state in states if "message" in state), NOTHING)
            calls = [_call(call, dialect) for call in message.tool_calls]
            for call, state in zip(calls, states, strict=True):
                call.update(mapping(state.get("call")))
            if dialect.signed_calls:
                calls[0].setdefault("extra_content", _UNSIGNED)
            return {"role": "assistant", "content": mended(message.text) or None, "tool_calls": calls, **returned}
        case ToolMessage():
            return {
                "role": "tool",
                "tool_call_id": _call_id(message.call_id, dialect),
                "content": mended(message.text),
            }
        case _:
            assert_never(message)


def state_of(call: ToolCall, owner: str) -> Mapping[str, object]:
    """The state of ``call`` that ``owner`` wants back; empty for a call of another model."""
    return json.loads(call.state.items) if call.state is not None and call.state.owner == owner else NOTHING


def _call(call: ToolCall, dialect: Dialect) -> Param:
    return {
        "id": _call_id(call.id, dialect),
        "type": "function",
        "function": {"name": mended(call.name), "arguments": readable_arguments(mended(call.arguments))},
    }


def _call_id(call_id: str, dialect: Dialect) -> str:
    if not dialect.short_call_ids or _SHORT_ID.fullmatch(call_id):
        return mended(call_id)
    return hashlib.blake2b(call_id.encode("utf-8", "replace"), digest_size=5).hexdigest()[:9]


def readable_arguments(arguments: str) -> str:
    """``arguments`` if they are a JSON object, or else an object that contains them.

    Servers parse them again, and refuse a request whose arguments are not a JSON object.
    """
    try:
        if isinstance(json.loads(arguments or "{}"), dict):
            return arguments or "{}"
    except (ValueError, RecursionError):
        pass
    return json.dumps({"unreadable_arguments": arguments}, ensure_ascii=False)
