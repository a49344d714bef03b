"""What describes REST to people and programs: the OpenAPI document and a page that shows it."""

from collections.abc import Sequence
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, URLResolver, path, reverse
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from accounts.rest.documents import Document, DocumentView
from accounts.rest.openapi import document

# Everything on the page is our own. Swagger UI brings its icons as data.
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@document("getOpenapi", summary="REST as OpenAPI", description="This document: OpenAPI 3.1 of every address of REST.")
class OpenApiView(DocumentView):
    """``document`` describes itself, too, so it is made of all addresses, this one included."""


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """The page that shows the OpenAPI document and lets a developer try it."""
    page = render(request, "rest/docs.html", {"document": reverse("openapi")})
    page.headers["Content-Security-Policy"] = _POLICY
    return page


def addresses(described: Sequence[URLPattern | URLResolver]) -> list[URLPattern]:
    """The document of the addresses ``described``, and the page."""

    def openapi() -> dict[str, object]:
        everything = [*described, path("api/v1/schema", OpenApiView.as_view())]
        generator = SchemaGenerator(patterns=everything)
        schema: dict[str, object] = generator.get_schema(request=None, public=True)
        return schema

    return [
        path("schema", OpenApiView.as_view(document=Document(openapi)), name="openapi"),
        path("docs/", docs),
    ]
