"""Models behind Anthropic's Messages API.

As for OpenAI's APIs, the SDK makes the requests, and our own reader reads the bytes of the answer.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from typing import Final

import anthropic
from anthropic import AsyncAnthropic, DefaultAioHttpClient

from agents.adapters.base import Message, ModelParams, ModelSize, Parameter, ToolSchema
from agents.adapters.dialects import HOSTED_FIRST_BYTE_S, Effort
from agents.adapters.messages import MessageReader, message_body
from agents.adapters.transport import (
    MAX_RETRIES,
    Response,
    SdkErrors,
    silence_limit,
    streamed,
    time_limits,
)
from agents.errors import ModelIncapable
from agents.events import ModelEvent

DEFAULT_MAX_TOKENS: Final = 16_384
"""The API demands a limit with each request."""

_ERRORS: Final = SdkErrors(
    base=anthropic.AnthropicError, late=anthropic.APITimeoutError, status=anthropic.APIStatusError
)


def anthropic_client(*, api_key: str, base_url: str, stall_s: float) -> AsyncAnthropic:
    """The SDK's client. An empty ``base_url`` means Anthropic's own.

    ``stall_s`` is how long an answer may stall. A request that fails before the first byte is retried twice, with
    growing pauses. Close the client on the event loop that has used it.
    """
    return AsyncAnthropic(
        api_key=api_key,
        base_url=base_url or None,
        timeout=time_limits(stall_s),
        max_retries=MAX_RETRIES,
        http_client=DefaultAioHttpClient(),
    )


class AnthropicAdapter:
    """The ``ModelAdapter`` over Anthropic's SDK. It owns ``client``: closing the adapter closes its connections.

    ``max_tokens`` limits answers whose request has no limit of its own. ``first_byte_s`` limits the wait for an answer
    to begin, including retries and their pauses.
    """

    def __init__(
        self,
        client: AsyncAnthropic,
        models: Mapping[ModelSize, str],
        *,
        efforts: Mapping[ModelSize, Effort] | None = None,
        max_tokens: int = DEFAULT_MAX_TOKENS,
        first_byte_s: float | None = None,
    ) -> None:
        self._client = client
        self._models = models
        self._efforts = efforts or {}
        self._max_tokens = max_tokens
        self._first_byte_s = first_byte_s or HOSTED_FIRST_BYTE_S
        self._without_schemas: set[str] = set()

    @property
    def name(self) -> str:
        return self._models[ModelSize.LARGE]

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        """As ``ModelAdapter.stream``. Also raises a plain ``ModelError``, if trying again will not help.

        Raises ``ModelIncapable`` for a temperature, which the API does not have.
        """
        model, effort = self._models[params.size], self._efforts.get(params.size)
        if params.temperature is not None:
            raise ModelIncapable(model, Parameter.TEMPERATURE)
        owner = f"{str(self._client.base_url).rstrip('/')} {model}"

        def request(messages: Sequence[Message], params: ModelParams) -> AbstractAsyncContextManager[Response]:
            # Large values go into ``extra_body``, which the SDK does not check against its types.
            return self._client.messages.with_streaming_response.create(
                model=model,
                max_tokens=params.max_tokens or self._max_tokens,
                messages=(),
                stream=True,
                extra_body=message_body(messages, tools, params, effort=effort, owner=owner),
                timeout=time_limits(self._first_byte_s),
            )

        events = streamed(
            request,
            messages,
            params,
            MessageReader(owner=owner),
            model=model,
            errors=_ERRORS,
            first_byte_s=self._first_byte_s,
            stall_s=silence_limit(self._client.timeout),
            has_schemas=model not in self._without_schemas,
            learn_no_schemas=lambda: self._without_schemas.add(model),
        )
        async with aclosing(events):
            async for event in events:
                yield event

    async def aclose(self) -> None:
        """Close the connections to the model's server."""
        await self._client.close()
