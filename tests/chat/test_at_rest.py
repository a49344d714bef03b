"""What the server keeps for devices that do nothing, and for turns that have ended."""

import asyncio
import gc
import socket
import sys
from collections import Counter, deque
from contextvars import Context

from pydantic import JsonValue
from websockets.frames import Frame, Opcode

from tests.agents.scripts import Reply, call, calls, says
from tests.chat.sockets import WAIT_S, Server, looked_up
from tests.chat.test_consumer import home, text_of
from tests.chat.uvicorn_server import serving
from tests.costs import objects_by_type

HANDSHAKE = (
    "GET /api/v1/ws/device HTTP/1.1\r\nHost: adiuva.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nAuthorization: Bearer alice\r\n\r\n"
)
DEVICES = 5
TURNS = 10


async def connected(address: str, number: int) -> socket.socket:
    """A device after its welcome, whose end of the socket has none of the objects that are counted."""
    host, port = address.removeprefix("ws://").split("/")[0].split(":")
    client, loop = socket.create_connection((host, int(port))), asyncio.get_running_loop()
    client.setblocking(False)
    hello = f'{{"type":"device_hello","device_id":"device {number}","capabilities":["pong"]}}'
    await loop.sock_sendall(client, HANDSHAKE.encode())
    await _read_until(client, b"\r\n\r\n")
    await loop.sock_sendall(client, Frame(Opcode.TEXT, hello.encode()).serialize(mask=True))
    await _read_until(client, b"device_welcome")
    return client


async def _read_until(client: socket.socket, end: bytes) -> None:
    read = b""
    async with asyncio.timeout(WAIT_S):
        while end not in read:
            read += await asyncio.get_running_loop().sock_recv(client, 65536)


async def test_an_idle_device_keeps_few_objects_and_no_handshake() -> None:
    async with serving(Server()) as address:
        clients = [await connected(address, 0)]
        await looked_up()
        before = objects_by_type()
        clients += [await connected(address, number) for number in range(1, DEVICES + 1)]
        await looked_up()
        kept = objects_by_type() - before
        for client in clients:
            client.close()

    # Each takes 0.6 KiB. From Python 3.12 on the transport of asyncio, which production does not use, has one. A few
    # are of the thread that has looked up what concerns the devices.
    assert kept[deque] < DEVICES * (2 if sys.version_info >= (3, 12) else 1)
    # The headers of a handshake are a dozen.
    assert kept[list] <= 18 * DEVICES


async def test_an_ended_turn_keeps_its_frames_alone() -> None:
    replies: list[Reply] = [calls(call("list_tasks", "{}")), says(*["One task is due. "] * 20)] * (2 * TURNS)
    kept: list[Counter[type]] = []
    server = Server(replies)
    async with server.device() as device:
        for number in range(2 * TURNS):
            if number % TURNS == 0:
                server.adapter.requests.clear()
                kept.append(objects_by_type())
            await device.send(home("List my tasks"))
            [*_, asked] = await device.until("tool_call")
            rows: list[JsonValue] = [
                {"id": f"t{row}", "title": "Paint the fence", "status": "todo"} for row in range(20)
            ]
            await device.send({"type": "tool_result", "id": asked["id"], "rows": rows})
            assert text_of(await device.until("stream_end")).strip()
            await device.silent()
        server.adapter.requests.clear()
        after = objects_by_type() - kept[-1]
        # The loop keeps a timer that was cancelled, mostly those of the tests' own waiting, until it would have fired.
        del after[asyncio.TimerHandle], after[Context]
        turns = list(server.services.supervisor._turns.values())

    assert len(turns) == 2 * TURNS
    assert after.total() <= 15 * TURNS, after.most_common(20)
    assert all(_bytes_of(turn) <= 4096 for turn in turns)


def _bytes_of(root: object) -> int:
    """The bytes of ``root`` and of all that it refers to but types."""
    seen, left, size = set[int](), [root], 0
    while left:
        found = left.pop()
        if id(found) not in seen and not isinstance(found, type):
            seen.add(id(found))
            size += sys.getsizeof(found)
            left += gc.get_referents(found)
    return size
