"""Requests and responses, and which handler a path has. Others add their part of the API with routes of their own."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request as it came in. Header names are in lower case."""

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
    """An answer in one piece."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})


def answer(value: object, status: int = 200) -> Response:
    """``value`` as JSON."""
    return Response(status=status, body=json.dumps(value).encode())


NOT_FOUND = answer({"error": "LangfuseNotFoundError", "message": "not found"}, 404)


@dataclass(frozen=True)
class Route:
    """``handle`` gets the request and the groups of ``pattern``, which the whole path has to match."""

    method: str
    pattern: str
    handle: Callable[..., Response]

    def matched(self, request: Request) -> re.Match[str] | None:
        return re.fullmatch(self.pattern, request.path) if request.method == self.method else None


def routed(routes: list[Route], request: Request) -> Response:
    """What the first route that fits answers."""
    for route in routes:
        if match := route.matched(request):
            return route.handle(request, *match.groups())
    return NOT_FOUND
