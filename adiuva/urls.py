"""Addresses of the whole server; the probes ``/healthz`` and ``/readyz`` are answered before these (``health.py``).

The module itself is the ``ROOT_URLCONF``: what needs nothing but the database. ``Addresses`` adds what needs the
services of a running process, and the description of all of it.
"""

from typing import TypeAlias

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from adiuva import rest_pages
from adiuva.workspace import pages as workspace
from agents.rest import urls as agents
from agents.rest.vectors import urls as vectors
from agents.rest.vectors.embedding import Embedding
from chat.rest import urls as chat
from chat.services import ChatServices
from memory.rest import urls as memory

_Addresses: TypeAlias = list[URLPattern | URLResolver]

handler400 = "accounts.rest.handlers.bad_request"
handler403 = "accounts.rest.handlers.permission_denied"
handler404 = "accounts.rest.handlers.not_found"
handler500 = "accounts.rest.handlers.server_error"

_rest: _Addresses = [
    path("api/v1/auth/", include("accounts.urls")),
    path("api/v1/", include("accounts.device_urls")),
]
urlpatterns: _Addresses = [path("admin/", admin.site.urls), *workspace.addresses(), *_rest]


class Addresses:
    """The URLconf of a process with ``services``."""

    handler400, handler403, handler404, handler500 = handler400, handler403, handler404, handler500

    def __init__(self, services: ChatServices) -> None:
        kit, admit = services.turns.kit, services.rate.admit
        embedding = Embedding(embedder=kit.embedder, disclosures=kit.disclosures, marks=kit.marks)
        described: _Addresses = [
            *_rest,
            path("api/v1/", include(chat.addresses(services))),
            path("api/v1/", include(agents.addresses(kit.approvals, services.quotas))),
            path("api/v1/storage/", include(vectors.addresses(embedding, admit=admit))),
            path("api/v1/", include(memory.addresses(kit.embedder, admit=admit))),
        ]
        self.urlpatterns: _Addresses = [
            path("admin/", admin.site.urls),
            *workspace.addresses(),
            *described,
            path("api/v1/", include(rest_pages.addresses(described))),
        ]
