"""One line for every request, by the page it was for: an address may hold what a user called something, or a token."""

import logging
import time
from collections.abc import Awaitable, Callable
from typing import Final

from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import async_only_middleware

logger = logging.getLogger("adiuva.access")

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def page_of(request: HttpRequest) -> str:
    """The method and the route, such as ``GET /api/v1/devices/<str:device_id>``; never the path that was asked for."""
    method = request.method if request.method in _METHODS else "(unknown method)"
    found = request.resolver_match
    return f"{method} /{found.route}" if found is not None else f"{method} (no page)"


@async_only_middleware
def access_log_middleware(
    get_response: Callable[[HttpRequest], Awaitable[HttpResponseBase]],
) -> Callable[[HttpRequest], Awaitable[HttpResponseBase]]:
    """Says who asked for which page, what was answered, and after how many milliseconds the answer began."""

    async def answer(request: HttpRequest) -> HttpResponseBase:
        began = time.perf_counter()
        response = await get_response(request)
        took_ms = round((time.perf_counter() - began) * 1000)
        caller = request.META.get("REMOTE_ADDR", "-")
        logger.info("%s %s %d %d ms", caller, page_of(request), response.status_code, took_ms)
        return response

    return answer
