"""What a client costs before the application sees anything: many frames at once, pings, and parts of messages."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import cycle, repeat
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from uvicorn.server import ServerState
from websockets.frames import Frame, Opcode

from adiuva.server.serve import server_config
from adiuva.server.websocket_protocol import WebSocketProtocol
from chat.rates import TokenBucket, loop_time
from chat.sockets.extensions import IS_OPEN, PACE_LARGE, SEND_NOW, TAKE_NOW
from tests.chat.sockets import leap

HANDSHAKE = (
    b"GET /api/v1/ws/device HTTP/1.1\r\nHost: adiuva.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
CHUNK = 256 * 1024
"""The most that the loop reads at once."""


class Transport(asyncio.Transport):
    """Takes everything that is written, and knows whether it reads."""

    def __init__(self) -> None:
        super().__init__()
        self.reads, self.closed = True, False
        self.written = bytearray()

    def write(self, data: Any) -> None:
        self.written += data

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def get_extra_info(self, name: str, default: object = None) -> Any:
        return default


@dataclass
class Application:
    """Accepts the socket, and takes frames when a test asks."""

    seen: list[str] = field(default_factory=list)
    receive: Any = None
    send: Any = None
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.receive, self.send = receive, send
        assert (await receive())["type"] == "websocket.connect"
        await send({"type": "websocket.accept"})
        await self.over.wait()

    async def take(self) -> Any:
        message = await self.receive()
        self.seen.append(message.get("text", message["type"]))
        return message


@dataclass
class Connection:
    protocol: WebSocketProtocol
    transport: Transport
    application: Application

    def sends(self, *frames: Frame) -> None:
        self.protocol.data_received(b"".join(frame.serialize(mask=True) for frame in frames))

    def pace_large(self, bucket: TokenBucket) -> None:
        """As the application does once it knows the user."""
        extensions: Any = self.protocol.scope["extensions"]
        extensions[PACE_LARGE](lambda: bucket)

    @property
    def waiting(self) -> int:
        queue: Any = self.protocol.queue
        return len(queue._messages)

    @property
    def held(self) -> int:
        """The bytes that have come and that the application has not."""
        begun = [*self.protocol._pieces, *self.protocol.frames, self.protocol.conn.reader.buffer]
        waiting: Any = self.protocol.queue
        return sum(map(len, begun)) + sum(len(each.get("text", "")) for each in waiting._messages)

    def is_read(self) -> bool:
        return self.transport.reads


class Client:
    """Sends ``stream`` in pieces of ``sizes`` while it is read; when it is not, time passes."""

    def __init__(self, connection: Connection, stream: bytes, sizes: Iterator[int]) -> None:
        self.waited_s = 0.0
        self._connection, self._stream, self._sizes = connection, stream, sizes
        loop = asyncio.get_running_loop()
        before = loop.time
        loop.time = lambda: before() + self.waited_s  # type: ignore[method-assign]

    async def go_on(self) -> None:
        """Send a piece, or wait for a hundredth of a second."""
        if self._stream and self._connection.is_read():
            size = next(self._sizes)
            piece, self._stream = self._stream[:size], self._stream[size:]
            self._connection.protocol.data_received(piece)
        else:
            self.waited_s += 0.01
        await asyncio.sleep(0)


@asynccontextmanager
async def connected() -> AsyncIterator[Connection]:
    application, transport = Application(), Transport()
    config = server_config(application)
    config.load()
    protocol = WebSocketProtocol(config, ServerState(), {})
    protocol.connection_made(transport)
    protocol.data_received(HANDSHAKE)
    while not protocol.handshake_complete:  # noqa: ASYNC110 - uvicorn sends no event
        await asyncio.sleep(0)
    yield Connection(protocol, transport, application)
    protocol.connection_lost(None)
    application.over.set()
    await asyncio.gather(*protocol.tasks)


@pytest.fixture
async def connection() -> AsyncIterator[Connection]:
    async with connected() as connection:
        yield connection


def text(content: str) -> Frame:
    return Frame(Opcode.TEXT, content.encode())


async def test_socket_says_whether_its_client_has_left(connection: Connection) -> None:
    extensions: Any = connection.protocol.scope["extensions"]
    assert extensions[IS_OPEN]()
    connection.transport.close()
    assert not extensions[IS_OPEN]()


async def test_text_is_sent_at_once_while_the_client_reads_and_the_socket_is_open(connection: Connection) -> None:
    extensions: Any = connection.protocol.scope["extensions"]
    send_now = extensions[SEND_NOW]
    assert send_now("é")
    await asyncio.sleep(0)
    assert connection.transport.written.endswith("é".encode())

    connection.protocol.pause_writing()
    assert not send_now("x")
    connection.protocol.resume_writing()
    assert send_now("x")
    await connection.application.send({"type": "websocket.close"})
    assert not send_now("y")


async def test_text_is_offered_while_application_waits_and_keeps_its_order(connection: Connection) -> None:
    offered: list[str] = []

    def take(content: str) -> bool:
        offered.append(content)
        return content.startswith("answer")

    extensions: Any = connection.protocol.scope["extensions"]
    extensions[TAKE_NOW](take)
    # The answers after the request wait with it.
    connection.sends(text("answer 1"), text("answer 2"), text("request"), text("answer 3"))
    assert offered == ["answer 1", "answer 2", "request"]

    assert (await connection.application.take())["text"] == "request"
    connection.sends(text("answer 4"))
    assert (await connection.application.take())["text"] == "answer 3"
    assert offered == ["answer 1", "answer 2", "request"]

    waiting = asyncio.create_task(connection.application.take())
    await asyncio.sleep(0)
    assert offered[3:] == ["answer 4"]
    connection.sends(Frame(Opcode.TEXT, b"answer ", fin=False), Frame(Opcode.CONT, b"5"), text("last"))
    assert offered[4:] == ["answer 5", "last"]
    assert (await waiting)["text"] == "last"


async def test_text_that_is_not_utf8_is_not_offered(connection: Connection) -> None:
    offered: list[str] = []
    extensions: Any = connection.protocol.scope["extensions"]
    extensions[TAKE_NOW](offered.append)
    connection.sends(Frame(Opcode.TEXT, b"\xff"))

    assert offered == []
    assert connection.transport.closed


async def test_of_many_small_frames_few_are_parsed_before_the_application_takes_them(connection: Connection) -> None:
    sent = [str(number) for number in range(5_000)]
    connection.sends(*map(text, sent))
    assert 0 < connection.waiting < 700
    assert not connection.is_read()

    while len(connection.application.seen) < len(sent):
        await connection.application.take()
        assert connection.waiting < 700
    assert connection.application.seen == sent


async def test_a_large_frame_is_whole(connection: Connection) -> None:
    large = "x" * 1_000_000
    connection.sends(text(large))

    assert (await connection.application.take())["text"] == large


async def test_reading_pauses_once_more_has_come_while_the_application_has_a_frame(connection: Connection) -> None:
    connection.sends(text("one"))
    await connection.application.take()
    assert connection.is_read()
    connection.sends(text("two"))
    assert (connection.is_read(), connection.waiting) == (False, 0)

    assert (await connection.application.take())["text"] == "two"
    assert connection.is_read()


async def test_nothing_more_is_read_while_the_application_has_a_large_frame(connection: Connection) -> None:
    connection.sends(text("x" * 100_000))
    await connection.application.take()
    assert not connection.is_read()

    taking = asyncio.create_task(connection.application.take())
    await asyncio.sleep(0)
    assert connection.is_read()
    connection.sends(text("two"))
    assert (await taking)["text"] == "two"


@pytest.mark.parametrize("size", [1, 100, 4_000, 4_096, 9_000])
async def test_nothing_more_is_read_while_frames_are_left_of_what_has_come(connection: Connection, size: int) -> None:
    count = 8 * CHUNK // size
    client = Client(connection, text("x" * size).serialize(mask=True) * count, repeat(CHUNK))
    for _ in range(min(count, 400)):
        taking = asyncio.create_task(connection.application.take())
        while not taking.done():
            await client.go_on()
            assert connection.held < 2 * CHUNK


@given(
    sizes=st.lists(st.sampled_from([0, 1, 125, 4_000, 4_096, 70_000, 300_000]), min_size=1, max_size=40),
    steps=st.lists(st.sampled_from([700, 5_000, CHUNK]), min_size=1),
    pings=st.sets(st.integers(0, 40)),
)
def test_all_that_is_sent_arrives_however_it_comes(sizes: list[int], steps: list[int], pings: set[int]) -> None:
    frames = [text(str(size % 7) * size) for size in sizes]
    for place in sorted(pings, reverse=True):
        frames.insert(place, Frame(Opcode.PING, b""))
    stream = b"".join(frame.serialize(mask=True) for frame in frames)

    async def receive() -> list[str]:
        async with connected() as connection:
            connection.pace_large(TokenBucket(per_s=1_000_000, burst=100_000, clock=loop_time))
            client = Client(connection, stream, cycle(steps))
            for _ in sizes:
                taking = asyncio.create_task(connection.application.take())
                while not taking.done():
                    await client.go_on()
                    assert connection.held < 2 * CHUNK + max(sizes)
                    assert client.waited_s < 1 + len(stream) / 500_000
            return connection.application.seen

    assert asyncio.run(receive()) == [bytes(frame.data).decode() for frame in frames if frame.opcode is Opcode.TEXT]


async def test_a_large_message_that_comes_in_small_pieces_costs_what_comes(connection: Connection) -> None:
    connection.pace_large(TokenBucket(per_s=1_000_000, burst=100_000, clock=loop_time))
    client = Client(connection, text("x" * 400_000).serialize(mask=True), repeat(1_400))
    taking = asyncio.create_task(connection.application.take())
    while not taking.done():
        await client.go_on()

    assert 0.2 < client.waited_s < 0.5


async def test_large_messages_that_share_a_bucket_are_read_at_its_pace() -> None:
    bucket = TokenBucket(per_s=1_000_000, burst=2_000_000, clock=loop_time)
    large = "x" * 3_000_000
    sent = text(large).serialize(mask=True)
    async with connected() as one, connected() as another:
        for each in (one, another):
            each.pace_large(bucket)
            for at in range(0, 5 * CHUNK, CHUNK):
                each.protocol.data_received(sent[at : at + CHUNK])
        assert (one.is_read(), another.is_read()) == (True, False)

        another.protocol.data_received(sent[5 * CHUNK :])
        assert another.waiting == 0
        for _ in range(4):
            leap(1)
            await asyncio.sleep(0)
        assert (await another.application.take())["text"] == large


async def test_small_messages_do_not_wait_for_large_ones(connection: Connection) -> None:
    bucket = TokenBucket(per_s=1, burst=1, clock=loop_time)
    bucket.spend(1_000_000)
    connection.pace_large(bucket)
    connection.sends(text("small"))

    assert (await connection.application.take())["text"] == "small"


@pytest.mark.parametrize("opcode", [Opcode.PING, Opcode.PONG])
async def test_control_frames_are_read_at_a_pace(connection: Connection, opcode: Opcode) -> None:
    connection.sends(*[Frame(opcode, b"")] * 2100)
    assert not connection.is_read()
    connection.sends(*[Frame(opcode, b"")] * 1000, text("after"))
    assert connection.waiting == 0

    for _ in range(16):
        leap(0.5)
        await asyncio.sleep(0)
    assert connection.waiting == 1
    assert (await connection.application.take())["text"] == "after"


async def test_parts_of_a_message_are_read_at_a_pace(connection: Connection) -> None:
    parts = [Frame(Opcode.CONT, b"", fin=False)] * 30_000
    connection.sends(Frame(Opcode.TEXT, b"x", fin=False), *parts)

    assert not connection.is_read()
    assert len(connection.protocol.frames) < 3000


async def test_parts_of_a_message_that_goes_on_and_on_are_joined(connection: Connection) -> None:
    connection.sends(Frame(Opcode.TEXT, b"a", fin=False))
    for _ in range(5000):
        connection.protocol.handle_cont(Frame(Opcode.CONT, b"b", fin=False))
    assert len(connection.protocol.frames) <= 1024

    connection.protocol.handle_cont(Frame(Opcode.CONT, b"c"))
    assert (await connection.application.receive())["text"] == f"a{'b' * 5000}c"


async def test_what_follows_the_servers_close_is_read_at_a_pace(connection: Connection) -> None:
    await connection.application.send({"type": "websocket.close", "code": 4400})
    connection.sends(*[text("more")] * 600)

    assert connection.waiting == 1
    assert not connection.is_read()


async def test_an_invalid_frame_ends_the_connection_once(connection: Connection) -> None:
    connection.protocol.data_received(b"\xff" * CHUNK)

    assert connection.transport.closed
    assert connection.waiting == 1
    # The application may not know yet: for it, the client is gone.
    with pytest.raises(OSError):  # noqa: PT011 - uvicorn's own, without a message
        await connection.application.send({"type": "websocket.send", "text": "too late"})
