"""Who a request at ``/mcp`` or at OAuth's addresses comes from, and which address of this server it uses.

A server may have several names, so its own address is the one that the request uses.
"""

from collections.abc import Collection
from typing import Final

from django.http.request import split_domain_port, validate_host

from agents.mcp.cancelling import Message

MCP_PATH: Final = "/mcp"
METADATA_PATH: Final = "/.well-known/oauth-protected-resource"


def issuer_of(scope: Message) -> str:
    """The server's address in the request, such as ``https://adiuva.example``."""
    hosts = values_of(scope, b"host")
    return f"{scope.get('scheme', 'http')}://{hosts[0].lower() if hosts else ''}"


def resource_of(scope: Message) -> str:
    """The address of ``/mcp`` in the request: what a token is for (RFC 8707)."""
    return f"{issuer_of(scope)}{MCP_PATH}"


def metadata_address(resource: str) -> str:
    """The address of the metadata of this resource (RFC 9728, 3)."""
    return f"{resource.removesuffix(MCP_PATH)}{METADATA_PATH}{MCP_PATH}"


def names_known_host(scope: Message, hosts: Collection[str]) -> bool:
    """Whether the request names exactly one host, which is one of ``hosts`` (patterns as in ``ALLOWED_HOSTS``)."""
    named = values_of(scope, b"host")
    return len(named) == 1 and validate_host(split_domain_port(named[0])[0], hosts)


def client_address(scope: Message) -> str:
    """The IP address of the client; empty if the server does not know it."""
    return str((scope.get("client") or ("",))[0])


def values_of(scope: Message, name: bytes) -> list[str]:
    """The values of a header, of which there may be several."""
    return [value.decode("latin-1") for header, value in scope["headers"] if header == name]
