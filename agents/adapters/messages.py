"""Anthropic's Messages API: the body of a request, and the answer to it. Pure.

The API demands that blocks of thinking that led to a call are sent back before it, unchanged.
"""

import hashlib
import json
import re
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
from agents.adapters.reading import AnswerReader, called, count, mapping, mended, raise_reported, text_of
from agents.events import ModelEvent, ToolCall, Usage

_CACHED: Final = {"cache_control": {"type": "ephemeral"}}
_CALL_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_EFFORTS: Final = {Effort.NONE: None, Effort.MINIMAL: Effort.LOW}
"""Our efforts to which the API gives other names; None for no thinking."""


def message_body(
    messages: Sequence[Message],
    tools: Sequence[ToolSchema],
    params: ModelParams,
    *,
    effort: Effort | None = None,
    owner: str = "",
) -> Param:
    """The body of a request, without model and limit. ``owner`` is the owner of the ``ModelState`` that is sent back.

    With tools there may be another round, so what it will have in common with this one is cached: the tools, the system
    prompt, and the conversation so far.
    """
    caches = bool(tools)
    system: list[Param] = [
        {"type": "text", "text": mended(message.text)}
        for message in messages
        if isinstance(message, SystemMessage) and message.text.strip()
    ]
    said = _turns(messages, owner)
    if caches:
        for blocks in (system, said[-1]["content"] if said else []):
            if isinstance(blocks, list) and blocks:
                blocks[-1] |= _CACHED
    body: Param = {"messages": said}
    if system:
        body["system"] = system
    choice = params.tool_choice if tools else ToolChoice.NONE
    if offered := tools or _called(messages):
        body["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}
            for tool in offered
        ]
        if choice is ToolChoice.NONE:
            body["tool_choice"] = {"type": "none"}
        # The API cannot force a model to call a tool if it thinks, which some do unless it is turned off.
        elif choice is ToolChoice.REQUIRED and effort is Effort.NONE:
            body["tool_choice"] = {"type": "any"}
    body.update(_output(params.response_schema, effort))
    return body


def _called(messages: Sequence[Message]) -> list[ToolSchema]:
    """The tools that were called, because the API refuses a conversation with calls if the request has no tools."""
    calls = (call for message in messages if isinstance(message, AssistantMessage) for call in message.tool_calls)
    return [
        ToolSchema(name=name, description="", parameters={"type": "object"})
        for name in dict.fromkeys(mended(call.name) for call in calls)
    ]


def _output(schema: Mapping[str, object] | None, effort: Effort | None) -> Param:
    """The fields for how the model thinks and in which format it answers."""
    output: Param = {} if schema is None else {"format": {"type": "json_schema", "schema": dict(schema)}}
    fields: Param = {}
    if effort is not None:
        named = _EFFORTS.get(effort, effort)
        fields["thinking"] = {"type": "disabled" if named is None else "adaptive"}
        output |= {} if named is None else {"effort": named.value}
    return fields | ({"output_config": output} if output else {})


def _turns(messages: Sequence[Message], owner: str) -> list[Param]:
    """The messages as turns with alternating roles. The results of a round of calls must be in one turn."""
    turns: list[tuple[str, list[Param]]] = []
    for message in messages:
        role = "assistant" if isinstance(message, AssistantMessage) else "user"
        if blocks := list(_blocks(message, owner)):
            if turns and turns[-1][0] == role:
                turns[-1][1].extend(blocks)
            else:
                turns.append((role, blocks))
    if turns and turns[0][0] == "assistant":
        # The beginning of the conversation was left out.
        turns.insert(0, ("user", [{"type": "text", "text": "…"}]))
    return [{"role": role, "content": blocks} for role, blocks in turns]


def _blocks(message: Message, owner: str) -> Iterator[Param]:
    match message:
        case SystemMessage():
            return
        case UserMessage():
            # The API's guide recommends images before the question about them.
            for image in message.images:
                source = {"type": "base64", "media_type": image.media_type.value, "data": image.base64}
                yield {"type": "image", "source": source}
            yield from _text_blocks(message.text)
        case AssistantMessage():
            called = [block for call in message.tool_calls for block in _call_blocks(call, owner)]
            if not any(block["type"] == "text" for block in called):
                yield from _text_blocks(message.text)
            yield from called
        case ToolMessage():
            result: Param = {"type": "tool_result", "tool_use_id": _call_id(message.call_id)}
            yield result | {"content": mended(message.text)} | ({} if message.ok else {"is_error": True})
        case _:
            assert_never(message)


def _text_blocks(text: str) -> Iterator[Param]:
    # The API refuses empty blocks.
    if text.strip():
        yield {"type": "text", "text": mended(text)}


