"""JSON documents that describe the server: open to everybody, the same as long as the process runs."""

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cached_property

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.views import APIView

MAX_AGE_S = 300


class Document:
    """What ``make`` gives, as JSON. It is made when somebody first asks for it, and once."""

    def __init__(self, make: Callable[[], Mapping[str, object]]) -> None:
        self._make = make

    @cached_property
    def content(self) -> bytes:
        return json.dumps(self._make(), indent=2).encode()

    @cached_property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.content).hexdigest()[:32]}"'


class DocumentView(APIView):
    """Serves ``document``; who has it already gets 304."""

    authentication_classes = ()
    permission_classes = (AllowAny,)
    document: Document | None = None

    def get(self, request: Request) -> HttpResponseBase:
        document = self.document
        if document is None:
            raise TypeError("DocumentView.as_view needs a document")
        answer = HttpResponse(
            document.content,
            content_type="application/json",
            headers={"ETag": document.etag, "Cache-Control": f"public, max-age={MAX_AGE_S}"},
        )
        return get_conditional_response(_plain(request), etag=document.etag, response=answer) or answer


def _plain(request: Request) -> HttpRequest:
    plain: HttpRequest = request._request  # noqa: SLF001 - REST framework's own way to the request it wraps
    return plain
