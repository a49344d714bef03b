"""The dialects of model servers, over real HTTP with the real SDK.

A scripted server answers according to the published reference of each. No provider is contacted: see docs/models.md.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
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
from agents.adapters.dialects import (
    DIALECTS,
    HOSTED_FIRST_BYTE_S,
    LOCAL_FIRST_BYTE_S,
    Api,
    Dialect,
    DialectName,
    Effort,
    compatible_dialect,
    dialect_of_host,
    dialect_of_models,
)
from agents.adapters.openai import DialectDirectory, OpenAIAdapter, openai_client
from agents.errors import ModelError, ModelRefused, ModelUnavailable
from agents.events import ModelEvent, ModelProgress, ModelStopped, StopReason, TextDelta, ToolCall, Usage
from tests.adiuva.servers import reserved_port
from tests.chat.sockets import leap
from tests.model_server.scripts import DONE, Chunk, Hold, Json, Raw, Script, Status, calls, event, says, wants
from tests.model_server.server import ModelServer

TOOLS = (ToolSchema(name="list_tasks", description="List them.", parameters={"type": "object", "properties": {}}),)
QUESTION: Sequence[Message] = (SystemMessage(text="Be brief."), UserMessage(text="What is due?"))
SCHEMA = {"type": "object", "properties": {"agent": {"type": "string"}}, "required": ["agent"]}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@asynccontextmanager
async def speaking(
    server: ModelServer, name: DialectName | None, *, effort: Effort | None = None, api: Api | None = None
) -> AsyncIterator[OpenAIAdapter]:
    """An adapter for ``server``. It has to detect the dialect if ``name`` is None."""
    client, directory = openai_client(api_key="key", base_url=server.base_url, stall_s=30.0), DialectDirectory()
    if name is not None:
        directory.learn(client, DIALECTS[name])
    adapter = OpenAIAdapter(
        client,
        dict.fromkeys(ModelSize, "m"),
        directory=directory,
        efforts=dict.fromkeys(ModelSize, effort) if effort else {},
        api=api,
    )
    try:
        yield adapter
    finally:
        await adapter.aclose()


async def ask(
    adapter: OpenAIAdapter,
    messages: Sequence[Message] = QUESTION,
    *,
    tools: Sequence[ToolSchema] = TOOLS,
    **params: Any,
) -> list[ModelEvent]:
    return [event async for event in adapter.stream(messages, tools, ModelParams(**params))]


async def body_sent(name: DialectName, messages: Sequence[Message] = QUESTION, **given: Any) -> dict[str, Any]:
    effort = given.pop("effort", None)
    with ModelServer() as server:
        server.reply(says("Nothing."))
        async with speaking(server, name, effort=effort, api=Api.CHAT_COMPLETIONS) as adapter:
            await ask(adapter, messages, **given)
        return server.requests[0].body


async def second_round(server: ModelServer, name: DialectName, first: Script) -> list[dict[str, Any]]:
    """The messages that are sent after the calls of ``first`` were answered."""
    server.reply(first, says("Nothing."))
    async with speaking(server, name) as adapter:
        await ask(adapter, answered(await ask(adapter)))
    messages: list[dict[str, Any]] = server.requests[1].body["messages"]
    return messages


def answered(events: Sequence[ModelEvent]) -> list[Message]:
    """The conversation that continues after the calls among ``events``."""
    made = tuple(event for event in events if isinstance(event, ToolCall))
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    results = [ToolMessage(call_id=call.id, text="Found no tasks.") for call in made]
    return [*QUESTION, AssistantMessage(text=text, tool_calls=made), *results]


def models(owner: str) -> Json:
    return Json({"object": "list", "data": [{"id": "m", "object": "model", "owned_by": owner}]})


# Which dialect an address speaks


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://api.openai.com/v1", DialectName.OPENAI),
        ("https://mine.openai.azure.com/openai/v1/", DialectName.AZURE),
        ("https://mine.services.ai.azure.com/openai/v1/", DialectName.AZURE),
        ("https://generativelanguage.googleapis.com/v1beta/openai/", DialectName.GEMINI),
        ("https://europe-west1-aiplatform.googleapis.com/v1/projects/p/endpoints/openapi", DialectName.GEMINI),
        ("https://api.mistral.ai/v1", DialectName.MISTRAL),
        ("https://OpenRouter.ai/api/v1", DialectName.OPENROUTER),
        ("https://api.openai.com.example.org/v1", None),
        ("https://notopenrouter.ai/v1", None),
        ("http://127.0.0.1:11434/v1", None),
        ("", None),
    ],
)
def test_provider_is_recognized_by_host(address: str, name: DialectName | None) -> None:
    assert dialect_of_host(address) == (None if name is None else DIALECTS[name])


@pytest.mark.parametrize(
    ("page", "name"),
    [
        (models("vllm"), DialectName.VLLM),
        (models("llamacpp"), DialectName.LLAMA_CPP),
        (models("library"), DialectName.OLLAMA),
        (models("organization_owner"), DialectName.LM_STUDIO),
        (models("someone"), DialectName.COMPATIBLE),
        (Json({"data": "nonsense"}), DialectName.COMPATIBLE),
        (Json([]), DialectName.COMPATIBLE),
        (Status(401), DialectName.COMPATIBLE),
        (Status(404), DialectName.COMPATIBLE),
    ],
)
async def test_unknown_host_is_asked_for_its_models_once(
    server: ModelServer, page: Json | Status, name: DialectName
) -> None:
    server.serve("/v1/models", page)
    server.otherwise(says("Hi"))
    directory = DialectDirectory()
    async with openai_client(api_key="key", base_url=server.base_url, stall_s=30.0) as client:
        found = await asyncio.gather(*(directory.dialect_of(client) for _ in range(5)))

    assert {dialect.name for dialect in found} == {name}
    assert [request.path for request in server.other_requests].count("/v1/models") == 1


async def test_ollama_is_recognized_by_version_if_models_have_other_owners(server: ModelServer) -> None:
    server.serve("/v1/models", models("bartowski"))
    server.serve("/api/version", Json({"version": "0.13.1"}))
    async with openai_client(api_key="key", base_url=server.base_url, stall_s=30.0) as client:
        assert await DialectDirectory().dialect_of(client) is DIALECTS[DialectName.OLLAMA]


async def test_unreachable_address_is_asked_again() -> None:
    directory = DialectDirectory()
    with reserved_port() as port:
        async with openai_client(api_key="", base_url=f"http://127.0.0.1:{port}/v1", stall_s=30.0) as client:
            assert (await directory.dialect_of(client)).name is DialectName.COMPATIBLE
            assert directory._known == {}


async def test_server_that_is_not_ready_is_asked_again(server: ModelServer) -> None:
    server.serve("/v1/models", Status(503))
    directory = DialectDirectory()
    async with openai_client(api_key="key", base_url=server.base_url, stall_s=30.0) as client:
        assert (await directory.dialect_of(client)).name is DialectName.COMPATIBLE
        server.serve("/v1/models", models("llamacpp"))
        assert (await directory.dialect_of(client)).name is DialectName.LLAMA_CPP


@pytest.mark.parametrize(
    ("address", "first_byte_s"),
    [
        ("http://127.0.0.1:8080/v1", LOCAL_FIRST_BYTE_S),
        ("http://127.1.2.3/v1", LOCAL_FIRST_BYTE_S),
        ("http://[::1]:8080/v1", LOCAL_FIRST_BYTE_S),
        ("http://localhost/v1", LOCAL_FIRST_BYTE_S),
        ("https://models.example.org/v1", HOSTED_FIRST_BYTE_S),
        ("https://127.0.0.1.example.org/v1", HOSTED_FIRST_BYTE_S),
        ("", HOSTED_FIRST_BYTE_S),
    ],
)
def test_unknown_server_on_loopback_may_be_slow(address: str, first_byte_s: float) -> None:
    assert compatible_dialect(address).first_byte_s == first_byte_s


async def test_configured_dialect_is_used_without_asking(server: ModelServer) -> None:
    server.serve("/v1/models", models("vllm"))
    directory = DialectDirectory()
    async with openai_client(api_key="key", base_url=server.base_url, stall_s=30.0) as client:
        directory.learn(client, DIALECTS[DialectName.OLLAMA])
        assert (await directory.dialect_of(client)).name is DialectName.OLLAMA
    assert server.other_requests == []


def test_every_dialect_is_declared() -> None:
    assert set(DIALECTS) == set(DialectName)


# What each server is sent


async def test_compatible_server_gets_only_common_fields() -> None:
    assert await body_sent(DialectName.COMPATIBLE, max_tokens=50, tools=()) == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is due?"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_completion_tokens": 50,
    }


@pytest.mark.parametrize(
    ("name", "limit"),
    [(name, "max_tokens" if dialect.local else "max_completion_tokens") for name, dialect in DIALECTS.items()
     if name not in (DialectName.MISTRAL, DialectName.OPENROUTER)]
    + [(DialectName.MISTRAL, "max_tokens"), (DialectName.OPENROUTER, "max_tokens")],
)  # fmt: skip
async def test_token_limit_has_name_that_server_knows(name: DialectName, limit: str) -> None:
    body = await body_sent(name, max_tokens=50)
    assert {field: body[field] for field in body if field.startswith("max")} == {limit: 50}


@pytest.mark.parametrize("name", DialectName)
async def test_only_documented_fields_are_sent(name: DialectName) -> None:
    body = await body_sent(name, temperature=0.0, max_tokens=9, response_schema=SCHEMA, tool_choice=ToolChoice.NONE)
    common = {"model", "messages", "stream", "temperature", "response_format", "tools", "tool_choice"}
    special: Mapping[DialectName, set[str]] = {
        DialectName.OPENAI: {"store"},
        DialectName.LLAMA_CPP: {"return_progress"},
    }
    missing: Mapping[DialectName, set[str]] = {
        DialectName.MISTRAL: {"stream_options"},
        # Ollama ignores the choice, so it gets no tools if the model must answer.
        DialectName.OLLAMA: {"tools", "tool_choice"},
    }
    expected = (common | {"stream_options"} | special.get(name, set())) - missing.get(name, set())
    assert {field for field in body if not field.startswith("max")} == expected


async def test_llama_cpp_requires_any_tool_if_required_ones_are_unknown() -> None:
    body = await body_sent(DialectName.LLAMA_CPP, tool_choice=ToolChoice.REQUIRED, required_tools=["unknown"])
    assert len(body["response_format"]["json_schema"]["schema"]["anyOf"]) == len(body["tools"])


@pytest.mark.parametrize("name", DialectName)
async def test_call_is_required_if_server_supports_it(name: DialectName) -> None:
    body = await body_sent(name, tool_choice=ToolChoice.REQUIRED)
    # Servers for models of many vendors, and unknown servers, may refuse it.
    unknowing = (DialectName.OLLAMA, DialectName.COMPATIBLE, DialectName.AZURE, DialectName.OPENROUTER)
    choices = dict.fromkeys(unknowing) | {DialectName.LLAMA_CPP: "none"}
    assert body.get("tool_choice") == choices.get(name, "required")
    assert ("response_format" in body) is (name is DialectName.LLAMA_CPP)
    assert body["tools"]


async def test_llama_cpp_requires_call_by_response_schema() -> None:
    body = await body_sent(DialectName.LLAMA_CPP, tool_choice=ToolChoice.REQUIRED)

    [call] = body["response_format"]["json_schema"]["schema"]["anyOf"]
    [tool] = body["tools"]
    assert call["properties"] == {
        "name": {"const": tool["function"]["name"]},
        "arguments": tool["function"]["parameters"],
    }


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        (DialectName.COMPATIBLE, {"reasoning_effort": "low"}),
        (DialectName.OPENROUTER, {"reasoning": {"effort": "low"}}),
        (DialectName.LLAMA_CPP, {"reasoning_effort": "low"}),
    ],
)
async def test_effort_is_sent_if_set(name: DialectName, sent: Mapping[str, object]) -> None:
    body = await body_sent(name, effort=Effort.LOW)
    assert {field: body[field] for field in body if field.startswith("reasoning")} == sent


@pytest.mark.parametrize("name", [name for name, dialect in DIALECTS.items() if dialect.alternating])
async def test_roles_alternate_for_strict_templates(name: DialectName) -> None:
    call = ToolCall(id="abcdefghi", name="list_tasks", arguments="{}")
    sent = (await body_sent(
        name,
        [
            SystemMessage(text="Be brief."),
            SystemMessage(text="Be kind."),
            AssistantMessage(text="Hello."),
            AssistantMessage(text="How are you?"),
            UserMessage(text="Remember."),
            SystemMessage(text="It is Monday."),
            UserMessage(text="What is due?"),
            AssistantMessage(text="Let me see."),
            AssistantMessage(text="", tool_calls=(call,)),
            ToolMessage(call_id=call.id, text="Nothing."),
            ToolMessage(call_id=call.id, text="Still nothing."),
        ],
    ))["messages"]  # fmt: skip

    assert [(message["role"], message["content"]) for message in sent] == [
        ("system", "Be brief.\n\nBe kind."),
        ("user", "…"),
        ("assistant", "Hello.\n\nHow are you?"),
        ("user", "Remember.\n\nIt is Monday.\n\nWhat is due?"),
        ("assistant", "Let me see."),
        ("tool", "Nothing."),
        ("tool", "Still nothing."),
    ]
    assert sent[4]["tool_calls"][0]["id"] == "abcdefghi"


async def test_alternating_history_is_sent_unchanged() -> None:
    messages: list[Message] = [
        UserMessage(text="Hi"),
        AssistantMessage(text="Hello."),
        UserMessage(text="What is due?"),
    ]
    sent = (await body_sent(DialectName.MISTRAL, messages))["messages"]
    assert [message["role"] for message in sent] == ["user", "assistant", "user"]


# Azure


async def test_older_azure_address_gets_version_deployment_and_key_header(
    server: ModelServer,
) -> None:
    filtered = Raw(event({"id": "", "choices": [], "prompt_filter_results": [{"prompt_index": 0}]}))
    server.reply([filtered, *says("Hello")])
    address = f"{server.base_url.removesuffix('/v1')}/openai?api-version=2024-10-21"
    client, directory = openai_client(api_key="key", base_url=address, stall_s=30.0), DialectDirectory()
    directory.learn(client, DIALECTS[DialectName.AZURE])
    adapter = OpenAIAdapter(client, dict.fromkeys(ModelSize, "gpt"), directory=directory)
    events = await ask(adapter)
    await adapter.aclose()

    [request] = server.requests
    assert (request.path, request.query) == ("/openai/deployments/gpt/chat/completions", "api-version=2024-10-21")
    assert (request.headers["api-key"], "authorization" in request.headers) == ("key", False)
    assert events[0] == TextDelta(text="Hello")


async def test_azure_filter_raises_refusal(server: ModelServer) -> None:
    error = {"code": "content_filter", "message": "…", "innererror": {"code": "ResponsibleAIPolicyViolation"}}
    server.reply([Status(400, whole_body={"error": error})])
    async with speaking(server, DialectName.AZURE) as adapter:
        with pytest.raises(ModelRefused):
            await ask(adapter)


# Gemini


async def test_gemini_gets_its_thought_signatures_back(server: ModelServer) -> None:
    first, second = wants("list_tasks", "a"), wants("list_notes", "b")
    signed = {**first, "index": 0, "extra_content": {"google": {"thought_signature": "c2lnbmVk"}}}
    delta = {"role": "assistant", "tool_calls": [signed, {**second, "index": 1}]}
    sent = await second_round(server, DialectName.GEMINI, [Chunk(delta, "stop"), DONE])

    assert sent[2]["tool_calls"] == [{**first, "extra_content": signed["extra_content"]}, second]


async def test_gemini_gets_marker_for_call_of_another_model() -> None:
    call = ToolCall(id="x", name="list_tasks", arguments="{}")
    messages = [*QUESTION, AssistantMessage(text="", tool_calls=(call,)), ToolMessage(call_id="x", text="None.")]
    sent = (await body_sent(DialectName.GEMINI, messages))["messages"]

    unsigned = {"google": {"thought_signature": "skip_thought_signature_validator"}}
    assert sent[2]["tool_calls"][0]["extra_content"] == unsigned


async def test_gemini_error_in_list_is_understood(server: ModelServer) -> None:
    body = [{"error": {"code": 429, "message": "Quota.", "status": "RESOURCE_EXHAUSTED"}}]
    server.otherwise([Status(429, headers={"retry-after-ms": "1"}, whole_body=body)])
    async with speaking(server, DialectName.GEMINI) as adapter:
        with pytest.raises(ModelUnavailable, match="cannot answer right now"):
            await ask(adapter)


# Mistral


async def test_mistral_gets_nine_character_ids_for_call_and_result() -> None:
    call = ToolCall(id="call_of_another_model", name="list_tasks", arguments="{}")
    messages = [*QUESTION, AssistantMessage(text="", tool_calls=(call,)), ToolMessage(call_id=call.id, text="None.")]
    sent = (await body_sent(DialectName.MISTRAL, messages))["messages"]

    sent_id = sent[2]["tool_calls"][0]["id"]
    assert (len(sent_id), sent_id.isalnum(), sent[3]["tool_call_id"]) == (9, True, sent_id)


async def test_mistral_thinking_is_not_part_of_answer(server: ModelServer) -> None:
    thinking = [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]
    counted = {"prompt_tokens": 5, "completion_tokens": 2}
    last = {"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "stop"}], "usage": counted}
    text = [{"type": "text", "text": "Nothing."}]
    server.reply([Chunk({"content": thinking}), Chunk({"content": text}), Raw(event(last)), DONE])
    async with speaking(server, DialectName.MISTRAL) as adapter:
        assert await ask(adapter) == [
            TextDelta(text="Nothing."),
            Usage(input_tokens=5, output_tokens=2),
            ModelStopped(reason=StopReason.COMPLETE),
        ]


# OpenRouter


async def test_openrouter_gets_its_reasoning_back_joined(server: ModelServer) -> None:
    pieces = [
        {"type": "reasoning.text", "text": "Let me ", "index": 0, "format": "anthropic-claude-v1", "signature": None},
        {"type": "reasoning.text", "text": "look.", "index": 0, "format": "anthropic-claude-v1"},
        {"type": "reasoning.text", "text": "", "index": 0, "signature": "sig"},
        {"type": "reasoning.encrypted", "data": "YWJj"},
        {"type": "reasoning.encrypted", "data": "ZGVm"},
    ]
    thoughts = [Chunk({"reasoning": "…", "reasoning_details": [piece]}) for piece in pieces]
    waiting = Raw(b": OPENROUTER PROCESSING\n\n")
    sent = await second_round(server, DialectName.OPENROUTER, [waiting, *thoughts, *calls(wants("list_tasks"))])

    assert sent[2]["reasoning_details"] == [
        {"type": "reasoning.text", "text": "Let me look.", "index": 0, "format": "anthropic-claude-v1",
         "signature": "sig"},
        {"type": "reasoning.encrypted", "data": "YWJj"},
        {"type": "reasoning.encrypted", "data": "ZGVm"},
    ]  # fmt: skip
    assert "reasoning" not in sent[2]


async def test_openrouter_reports_provider_failure_within_answer(server: ModelServer) -> None:
    broken = {"error": {"code": 502, "message": "Provider disconnected"}, "choices": [{"finish_reason": "error"}]}
    server.reply([Chunk({"content": "Half"}), Raw(event(broken))])
    async with speaking(server, DialectName.OPENROUTER) as adapter:
        with pytest.raises(ModelUnavailable):
            await ask(adapter)


# Local servers


@pytest.mark.parametrize(
    ("name", "field"),
    [
        (DialectName.OLLAMA, "reasoning"),
        (DialectName.LLAMA_CPP, "reasoning_content"),
        (DialectName.VLLM, "reasoning"),
        (DialectName.VLLM, "reasoning_content"),
        (DialectName.LM_STUDIO, "reasoning_content"),
        (DialectName.COMPATIBLE, "reasoning_content"),
    ],
)
async def test_reasoning_is_sent_back_with_its_calls(server: ModelServer, name: DialectName, field: str) -> None:
    thoughts = [Chunk({field: "The user "}), Chunk({field: "asks 🎉."})]
    sent = await second_round(server, name, [*thoughts, *calls(wants("list_tasks"), text="Let me see.")])

    assert sent[2][field] == "The user asks 🎉."
    assert sent[2]["content"] == "Let me see."


@pytest.mark.parametrize("name", [DialectName.MISTRAL, DialectName.OPENAI, DialectName.AZURE])
async def test_server_that_does_not_take_reasoning_gets_none(server: ModelServer, name: DialectName) -> None:
    server.reply([Chunk({"reasoning_content": "Hm."}), *calls(wants("list_tasks"))], says("Nothing."))
    async with speaking(server, name, api=Api.CHAT_COMPLETIONS) as adapter:
        events = await ask(adapter)
    assert [event.state for event in events if isinstance(event, ToolCall)] == [None]


async def test_reasoning_of_another_server_is_not_sent(server: ModelServer) -> None:
    server.reply([Chunk({"reasoning_content": "Hm."}), *calls(wants("list_tasks"))])
    async with speaking(server, DialectName.VLLM) as adapter:
        events = await ask(adapter)
    assert any(event.state is not None for event in events if isinstance(event, ToolCall))

    assert "reasoning_content" not in (await body_sent(DialectName.VLLM, answered(events)))["messages"][2]


async def test_llama_cpp_reports_reading_progress(server: ModelServer) -> None:
    def reading(processed: int) -> Raw:
        told = {"total": 300, "cache": 100, "processed": processed, "time_ms": 9}
        delta = {"role": "assistant", "content": None}
        return Raw(event({"choices": [{"index": 0, "delta": delta}], "prompt_progress": told}))

    timed = {"choices": [], "timings": {"cache_n": 100, "prompt_n": 200}}
    counted = {"choices": [], "usage": {"prompt_tokens": 300, "completion_tokens": 2}}
    ends: Script = [Chunk({}, "stop"), Raw(event({**counted, **timed})), DONE]
    server.reply([*map(reading, (100, 200, 300)), Chunk({"content": "Hi"}), *ends])
    async with speaking(server, DialectName.LLAMA_CPP) as adapter:
        assert await ask(adapter) == [
            *(ModelProgress(fraction=fraction) for fraction in (0.0, 0.5, 1.0)),
            TextDelta(text="Hi"),
            Usage(input_tokens=300, output_tokens=2, cached_tokens=100),
            ModelStopped(reason=StopReason.COMPLETE),
        ]


async def test_llama_cpp_that_is_loading_model_is_awaited(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.adapters.transport._LOADING_PAUSE_S", 0.0)
    error = {"code": 503, "message": "Loading model", "type": "unavailable_error"}
    loading: Script = [Status(503, headers={"retry-after-ms": "1"}, whole_body={"error": error})]
    server.reply(*[loading] * 7, says("Hi"))
    async with speaking(server, DialectName.LLAMA_CPP) as adapter:
        assert (await ask(adapter))[0] == TextDelta(text="Hi")


async def test_llama_cpp_context_overflow_is_reported(server: ModelServer) -> None:
    error = {"code": 400, "message": "exceeds", "type": "exceed_context_size_error", "n_ctx": 512}
    server.reply([Status(400, whole_body={"error": error})])
    async with speaking(server, DialectName.LLAMA_CPP) as adapter:
        with pytest.raises(ModelError, match="too long"):
            await ask(adapter)


async def test_vllm_context_overflow_is_reported(server: ModelServer) -> None:
    message = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens."
    server.reply([Status(400, whole_body={"object": "error", "message": message, "type": "BadRequestError"})])
    async with speaking(server, DialectName.VLLM) as adapter:
        with pytest.raises(ModelError, match="too long"):
            await ask(adapter)


async def test_server_without_usage_and_with_whole_calls_is_understood(server: ModelServer) -> None:
    call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "list_tasks", "arguments": "{}"}}
    server.reply([Chunk({"role": "assistant", "content": "", "tool_calls": [call]}), Chunk({}, "tool_calls"), DONE])
    async with speaking(server, DialectName.OLLAMA) as adapter:
        assert await ask(adapter) == [
            ToolCall(id="call_1", name="list_tasks", arguments="{}"),
            ModelStopped(reason=StopReason.TOOL_CALLS),
        ]


async def test_server_without_schemas_gets_schema_parameter_only_once(server: ModelServer) -> None:
    server.reply([Status(400)])
    server.otherwise(says('{"agent": "x"}'))
    async with speaking(server, DialectName.LM_STUDIO) as adapter:
        for _ in range(3):
            await ask(adapter, tools=(), response_schema=SCHEMA)

    assert ["response_format" in request.body for request in server.requests] == [True, False, False, False]
    assert all('"required": ["agent"]' in request.messages[0]["content"] for request in server.requests[1:])


def test_local_servers_have_minutes_before_first_byte() -> None:
    patient = {name for name, dialect in DIALECTS.items() if dialect.first_byte_s > 600}
    assert patient == {DialectName.OLLAMA, DialectName.LLAMA_CPP, DialectName.VLLM, DialectName.LM_STUDIO}


@pytest.mark.parametrize(("name", "waits"), [(DialectName.LLAMA_CPP, True), (DialectName.MISTRAL, False)])
async def test_local_answer_may_pause_while_server_reads_another_request(
    server: ModelServer, name: DialectName, waits: bool
) -> None:
    begun = b"".join(chunk.encoded() for chunk in says("Hello")[:2] if isinstance(chunk, Chunk))
    server.reply([Raw(begun), Hold(), *says(" there")[1:]])
    loop, said = asyncio.get_running_loop(), list[str]()

    def stand_still() -> None:
        leap(100)
        # Due callbacks run before the server continues.
        loop.call_soon(lambda: loop.call_soon(server.open))

    async with speaking(server, name) as adapter:
        with nullcontext() if waits else pytest.raises(ModelUnavailable, match="in the middle"):
            async for event in adapter.stream(QUESTION, (), ModelParams()):
                said += [event.text] if isinstance(event, TextDelta) else []
                if isinstance(event, TextDelta) and said == ["Hello"]:
                    loop.call_soon(stand_still)
    assert said == ["Hello", *([" there"] if waits else [])]


def test_dialect_is_recognized_among_models_of_other_owners() -> None:
    listed = {"data": [7, {"owned_by": None}, {"owned_by": "me"}, {"owned_by": "VLLM"}]}
    assert dialect_of_models(listed) == DIALECTS[DialectName.VLLM]
    assert isinstance(DIALECTS[DialectName.VLLM], Dialect)