def _call_blocks(call: ToolCall, owner: str) -> Iterator[Param]:
    """The blocks that the model wrote before ``call``, and the call."""
    if call.state is not None and call.state.owner == owner:
        yield from json.loads(call.state.items)
    arguments = json.loads(readable_arguments(mended(call.arguments)))
    yield {"type": "tool_use", "id": _call_id(call.id), "name": mended(call.name), "input": arguments}


def _call_id(call_id: str) -> str:
    if _CALL_ID.fullmatch(call_id):
        return call_id
    return f"call_{hashlib.blake2b(call_id.encode('utf-8', 'replace'), digest_size=12).hexdigest()}"


class MessageReader(AnswerReader):
    """Reads one streamed message. ``owner`` is the server and model that it comes from."""

    def __init__(self, *, owner: str = "") -> None:
        super().__init__()
        self._owner = owner
        self._open: dict[object, dict[str, object]] = {}
        """The blocks that are still being written, by index."""
        self._before: list[Mapping[str, object]] = []
        """The blocks since the last call."""
        self._calls: list[ToolCall] = []
        self._counts: dict[str, object] = {}
        self._stop_reason: object = None

    @property
    def is_whole(self) -> bool:
        return self.done or self._stop_reason is not None

    def _read(self, event: Mapping[str, object]) -> Iterator[ModelEvent]:
        match event.get("type"):
            case "message_start":
                self._count(mapping(event.get("message")).get("usage"))
            case "content_block_start":
                self.is_writing = True
                block = dict(mapping(event.get("content_block")))
                self._open[event.get("index")] = block | {"json": ""}
                yield from self._say(text_of(block.get("text") or ""))
            case "content_block_delta":
                yield from self._extend(self._open.get(event.get("index"), {}), mapping(event.get("delta")))
            case "content_block_stop":
                self._take(self._open.pop(event.get("index"), {}))
            case "message_delta":
                self._stop_reason = mapping(event.get("delta")).get("stop_reason")
                self._count(event.get("usage"))
            case "message_stop":
                yield from self._finish()
            case "error":
                raise_reported(event)
            case "message":
                yield from self._read_unstreamed(event)
            case _:
                pass

    def _read_unstreamed(self, message: Mapping[str, object]) -> Iterator[ModelEvent]:
        content = message.get("content")
        for each in content if isinstance(content, list) else []:
            block = dict(mapping(each))
            yield from self._say(text_of(block.get("text") or ""))
            self._take(block)
        self._count(message.get("usage"))
        self._stop_reason = message.get("stop_reason")

    def _extend(self, block: dict[str, object], delta: Mapping[str, object]) -> Iterator[ModelEvent]:
        name = {
            "text_delta": "text",
            "input_json_delta": "partial_json",
            "thinking_delta": "thinking",
            "signature_delta": "signature",
        }.get(str(delta.get("type")))
        if name is None or not isinstance(piece := delta.get(name), str):
            return
        kept = "json" if name == "partial_json" else name
        block[kept] = str(block.get(kept) or "") + piece
        if name == "text":
            yield from self._say(piece)

    def _take(self, block: dict[str, object]) -> None:
        written = block.pop("json", "")
        if _is_call(block):
            self._calls.append(self._call(block, str(written)))
            self._before = []
        elif block.get("type") in ("thinking", "redacted_thinking") or block.get("text"):
            self._before.append(block)

    def _call(self, block: Mapping[str, object], written: str) -> ToolCall:
        thought = any(each.get("type") != "text" for each in self._before)
        return called(
            str(block.get("id") or f"call_{len(self._calls)}"),
            str(block.get("name") or ""),
            written or json.dumps(block.get("input") or {}, ensure_ascii=False),
            owner=self._owner,
            returned=self._before if thought else None,
        )

    def _count(self, usage: object) -> None:
        """Note the counts. They are cumulative, and a later event has only some of them."""
        self._counts |= {name: value for name, value in mapping(usage).items() if value is not None}

    def _finish(self) -> Iterator[ModelEvent]:
        cached = count(self._counts.get("cache_read_input_tokens"))
        fresh = count(self._counts.get("input_tokens")) + count(self._counts.get("cache_creation_input_tokens"))
        written = count(self._counts.get("output_tokens"))
        usage = Usage(input_tokens=fresh + cached, output_tokens=written, cached_tokens=cached)
        is_cut = self._stop_reason in ("max_tokens", "model_context_window_exceeded")
        # A call that was being written when the limit was reached is left out.
        calls = [call for call in self._calls if not is_cut or _is_json(call.arguments)]
        # So is a last call without arguments, which may just not have been written.
        if is_cut and calls and calls[-1] is self._calls[-1] and not self._before and calls[-1].arguments == "{}":
            calls.pop()
        yield from self._finished(
            calls,
            usage if self._counts else None,
            refused=self._stop_reason == "refusal",
            is_cut=is_cut,
            lost_call=len(calls) < len(self._calls) or any(map(_is_call, self._open.values())),
        )


def _is_call(block: Mapping[str, object]) -> bool:
    return block.get("type") == "tool_use"


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
