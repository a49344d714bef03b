"""The scripted server itself, tested with the official SDK, because many tests depend on it."""

from collections.abc import AsyncIterator

import httpx
import pytest
from openai import AsyncOpenAI, BadRequestError
from openai.types.chat import ChatCompletion

from tests.model_server.fixtures import model_server
from tests.model_server.scripts import Hold, Status, calls, says, wants
from tests.model_server.server import ModelServer

__all__ = ["model_server"]


@pytest.fixture
async def client(model_server: ModelServer) -> AsyncIterator[AsyncOpenAI]:
    async with AsyncOpenAI(api_key="key", base_url=model_server.base_url, max_retries=0) as client:
        yield client


async def whole(client: AsyncOpenAI, text: str = "Hi") -> ChatCompletion:
    return await client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}])


async def test_queue_is_used_in_order_before_default(model_server: ModelServer, client: AsyncOpenAI) -> None:
    model_server.reply(says("one"), says("two"))
    model_server.otherwise(says("else"))

    answers = [(await whole(client)).choices[0].message.content for _ in range(4)]

    assert answers == ["one", "two", "else", "else"]


async def test_rule_precedes_queue_and_repeats_its_last_script(model_server: ModelServer, client: AsyncOpenAI) -> None:
    model_server.reply(says("queued"))
    model_server.when(lambda request: "milk" in request.asked, says("first"), lambda body: says(body["model"]))

    answers = [(await whole(client, text)).choices[0].message.content for text in ("milk", "milk", "tea", "milk")]

    assert answers == ["first", "m", "queued", "m"]


async def test_answer_is_streamed_in_format_of_sdk(model_server: ModelServer, client: AsyncOpenAI) -> None:
    model_server.reply(says("Hel", "lo"))
    stream = await client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": "Hi"}], stream=True, stream_options={"include_usage": True}
    )
    chunks = [chunk async for chunk in stream]

    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == "Hello"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens == 7


async def test_calls_are_complete_without_streaming(model_server: ModelServer, client: AsyncOpenAI) -> None:
    model_server.reply(calls(wants("f", "x", a=1), wants("g", "y", text="è"), text="Wait."))

    [choice] = (await whole(client)).choices

    assert choice.finish_reason == "tool_calls"
    made = [(call.id, call.function) for call in choice.message.tool_calls or () if call.type == "function"]
    assert [(id_, each.name, each.arguments) for id_, each in made] == [
        ("x", "f", '{"a": 1}'),
        ("y", "g", '{"text": "è"}'),
    ]


async def test_scripted_error_is_returned(model_server: ModelServer, client: AsyncOpenAI) -> None:
    model_server.reply([Status(400, "too_odd", "It is odd.", {"x-request-id": "r-1"})])

    with pytest.raises(BadRequestError, match="It is odd") as raised:
        await whole(client)

    assert (raised.value.code, raised.value.request_id) == ("too_odd", "r-1")


async def test_requests_are_recorded(model_server: ModelServer, client: AsyncOpenAI) -> None:
    await whole(client, "Good morning")

    [request] = model_server.requests
    assert (request.path, request.asked, request.told, request.tools) == (
        "/v1/chat/completions",
        "Good morning",
        [],
        [],
    )
    assert request.headers["authorization"] == "Bearer key"
    assert not request.abandoned.is_set()


async def test_disconnected_client_is_recorded(model_server: ModelServer) -> None:
    model_server.reply([Hold()])
    url = f"{model_server.base_url}/chat/completions"
    async with httpx.AsyncClient(trust_env=False) as client:
        with pytest.raises(httpx.ReadTimeout):
            await client.post(url, json={"stream": True}, timeout=httpx.Timeout(10, read=0.1))

    assert model_server.wait_for_requests(1)[0].abandoned.wait(10)


@pytest.mark.parametrize("encoding", ["float", "base64"])
async def test_vectors_are_returned_in_both_encodings(
    model_server: ModelServer, client: AsyncOpenAI, encoding: str
) -> None:
    given = {} if encoding == "base64" else {"encoding_format": "float"}
    answer = await client.embeddings.create(model="e", input=["milk", "tea"], extra_body=given)

    assert [item.index for item in answer.data] == [1, 0]
    assert all(len(item.embedding) == 1536 for item in answer.data)
    assert model_server.embedding_requests[0].texts == ["milk", "tea"]


async def test_unknown_path_is_not_found(model_server: ModelServer) -> None:
    async with httpx.AsyncClient(trust_env=False) as client:
        assert (await client.get(f"{model_server.base_url}/models")).status_code == 404


async def test_failing_script_fails_test() -> None:
    def failing(body: object) -> list[Status]:
        raise LookupError("the test is wrong")

    async def ask() -> None:
        with ModelServer() as server:
            server.reply(failing)
            async with AsyncOpenAI(api_key="key", base_url=server.base_url, max_retries=0) as client:
                with pytest.raises(BadRequestError):
                    await whole(client)

    with pytest.raises(LookupError, match="the test is wrong"):
        await ask()
