"""Models behind the Chat Completions API of OpenAI, or of any server with the same API.

The SDK makes the request: credentials, connections, errors, retries before the first byte. The answer's
bytes are read by ``agents.adapters.stream``: SDK objects for each chunk cost several times as much as all the rest.
"""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from typing import Final, TypeAlias, assert_never

import httpx2
import openai
from openai import AsyncAPIResponse, AsyncOpenAI, AsyncStream, DefaultAioHttpClient, omit
from openai.types.chat import (
    ChatCompletionChunk,
    ChatCompletionFunctionToolParam,
    ChatCompletionMessageFunctionToolCallParam,
    ChatCompletionMessageParam,
)
from openai.types.shared_params import ResponseFormatJSONSchema

from agents.adapters.base import (
    AssistantMessage,
    Message,
    ModelParams,
    ModelSize,
    SystemMessage,
    ToolMessage,
    ToolSchema,
    UserMessage,
)
from agents.adapters.failures import facts_of, incapability, model_failure
from agents.adapters.stream import StreamReader, joined, mended
from agents.errors import ModelBroken, ModelError, ModelUnavailable
from agents.events import ModelEvent, ToolCall

_Response: TypeAlias = AsyncAPIResponse[AsyncStream[ChatCompletionChunk]]

logger = logging.getLogger(__name__)

NO_KEY: Final = "no-key"
"""Sent to servers that need no key: the SDK insists on one."""

_CONNECT_S: Final = 5.0
_FIRST_BYTE_S: Final = 120.0
_DRAIN_S: Final = 0.25
_UNREACHABLE: Final = "The model's server cannot be reached."


def openai_client(*, api_key: str, base_url: str, stall_s: float) -> AsyncOpenAI:
    """The SDK's client, shared by the models and the embedder. An empty ``base_url`` means OpenAI's own.

    ``stall_s`` is how long a server may be silent, before its answer and in the middle of it. A request that fails
    before the first byte is retried twice, with growing pauses. Close it on the event loop that has used it.
    """
    timeout = httpx2.Timeout(stall_s, connect=_CONNECT_S)
    return AsyncOpenAI(
        api_key=api_key or NO_KEY,
        base_url=base_url or None,
        timeout=timeout,
        max_retries=2,
        # Its parser is not written in Python, and it gives all bytes that have come at once.
        http_client=DefaultAioHttpClient(),
    )


class OpenAIAdapter:
    """The ``ModelAdapter`` over the SDK. It owns ``client``: closing the adapter closes its connections.

    ``first_byte_s`` bounds the wait for an answer to begin, retries and their pauses included.
    """

    def __init__(
        self, client: AsyncOpenAI, models: Mapping[ModelSize, str], *, first_byte_s: float = _FIRST_BYTE_S
    ) -> None:
        self._client = client
        self._models = models
        self._first_byte_s = first_byte_s

    @property
    def name(self) -> str:
        return self._models[ModelSize.LARGE]

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        """As ``ModelAdapter.stream``. Raises ``ModelError`` itself if asking again cannot help."""
        async with AsyncExitStack() as stack:
            response = await self._opened(messages, tools, params, stack)
            reader, pieces = StreamReader(), response.iter_bytes()
            try:
                if "json" in response.headers.get("content-type", ""):
                    for event in reader.read_whole(await response.read()):
                        yield event
                    return
                while not reader.done and (piece := await anext(pieces, b"")):
                    for event in joined(reader.feed(piece)):
                        yield event
            except httpx2.ReadTimeout:
                if not reader.is_whole:
                    raise ModelUnavailable("The model stopped in the middle of its answer.") from None
            except httpx2.HTTPError:
                if not reader.is_whole:
                    raise ModelBroken("The connection to the model broke off.") from None
            for event in reader.end():
                yield event
            await _drain(pieces)

    async def aclose(self) -> None:
        """Close the connections to the model's server."""
        await self._client.close()

    async def _opened(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams, stack: AsyncExitStack
    ) -> _Response:
        """The response to an accepted request; ``stack`` closes it.

        The SDK's errors are never chained: they may hold the key (a header that cannot be sent) or the user's words.
        """
        schema = params.response_schema
        try:
            async with asyncio.timeout(self._first_byte_s):
                try:
                    return await self._sent(messages, tools, params, stack)
                except (openai.BadRequestError, openai.UnprocessableEntityError):
                    if schema is None:
                        raise
                    # Local servers without schemas refuse them; a request that was refused for another reason is
                    # refused again.
                    in_words = with_schema_in_words(messages, schema)
                    return await self._sent(in_words, tools, replace(params, response_schema=None), stack)
        except (TimeoutError, openai.APITimeoutError) as error:
            # Any failure to connect is a time-out of connecting to the transport.
            if isinstance(error.__cause__, httpx2.ConnectTimeout):
                raise ModelUnavailable(_UNREACHABLE) from None
            raise ModelUnavailable("The model did not answer in time.") from None
        except openai.APIStatusError as error:
            raise _failure(error, model=self._models[params.size]) from None
        except (openai.OpenAIError, httpx2.HTTPError, ValueError):
            # ``ValueError``: a header that cannot be sent.
            raise ModelUnavailable(_UNREACHABLE) from None

    async def _sent(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams, stack: AsyncExitStack
    ) -> _Response:
        # Large values go by ``extra_body``: the SDK would check each against its types, which costs more than the whole
        # answer does.
        large: dict[str, object] = {"messages": [message_param(message) for message in messages]}
        if tools:
            large["tools"] = tool_params(tools)
        if params.response_schema is not None:
            large["response_format"] = schema_param(params.response_schema)
        sending = self._client.chat.completions.with_streaming_response.create(
            model=self._models[params.size],
            messages=(),
            temperature=omit if params.temperature is None else params.temperature,
            max_completion_tokens=omit if params.max_tokens is None else params.max_tokens,
            stream=True,
            stream_options={"include_usage": True},
            extra_body=large,
        )
        return await stack.enter_async_context(sending)


async def _drain(pieces: AsyncIterator[bytes]) -> None:
    """Read the rest after an answer's end: only an empty connection can serve the next request."""
    with suppress(TimeoutError, httpx2.HTTPError):
        async with asyncio.timeout(_DRAIN_S):
            async for _ in pieces:
                pass


def _failure(error: openai.APIStatusError, *, model: str) -> ModelError:
    logger.warning(
        "the model's server answered %s (request %s)",
        facts_of(status=error.status_code, code=error.code, kind=error.type),
        error.request_id,
    )
    incapable = incapability(model, code=error.code, parameter=error.param)
    return incapable or model_failure(status=error.status_code, code=error.code, kind=error.type)


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
    """The format of an answer that must fit ``schema`` as a whole."""
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(schema), "strict": True}}


def with_schema_in_words(messages: Sequence[Message], schema: Mapping[str, object]) -> list[Message]:
    """The conversation for a server without schemas: the first system message asks for the same in words."""
    wanted = f"Answer with nothing but JSON that fits this JSON Schema:\n{json.dumps(schema, ensure_ascii=False)}"
    if messages and isinstance(messages[0], SystemMessage):
        return [SystemMessage(text=f"{messages[0].text}\n\n{wanted}"), *messages[1:]]
    return [SystemMessage(text=wanted), *messages]


def message_param(message: Message) -> ChatCompletionMessageParam:
    """A message as the API takes it."""
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
