"""What the adapters of all SDKs share: making a request, its failures and time limits, reading the answer."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing, suppress
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Final, Protocol, TypeAlias, cast

import httpx2

from agents.adapters.base import Message, ModelParams
from agents.adapters.chat_request import with_schema_in_words
from agents.adapters.failures import facts_of, incapability, model_failure, reported
from agents.adapters.reading import AnswerReader, joined
from agents.errors import ModelBroken, ModelError, ModelUnavailable
from agents.events import ModelEvent

CONNECT_S: Final = 5.0
MAX_RETRIES: Final = 2
_DRAIN_S: Final = 0.25
_LOADING_PAUSE_S: Final = 2.0
_LOADING: Final = "unavailable_error"
_NOT_TAKEN: Final = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY})

UNREACHABLE: Final = "The model's server cannot be reached."
_TOO_LATE: Final = "The model did not answer in time."

logger = logging.getLogger(__name__)


class Response(Protocol):
    """A streamed response of an SDK."""

    @property
    def headers(self) -> httpx2.Headers: ...

    async def read(self) -> bytes: ...

    def iter_bytes(self) -> AsyncIterator[bytes]: ...


class StatusError(Protocol):
    """An SDK's error for a response with a status of 4xx or 5xx."""

    status_code: int
    body: object
    request_id: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class SdkErrors:
    """An SDK's errors: ``late`` if there is no answer in time, ``status`` (a ``StatusError``), and their base."""

    base: type[Exception]
    late: type[Exception]
    status: type[Exception]


Send: TypeAlias = Callable[[Sequence[Message], ModelParams], Awaitable[Response]]
"""Makes a request. Raises the SDK's errors."""
Request: TypeAlias = Callable[[Sequence[Message], ModelParams], AbstractAsyncContextManager[Response]]
"""A request, which is made at the beginning of its block, and closed at its end."""


def time_limits(silence_s: float) -> httpx2.Timeout:
    """Time limits for an SDK. ``silence_s`` is how long the server may be silent."""
    return httpx2.Timeout(silence_s, connect=CONNECT_S)


def silence_limit(limits: httpx2.Timeout | float | None) -> float:
    """``silence_s`` of ``limits`` that ``time_limits`` made."""
    if not isinstance(limits, httpx2.Timeout) or limits.read is None:
        raise TypeError("the client has no time limits")
    return limits.read


async def streamed(
    request: Request,
    messages: Sequence[Message],
    params: ModelParams,
    reader: AnswerReader,
    *,
    model: str,
    errors: SdkErrors,
    first_byte_s: float,
    stall_s: float,
    has_schemas: bool,
    learn_no_schemas: Callable[[], None],
) -> AsyncGenerator[ModelEvent, None]:
    """The events of an answer. The parameters are those of ``opened`` and ``answer_events``, which it joins."""
    async with AsyncExitStack() as stack:

        async def send(messages: Sequence[Message], params: ModelParams) -> Response:
            return await stack.enter_async_context(request(messages, params))

        response = await opened(
            send,
            messages,
            params,
            model=model,
            errors=errors,
            first_byte_s=first_byte_s,
            has_schemas=has_schemas,
            learn_no_schemas=learn_no_schemas,
        )
        async with aclosing(answer_events(response, reader, first_byte_s=first_byte_s, stall_s=stall_s)) as events:
            async for event in events:
                yield event


async def opened(
    send: Send,
    messages: Sequence[Message],
    params: ModelParams,
    *,
    model: str,
    errors: SdkErrors,
    first_byte_s: float,
    has_schemas: bool,
    learn_no_schemas: Callable[[], None],
) -> Response:
    """The response to an accepted request, within ``first_byte_s`` seconds, including retries and their pauses.

    If the server refuses a JSON Schema, a message asks for the same format. If it accepts that, ``learn_no_schemas`` is
    called. Raises ``ModelError``, which is never chained to the SDK's error, because that may contain the key (in a
    header that cannot be sent) or the user's words.
    """
    try:
        async with asyncio.timeout(first_byte_s):
            if params.response_schema is None:
                return await _loaded(send, messages, params, errors)
            if has_schemas:
                try:
                    return await _loaded(send, messages, params, errors)
                except errors.status as error:
                    if cast("StatusError", error).status_code not in _NOT_TAKEN:
                        raise
            # If the request was refused for another reason, this one is refused, too.
            in_words = with_schema_in_words(messages, params.response_schema)
            response = await _loaded(send, in_words, replace(params, response_schema=None), errors)
            learn_no_schemas()
            return response
    except errors.status as error:
        raise _failure(cast("StatusError", error), model=model) from None
    except (TimeoutError, errors.late) as error:
        # The transport reports any failure to connect as a time-out of connecting.
        is_there = not isinstance(error.__cause__, httpx2.ConnectTimeout)
        raise ModelUnavailable(_TOO_LATE if is_there else UNREACHABLE) from None
    except (errors.base, httpx2.HTTPError, ValueError):
        # ``ValueError``: a header that cannot be sent.
        raise ModelUnavailable(UNREACHABLE) from None


async def _loaded(send: Send, messages: Sequence[Message], params: ModelParams, errors: SdkErrors) -> Response:
    """The response. While the server loads the model, which llama.cpp reports as an error, the request is repeated."""
    while True:
        try:
            return await send(messages, params)
        except errors.status as error:
            refused = cast("StatusError", error)
            if reported(refused.body, status=refused.status_code).kind != _LOADING:
                raise
        await asyncio.sleep(_LOADING_PAUSE_S)


def _failure(error: StatusError, *, model: str) -> ModelError:
    told = reported(error.body, status=error.status_code)
    logger.warning(
        "the model's server answered %s (request %s)",
        facts_of(status=error.status_code, code=told.code, kind=told.kind),
        error.request_id,
    )
    return incapability(model, told) or model_failure(told)


async def answer_events(
    response: Response, reader: AnswerReader, *, first_byte_s: float, stall_s: float
) -> AsyncGenerator[ModelEvent, None]:
    """The events of an accepted request.

    The server may be silent for ``first_byte_s`` seconds before the model writes, and for ``stall_s`` afterwards.
    """
    pieces = response.iter_bytes()
    try:
        if "json" in response.headers.get("content-type", ""):
            for event in reader.read_whole(await response.read()):
                yield event
            return
        while not reader.done:
            async with asyncio.timeout(stall_s if reader.is_writing else first_byte_s):
                piece = await anext(pieces, b"")
            if not piece:
                break
            for event in joined(reader.feed(piece)):
                yield event
    except (TimeoutError, httpx2.HTTPError) as error:
        if not reader.is_whole:
            raise _interruption(error, reader) from None
    for event in reader.end():
        yield event
    await _drain(pieces)


def _interruption(error: Exception, reader: AnswerReader) -> ModelError:
    if not isinstance(error, TimeoutError | httpx2.ReadTimeout):
        return ModelBroken("The connection to the model broke off.")
    return ModelUnavailable("The model stopped in the middle of its answer." if reader.is_writing else _TOO_LATE)


async def _drain(pieces: AsyncIterator[bytes]) -> None:
    """Read what follows the end of an answer, because only then can the connection be used again."""
    with suppress(TimeoutError, httpx2.HTTPError):
        async with asyncio.timeout(_DRAIN_S):
            async for _ in pieces:
                pass
