"""Devices whose handshakes and sign-ins come as a reverse proxy passes them on: a server in production wants TLS."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import httpx
from websockets.asyncio.client import ClientConnection, connect

from device import connection, signing_in
from device.addresses import ServerAddress
from device.http import http_client


@contextmanager
def devices_behind_proxy() -> Iterator[None]:
    """Within the block, devices of this process say that a proxy took their connection over TLS."""

    async def connect_by_proxy(address: str, *, additional_headers: dict[str, str], **options: Any) -> ClientConnection:
        return await connect(
            address, additional_headers={**additional_headers, "X-Forwarded-Proto": "https"}, **options
        )

    def http_by_proxy(server: ServerAddress) -> httpx.AsyncClient:
        client = http_client(server)
        client.headers["X-Forwarded-Proto"] = "https"
        return client

    with (
        mock.patch.object(connection, "connect", connect_by_proxy),
        mock.patch.object(signing_in, "http_client", http_by_proxy),
    ):
        yield
