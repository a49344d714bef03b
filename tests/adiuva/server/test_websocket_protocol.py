"""Which frames are coalesced, and for which connections."""

import asyncio
import socket

import pytest

from adiuva.server.websocket_protocol import GatheringTransport

uvloop = pytest.importorskip("uvloop", reason="uvloop is what complains; it does not exist on Windows")


@pytest.mark.parametrize("lost", [True, False])
def test_what_is_gathered_for_a_connection_that_is_lost_by_then_is_dropped(lost: bool) -> None:
    complaints: list[dict[str, object]] = []

    async def write() -> bytes:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: complaints.append(context))
        ours, theirs = socket.socketpair()
        transport, _ = await loop.create_connection(asyncio.Protocol, sock=ours)
        gathering = GatheringTransport(transport, loop)
        if lost:
            # The connection closes two loop iterations later, as on a reset while frames are being written.
            transport.abort()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        gathering.write(b"a")
        gathering.write(b"b")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        transport.abort()
        with theirs:
            return theirs.recv(10)

    assert uvloop.run(write()) == (b"" if lost else b"ab")
    assert complaints == []
