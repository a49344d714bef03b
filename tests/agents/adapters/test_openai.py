"""The adapter over real HTTP: what it sends, what it returns, and how it handles failures."""

import asyncio
import traceback
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager

import pytest

from agents.adapters.base import Message, ModelParams, ModelSize, SystemMessage, ToolChoice, ToolSchema, UserMessage
from agents.adapters.openai import NO_KEY, OpenAIAdapter, openai_client
from agents.adapters.reading import joined
from agents.errors import ModelBroken, ModelError, ModelRefused, ModelUnavailable
from agents.events import ModelEvent, ModelStopped, StopReason, TextDelta, ToolCall, Usage
from tests.adiuva.servers import reserved_port
from tests.model_server.scripts import (
    DONE,
    BreakOff,
    Chunk,
    Hold,
    Raw,
    Script,
    Status,
    Step,
    calls,
    refuses,
    says,
    usage,
    wants,
    whole,
)
from tests.model_server.server import ModelServer

MODELS = {ModelSize.LARGE: "large-1", ModelSize.SMALL: "small-1"}
KEY = "sk-the-secret-key"
CONVERSATION: Sequence[Message] = (SystemMessage(text="Be brief."), UserMessage(text="Hi"))
TOOLS = (ToolSchema(name="list_tasks", description="List them.", parameters={"type": "object", "properties": {}}),)
SCHEMA = {"type": "object", "properties": {"agent": {"type": "string"}}, "required": ["agent"]}
SOON = {"retry-after-ms": "1"}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
async def adapter(server: ModelServer) -> AsyncIterator[OpenAIAdapter]:
    async with connected(server.base_url) as adapter:
        yield adapter


@asynccontextmanager
async def connected(
    base_url: str, *, api_key: str = KEY, stall_s: float = 10.0, first_byte_s: float = 10.0
) -> AsyncIterator[OpenAIAdapter]:
    client = openai_client(api_key=api_key, base_url=base_url, stall_s=stall_s)
    adapter = OpenAIAdapter(client, MODELS, first_byte_s=first_byte_s, stall_s=stall_s)
    try:
        yield adapter
    finally:
        await adapter.aclose()


async def ask(
    adapter: OpenAIAdapter,
    params: ModelParams | None = None,
    *,
    messages: Sequence[Message] = CONVERSATION,
    tools: Sequence[ToolSchema] = (),
) -> list[ModelEvent]:
    """The events, with adjacent texts joined, since how text is divided into deltas depends on the network."""
    return list(joined(iter([event async for event in adapter.stream(messages, tools, params or ModelParams())])))


async def heard_before(adapter: OpenAIAdapter, error: type[ModelError], match: str) -> list[ModelEvent]:
    """The events before the error, as ``ask`` gives them."""
    heard: list[ModelEvent] = []

    async def listen() -> None:
        async for event in adapter.stream(CONVERSATION, (), ModelParams()):
            heard.append(event)  # noqa: PERF401 - what came before the error counts

    with pytest.raises(error, match=match) as raised:
        await listen()
    assert type(raised.value) is error
    return list(joined(iter(heard)))


async def test_text_and_usage_are_returned(server: ModelServer, adapter: OpenAIAdapter) -> None:
    server.reply(says("Hel", "lo 🎉"))

    assert await ask(adapter) == [
        TextDelta(text="Hello 🎉"),
        Usage(input_tokens=11, output_tokens=7),
        ModelStopped(reason=StopReason.COMPLETE),
    ]


async def test_text_is_streamed_while_model_is_writing(server: ModelServer, adapter: OpenAIAdapter) -> None:
    server.reply([*says("Hel", "lo")[:2], Hold(), *says("Hel", "lo")[2:]])

    async with aclosing(adapter.stream(CONVERSATION, (), ModelParams())) as events:
        assert await anext(events) == TextDelta(text="Hel")
        server.open()
        assert await anext(events) == TextDelta(text="lo")


async def test_parallel_calls_are_returned_whole(server: ModelServer, adapter: OpenAIAdapter) -> None:
    server.reply(calls(wants("list_tasks", "a", status="todo"), wants("list_notes", "b"), text="Let me see."))

    assert await ask(adapter, tools=TOOLS) == [
        TextDelta(text="Let me see."),
        ToolCall(id="a", name="list_tasks", arguments='{"status": "todo"}'),
        ToolCall(id="b", name="list_notes", arguments="{}"),
        Usage(input_tokens=11, output_tokens=7),
        ModelStopped(reason=StopReason.TOOL_CALLS),
    ]


async def test_minimal_request_has_no_unset_fields(server: ModelServer, adapter: OpenAIAdapter) -> None:
    server.reply(says("Hello"))
    await ask(adapter)

    [request] = server.requests
    assert request.body == {
        "model": "large-1",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    assert request.headers["authorization"] == f"Bearer {KEY}"


async def test_all_set_parameters_are_sent(server: ModelServer, adapter: OpenAIAdapter) -> None:
    server.reply(says('{"agent": "task_agent"}'))
    params = ModelParams(size=ModelSize.SMALL, temperature=0.0, max_tokens=50, response_schema=SCHEMA)
    await ask(adapter, params, tools=TOOLS)

    [request] = server.requests
    sent = {name: request.body[name] for name in ("model", "temperature", "max_completion_tokens", "response_format")}
    assert sent == {
        "model": "small-1",
        "temperature": 0.0,
        "max_completion_tokens": 50,
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}},
    }
    assert request.tools == ["list_tasks"]


