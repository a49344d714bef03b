"""A line in the log and an id for each HTTP request.

The line names the page and not the address, which may hold what a user called something, or a token.
"""

import logging
import re
import time
import uuid
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import async_only_middleware
from structlog.contextvars import bound_contextvars

logger = logging.getLogger("adiuva.access")

REQUEST_ID_HEADER: Final = "X-Request-ID"
_USABLE_ID: Final = re.compile(r"[A-Za-z0-9_-]{8,64}")
GetResponse: TypeAlias = Callable[[HttpRequest], Awaitable[HttpResponseBase]]
"""What a middleware wraps, and what it is."""
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def page_of(request: HttpRequest) -> str:
    """The method and the route, such as ``GET /api/v1/devices/<str:device_id>``; never the requested path."""
    method, found = method_of(request.method), request.resolver_match
    return f"{method} /{found.route}" if found is not None else f"{method} (no page)"


def method_of(name: str | None) -> str:
    """The method; one that HTTP does not have is not repeated."""
    return name if name in _METHODS and name else "(unknown method)"


def request_id_of(given: str) -> str:
    """``given`` if it is usable as an id, otherwise a new one."""
    return given if _USABLE_ID.fullmatch(given) else str(uuid.uuid4())


def log_request(caller: str, page: str, *, status: int, began: float) -> None:
    """Log who requested which page, and after how many milliseconds the answer began."""
    took_ms = round((time.perf_counter() - began) * 1000)
    logger.info("%s %s %d %d ms", caller, page, status, took_ms)


@async_only_middleware
def access_log_middleware(get_response: GetResponse) -> GetResponse:
    """Logs each request, with its id.

    It takes an ``X-Request-ID`` of 8 to 64 letters, digits, ``-`` and ``_``; any other value is replaced. The id goes
    into the answer, and into the lines that are logged meanwhile.
    """

    async def answer(request: HttpRequest) -> HttpResponseBase:
        began = time.perf_counter()
        request_id = request_id_of(request.headers.get(REQUEST_ID_HEADER, ""))
        with bound_contextvars(request_id=request_id):
            response = await get_response(request)
            caller = request.META.get("REMOTE_ADDR", "-")
            log_request(caller, page_of(request), status=response.status_code, began=began)
        response[REQUEST_ID_HEADER] = request_id
        return response

    return answer
