"""Requests, responses and routing. Other modules add routes for their part of the API."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Request:
    """One received request. Header names are in lower case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, kw_only=True)
class Response:
    """A complete response."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})


def answer(value: object, status: int = 200) -> Response:
    """``value`` as JSON."""
    return Response(status=status, body=json.dumps(value).encode())


NOT_FOUND = answer({"error": "LangfuseNotFoundError", "message": "not found"}, 404)


@dataclass(frozen=True)
class Route:
    """``handle`` gets the request and the groups of ``pattern``, which must match the whole path."""

    method: str
    pattern: str
    handle: Callable[..., Response]

    def matched(self, request: Request) -> re.Match[str] | None:
        return re.fullmatch(self.pattern, request.path) if request.method == self.method else None


def routed(routes: list[Route], request: Request) -> Response:
    """The response of the first matching route."""
    for route in routes:
        if match := route.matched(request):
            return route.handle(request, *match.groups())
    return NOT_FOUND
