"""HTTP to the server."""

import ssl
from functools import cache
from typing import Final

import httpx

from device.addresses import ServerAddress

_TIMEOUT_S: Final = 15.0


def http_client(server: ServerAddress) -> httpx.AsyncClient:
    """A client for requests to ``server`` alone."""
    trust_env = not server.is_local
    # Reading the certificates takes 20 ms, and plain HTTP needs none: its context trusts none.
    certificates = (
        _certificates(trust_env=trust_env) if server.is_encrypted else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    )
    return httpx.AsyncClient(timeout=_TIMEOUT_S, trust_env=trust_env, verify=certificates)


@cache
def _certificates(*, trust_env: bool) -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=trust_env)
