"""A conversation and its tools as the Chat Completions API takes them. Pure."""

import json
from collections.abc import Mapping, Sequence
from typing import assert_never

from openai.types.chat import (
    ChatCompletionFunctionToolParam,
    ChatCompletionMessageFunctionToolCallParam,
    ChatCompletionMessageParam,
)
from openai.types.shared_params import ResponseFormatJSONSchema

from agents.adapters.base import AssistantMessage, Message, SystemMessage, ToolMessage, ToolSchema, UserMessage
from agents.adapters.surrogates import mended
from agents.events import ToolCall


def message_params(messages: Sequence[Message]) -> list[ChatCompletionMessageParam]:
    """The conversation, in order."""
    return [_message(message) for message in messages]


def tool_params(tools: Sequence[ToolSchema]) -> list[ChatCompletionFunctionToolParam]:
    """The tools as functions."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in tools
    ]


def schema_param(schema: Mapping[str, object]) -> ResponseFormatJSONSchema:
    """The answer's format where the whole answer must fit ``schema``."""
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(schema), "strict": True}}


def with_schema_in_words(messages: Sequence[Message], schema: Mapping[str, object]) -> list[Message]:
    """The conversation for a server that knows no schemas: the first system message asks for the same in words."""
    wanted = f"Answer with nothing but JSON that fits this JSON Schema:\n{json.dumps(schema, ensure_ascii=False)}"
    if messages and isinstance(messages[0], SystemMessage):
        return [SystemMessage(text=f"{messages[0].text}\n\n{wanted}"), *messages[1:]]
    return [SystemMessage(text=wanted), *messages]


def _message(message: Message) -> ChatCompletionMessageParam:
    match message:
        case SystemMessage():
            return {"role": "system", "content": mended(message.text)}
        case UserMessage():
            return {"role": "user", "content": mended(message.text)}
        case AssistantMessage(tool_calls=()):
            return {"role": "assistant", "content": mended(message.text)}
        case AssistantMessage():
            return {
                "role": "assistant",
                "content": mended(message.text) or None,
                "tool_calls": [_call(call) for call in message.tool_calls],
            }
        case ToolMessage():
            return {"role": "tool", "tool_call_id": mended(message.call_id), "content": mended(message.text)}
        case _:
            assert_never(message)


def _call(call: ToolCall) -> ChatCompletionMessageFunctionToolCallParam:
    return {
        "id": mended(call.id),
        "type": "function",
        "function": {"name": mended(call.name), "arguments": _readable_arguments(mended(call.arguments))},
    }


def _readable_arguments(arguments: str) -> str:
    # Local servers parse them once more and refuse a request whose arguments are no JSON object.
    try:
        if isinstance(json.loads(arguments or "{}"), dict):
            return arguments or "{}"
    except (ValueError, RecursionError):
        pass
    return json.dumps({"unreadable_arguments": arguments}, ensure_ascii=False)
