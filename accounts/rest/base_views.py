"""Base classes of views: handlers that are coroutines, and documents that do not change."""

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.http.response import HttpResponseBase
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.database import in_database
from accounts.rest.conditions import is_known

MAX_AGE_S = 300


class OpenView(APIView):
    """For anyone. An access token is ignored, so an expired one does no harm."""

    authentication_classes = ()
    permission_classes = (AllowAny,)


class AsyncAPIView(APIView):
    """REST framework's view with handlers that are ``async def``, for work that waits on a model or a device.

    Authentication, permissions and throttles run in a thread, because they read the database. The handler runs on the
    event loop and must not.
    """

    async def dispatch(  # type: ignore[override]  # Django awaits a view that is marked as a coroutine
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        self.args, self.kwargs = args, kwargs
        self.request = self.initialize_request(request, *args, **kwargs)
        self.headers = self.default_response_headers
        try:
            await in_database(self.initial, self.request, *args, **kwargs)
            name = (self.request.method or "").lower()
            if name not in self.http_method_names or not hasattr(self, name):
                self.http_method_not_allowed(self.request, *args, **kwargs)
            response = await getattr(self, name)(self.request, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 - the one place where what a view raises becomes an answer
            response = self.handle_exception(error)
        self.response = self.finalize_response(self.request, response, *args, **kwargs)
        return self.response

    async def options(  # type: ignore[override]  # awaited like every handler
        self, request: Request, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        return super().options(request, *args, **kwargs)


class Document:
    """A JSON document that describes the server. ``make`` is called once, when it is first requested."""

    def __init__(self, make: Callable[[], Mapping[str, object]]) -> None:
        self._make = make

    @cached_property
    def content(self) -> bytes:
        return json.dumps(self._make(), indent=2).encode()

    @cached_property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.content).hexdigest()[:32]}"'


class DocumentView(OpenView):
    """Serves ``document`` to anyone; 304 if the client has it already."""

    document: Document | None = None

    def get(self, request: Request) -> HttpResponseBase:
        document = self.document
        if document is None:
            raise TypeError("DocumentView.as_view needs a document")
        headers = {"ETag": document.etag, "Cache-Control": f"public, max-age={MAX_AGE_S}"}
        if is_known(request, document.etag):
            return HttpResponseNotModified(headers=headers)
        return HttpResponse(document.content, content_type="application/json", headers=headers)
