"""Clients that send a byte now and then, or read none, lose their connection. Over real sockets, with tiny limits."""

import asyncio
import itertools
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
import uvicorn

from adiuva.server.serve import client_limits
from adiuva.server.slow_clients import ClientLimits, Deadline, protocols
from agents.images import MAX_BYTES

PATIENT = ClientLimits(head_s=60, body_s=60, bytes_per_s=1, send_s=60, most_bytes=10_000, per_address=0)
WITH_HEADS = replace(PATIENT, head_s=0.05)
HASTY = replace(PATIENT, body_s=0.05, bytes_per_s=10**6, send_s=0.05)
WAIT_S = 30.0
KEEP_ALIVE_S = 60
HANDSHAKE = (
    b"GET /socket HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


@dataclass
class Echo:
    """An application that reads a request's body and answers with its length; a socket that takes frames."""

    answer: bytes = b""
    heard: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    taking: asyncio.Event = field(default_factory=asyncio.Event)
    opened: asyncio.Event = field(default_factory=asyncio.Event)
    closed: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.taking.set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await self._socket(receive, send)
            return
        size, more = 0, True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.ended.set()
                return
            size, more = size + len(message["body"]), message.get("more_body", False)
        body = self.answer or str(size).encode()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
        for at in range(0, len(body), 65536):
            await send(
                {"type": "http.response.body", "body": body[at : at + 65536], "more_body": at + 65536 < len(body)}
            )
        self.ended.set()

    async def _socket(self, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        self.opened.set()
        while True:
            await self.taking.wait()
            message = await receive()
            if message["type"] == "websocket.disconnect":
                self.closed.set()
                return
            self.heard.put_nowait(message["text"])


@dataclass
class Client:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    async def rest(self) -> bytes:
        """Everything until the server closes."""
        found = b""
        with suppress(ConnectionError):
            while piece := await self.reader.read(1024):
                found += piece
        return found

    async def until(self, end: bytes) -> bytes:
        return await self.reader.readuntil(end)

    async def trickle(self, data: bytes) -> bytes:
        """Send a byte with each turn of the loop until the server closes; what it answers."""
        answer = asyncio.ensure_future(self.rest())
        for byte in data:
            if answer.done():
                break
            self.send(bytes([byte]))
            await asyncio.wait({answer}, timeout=0.01)
        return await answer


@dataclass
class Running:
    application: Echo
    port: int
    limits: ClientLimits
    server: uvicorn.Server

    @asynccontextmanager
    async def client(self, *, buffer_bytes: int | None = None) -> AsyncIterator[Client]:
        connection = socket.socket()
        if buffer_bytes is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
        connection.setblocking(False)
        await asyncio.get_running_loop().sock_connect(connection, ("127.0.0.1", self.port))
        reader, writer = await asyncio.open_connection(sock=connection, limit=1024)
        try:
            yield Client(reader, writer)
        finally:
            writer.transport.abort()

    async def gone(self) -> None:
        """Once the server holds no connection."""
        while self.server.server_state.connections:  # noqa: ASYNC110 - uvicorn tells no one of their end
            await asyncio.sleep(0)


def change(limits: ClientLimits, **seconds: float) -> None:
    """From the next deadline on."""
    for name, value in seconds.items():
        object.__setattr__(limits, name, value)


@asynccontextmanager
async def serving(limits: ClientLimits, application: Echo | None = None, **options: Any) -> AsyncIterator[Running]:
    application = application or Echo()
    http, sockets = protocols(limits)
    options = {"timeout_keep_alive": KEEP_ALIVE_S, "log_config": None, "lifespan": "off", **options}
    config = uvicorn.Config(application, http=http, ws=sockets, **options)
    config.load()
    server = uvicorn.Server(config)
    loop = asyncio.get_running_loop()
    make: Callable[[], asyncio.Protocol] = lambda: http(config, server.server_state, {}, loop)  # noqa: E731
    listener = await loop.create_server(make, "127.0.0.1", 0)
    try:
        async with asyncio.timeout(WAIT_S):
            yield Running(application, listener.sockets[0].getsockname()[1], limits, server)
    finally:
        listener.close()
        for connection in list(server.server_state.connections):
            connection.transport.abort()


async def test_a_connection_that_says_nothing_is_closed() -> None:
    async with serving(WITH_HEADS) as running, running.client() as client:
        assert (await client.rest()).startswith(b"HTTP/1.1 408 Request Timeout\r\n")


async def test_a_head_that_comes_byte_by_byte_is_cut() -> None:
    async with serving(WITH_HEADS) as running, running.client() as client:
        answer = await client.trickle(b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 1000)
    assert answer.endswith(b"\r\n\r\nThe request took too long.")


async def test_a_handshake_that_comes_byte_by_byte_is_cut() -> None:
    async with serving(WITH_HEADS) as running, running.client() as client:
        assert (await client.trickle(HANDSHAKE[:-2] + b"a: b\r\n" * 1000)).startswith(b"HTTP/1.1 408 ")


async def test_the_next_head_on_a_connection_is_cut_too() -> None:
    limits = replace(PATIENT)
    async with serving(limits) as running, running.client() as client:
        client.send(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        await client.until(b"\r\n\r\n0")
        change(limits, head_s=0.05)
        assert (await client.trickle(b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 1000)).startswith(b"HTTP/1.1 408 ")


async def test_between_requests_a_connection_may_wait_as_long_as_is_set() -> None:
    async with serving(PATIENT, timeout_keep_alive=0.05) as running, running.client() as client:
        client.send(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        assert (await client.rest()).endswith(b"0")


@pytest.mark.parametrize("chunked", [True, False])
async def test_a_body_that_comes_byte_by_byte_is_cut_and_the_application_hears_of_it(chunked: bool) -> None:
    size = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: 9000"
    async with serving(HASTY) as running, running.client() as client:
        client.send(b"POST / HTTP/1.1\r\nHost: here\r\n%s\r\n\r\n" % size)
        assert (await client.trickle(b"1\r\na\r\n" * 2000)).startswith(b"HTTP/1.1 408 ")
        await running.application.ended.wait()


async def test_a_client_that_keeps_up_the_rate_may_take_its_time() -> None:
    leisurely = replace(HASTY, bytes_per_s=1)
    async with serving(leisurely) as running, running.client() as client:
        client.send(b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 30\r\n\r\n" + b"x" * 10)
        for _ in range(20):
            client.send(b"x")
            await asyncio.sleep(0.005)  # together twice the limit
        assert (await client.until(b"\r\n\r\n30")).startswith(b"HTTP/1.1 200 ")


async def test_no_more_of_a_body_is_read_than_anyone_uses() -> None:
    async with serving(PATIENT) as running, running.client() as client:
        client.send(b"POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(300):
            client.send(b"1000\r\n" + b"x" * 4096 + b"\r\n")
        await running.application.ended.wait()
        await running.gone()


async def test_a_body_after_its_answer_does_not_hold_the_connection() -> None:
    class Early(Echo):
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            await send({"type": "http.response.start", "status": 401, "headers": [(b"content-length", b"0")]})
            await send({"type": "http.response.body"})

    async with serving(HASTY, Early()) as running, running.client() as client:
        client.send(b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9000\r\n\r\n")
        assert (await client.trickle(b"x" * 9000)).startswith(b"HTTP/1.1 401 ")
        await running.gone()


@pytest.mark.parametrize("closing", [b"", b"Connection: close\r\n"])
async def test_an_answer_that_is_not_read_is_dropped(closing: bytes) -> None:
    async with (
        serving(HASTY, Echo(answer=b"x" * 30_000_000)) as running,
        running.client(buffer_bytes=4096) as client,
    ):
        client.writer.transport.pause_reading()  # type: ignore[attr-defined] # asyncio's transports can
        client.send(b"GET / HTTP/1.1\r\nHost: here\r\n%s\r\n" % closing)
        await running.application.ended.wait()
        await running.gone()


def frame(text: bytes, *, opcode: int = 1, fin: bool = True, size: int | None = None) -> bytes:
    """A client's frame whose mask is zero, of ``size`` bytes as it says."""
    said = len(text) if size is None else size
    return bytes([(0x80 if fin else 0) | opcode, 0x80 | 126]) + struct.pack("!H", said) + bytes(4) + text


@pytest.mark.parametrize(
    "pieces",
    [
        [frame(b"a", size=9000)],
        [frame(b"")[:1]],
        [frame(b"a", fin=False), frame(b"b", opcode=0, fin=False)],
    ],
    ids=["half a frame", "half a head", "fragments"],
)
async def test_a_frame_that_does_not_end_closes_its_socket(pieces: list[bytes]) -> None:
    async with serving(HASTY) as running, running.client() as client:
        client.send(HANDSHAKE)
        await client.until(b"\r\n\r\n")
        for piece in pieces:
            client.send(piece)
        assert await client.rest() == b"\x88\x18" + struct.pack("!H", 4408) + b"A frame took too long."
        await running.application.closed.wait()


async def test_fragments_that_go_on_and_on_close_their_socket() -> None:
    async with serving(HASTY) as running, running.client() as client:
        client.send(HANDSHAKE)
        await client.until(b"\r\n\r\n")
        pings_between = itertools.cycle([frame(b"a", opcode=0, fin=False), bytes([0x89, 0x80, 0, 0, 0, 0])])
        client.send(frame(b"a", fin=False))
        answer = asyncio.ensure_future(client.rest())
        while not answer.done():
            client.send(next(pings_between))
            await asyncio.wait({answer}, timeout=0.01)
        assert struct.pack("!H", 4408) in await answer


async def test_a_socket_that_waits_between_frames_stays_open() -> None:
    async with serving(HASTY) as running, running.client() as client:
        client.send(HANDSHAKE)
        await client.until(b"\r\n\r\n")
        client.send(frame(b"one"))
        await asyncio.sleep(0.15)  # three times the limit
        client.send(frame(b"two"))
        assert [await running.application.heard.get() for _ in range(2)] == ["one", "two"]


async def test_what_the_application_does_not_take_is_not_the_clients_delay() -> None:
    limits = replace(HASTY)
    async with serving(limits) as running, running.client() as client:
        running.application.taking.clear()
        client.send(HANDSHAKE)
        await client.until(b"\r\n\r\n")
        client.send(frame(b"one") + frame(b"two", size=4))
        await asyncio.sleep(0.15)
        change(limits, body_s=60)
        await asyncio.sleep(0.15)
        running.application.taking.set()
        client.send(b"!")
        assert [await running.application.heard.get() for _ in range(2)] == ["one", "two!"]


async def test_each_frame_has_its_own_time() -> None:
    limits = replace(HASTY, body_s=0.2)
    async with serving(limits) as running, running.client() as client:
        running.application.taking.clear()
        client.send(HANDSHAKE)
        await client.until(b"\r\n\r\n")
        large = frame(b"x" * 9000)
        # The end of the second is parsed only when the application has taken the first.
        client.send(frame(b"one") + large)
        await asyncio.sleep(0.05)
        change(limits, body_s=60)
        running.application.taking.set()
        assert await running.application.heard.get() == "one"
        await running.application.heard.get()
        client.send(frame(b"two", size=4))
        await asyncio.sleep(0.4)  # beyond the time that the frame before had
        client.send(b"!")
        assert await running.application.heard.get() == "two!"


async def test_a_body_that_the_application_does_not_take_is_not_the_clients_delay() -> None:
    class Late(Echo):
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            await self.taking.wait()
            await super().__call__(scope, receive, send)

    limits, application = replace(HASTY), Late()
    application.taking.clear()
    async with serving(replace(limits, most_bytes=10**6), application) as running, running.client() as client:
        client.send(b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 200000\r\n\r\n" + b"x" * 199_999)
        await asyncio.sleep(0.3)
        change(running.limits, body_s=60)
        await asyncio.sleep(0.1)
        application.taking.set()
        client.send(b"x")
        assert (await client.until(b"\r\n\r\n200000")).startswith(b"HTTP/1.1 200 ")


async def test_an_application_may_answer_after_the_refusal() -> None:
    class Answering(Echo):
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            await self.taking.wait()
            await send({"type": "http.response.start", "status": 400, "headers": [(b"content-length", b"0")]})
            await send({"type": "http.response.body"})
            self.ended.set()

    application = Answering()
    application.taking.clear()
    async with serving(HASTY, application) as running, running.client() as client:
        client.send(b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9000\r\n\r\nx")
        assert (await client.rest()).startswith(b"HTTP/1.1 408 ")
        application.taking.set()
        await application.ended.wait()


async def test_an_address_has_so_many_connections_and_is_told() -> None:
    limits = replace(PATIENT, per_address=2)
    async with serving(limits) as running:
        async with running.client() as first, running.client() as second:
            first.send(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
            await first.until(b"\r\n\r\n0")
            second.send(HANDSHAKE)
            await second.until(b"\r\n\r\n")
            async with running.client() as third:
                assert (await third.rest()).startswith(b"HTTP/1.1 429 Too Many Requests\r\n")
            assert limits.held == 2
        await running.gone()
        assert limits.held == 0
        async with running.client() as again:
            again.send(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
            assert (await again.until(b"\r\n")) == b"HTTP/1.1 200 OK\r\n"


def test_a_trusted_proxy_is_many_clients() -> None:
    limits = replace(PATIENT, per_address=1, trusted=("10.0.0.0/8",))
    assert all(limits.admit("10.1.2.3") for _ in range(10))
    assert limits.admit("192.168.1.5") is not None
    assert limits.admit("192.168.1.5") is None


@pytest.mark.parametrize(
    ("address", "same", "other"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:3::1"),
        ("::ffff:192.0.2.1", "192.0.2.1", "::ffff:192.0.2.2"),
    ],
    ids=["IPv6", "IPv4 over an IPv6 socket"],
)
def test_connections_are_counted_by_network(address: str, same: str, other: str) -> None:
    limits = replace(PATIENT, per_address=1)
    assert limits.admit(address) is not None
    assert limits.admit(same) is None
    assert limits.admit(other) is not None


async def test_a_deadline_that_moves_needs_one_timer() -> None:
    loop, late = asyncio.get_running_loop(), asyncio.Event()
    deadline = Deadline(loop, late.set)
    deadline.begin(60)
    deadline.extend(60)
    deadline.begin(0)
    deadline.stop()
    assert not deadline.runs
    deadline.begin(0)
    await late.wait()
    deadline.begin(60)
    deadline.end()
    assert not deadline.runs


def test_settings_say_how_long(settings: Any) -> None:
    settings.HEAD_TIMEOUT_S, settings.CONNECTIONS_PER_ADDRESS = 1.5, 7
    limits = client_limits()
    assert (limits.head_s, limits.per_address) == (1.5, 7)
    assert limits.most_bytes == 2 * settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    assert limits.larger == {"/api/v1/images": MAX_BYTES + settings.DATA_UPLOAD_MAX_MEMORY_SIZE}


async def test_a_body_of_some_path_may_be_larger() -> None:
    limits = replace(PATIENT, most_bytes=1000, larger={"/images": 100_000})
    async with serving(limits) as running, running.client() as client:
        client.send(b"POST /images HTTP/1.1\r\nHost: here\r\nContent-Length: 50000\r\n\r\n" + b"x" * 50_000)
        assert (await client.until(b"\r\n\r\n50000")).startswith(b"HTTP/1.1 200 ")


async def test_a_body_that_is_declared_too_large_is_not_read() -> None:
    limits = replace(PATIENT, most_bytes=1000)
    async with serving(limits) as running, running.client() as client:
        client.send(b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 5000\r\n\r\nx")
        # The application has an end of the body, and answers.
        assert b"HTTP/1.1 200 " in await client.until(b"\r\n\r\n1")
