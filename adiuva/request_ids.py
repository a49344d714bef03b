"""An id for every HTTP request, the caller's own or one of ours: in the answer, and in the log's lines meanwhile."""

import re
import uuid
from collections.abc import Awaitable, Callable
from typing import Final

from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import async_only_middleware
from structlog.contextvars import bound_contextvars

HEADER: Final = "X-Request-ID"
_USABLE: Final = re.compile(r"[A-Za-z0-9_-]{8,64}")


def request_id_of(given: str) -> str:
    """``given`` where it can be the id of a request, else a new one."""
    return given if _USABLE.fullmatch(given) else str(uuid.uuid4())


@async_only_middleware
def request_id_middleware(
    get_response: Callable[[HttpRequest], Awaitable[HttpResponseBase]],
) -> Callable[[HttpRequest], Awaitable[HttpResponseBase]]:
    """Takes an ``X-Request-ID`` of 8 to 64 letters, digits, ``-`` and ``_``; whatever else it holds is not repeated."""

    async def answer(request: HttpRequest) -> HttpResponseBase:
        request_id = request_id_of(request.headers.get(HEADER, ""))
        with bound_contextvars(request_id=request_id):
            response = await get_response(request)
        response[HEADER] = request_id
        return response

    return answer
