"""Anthropic's API over real HTTP with the real SDK: a scripted server answers as its published reference says."""

import asyncio
import json
import traceback
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

import pytest

from agents.adapters.anthropic import DEFAULT_MAX_TOKENS, AnthropicAdapter, anthropic_client
from agents.adapters.base import (
    AssistantMessage,
    Message,
    ModelAdapter,
    ModelParams,
    ModelSize,
    SystemMessage,
    ToolChoice,
    ToolMessage,
    ToolSchema,
    UserMessage,
)
from agents.adapters.dialects import Effort
from agents.adapters.messages import MessageReader
from agents.adapters.reading import joined
from agents.errors import ModelBroken, ModelError, ModelIncapable, ModelRefused, ModelUnavailable
from agents.events import ModelEvent, ModelState, ModelStopped, StopReason, TextDelta, ToolCall, Usage
from tests.adiuva.servers import reserved_port
from tests.model_server.scripts import BreakOff, Hold, Json, Raw, Script, Status, event
from tests.model_server.server import ModelServer

MODELS = {ModelSize.LARGE: "large-1", ModelSize.SMALL: "small-1"}
KEY = "sk-ant-secret"
TOOLS = (
    ToolSchema(name="list_tasks", description="List them.", parameters={"type": "object", "properties": {}}),
    ToolSchema(name="list_notes", description="List notes.", parameters={"type": "object", "properties": {}}),
)
QUESTION: Sequence[Message] = (SystemMessage(text="Be brief."), UserMessage(text="What is due?"))
SCHEMA = {"type": "object", "properties": {"agent": {"type": "string"}}, "additionalProperties": False}
CACHED = {"cache_control": {"type": "ephemeral"}}
SOON = {"retry-after-ms": "1"}
THOUGHT = {"type": "thinking", "thinking": "Let me look. 🎉", "signature": "c2ln"}
REDACTED = {"type": "redacted_thinking", "data": "YWJj"}
SAID = {"type": "text", "text": "Let me see."}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
async def adapter(server: ModelServer) -> AsyncIterator[AnthropicAdapter]:
    adapter = connected(address(server))
    yield adapter
    await adapter.aclose()


def address(server: ModelServer) -> str:
    return server.base_url.removesuffix("/v1")


def connected(
    base_url: str, *, effort: Effort | None = None, stall_s: float = 30.0, first_byte_s: float = 30.0
) -> AnthropicAdapter:
    return AnthropicAdapter(
        anthropic_client(api_key=KEY, base_url=base_url, stall_s=stall_s),
        MODELS,
        efforts={ModelSize.LARGE: effort} if effort else {},
        first_byte_s=first_byte_s,
    )


async def ask(
    adapter: ModelAdapter, messages: Sequence[Message] = QUESTION, *, tools: Sequence[ToolSchema] = TOOLS, **params: Any
) -> list[ModelEvent]:
    """The events, with adjacent texts joined, since how text is divided into deltas depends on the network."""
    return list(joined(iter([event async for event in adapter.stream(messages, tools, ModelParams(**params))])))


async def heard_before(adapter: ModelAdapter, error: type[ModelError], match: str | None = None) -> list[ModelEvent]:
    """The events before the error, as ``ask`` gives them."""
    heard: list[ModelEvent] = []

    async def listen() -> None:
        async for each in adapter.stream(QUESTION, TOOLS, ModelParams()):
            heard.append(each)  # noqa: PERF401 - what came before the error counts

    with pytest.raises(error, match=match) as raised:
        await listen()
    assert type(raised.value) is error
    return list(joined(iter(heard)))


def sent(kind: str, **fields: object) -> Raw:
    """An event after its name, as the API sends it."""
    return Raw(b"event: " + kind.encode() + b"\n" + event({"type": kind, **fields}))


def wants(name: str, call_id: str = "toolu_1", **arguments: object) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def message(*blocks: Mapping[str, Any], stop_reason: str = "end_turn") -> Script:
    """A streamed message that consists of ``blocks``."""
    begun = {"input_tokens": 10, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 20, "output_tokens": 1}
    steps = [sent("message_start", message={"usage": begun, "content": []}), sent("ping")]
    for index, block in enumerate(blocks):
        steps += _block(index, block)
    ended = {"stop_reason": stop_reason, "stop_sequence": None}
    return [*steps, sent("message_delta", delta=ended, usage={"output_tokens": 7}), sent("message_stop")]


