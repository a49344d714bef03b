"""OpenAI's Responses API: the body of a request, and the answer to it. Pure.

The provider stores nothing. So that a reasoning model knows its reasoning in later rounds of tools, it is received
encrypted, and sent back before the calls to which it led.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, assert_never

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
from agents.adapters.chat_request import Param, readable_arguments
from agents.adapters.dialects import Effort
from agents.adapters.reading import (
    NOTHING,
    AnswerReader,
    called,
    count,
    mapping,
    mended,
    raise_reported,
    sequence,
    text_of,
)
from agents.events import ModelEvent, ToolCall, Usage

_MIN_TOKENS: Final = 16
"""The API refuses a lower limit."""


def responses_body(
    messages: Sequence[Message],
    tools: Sequence[ToolSchema],
    params: ModelParams,
    *,
    effort: Effort | None = None,
    owner: str = "",
) -> Param:
    """The body of a request, without its model. ``owner`` is the owner of the ``ModelState`` that is sent back."""
    items = [item for message in messages for item in _items(message, owner)]
    body: Param = {"input": items, "stream": True, "store": False}
    if tools:
        body["tools"] = [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.parameters),
                # By default, the API accepts only a subset of JSON Schema.
                "strict": False,
            }
            for tool in tools
        ]
        if params.tool_choice is not ToolChoice.AUTO:
            body["tool_choice"] = params.tool_choice.value
    if params.response_schema is not None:
        schema = dict(params.response_schema)
        body["text"] = {"format": {"type": "json_schema", "name": "answer", "schema": schema, "strict": True}}
    if params.temperature is not None:
        body["temperature"] = params.temperature
    if params.max_tokens is not None:
        body["max_output_tokens"] = max(_MIN_TOKENS, params.max_tokens)
    if effort is not None:
        body["reasoning"] = {"effort": effort.value}
        # A model that does not reason refuses this.
        body["include"] = ["reasoning.encrypted_content"]
    return body


def _items(message: Message, owner: str) -> Iterator[Param]:
    match message:
        case SystemMessage():
            yield {"role": "system", "content": mended(message.text)}
        case UserMessage(images=()):
            yield {"role": "user", "content": mended(message.text)}
        case UserMessage():
            images = [{"type": "input_image", "image_url": each.url} for each in message.images]
            yield {"role": "user", "content": [{"type": "input_text", "text": mended(message.text)}, *images]}
        case AssistantMessage():
            items = [item for call in message.tool_calls for item in _call_items(call, owner)]
            if message.text and not any(item["type"] == "message" for item in items):
                yield {"role": "assistant", "content": mended(message.text)}
            yield from items
        case ToolMessage():
            yield {
                "type": "function_call_output",
                "call_id": mended(message.call_id),
                "output": mended(message.text),
            }
        case _:
            assert_never(message)


def _call_items(call: ToolCall, owner: str) -> Iterator[Param]:
    """The items that the model wrote before ``call``, and the call."""
    if call.state is not None and call.state.owner == owner:
        yield from json.loads(call.state.items)
    yield {
        "type": "function_call",
        "call_id": mended(call.id),
        "name": mended(call.name),
        "arguments": readable_arguments(mended(call.arguments)),
    }


class ResponsesReader(AnswerReader):
    """Reads one streamed response. ``owner`` is the server and model that it comes from."""

    def __init__(self, *, owner: str = "") -> None:
        super().__init__()
        self._owner = owner
        self._calls: list[ToolCall] = []
        self._before: list[Mapping[str, object]] = []
        """The items since the last call."""
        self._usage: Usage | None = None
        self._has_open_call = False
        self._status = ""
        self._reason: object = None
        self._refused = False

    @property
    def is_whole(self) -> bool:
        return self.done or bool(self._status)

    def _read(self, event: Mapping[str, object]) -> Iterator[ModelEvent]:
        match event.get("type"):
            case "response.output_text.delta":
                yield from self._say(text_of(event.get("delta", "")))
            case "response.refusal.delta":
                self._refused = True
                yield from self._say(text_of(event.get("delta", "")))
            case "response.output_item.added":
                # A model may be silent for minutes while it reasons.
                kind = mapping(event.get("item")).get("type")
                self.is_writing, self._has_open_call = kind != "reasoning", kind == "function_call"
            case "response.output_item.done":
                self._take(mapping(event.get("item")))
            case "response.completed" | "response.incomplete":
                yield from self._end(mapping(event.get("response")))
            case "response.failed" | "error":
                raise_reported(mapping(event.get("response")) or event)
            case None:
                yield from self._read_unstreamed(event)
            case _:
                pass

    def _read_unstreamed(self, response: Mapping[str, object]) -> Iterator[ModelEvent]:
        """A whole response, from a server that does not stream, or an error object."""
        if response.get("error") or "output" not in response:
            raise_reported(response)
        for each in sequence(response.get("output")):
            item = mapping(each)
            for part in sequence(item.get("content") or []):
                said = mapping(part)
                self._refused = self._refused or said.get("type") == "refusal"
                yield from self._say(text_of(said.get("text") or said.get("refusal") or ""))
            self._take(item)
        yield from self._end(response)

    def _take(self, item: Mapping[str, object]) -> None:
        kind = item.get("type")
        if kind == "function_call":
            # A call that the length limit has cut off is left out.
            self._has_open_call = item.get("status") not in (None, "completed")
            if not self._has_open_call:
                self._calls.append(self._call(item))
                self._before = []
        elif kind == "message" or (kind == "reasoning" and item.get("encrypted_content")):
            # Items without their content are left out: the provider does not store them, so they cannot be named.
            self._before.append(item)

    def _call(self, item: Mapping[str, object]) -> ToolCall:
        reasoned = any(each.get("type") == "reasoning" for each in self._before)
        return called(
            str(item.get("call_id") or item.get("id") or f"call_{len(self._calls)}"),
            str(item.get("name") or ""),
            str(item.get("arguments") or "{}"),
            owner=self._owner,
            returned=self._before if reasoned else None,
        )

    def _end(self, response: Mapping[str, object]) -> Iterator[ModelEvent]:
        self._status = str(response.get("status") or "completed")
        self._reason = (mapping(response.get("incomplete_details")) or NOTHING).get("reason")
        if usage := mapping(response.get("usage")):
            self._usage = Usage(
                input_tokens=count(usage.get("input_tokens")),
                output_tokens=count(usage.get("output_tokens")),
                cached_tokens=count(mapping(usage.get("input_tokens_details")).get("cached_tokens")),
            )
        yield from self._finish()

    def _finish(self) -> Iterator[ModelEvent]:
        refused = self._refused or self._reason == "content_filter"
        is_cut = self._status == "incomplete"
        yield from self._finished(
            self._calls, self._usage, refused=refused, is_cut=is_cut, lost_call=self._has_open_call
        )
