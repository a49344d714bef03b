import asyncio
import socket

import pytest


def test_connection_beyond_this_machine_is_refused() -> None:
    with socket.socket() as caller, pytest.raises(BaseException, match="tests may not connect to"):
        caller.connect(("192.0.2.1", 80))
    with socket.socket() as caller, pytest.raises(BaseException, match="tests may not connect to"):
        caller.connect_ex(("model.example", 443))


async def test_refusal_holds_for_asyncio_too() -> None:
    with pytest.raises(BaseException, match="tests may not connect to"):
        await asyncio.open_connection("192.0.2.1", 80)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_loopback_stays_open(host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as caller:
        assert caller.getpeername() == server.getsockname()
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as caller:
        caller.connect((host, server.getsockname()[1]))
