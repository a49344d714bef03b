"""The addresses of ``/mcp`` and of its metadata, as a request has them: a server may have several names."""

from typing import Final

from agents.mcp.cancelling import Message

MCP_PATH: Final = "/mcp"
METADATA_PATH: Final = "/.well-known/oauth-protected-resource"


def issuer_of(scope: Message) -> str:
    """The server's address as the request has it, such as ``https://adiuva.example``."""
    hosts = values_of(scope, b"host")
    return f"{scope.get('scheme', 'http')}://{hosts[0].lower() if hosts else ''}"


def resource_of(scope: Message) -> str:
    """The address of ``/mcp`` as the request has it: what a token is for (RFC 8707)."""
    return f"{issuer_of(scope)}{MCP_PATH}"


def metadata_address(resource: str) -> str:
    """Where the metadata of this resource is (RFC 9728, 3)."""
    return f"{resource.removesuffix(MCP_PATH)}{METADATA_PATH}{MCP_PATH}"


def values_of(scope: Message, name: bytes) -> list[str]:
    """The values of a header, of which there may be several."""
    return [value.decode("latin-1") for header, value in scope["headers"] if header == name]
