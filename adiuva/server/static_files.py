"""Static files, served from the event loop."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from http import HTTPStatus
from typing import Any

from asgiref.sync import markcoroutinefunction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.templatetags.static import static
from whitenoise.middleware import WhiteNoiseMiddleware


def icon(_request: HttpRequest) -> str:
    """The address of the favicon, for django-unfold."""
    return static("adiuva/icon.svg")


def admin_colours(_request: HttpRequest) -> str:
    """The address of django-unfold's colours."""
    return static("adiuva/admin-colours.css")


def admin_lists(_request: HttpRequest) -> str:
    """The address of what django-unfold's lists lack."""
    return static("adiuva/admin-lists.css")


def admin_script(_request: HttpRequest) -> str:
    """The address of the script of every page of the admin."""
    return static("adiuva/admin.js")


class StaticFilesMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc] # WhiteNoise has no types
    """WhiteNoise, which is made for threads, for ASGI.

    Unchanged, it would occupy a thread during every request, and Django would read its files on the event loop.
    """

    sync_capable = False
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Awaitable[HttpResponseBase]]) -> None:
        super().__init__(get_response)
        markcoroutinefunction(self)

    async def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(self.static_prefix):
            answer: HttpResponseBase = await self.get_response(request)
            return answer
        return await asyncio.to_thread(self._served, request) or await self.get_response(request)

    def _served(self, request: HttpRequest) -> HttpResponse | None:
        find: Callable[[str], Any] = self.find_file if self.autorefresh else self.files.get
        found = find(request.path_info)
        if found is None:
            return None
        made = found.get_response(request.method, request.META)
        with ExitStack() as opened:
            content = opened.enter_context(made.file).read() if made.file else b""
        answer = HttpResponse(content, status=HTTPStatus(made.status))
        del answer["Content-Type"]
        for name, value in made.headers:
            answer[name] = value
        return answer
