"""``Idempotency-Key`` on requests that create or ask: one that is sent again gets the first one's answer.

A request that did nothing, because it was refused or got no answer, may be sent again with the same key. An error after
something was done, or may have been, is kept like an answer, so that nothing is done twice.
"""

import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar
from uuid import UUID

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.encoders import JSONEncoder
from rest_framework.views import APIView

from accounts.database import DATABASE_ERRORS, in_database
from accounts.errors import KEY_ERRORS, AccountError, IdempotencyKeyInUse, IdempotencyKeyReused
from accounts.idempotency import KeptAnswer, begin, keep, release
from accounts.rest.errors import DetailedError, problem_of
from accounts.rest.openapi import account_error
from accounts.rest.problems import MEDIA_TYPE
from accounts.rest.requests import user_of

_View = TypeVar("_View", bound=APIView)
_Arguments = ParamSpec("_Arguments")
_KEY: Final = re.compile(r'"?([!#-~]{1,255})"?', re.ASCII)
_REPEATED: Final = {"Idempotent-Replayed": "true"}
_FAILURES: Final = (APIException, AccountError, *KEY_ERRORS, *DATABASE_ERRORS)
"""After any other error it is not known whether the request did something before."""

IDEMPOTENCY_KEY: Final = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "pattern": "^[!-~]{1,255}$"},
    OpenApiParameter.HEADER,
    description=(
        "A text of your own for this request, such as a UUID. Sent again with the same key and body within a day, the "
        "request is not carried out again: it gets the first one's answer, with `Idempotent-Replayed: true`."
    ),
)
KEY_REUSED: Final = account_error(IdempotencyKeyReused, "The `Idempotency-Key` belongs to a request with another body.")
KEY_IN_USE: Final = account_error(
    IdempotencyKeyInUse, "The first request with this `Idempotency-Key` is still running, or was cut off."
)


class RepeatableStream(StreamingHttpResponse):
    """A streamed answer of an ``idempotent`` handler.

    ``did_nothing`` is called when all is sent. It returns whether the stream ended in an error before anything was
    done.
    """

    def __init__(
        self,
        chunks: AsyncIterator[bytes],
        *,
        did_nothing: Callable[[], bool],
        content_type: str,
        headers: Mapping[str, str],
    ) -> None:
        super().__init__(chunks, content_type=content_type, headers=dict(headers))
        self.did_nothing = did_nothing


def idempotent(
    handler: Callable[Concatenate[_View, Request, _Arguments], Awaitable[HttpResponseBase]],
) -> Any:
    """Make a coroutine handler observe ``Idempotency-Key``. ``idempotent_in_thread`` is for other handlers."""

    @wraps(handler)
    async def answer(
        view: _View, request: Request, *args: _Arguments.args, **kwargs: _Arguments.kwargs
    ) -> HttpResponseBase:
        if (key := key_of(request)) is None:
            return await handler(view, request, *args, **kwargs)
        user_id = user_of(request).id
        begun = await in_database(begin, user_id, key, _asked(request))
        if isinstance(begun, KeptAnswer):
            return _again(begun)
        try:
            response = await handler(view, request, *args, **kwargs)
        except _FAILURES as failure:
            await in_database(_settle, user_id, begun, failure)
            raise
        if isinstance(response, RepeatableStream):
            chunks = response.streaming_content
            response.streaming_content = _recorded(chunks, response, user_id, begun)  # type: ignore[arg-type] # it is asynchronous
        else:
            await in_database(keep, user_id, begun, _kept(response))
        return response

    return answer


def idempotent_in_thread(
    handler: Callable[Concatenate[_View, Request, _Arguments], Response],
) -> Any:
    """As ``idempotent``, for a handler that is not a coroutine."""

    @wraps(handler)
    def answer(view: _View, request: Request, *args: _Arguments.args, **kwargs: _Arguments.kwargs) -> HttpResponseBase:
        if (key := key_of(request)) is None:
            return handler(view, request, *args, **kwargs)
        user_id = user_of(request).id
        begun = begin(user_id, key, _asked(request))
        if isinstance(begun, KeptAnswer):
            return _again(begun)
        try:
            response = handler(view, request, *args, **kwargs)
        except Exception:
            # What the view did was rolled back.
            release(user_id, begun)
            raise
        keep(user_id, begun, _kept(response))
        return response

    return answer


def key_of(request: Request) -> str | None:
    """The key of a request that has one. Raises REST framework's ``ValidationError``."""
    given = request.headers.get("Idempotency-Key")
    if given is None:
        return None
    parts = _KEY.fullmatch(given)
    if parts is None:
        raise ValidationError({"Idempotency-Key": ["This is 1 to 255 printable characters of ASCII."]})
    return parts[1]


def _asked(request: Request) -> bytes:
    """What makes two requests the same: address, body, and form of the answer."""
    data: object = request.data
    body = data if isinstance(data, bytes) else json.dumps(data, sort_keys=True, cls=JSONEncoder).encode()
    form = getattr(request.accepted_renderer, "media_type", "")
    return f"{request.method} {request.path} {form}\n".encode() + body


def _kept(response: HttpResponseBase) -> KeptAnswer:
    data: Any = getattr(response, "data", None)
    body = JSONRenderer().render(data).decode()
    return KeptAnswer(status=response.status_code, content_type="application/json", body=body)


def _again(answer: KeptAnswer) -> HttpResponse:
    return HttpResponse(answer.body, status=answer.status, content_type=answer.content_type, headers=_REPEATED)


def _settle(user_id: UUID, begun: UUID, failure: Exception) -> None:
    if isinstance(failure, DetailedError) and failure.did_something:
        problem = problem_of(failure)
        body = json.dumps(problem.body)
        keep(user_id, begun, KeptAnswer(status=problem.status, content_type=MEDIA_TYPE, body=body))
    else:
        release(user_id, begun)


async def _recorded(
    chunks: AsyncIterator[bytes], response: RepeatableStream, user_id: UUID, begun: UUID
) -> AsyncIterator[bytes]:
    sent: list[bytes] = []
    async for chunk in chunks:
        sent.append(chunk)
        yield chunk
    if response.did_nothing():
        await in_database(release, user_id, begun)
        return
    body = b"".join(sent).decode()
    answer = KeptAnswer(status=response.status_code, content_type=response.headers["Content-Type"], body=body)
    await in_database(keep, user_id, begun, answer)
