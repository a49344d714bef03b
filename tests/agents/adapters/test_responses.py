"""The Responses API over real HTTP with the real SDK: a scripted server answers as its published reference says."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

import pytest

from agents.adapters.base import (
    AssistantMessage,
    Message,
    ModelParams,
    ModelSize,
    SystemMessage,
    ToolChoice,
    ToolMessage,
    ToolSchema,
    UserMessage,
)
from agents.adapters.dialects import DIALECTS, Api, DialectName, Effort
from agents.adapters.openai import DialectDirectory, OpenAIAdapter, openai_client
from agents.adapters.reading import joined
from agents.adapters.responses import ResponsesReader
from agents.errors import ModelBroken, ModelError, ModelIncapable, ModelRefused, ModelUnavailable
from agents.events import ModelEvent, ModelStopped, StopReason, TextDelta, ToolCall, Usage
from tests.model_server.scripts import BreakOff, Hold, Json, Raw, Script, Status, event
from tests.model_server.server import ModelServer

TOOLS = (ToolSchema(name="list_tasks", description="List them.", parameters={"type": "object", "properties": {}}),)
QUESTION: Sequence[Message] = (SystemMessage(text="Be brief."), UserMessage(text="What is due?"))
SCHEMA = {"type": "object", "properties": {"agent": {"type": "string"}}}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA"}
SAID = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Let me see.", "annotations": []}],
}
COUNTED = {"input_tokens": 30, "input_tokens_details": {"cached_tokens": 20}, "output_tokens": 7}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
async def adapter(server: ModelServer) -> AsyncIterator[OpenAIAdapter]:
    adapter = connected(server, effort=None)
    yield adapter
    await adapter.aclose()


@pytest.fixture
async def reasoner(server: ModelServer) -> AsyncIterator[OpenAIAdapter]:
    adapter = connected(server, effort=Effort.LOW)
    yield adapter
    await adapter.aclose()


def connected(server: ModelServer, *, effort: Effort | None, stall_s: float = 30.0) -> OpenAIAdapter:
    client, directory = openai_client(api_key="key", base_url=server.base_url, stall_s=stall_s), DialectDirectory()
    directory.learn(client, DIALECTS[DialectName.OPENAI])
    return OpenAIAdapter(
        client,
        dict.fromkeys(ModelSize, "m"),
        directory=directory,
        efforts={} if effort is None else {ModelSize.LARGE: effort},
        stall_s=stall_s,
    )


async def ask(adapter: OpenAIAdapter, messages: Sequence[Message] = QUESTION, **params: Any) -> list[ModelEvent]:
    return [event async for event in adapter.stream(messages, TOOLS, ModelParams(**params))]


def wants(name: str, call_id: str = "call_1", *, status: str = "completed") -> dict[str, Any]:
    return {
        "type": "function_call",
        "id": f"fc_{call_id}",
        "call_id": call_id,
        "name": name,
        "arguments": "{}",
        "status": status,
    }


def sent(kind: str, **fields: object) -> Raw:
    """An event after its name, as the API sends it."""
    return Raw(b"event: " + kind.encode() + b"\n" + event({"type": kind, **fields}))


def responds(*items: Mapping[str, Any], status: str = "completed", reason: str | None = None) -> Script:
    """A response that consists of ``items``."""
    steps = [sent("response.created", response={"status": "in_progress"}), sent("response.in_progress")]
    for index, item in enumerate(items):
        steps.append(sent("response.output_item.added", output_index=index, item={**item, "encrypted_content": ""}))
        parts = item["content"] if item["type"] == "message" else ()
        steps += [sent(f"response.{part['type']}.delta", delta=part.get("text") or part["refusal"]) for part in parts]
        if item["type"] == "function_call":
            steps.append(sent("response.function_call_arguments.delta", delta=item["arguments"]))
        steps.append(sent("response.output_item.done", output_index=index, item=item))
    details = {"reason": reason} if reason else None
    whole = {"status": status, "output": items, "usage": COUNTED, "incomplete_details": details, "error": None}
    return [*steps, sent(f"response.{status}", response=whole)]


def says(text: str, kind: str = "output_text") -> dict[str, Any]:
    field = "text" if kind == "output_text" else kind
    return {**SAID, "content": [{"type": kind, field: text}]}


def test_lone_surrogate_in_call_name_is_replaced() -> None:
    whole = {"status": "completed", "output": [wants("list_\ud83d", "a\ud83d")]}

    made = next(iter(ResponsesReader().read_whole(json.dumps(whole).encode())))

    assert made == ToolCall(id="a\ufffd", name="list_\ufffd", arguments="{}")


async def test_text_is_returned_with_usage(server: ModelServer, adapter: OpenAIAdapter) -> None:
    server.reply(responds(says("Nothing 🎉.")))

    assert await ask(adapter) == [
        TextDelta(text="Nothing 🎉."),
        Usage(input_tokens=30, output_tokens=7, cached_tokens=20),
        ModelStopped(reason=StopReason.COMPLETE),
    ]
    assert server.requests[0].path == "/v1/responses"


async def test_response_is_not_stored_and_unset_fields_are_not_sent(
    server: ModelServer, adapter: OpenAIAdapter
) -> None:
    server.reply(responds(says("Nothing.")))
    await ask(adapter)

    tool = {"type": "function", "name": "list_tasks", "description": "List them.", "strict": False}
    assert server.requests[0].body == {
        "model": "m",
        "input": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is due?"}],
        "tools": [{**tool, "parameters": {"type": "object", "properties": {}}}],
        "stream": True,
        "store": False,
    }


async def test_call_can_be_required(server: ModelServer, reasoner: OpenAIAdapter) -> None:
    server.reply(responds(says("{}")))
    await ask(reasoner, tool_choice=ToolChoice.REQUIRED)

    assert server.requests[0].body["tool_choice"] == "required"


async def test_all_set_parameters_are_sent(server: ModelServer, reasoner: OpenAIAdapter) -> None:
    server.reply(responds(says("{}")))
    await ask(reasoner, temperature=0.0, max_tokens=9, response_schema=SCHEMA, tool_choice=ToolChoice.NONE)

    body = server.requests[0].body
    named = ("temperature", "max_output_tokens", "tool_choice", "reasoning", "include", "text")
    assert {name: body[name] for name in named} == {
        "temperature": 0.0,
        # The minimum that the API accepts.
        "max_output_tokens": 16,
        "tool_choice": "none",
        "reasoning": {"effort": "low"},
        "include": ["reasoning.encrypted_content"],
        "text": {"format": {"type": "json_schema", "name": "answer", "schema": SCHEMA, "strict": True}},
    }


async def test_reasoning_is_sent_back_before_its_calls(server: ModelServer, reasoner: OpenAIAdapter) -> None:
    again = {**REASONING, "id": "rs_2"}
    server.reply(
        responds(REASONING, SAID, wants("list_tasks", "a"), wants("list_tasks", "b"), again, wants("list_notes", "c")),
        responds(says("Nothing.")),
    )
    events = await ask(reasoner)
    calls = tuple(event for event in events if isinstance(event, ToolCall))
    results = [ToolMessage(call_id=call.id, text="None.") for call in calls]
    await ask(reasoner, [*QUESTION, AssistantMessage(text="Let me see.", tool_calls=calls), *results])

    def call(call_id: str, name: str) -> dict[str, str]:
        return {"type": "function_call", "call_id": call_id, "name": name, "arguments": "{}"}

    assert [call.id for call in calls] == ["a", "b", "c"]
    assert server.requests[1].body["input"][2:] == [
        REASONING,
        SAID,
        call("a", "list_tasks"),
        call("b", "list_tasks"),
        again,
        call("c", "list_notes"),
        *({"type": "function_call_output", "call_id": each, "output": "None."} for each in "abc"),
    ]


async def test_calls_without_reasoning_are_sent_plain(server: ModelServer, adapter: OpenAIAdapter) -> None:
    server.reply(responds(SAID, wants("list_tasks", "a")), responds(says("Nothing.")))
    calls = tuple(event for event in await ask(adapter) if isinstance(event, ToolCall))
    assert [call.state for call in calls] == [None]

    await ask(adapter, [*QUESTION, AssistantMessage(text="Let me see.", tool_calls=calls)])
    assert [item.get("type", item.get("role")) for item in server.requests[1].body["input"][2:]] == [
        "assistant",
        "function_call",
    ]


async def test_reasoning_without_encrypted_content_is_not_kept(server: ModelServer, reasoner: OpenAIAdapter) -> None:
    server.reply(responds({**REASONING, "encrypted_content": None}, wants("list_tasks")))
    assert [event.state for event in await ask(reasoner) if isinstance(event, ToolCall)] == [None]


@pytest.mark.parametrize("is_ended", [True, False])
async def test_call_truncated_by_length_limit_is_not_made(
    server: ModelServer, adapter: OpenAIAdapter, *, is_ended: bool
) -> None:
    items = (wants("list_tasks", "a"), wants("list_tasks", "b", status="incomplete"))
    *script, done, end = responds(*items, status="incomplete", reason="max_output_tokens")
    server.reply([*script, done, end] if is_ended else [*script, end])

    events = await ask(adapter)
    assert [event.id for event in events if isinstance(event, ToolCall)] == ["a"]
    assert events[-1] == ModelStopped(reason=StopReason.LENGTH, lost_call=True)


@pytest.mark.parametrize(
    "script",
    [
        responds(says("I will not.", "refusal")),
        responds(says("I will not."), status="incomplete", reason="content_filter"),
        responds(wants("list_tasks"), says("I will not.", "refusal")),
    ],
)
async def test_refusal_is_returned_and_raised(server: ModelServer, adapter: OpenAIAdapter, script: Script) -> None:
    server.reply(script)
    heard: list[ModelEvent] = []

    async def listen() -> None:
        async for each in adapter.stream(QUESTION, TOOLS, ModelParams()):
            heard.append(each)  # noqa: PERF401 - what came before the error counts

    with pytest.raises(ModelRefused):
        await listen()
    assert list(joined(iter(heard))) == [
        TextDelta(text="I will not."),
        Usage(input_tokens=30, output_tokens=7, cached_tokens=20),
    ]


@pytest.mark.parametrize(
    ("script", "raised"),
    [
        ([sent("error", code="server_error", message="private", param=None)], ModelUnavailable),
        ([sent("response.failed", response={"error": {"code": "rate_limit_exceeded", "message": "private"}})],
         ModelUnavailable),
        ([sent("response.failed", response={"error": {"code": "invalid_prompt", "message": "private"}})], ModelBroken),
        (responds(says("Half"))[:-1], ModelBroken),
        ([*responds(says("Half"))[:4], BreakOff()], ModelBroken),
        ([Status(400, "context_length_exceeded")], ModelError),
        ([Json({"error": {"code": "server_error"}})], ModelUnavailable),
    ],
)  # fmt: skip
async def test_failure_is_reported_without_private_details(
    server: ModelServer, adapter: OpenAIAdapter, script: Script, raised: type[ModelError]
) -> None:
    server.otherwise(script)
    with pytest.raises(ModelError) as told:
        await ask(adapter)
    assert type(told.value) is raised
    assert "private" not in str(told.value)


async def test_parameter_that_reasoning_model_does_not_take_is_named(
    server: ModelServer, adapter: OpenAIAdapter
) -> None:
    message = "Unsupported parameter: 'temperature' is not supported with this model."
    error = {"message": message, "type": "invalid_request_error", "param": "temperature", "code": None}
    server.reply([Status(400, whole_body={"error": error})])
    with pytest.raises(ModelIncapable) as told:
        await ask(adapter, temperature=0.5)
    assert told.value.parameter == "temperature"


async def test_response_that_is_not_streamed_is_read(server: ModelServer, adapter: OpenAIAdapter) -> None:
    items = [REASONING, SAID, wants("list_tasks")]
    server.reply([Json({"object": "response", "status": "completed", "output": items, "usage": COUNTED})])

    events = await ask(adapter)
    assert [type(each) for each in events] == [TextDelta, ToolCall, Usage, ModelStopped]


async def test_model_may_reason_longer_than_answer_may_stall(server: ModelServer) -> None:
    script = responds(REASONING, says("Nothing."))
    # Nothing is sent between the item's two events.
    server.reply([*script[:3], Hold(), *script[3:]])
    adapter = connected(server, effort=Effort.HIGH, stall_s=0.05)
    events = adapter.stream(QUESTION, TOOLS, ModelParams())
    first = await waiting_for(events, server)
    assert first == TextDelta(text="Nothing.")
    await events.aclose()
    await adapter.aclose()


async def waiting_for(events: AsyncIterator[ModelEvent], server: ModelServer) -> ModelEvent:
    """The first event. The server is released only after the wait has exceeded the stall limit."""
    coming = asyncio.ensure_future(anext(events))
    done, _ = await asyncio.wait({coming}, timeout=0.5)
    assert not done
    server.open()
    return await coming


async def test_responses_api_can_be_configured(server: ModelServer) -> None:
    server.reply(responds(says("Nothing.")))
    adapter = OpenAIAdapter(
        openai_client(api_key="key", base_url=server.base_url, stall_s=30.0),
        dict.fromkeys(ModelSize, "m"),
        api=Api.RESPONSES,
    )
    assert (await ask(adapter))[0] == TextDelta(text="Nothing.")
    await adapter.aclose()