def _block(index: int, block: Mapping[str, Any]) -> list[Raw]:
    empty: dict[str, object]
    match block["type"]:
        case "text":
            empty, deltas = {"text": ""}, [{"type": "text_delta", "text": part} for part in _halves(block["text"])]
        case "tool_use":
            # An empty input is sent as one empty delta.
            written = json.dumps(block["input"], ensure_ascii=False) if block["input"] else ""
            pieces = _halves(written) if written else [""]
            empty, deltas = {"input": {}}, [{"type": "input_json_delta", "partial_json": part} for part in pieces]
        case "thinking":
            empty = {"thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": part} for part in _halves(block["thinking"])]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        case _:
            empty, deltas = {}, []
    steps = [sent("content_block_start", index=index, content_block={**block, **empty})]
    steps += [sent("content_block_delta", index=index, delta=delta) for delta in deltas]
    return [*steps, sent("content_block_stop", index=index)]


def _halves(text: str) -> list[str]:
    return [text[: len(text) // 2], text[len(text) // 2 :]]


COUNTED = Usage(input_tokens=35, output_tokens=7, cached_tokens=20)


async def test_text_is_returned_with_usage(server: ModelServer, adapter: AnthropicAdapter) -> None:
    server.reply(message({"type": "text", "text": "Nothing 🎉."}))

    events = await ask(adapter)
    assert "".join(each.text for each in events if isinstance(each, TextDelta)) == "Nothing 🎉."
    assert events[-2:] == [COUNTED, ModelStopped(reason=StopReason.COMPLETE)]
    [request] = server.requests
    assert (request.path, request.headers["authorization"]) == ("/v1/messages", f"Bearer {KEY}")


async def test_text_is_streamed_while_model_is_writing(server: ModelServer, adapter: AnthropicAdapter) -> None:
    script = message({"type": "text", "text": "Hello"})
    server.reply([*script[:4], Hold(), *script[4:]])
    async with aclosing(adapter.stream(QUESTION, TOOLS, ModelParams())) as events:
        assert await anext(events) == TextDelta(text="He")
        server.open()
        assert await anext(events) == TextDelta(text="llo")


async def test_calls_are_returned_whole(server: ModelServer, adapter: AnthropicAdapter) -> None:
    server.reply(message(SAID, wants("list_tasks", "a", title="Müsli"), wants("list_notes", "b"),
                         stop_reason="tool_use"))  # fmt: skip

    events = await ask(adapter)
    assert [each for each in events if not isinstance(each, TextDelta)] == [
        ToolCall(id="a", name="list_tasks", arguments='{"title": "Müsli"}'),
        ToolCall(id="b", name="list_notes", arguments="{}"),
        COUNTED,
        ModelStopped(reason=StopReason.TOOL_CALLS),
    ]


async def test_prefix_of_request_with_tools_is_cached(server: ModelServer, adapter: AnthropicAdapter) -> None:
    server.reply(message(SAID))
    await ask(adapter)

    assert server.requests[0].body == {
        "model": "large-1",
        "max_tokens": DEFAULT_MAX_TOKENS,
        "system": [{"type": "text", "text": "Be brief.", **CACHED}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "What is due?", **CACHED}]}],
        "tools": [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters} for tool in TOOLS
        ],
        "stream": True,
    }


async def test_request_without_tools_is_not_cached(server: ModelServer, adapter: AnthropicAdapter) -> None:
    server.reply(message(SAID))
    await ask(adapter, tools=(), size=ModelSize.SMALL, max_tokens=50)

    assert server.requests[0].body == {
        "model": "small-1",
        "max_tokens": 50,
        "system": [{"type": "text", "text": "Be brief."}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "What is due?"}]}],
        "stream": True,
    }


async def test_temperature_is_rejected(server: ModelServer, adapter: AnthropicAdapter) -> None:
    with pytest.raises(ModelIncapable, match="large-1 does not take this temperature"):
        await ask(adapter, temperature=0.5)
    assert server.requests == []


