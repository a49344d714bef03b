"""Models behind OpenAI's APIs, or on any server with the same API, in its dialect.

The SDK makes the requests: credentials, connections, errors, retries before the first byte. Our own readers read the
bytes of the answer, because creating SDK objects for each chunk costs several times as much as everything else.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import replace
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qsl

import httpx2
import openai
from openai import AsyncAzureOpenAI, AsyncOpenAI, DefaultAioHttpClient

from agents.adapters.base import Message, ModelParams, ModelSize, ToolSchema
from agents.adapters.chat_reader import ChatReader
from agents.adapters.chat_request import chat_body
from agents.adapters.dialects import (
    DIALECTS,
    Api,
    Dialect,
    DialectName,
    Effort,
    compatible_dialect,
    dialect_of_host,
    dialect_of_models,
)
from agents.adapters.responses import ResponsesReader, responses_body
from agents.adapters.transport import (
    MAX_RETRIES,
    Response,
    SdkErrors,
    streamed,
    time_limits,
)
from agents.events import ModelEvent

logger = logging.getLogger(__name__)

NO_KEY: Final = "no-key"
"""The key for servers that need none, because the SDK demands one."""

_DISCOVERY_S: Final = 5.0
_ERRORS: Final = SdkErrors(base=openai.OpenAIError, late=openai.APITimeoutError, status=openai.APIStatusError)


def openai_client(*, api_key: str, base_url: str, stall_s: float) -> AsyncOpenAI:
    """The SDK's client, shared by the models and the embedder. An empty ``base_url`` means OpenAI's own.

    An address with ``?api-version=…`` belongs to Azure's older API. ``stall_s`` is how long a server may be silent. A
    request that fails before the first byte is retried twice, with growing pauses. Close the client on the event loop
    that has used it.
    """
    address, _, query = base_url.partition("?")
    timeout = time_limits(stall_s)
    # Its parser is compiled, and returns all bytes that have arrived at once.
    http_client = DefaultAioHttpClient()
    if version := dict(parse_qsl(query)).get("api-version"):
        return AsyncAzureOpenAI(
            api_key=api_key or NO_KEY,
            base_url=address,
            api_version=version,
            timeout=timeout,
            max_retries=MAX_RETRIES,
            http_client=http_client,
        )
    return AsyncOpenAI(
        api_key=api_key or NO_KEY,
        base_url=address or None,
        timeout=timeout,
        max_retries=MAX_RETRIES,
        http_client=http_client,
    )


class DialectDirectory:
    """The dialects of servers, by address, as far as this process knows them.

    The hosts of providers are known. Any other address is asked once.
    """

    def __init__(self) -> None:
        self._known: dict[str, Dialect] = {}
        self._asking = asyncio.Lock()

    async def dialect_of(self, client: AsyncOpenAI) -> Dialect:
        """The dialect of the client's server. A server that cannot be reached is asked again at the next request."""
        address = _address(str(client.base_url))
        if (known := self._known.get(address)) is None:
            async with self._asking:
                if (known := self._known.get(address) or dialect_of_host(address)) is None:
                    known = await _discovered(client)
            if known is None:
                return compatible_dialect(address)
            self.learn(client, known)
        return known

    def learn(self, client: AsyncOpenAI, dialect: Dialect) -> None:
        """Use ``dialect`` for the client's server from now on."""
        self._known[_address(str(client.base_url))] = dialect


def _address(base_url: str) -> str:
    return base_url.partition("?")[0].rstrip("/")


async def _discovered(client: AsyncOpenAI) -> Dialect | None:
    """The dialect of a server that is not a known provider's; None if it cannot be reached or is not ready."""
    asking = client.with_options(max_retries=0, timeout=_DISCOVERY_S)
    try:
        found = dialect_of_models(await _page(asking, "/models"))
        if found is None:
            # Ollama does not name itself as the owner of models that others have made.
            version = await _page(asking, str(client.base_url.join("/api/version")))
            is_ollama = isinstance(version, dict) and isinstance(version.get("version"), str)
            found = DIALECTS[DialectName.OLLAMA] if is_ollama else compatible_dialect(str(client.base_url))
    except (openai.OpenAIError, httpx2.HTTPError, ValueError):
        return None
    logger.info("the model's server speaks the dialect %s", found.name)
    return found


async def _page(client: AsyncOpenAI, path: str) -> object:
    """The server's answer at ``path``; None for a status of 4xx."""
    try:
        return await client.get(path, cast_to=object)
    except openai.APIStatusError as error:
        if error.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise
        return None


class OpenAIAdapter:
    """The ``ModelAdapter`` over the SDK. It owns ``client``: closing the adapter closes its connections.

    ``first_byte_s`` limits the wait for an answer to begin, including retries and their pauses, and ``stall_s`` each
    pause within it. They, ``api`` and ``efforts`` default to those of the dialect or of the server.
    """

    def __init__(
        self,
        client: AsyncOpenAI,
        models: Mapping[ModelSize, str],
        *,
        directory: DialectDirectory | None = None,
        api: Api | None = None,
        efforts: Mapping[ModelSize, Effort] | None = None,
        first_byte_s: float | None = None,
        stall_s: float | None = None,
    ) -> None:
        self._client = client
        self._models = models
        self._directory = directory or DialectDirectory()
        self._api = api
        self._efforts = efforts or {}
        self._first_byte_s = first_byte_s
        self._stall_s = stall_s

    @property
    def name(self) -> str:
        return self._models[ModelSize.LARGE]

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        """As ``ModelAdapter.stream``. Also raises a plain ``ModelError``, if trying again will not help."""
        dialect = await self._directory.dialect_of(self._client)
        first_byte_s = self._first_byte_s or dialect.first_byte_s
        model = self._models[params.size]
        owner = f"{_address(str(self._client.base_url))} {model}"
        speaks_responses = (self._api or dialect.api) is Api.RESPONSES
        effort = self._efforts.get(params.size)

        def request(messages: Sequence[Message], params: ModelParams) -> AbstractAsyncContextManager[Response]:
            # Large values go into ``extra_body``. The SDK would check any other value against its types, which costs
            # more than the whole answer. ``answer_events`` has separate limits for the waits before and in an answer.
            timeout = time_limits(first_byte_s)
            if speaks_responses:
                body = responses_body(messages, tools, params, effort=effort, owner=owner)
                responses = self._client.responses.with_streaming_response
                return responses.create(model=model, stream=True, extra_body=body, timeout=timeout)
            body = chat_body(messages, tools, params, dialect=dialect, effort=effort, owner=owner)
            completions = self._client.chat.completions.with_streaming_response
            return completions.create(model=model, messages=(), stream=True, extra_body=body, timeout=timeout)

        events = streamed(
            request,
            messages,
            params,
            ResponsesReader(owner=owner) if speaks_responses else ChatReader(dialect, owner=owner),
            model=model,
            errors=_ERRORS,
            first_byte_s=first_byte_s,
            stall_s=self._stall_s or dialect.stall_s,
            has_schemas=dialect.has_schemas,
            learn_no_schemas=lambda: self._directory.learn(self._client, replace(dialect, has_schemas=False)),
        )
        async with aclosing(events):
            async for event in events:
                yield event

    async def aclose(self) -> None:
        """Close the connections to the model's server."""
        await self._client.close()
