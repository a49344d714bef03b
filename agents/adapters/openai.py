"""Models behind an API of OpenAI, or of any server with the same API, in its dialect.

The SDK makes the request: credentials, connections, errors, retries before the first byte. The answer's
bytes are read by our own readers: SDK objects for each chunk cost several times as much as all the rest.
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
"""Sent to servers that need no key: the SDK insists on one."""

_DISCOVERY_S: Final = 5.0
_ERRORS: Final = SdkErrors(base=openai.OpenAIError, late=openai.APITimeoutError, status=openai.APIStatusError)


def openai_client(*, api_key: str, base_url: str, stall_s: float) -> AsyncOpenAI:
    """The SDK's client, shared by the models and the embedder. An empty ``base_url`` means OpenAI's own.

    An address with ``?api-version=…`` is one of Azure's older ones. ``stall_s`` is how long a server may be silent. A
    request that fails before the first byte is retried twice, with growing pauses. Close it on the event loop that has
    used it.
    """
    address, _, query = base_url.partition("?")
    timeout = time_limits(stall_s)
    # Its parser is not written in Python, and it gives all bytes that have come at once.
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
    """Which dialect each address speaks, as far as this process knows.

    A provider's host says it; any other address is asked once. ``chosen`` are those that settings say, by address.
    """

    def __init__(self, chosen: Mapping[str, DialectName] | None = None) -> None:
        self._known = {_address(url): DIALECTS[name] for url, name in (chosen or {}).items()}
        self._asking = asyncio.Lock()

    async def dialect_of(self, client: AsyncOpenAI) -> Dialect:
        """The dialect of the client's server. One that cannot be reached is asked again at the next request."""
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
        """From now on the client's server speaks ``dialect``."""
        self._known[_address(str(client.base_url))] = dialect


def _address(base_url: str) -> str:
    return base_url.partition("?")[0].rstrip("/")


async def _discovered(client: AsyncOpenAI) -> Dialect | None:
    """The dialect of an address that is no known provider's; None if it cannot be reached or is not ready."""
    asking = client.with_options(max_retries=0, timeout=_DISCOVERY_S)
    try:
        found = dialect_of_models(await _page(asking, "/models"))
        if found is None:
            # Ollama names the authors of models that are not its own.
            version = await _page(asking, str(client.base_url.join("/api/version")))
            is_ollama = isinstance(version, dict) and isinstance(version.get("version"), str)
            found = DIALECTS[DialectName.OLLAMA] if is_ollama else compatible_dialect(str(client.base_url))
    except (openai.OpenAIError, httpx2.HTTPError, ValueError):
        return None
    logger.info("the model's server speaks the dialect %s", found.name)
    return found


async def _page(client: AsyncOpenAI, path: str) -> object:
    """What the server has at ``path``; None for a status of 4xx."""
    try:
        return await client.get(path, cast_to=object)
    except openai.APIStatusError as error:
        if error.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise
        return None


class OpenAIAdapter:
    """The ``ModelAdapter`` over the SDK. It owns ``client``: closing the adapter closes its connections.

    ``first_byte_s`` bounds the wait for an answer to begin, retries and their pauses included, and ``stall_s`` each
    pause in it; by default they suit the dialect. ``api`` and ``efforts`` are the server's own unless given.
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
        """As ``ModelAdapter.stream``. Raises ``ModelError`` itself if asking again cannot help."""
        dialect = await self._directory.dialect_of(self._client)
        first_byte_s = self._first_byte_s or dialect.first_byte_s
        model = self._models[params.size]
        owner = f"{_address(str(self._client.base_url))} {model}"
        speaks_responses = (self._api or dialect.api) is Api.RESPONSES
        effort = self._efforts.get(params.size)

        def request(messages: Sequence[Message], params: ModelParams) -> AbstractAsyncContextManager[Response]:
            # Large values go by ``extra_body``: the SDK would check each against its types, which costs more than the
            # whole answer does. The waits before and within an answer are told apart in ``answer_events``.
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