@pytest.mark.parametrize("tools", [(), TOOLS])
async def test_model_that_must_answer_keeps_its_tools(
    server: ModelServer, adapter: OpenAIAdapter, tools: Sequence[ToolSchema]
) -> None:
    server.otherwise(says("Hello"))
    await ask(adapter, tools=tools)
    await ask(adapter, ModelParams(tool_choice=ToolChoice.NONE), tools=tools)

    free, bound = (request.body for request in server.requests)
    assert bound == ({**free, "tool_choice": "none"} if tools else free)


async def test_call_is_not_required_of_server_that_may_not_support_it(
    server: ModelServer, adapter: OpenAIAdapter
) -> None:
    server.reply(says("Hello"))
    await ask(adapter, ModelParams(tool_choice=ToolChoice.REQUIRED), tools=TOOLS)

    assert "tool_choice" not in server.requests[0].body


async def test_server_without_key_gets_placeholder(server: ModelServer) -> None:
    server.reply(says("Hello"))
    async with connected(server.base_url, api_key="") as adapter:
        await ask(adapter)

    assert server.requests[0].headers["authorization"] == f"Bearer {NO_KEY}"


async def test_name_is_that_of_large_model(adapter: OpenAIAdapter) -> None:
    assert adapter.name == "large-1"


@pytest.mark.parametrize("status", [400, 422])
async def test_server_without_schemas_gets_schema_in_words(
    server: ModelServer, adapter: OpenAIAdapter, status: int
) -> None:
    server.reply([Status(status)], says("task_agent"))

    events = await ask(adapter, ModelParams(response_schema=SCHEMA))

    assert events[0] == TextDelta(text="task_agent")
    first, second = server.requests
    assert first.body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi"},
    ]
    assert "response_format" not in second.body
    assert '"required": ["agent"]' in second.messages[0]["content"]


async def test_request_refused_for_another_reason_is_sent_only_twice(
    server: ModelServer, adapter: OpenAIAdapter
) -> None:
    server.otherwise([Status(400, "context_length_exceeded")])

    with pytest.raises(ModelError, match="too long"):
        await ask(adapter, ModelParams(response_schema=SCHEMA))

    assert len(server.requests) == 2


async def test_transient_failure_is_retried(server: ModelServer, adapter: OpenAIAdapter) -> None:
    server.reply([Status(429, headers=SOON)], [Status(503, headers=SOON)], says("Hello"))

    assert (await ask(adapter))[0] == TextDelta(text="Hello")
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("script", "raised", "match", "requests"),
    [
        (Status(429, headers=SOON), ModelUnavailable, "cannot answer right now", 3),
        (Status(500, headers=SOON), ModelUnavailable, "cannot answer right now", 3),
        (Status(401, "invalid_api_key", f"Incorrect API key provided: {KEY}"), ModelError, "refused the key", 1),
        (Status(403), ModelError, "refused the key", 1),
        (Status(404, "model_not_found"), ModelError, "names of the models", 1),
        (Status(400, "context_length_exceeded"), ModelError, "too long", 1),
        (Status(400, "content_filter"), ModelRefused, "would not answer", 1),
        (Status(418), ModelError, "did not accept", 1),
    ],
)
async def test_http_error_is_reported_without_key(
    server: ModelServer, adapter: OpenAIAdapter, caplog: pytest.LogCaptureFixture,
    script: Step, raised: type[ModelError], match: str, requests: int,
) -> None:  # fmt: skip
    server.otherwise([script])

    with pytest.raises(raised, match=match) as told:
        await ask(adapter)

    assert type(told.value) is raised
    assert len(server.requests) == requests
    assert KEY not in "".join(traceback.format_exception(told.value)) + caplog.text


async def test_invalid_key_is_not_shown(server: ModelServer) -> None:
    async with connected(server.base_url, api_key=f"{KEY}\n") as adapter:
        with pytest.raises(ModelError) as told:
            await ask(adapter)

    assert KEY not in "".join(traceback.format_exception(told.value))


async def test_unreachable_server_is_unavailable() -> None:
    with reserved_port() as port:
        async with connected(f"http://127.0.0.1:{port}/v1") as adapter:
            await heard_before(adapter, ModelUnavailable, "cannot be reached")


@pytest.mark.parametrize("script", [[Hold()], [Raw(b": waiting\n\n"), Hold()]])
async def test_silent_model_times_out(server: ModelServer, script: Script) -> None:
    server.otherwise(script)
    async with connected(server.base_url, stall_s=0.1, first_byte_s=2.0) as adapter:
        heard = await heard_before(adapter, ModelUnavailable, "did not answer in time|stopped in the middle")

    assert heard == []


