"""The HTTP half of the ASGI application: Django, with the services of this process behind its views."""

from collections.abc import Mapping
from typing import IO, Any

from django.core.handlers.asgi import ASGIHandler, ASGIRequest
from django.http.response import HttpResponseBase

from adiuva.urls import Addresses
from chat.services import ChatServices


class HttpApplication(ASGIHandler):
    """Serves ``Addresses`` made of ``services``, in the place of ``ROOT_URLCONF``, which knows no services."""

    def __init__(self, services: ChatServices) -> None:
        super().__init__()
        self._addresses = Addresses(services)

    def create_request(
        self, scope: Mapping[str, Any], body_file: IO[bytes]
    ) -> tuple[ASGIRequest, None] | tuple[None, HttpResponseBase]:
        made = super().create_request(scope, body_file)
        if made[0] is not None:
            made[0].urlconf = self._addresses  # type: ignore[assignment] # a module, or an object like one
        return made