async def test_model_that_must_answer_keeps_its_tools(server: ModelServer, adapter: AnthropicAdapter) -> None:
    server.otherwise(message(SAID))
    await ask(adapter)
    await ask(adapter, tool_choice=ToolChoice.NONE)

    free, bound = (request.body for request in server.requests)
    assert bound == {**free, "tool_choice": {"type": "none"}}


@pytest.mark.parametrize(("effort", "choice"), [(None, None), (Effort.NONE, {"type": "any"}), (Effort.LOW, None)])
async def test_call_is_required_only_if_model_does_not_think(
    server: ModelServer, effort: Effort | None, choice: Mapping[str, str] | None
) -> None:
    server.reply(message(SAID))
    adapter = connected(address(server), effort=effort)
    await ask(adapter, tool_choice=ToolChoice.REQUIRED)
    await adapter.aclose()

    assert server.requests[0].body.get("tool_choice") == choice


async def test_conversation_becomes_alternating_turns(server: ModelServer, adapter: AnthropicAdapter) -> None:
    calls = (ToolCall(id="a", name="list_tasks", arguments="{"), ToolCall(id="ü b", name="list_notes", arguments=""))
    server.reply(message(SAID))
    await ask(
        adapter,
        [
            SystemMessage(text="Be brief."),
            AssistantMessage(text="Hello."),
            UserMessage(text="Remember."),
            UserMessage(text="What is due?"),
            AssistantMessage(text="Let me see.", tool_calls=calls),
            ToolMessage(call_id="a", text="Broken.", ok=False),
            ToolMessage(call_id="ü b", text="No notes."),
            AssistantMessage(text=""),
        ],
        tools=(),
    )

    body = server.requests[0].body
    # The API refuses a history with calls unless tools are declared.
    assert [tool["name"] for tool in body["tools"]] == ["list_tasks", "list_notes"]
    assert body["tool_choice"] == {"type": "none"}
    turns = body["messages"]
    odd_id = turns[3]["content"][2]["id"]
    assert odd_id.isascii()
    assert turns == [
        {"role": "user", "content": [{"type": "text", "text": "…"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Hello."}]},
        {"role": "user", "content": [{"type": "text", "text": text} for text in ("Remember.", "What is due?")]},
        {
            "role": "assistant",
            "content": [
                SAID,
                wants("list_tasks", "a", unreadable_arguments="{"),
                wants("list_notes", odd_id),
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "Broken.", "is_error": True},
                {"type": "tool_result", "tool_use_id": odd_id, "content": "No notes."},
            ],
        },
    ]


async def test_thinking_is_sent_back_unchanged_before_its_calls(server: ModelServer, adapter: AnthropicAdapter) -> None:
    blocks = (THOUGHT, REDACTED, SAID, wants("list_tasks", "a"), wants("list_notes", "b"))
    server.reply(message(*blocks, stop_reason="tool_use"), message(SAID))
    calls = tuple(each for each in await ask(adapter) if isinstance(each, ToolCall))
    results = [ToolMessage(call_id=call.id, text="None.") for call in calls]
    await ask(adapter, [*QUESTION, AssistantMessage(text="Let me see.", tool_calls=calls), *results])

    assert server.requests[1].body["messages"][1] == {"role": "assistant", "content": list(blocks)}


async def test_thinking_of_another_model_is_not_sent(server: ModelServer, adapter: AnthropicAdapter) -> None:
    state = ModelState(owner="elsewhere", items=json.dumps([THOUGHT]))
    call = ToolCall(id="a", name="list_tasks", arguments="{}", state=state)
    server.reply(message(SAID))
    await ask(adapter, [*QUESTION, AssistantMessage(text="", tool_calls=(call,)), ToolMessage(call_id="a", text="No")])

    assert server.requests[0].body["messages"][1]["content"] == [wants("list_tasks", "a")]


@pytest.mark.parametrize(
    ("effort", "fields"),
    [
        (Effort.NONE, {"thinking": {"type": "disabled"}}),
        (Effort.MINIMAL, {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}}),
        (Effort.HIGH, {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}),
    ],
)
async def test_effort_is_sent_if_set(server: ModelServer, effort: Effort, fields: Mapping[str, object]) -> None:
    server.reply(message(SAID))
    adapter = connected(address(server), effort=effort)
    await ask(adapter)
    await adapter.aclose()

    body = server.requests[0].body
    assert {name: body[name] for name in ("thinking", "output_config") if name in body} == fields


async def test_schema_is_sent(server: ModelServer, adapter: AnthropicAdapter) -> None:
    server.reply(message({"type": "text", "text": "{}"}))
    await ask(adapter, tools=(), response_schema=SCHEMA)
    assert server.requests[0].body["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA}}


async def test_model_without_schemas_gets_schema_parameter_only_once(
    server: ModelServer, adapter: AnthropicAdapter
) -> None:
    server.reply([Status(400, whole_body={"type": "error", "error": {"type": "invalid_request_error"}})])
    server.otherwise(message({"type": "text", "text": "{}"}))
    for _ in range(2):
        await ask(adapter, tools=(), response_schema=SCHEMA)

    assert ["output_config" in request.body for request in server.requests] == [True, False, False]
    assert "JSON Schema" in server.requests[1].body["system"][0]["text"]


@pytest.mark.parametrize(
    ("reason", "stopped"),
    [
        ("end_turn", StopReason.COMPLETE),
        ("stop_sequence", StopReason.COMPLETE),
        ("max_tokens", StopReason.LENGTH),
        ("model_context_window_exceeded", StopReason.LENGTH),
    ],
)
async def test_stop_reason_is_reported(
    server: ModelServer, adapter: AnthropicAdapter, reason: str, stopped: StopReason
) -> None:
    server.reply(message(SAID, stop_reason=reason))
    assert (await ask(adapter))[-1] == ModelStopped(reason=stopped)


async def test_call_truncated_by_length_limit_is_not_made(server: ModelServer, adapter: AnthropicAdapter) -> None:
    script = message(wants("list_tasks", "a"), wants("list_notes", "b", title="x"), stop_reason="max_tokens")
    server.reply([*script[:-4], *script[-3:]])  # without the second half of its arguments

    events = await ask(adapter)
    assert [each.id for each in events if isinstance(each, ToolCall)] == ["a"]
    assert events[-1] == ModelStopped(reason=StopReason.LENGTH, lost_call=True)


async def test_call_truncated_before_its_arguments_is_not_made(server: ModelServer, adapter: AnthropicAdapter) -> None:
    server.reply(message(wants("list_tasks", "a"), wants("undo_changes", "b"), stop_reason="max_tokens"))

    events = await ask(adapter)
    assert [each.id for each in events if isinstance(each, ToolCall)] == ["a"]
    assert events[-1] == ModelStopped(reason=StopReason.LENGTH, lost_call=True)


def test_lone_surrogate_in_call_name_is_replaced() -> None:
    whole = {"type": "message", "content": [wants("list_\ud83d", "a\ud83d")], "stop_reason": "tool_use"}

    made = next(iter(MessageReader().read_whole(json.dumps(whole).encode())))

    assert made == ToolCall(id="a\ufffd", name="list_\ufffd", arguments="{}")


async def test_refusal_is_returned_with_usage_and_raised(server: ModelServer, adapter: AnthropicAdapter) -> None:
    server.reply(message(SAID, wants("list_tasks"), stop_reason="refusal"))
    heard = await heard_before(adapter, ModelRefused)
    assert heard == [TextDelta(text="Let me see."), COUNTED]


@pytest.mark.parametrize(
    ("status", "kind", "words", "raised", "match", "requests"),
    [
        (429, "rate_limit_error", "private", ModelUnavailable, "cannot answer right now", 3),
        (529, "overloaded_error", "private", ModelUnavailable, "cannot answer right now", 3),
        (500, "api_error", "private", ModelUnavailable, "cannot answer right now", 3),
        (401, "authentication_error", f"invalid x-api-key {KEY}", ModelError, "refused the key", 1),
        (403, "permission_error", "private", ModelError, "refused the key", 1),
        (402, "billing_error", "private", ModelError, "no credit", 1),
        (404, "not_found_error", "model: large-1", ModelError, "names of the models", 1),
        (413, "request_too_large", "private", ModelError, "too long", 1),
        (400, "invalid_request_error", "prompt is too long: 205000 tokens > 200000 maximum", ModelError, "too long", 1),
        (400, "invalid_request_error", "private", ModelError, "did not accept", 1),
    ],
)
async def test_http_error_is_reported_without_its_details(
    server: ModelServer, adapter: AnthropicAdapter, caplog: pytest.LogCaptureFixture,
    status: int, kind: str, words: str, raised: type[ModelError], match: str, requests: int,
) -> None:  # fmt: skip
    body = {"type": "error", "error": {"type": kind, "message": words}}
    server.otherwise([Status(status, headers=SOON, whole_body=body)])

    with pytest.raises(raised, match=match) as told:
        await ask(adapter)

    assert type(told.value) is raised
    assert len(server.requests) == requests
    shown = "".join(traceback.format_exception(told.value)) + caplog.text
    assert KEY not in shown
    assert "private" not in shown


@pytest.mark.parametrize(
    ("script", "raised"),
    [
        ([sent("error", error={"type": "overloaded_error", "message": "private"})], ModelUnavailable),
        ([sent("error", error={"type": "invalid_request_error", "message": "private"})], ModelBroken),
        (message(SAID)[:-2], ModelBroken),
        ([*message(SAID)[:4], BreakOff()], ModelBroken),
        ([Raw(b"<html>\n")], ModelBroken),
    ],
)
async def test_failure_within_answer_is_reported(
    server: ModelServer, adapter: AnthropicAdapter, script: Script, raised: type[ModelError]
) -> None:
    server.reply(script)
    await heard_before(adapter, raised)
    assert len(server.requests) == 1


async def test_complete_answer_survives_broken_connection(server: ModelServer, adapter: AnthropicAdapter) -> None:
    server.reply([*message(SAID)[:-1], BreakOff()])
    assert (await ask(adapter))[-1] == ModelStopped(reason=StopReason.COMPLETE)


async def test_unreachable_server_is_unavailable() -> None:
    with reserved_port() as port:
        adapter = connected(f"http://127.0.0.1:{port}")
        await heard_before(adapter, ModelUnavailable, "cannot be reached")
        await adapter.aclose()


@pytest.mark.parametrize(
    ("script", "match"),
    [
        ([Hold()], "did not answer in time"),
        ([*message(SAID)[:2], Hold()], "did not answer in time"),
        ([*message(SAID)[:4], Hold()], "stopped in the middle"),
    ],
)
async def test_silent_model_times_out(server: ModelServer, script: Script, match: str) -> None:
    server.otherwise(script)
    adapter = connected(address(server), stall_s=0.1, first_byte_s=1.0)
    await heard_before(adapter, ModelUnavailable, match)
    await adapter.aclose()


async def test_message_that_is_not_streamed_is_read(server: ModelServer, adapter: AnthropicAdapter) -> None:
    content = [THOUGHT, SAID, wants("list_tasks")]
    usage = {"input_tokens": 3, "output_tokens": 2}
    server.reply([Json({"type": "message", "content": content, "stop_reason": "tool_use", "usage": usage})])

    said, call, *rest = await ask(adapter)
    assert said == TextDelta(text="Let me see.")
    assert isinstance(call, ToolCall)
    assert call.state is not None
    assert rest == [Usage(input_tokens=3, output_tokens=2), ModelStopped(reason=StopReason.TOOL_CALLS)]


async def test_cancelling_reader_closes_connection(server: ModelServer, adapter: AnthropicAdapter) -> None:
    server.reply([*message(SAID)[:4], Hold()])
    reading = asyncio.create_task(ask(adapter))
    [request] = await asyncio.to_thread(server.wait_for_requests, 1)
    reading.cancel()

    with pytest.raises(asyncio.CancelledError):
        await reading
    assert await asyncio.to_thread(request.abandoned.wait, 10)


async def test_name_is_that_of_large_model(adapter: AnthropicAdapter) -> None:
    assert adapter.name == "large-1"
