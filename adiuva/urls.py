"""Addresses of the whole server, and the OpenAPI document that describes those of REST.

The module itself is the ``ROOT_URLCONF`` with everything that needs only the database. ``Addresses`` adds what needs
the services of a running process. The probes ``/healthz`` and ``/readyz`` are answered before (``server/health.py``).
"""

from typing import Final, TypeAlias

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, URLResolver, include, path, re_path, reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from django.views.generic import RedirectView
from drf_spectacular.generators import SchemaGenerator

from accounts import consent
from accounts import pages as account
from accounts.rest.base_views import Document, DocumentView
from accounts.rest.errors import not_found
from accounts.rest.openapi import document
from accounts.rest.problems import KINDS
from adiuva.workspace import pages as workspace
from agents.rest import urls as agents
from agents.rest.vectors import Embedding
from chat.rest import api as chat
from chat.services import ChatServices
from memory.rest import api as memory

_Addresses: TypeAlias = list[URLPattern | URLResolver]

# Everything on the page is our own. Swagger UI brings its icons as data.
_DOCS_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@document("getOpenapi", summary="REST as OpenAPI", description="This document: OpenAPI 3.1 of every address of REST.")
class OpenApiView(DocumentView):
    """The document describes itself, too, so it is made of all addresses including this one."""


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """A page that shows the OpenAPI document and lets a developer try it."""
    page = render(request, "rest/docs.html", {"document": reverse("openapi")})
    page.headers["Content-Security-Policy"] = _DOCS_POLICY
    return page


@require_safe
def errors(request: HttpRequest) -> HttpResponse:
    """A page that explains each kind of problem: the ``type`` of an error is its address there."""
    page = render(request, "rest/errors.html", {"document": reverse("openapi"), "kinds": sorted(KINDS.items())})
    page.headers["Content-Security-Policy"] = _DOCS_POLICY
    return page


@csrf_exempt
def nothing(request: HttpRequest) -> HttpResponse:
    """Any other address of REST. Without this, developers' servers would answer with Django's page for debugging."""
    return not_found(request, Http404())


handler400 = "accounts.rest.errors.bad_request"
handler403 = "accounts.rest.errors.permission_denied"
handler404 = "accounts.rest.errors.not_found"
handler500 = "accounts.rest.errors.server_error"

_rest: _Addresses = [path("api/v1/", include("accounts.rest.urls"))]
_pages: _Addresses = [
    path("admin/", admin.site.urls),
    *account.addresses(),
    *consent.addresses(),
    *workspace.addresses(),
]
urlpatterns: _Addresses = [*_pages, *_rest]


class Addresses:
    """The URLconf of a process with ``services``."""

    handler400, handler403, handler404, handler500 = handler400, handler403, handler404, handler500

    def __init__(self, services: ChatServices) -> None:
        run, wait_s = services.turns.run, services.rate.wait_s
        embedding = Embedding(embedder=run.embedder, disclosures=run.disclosures, marks=run.marks)
        described: _Addresses = [
            *_rest,
            path("api/v1/", include(chat.addresses(services))),
            path("api/v1/", include(agents.addresses(run.approvals, run.quotas))),
            path("api/v1/storage/", include(agents.storage_addresses(embedding, wait_s=wait_s))),
            path("api/v1/", include(memory.addresses(run.embedder, wait_s=wait_s))),
        ]

        def make() -> dict[str, object]:
            generator = SchemaGenerator(patterns=[*described, path("api/v1/schema", OpenApiView.as_view())])
            schema: dict[str, object] = generator.get_schema(request=None, public=True)
            return schema

        self.urlpatterns: _Addresses = [
            *_pages,
            *described,
            path("api/v1/schema", OpenApiView.as_view(document=Document(make)), name="openapi"),
            path("api/v1/docs/", docs, name="docs"),
            path("api/v1/docs", RedirectView.as_view(pattern_name="docs")),
            path("api/v1/docs/errors", errors),
            re_path("^api/", nothing),
        ]