async def test_text_before_silence_is_returned(server: ModelServer) -> None:
    # Sent in one piece, so that only the silence after it can exceed the stall limit.
    said = b"".join(chunk.encoded() for chunk in says("Hello")[:2] if isinstance(chunk, Chunk))
    server.otherwise([Raw(said), Hold()])
    async with connected(server.base_url, stall_s=1.0) as adapter:
        heard = await heard_before(adapter, ModelUnavailable, "stopped in the middle")

    assert heard == [TextDelta(text="Hello")]


async def test_attempts_share_one_time_limit(server: ModelServer) -> None:
    server.otherwise([Status(429, headers={"retry-after": "100"})])
    async with connected(server.base_url, first_byte_s=0.2) as adapter, asyncio.timeout(5):
        await heard_before(adapter, ModelUnavailable, "did not answer in time")


async def test_text_of_truncated_answer_is_returned(server: ModelServer, adapter: OpenAIAdapter) -> None:
    server.reply([*says("Half")[:2], BreakOff()])

    assert await heard_before(adapter, ModelBroken, "broke off") == [TextDelta(text="Half")]
    assert len(server.requests) == 1


async def test_answer_that_ends_too_early_is_broken(server: ModelServer, adapter: OpenAIAdapter) -> None:
    server.reply(says("Half")[:2])

    assert await heard_before(adapter, ModelBroken, "broke off") == [TextDelta(text="Half")]


async def test_complete_answer_survives_broken_connection(server: ModelServer, adapter: OpenAIAdapter) -> None:
    server.reply([*says("Hello")[:3], BreakOff()])

    assert await ask(adapter) == [TextDelta(text="Hello"), ModelStopped(reason=StopReason.COMPLETE)]


async def test_invalid_stream_is_broken(server: ModelServer, adapter: OpenAIAdapter) -> None:
    server.reply([Raw(b"<html>Bad gateway</html>\n")])

    assert await heard_before(adapter, ModelBroken, "not an event stream") == []


@pytest.mark.parametrize(
    "script", [refuses("I will not."), [Chunk({"content": "I will not."}), Chunk({}, "content_filter"), usage(), DONE]]
)
async def test_refusal_is_returned_with_usage_and_raised(
    server: ModelServer, adapter: OpenAIAdapter, script: Script
) -> None:
    server.reply(script)

    heard = await heard_before(adapter, ModelRefused, "would not answer")

    assert heard == [TextDelta(text="I will not."), Usage(input_tokens=11, output_tokens=7)]


async def test_answer_that_is_not_streamed_is_read(server: ModelServer, adapter: OpenAIAdapter) -> None:
    server.reply(whole({"content": "Hello", "tool_calls": [wants("list_tasks")]}, "tool_calls"))

    assert [type(event) for event in await ask(adapter)] == [TextDelta, ToolCall, Usage, ModelStopped]


async def test_truncated_whole_answer_is_broken() -> None:
    async def cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
        writer.close()

    async with await asyncio.start_server(cut, "127.0.0.1", 0) as half_server:
        port = half_server.sockets[0].getsockname()[1]
        async with connected(f"http://127.0.0.1:{port}/v1") as adapter:
            await heard_before(adapter, ModelBroken, "broke off")


async def test_closing_stream_closes_connection(server: ModelServer, adapter: OpenAIAdapter) -> None:
    server.reply([*says("Hello")[:2], Hold()])
    async with aclosing(adapter.stream(CONVERSATION, (), ModelParams())) as events:
        assert await anext(events) == TextDelta(text="Hello")

    assert await asyncio.to_thread(server.requests[0].abandoned.wait, 10)


@pytest.mark.parametrize("script", [[Hold()], [*says("Hello")[:2], Hold()]])
async def test_cancelling_reader_closes_connection(server: ModelServer, adapter: OpenAIAdapter, script: Script) -> None:
    server.reply(script)
    reading = asyncio.create_task(ask(adapter))
    [request] = await asyncio.to_thread(server.wait_for_requests, 1)
    reading.cancel()

    with pytest.raises(asyncio.CancelledError):
        await reading
    assert await asyncio.to_thread(request.abandoned.wait, 10)


async def test_connection_is_reused(
    server: ModelServer, adapter: OpenAIAdapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.adapters.transport._DRAIN_S", 10)
    server.otherwise(says("Hello"))
    for _ in range(3):
        await ask(adapter)

    assert server.connections == 1


async def test_answer_ends_even_if_server_keeps_connection_open(server: ModelServer, adapter: OpenAIAdapter) -> None:
    server.reply([*says("Hello"), Hold()])
    async with asyncio.timeout(5):
        events = await ask(adapter)

    assert events[-1] == ModelStopped(reason=StopReason.COMPLETE)


async def test_concurrent_requests_get_their_own_answers(server: ModelServer, adapter: OpenAIAdapter) -> None:
    words = ["uno", "due", "tre", "quattro"]
    for word in words:
        server.when(lambda request, word=word: request.asked == word, says(word))  # type: ignore[misc]

    answers = await asyncio.gather(*(ask(adapter, messages=[UserMessage(text=word)]) for word in words))

    assert [events[0] for events in answers] == [TextDelta(text=word) for word in words]
