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
on_answer: Final[set[Callable[[str, str, int, float], None]]] = set()
"""Told the method, the route, the status and the seconds of each answer."""
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def page_of(request: HttpRequest) -> str:
    """The method and the route, such as ``GET /api/v1/devices/<str:device_id>``; never the requested path."""
    return f"{method_of(request.method)} {route_of(request)}"


def route_of(request: HttpRequest) -> str:
    """The route, such as ``/api/v1/devices/<str:device_id>``, or ``(no page)``."""
    found = request.resolver_match
    return "(no page)" if found is None else f"/{found.route}"


def method_of(name: str | None) -> str:
    """The method; one that HTTP does not have is not repeated."""
    return name if name in _METHODS and name else "(unknown method)"


def request_id_of(given: str) -> str:
    """``given`` if it is usable as an id, otherwise a new one."""
    return given if _USABLE_ID.fullmatch(given) else str(uuid.uuid4())


def log_request(caller: str, method: str, route: str, *, status: int, began: float) -> None:
    """Log who requested which page, and how long after ``began`` the answer began; tell ``on_answer``."""
    took_s = time.perf_counter() - began
    logger.info("%s %s %s %d %d ms", caller, method, route, status, round(took_s * 1000))
    for tell in on_answer:
        tell(method, route, status, took_s)


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
            method, route = method_of(request.method), route_of(request)
            log_request(caller, method, route, status=response.status_code, began=began)
        response[REQUEST_ID_HEADER] = request_id
        return response

    return answer
