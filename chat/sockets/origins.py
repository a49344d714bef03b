"""Which web pages may open the socket: those of the allowed origins, and the server's own."""

from collections.abc import Collection, Mapping
from typing import Any

from django.http.request import split_domain_port, validate_host


def is_own_origin(origin: str, scope: Mapping[str, Any], hosts: Collection[str]) -> bool:
    """Whether the page comes from the very address that the handshake of ``scope`` asks.

    ``hosts`` are the names under which the server may be called: a page whose own name was made to lead here
    (DNS rebinding) calls it by another.
    """
    host = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
    scheme = "https" if scope.get("scheme") == "wss" else "http"
    return origin == f"{scheme}://{host}" and validate_host(split_domain_port(host)[0], hosts)
