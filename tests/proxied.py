"""Devices whose handshakes come as a reverse proxy passes them on, where a server in production wants TLS."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from websockets.asyncio.client import ClientConnection, connect

from device import connection


@contextmanager
def devices_behind_proxy() -> Iterator[None]:
    """Within the block, devices of this process say that a proxy took their connection over TLS."""

    async def connect_by_proxy(address: str, *, additional_headers: dict[str, str], **options: Any) -> ClientConnection:
        return await connect(
            address, additional_headers={**additional_headers, "X-Forwarded-Proto": "https"}, **options
        )

    with mock.patch.object(connection, "connect", connect_by_proxy):
        yield
