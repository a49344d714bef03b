"""A scripted server: real HTTP to sign in, a real WebSocket for the device, both on one port."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

EMAIL: Final = "alice@example.com"
PASSWORD: Final = "correct horse battery staple"
REQUEST_ID: Final = "11111111-1111-4111-8111-111111111111"
_PATIENCE_S: Final = 20.0


@dataclass(kw_only=True)
class Peer:
    """One device's socket, as the server sees it. Frames are plain JSON objects."""

    socket: ServerConnection
    received: list[dict[str, Any]]

    async def send(self, kind: str, /, **fields: Any) -> None:
        await self.socket.send(json.dumps({"type": kind, **fields}))

    async def receive(self, *kinds: str) -> dict[str, Any]:
        """The next frame, which must be of one of these types."""
        async with asyncio.timeout(_PATIENCE_S):
            frame: dict[str, Any] = json.loads(await self.socket.recv())
        self.received.append(frame)
        assert frame["type"] in kinds, f"{kinds} was expected, not {frame}"
        return frame

    async def greet(self, **fields: Any) -> None:
        """Receive the hello and welcome the device."""
        await self.receive("device_hello")
        welcome = {
            "connection_id": "c",
            "server_time": 0,
            "protocol": 3,
            "heartbeat_s": 30,
            "limits": {"max_frame_bytes": 4194304, "max_concurrent_requests": 8},
            "embedding": {"model": "hashing", "dimensions": 1536},
            "running": [],
        }
        await self.send("device_welcome", **{**welcome, **fields})

    async def asked(self) -> dict[str, Any]:
        """Welcome the device, and return the question that it begins with."""
        await self.greet()
        return await self.receive("home_request")

    async def call(self, action: str, table: str, *, call_id: str = "call", **fields: Any) -> dict[str, Any]:
        """Call into the device's tables and return the answer."""
        await self.send("tool_call", id=call_id, request_id=REQUEST_ID, action=action, table=table, **fields)
        return await self.receive("tool_result")

    async def stream(self, request: dict[str, Any], *parts: tuple[str, dict[str, Any]], first: int = 0) -> None:
        """Answer ``request`` with frames of a turn, numbered from ``first``."""
        for seq, (kind, fields) in enumerate(parts, start=first):
            await self.send(kind, request_id=request["request_id"], seq=seq, **fields)

    async def answer(self, request: dict[str, Any], text: str, *, first: int = 0) -> None:
        """Answer ``request`` with ``text`` and a successful end; the frames are numbered from ``first``."""
        await self.stream(request, text_part(text), END, first=first)

    async def wait_closed(self) -> None:
        async with asyncio.timeout(_PATIENCE_S):
            await self.socket.wait_closed()


Script: TypeAlias = Callable[[Peer], Awaitable[None]]
END: Final[tuple[str, dict[str, Any]]] = ("stream_end", {"finish_reason": "done", "mutations": []})


def text_part(text: str) -> tuple[str, dict[str, Any]]:
    return "stream_text", {"chunk": text}


@dataclass(kw_only=True)
class ScriptedServer:
    """Records its requests. Tokens are numbered; ``refused`` makes every sign-in fail with this status and body."""

    url: str
    received: list[dict[str, Any]] = field(default_factory=list)
    tokens_seen: list[str] = field(default_factory=list)
    posts: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    rest: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Status and body by method and path below ``/api/v1/``; any other path is not found."""
    asked: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    """The requests to ``rest``: method and path, token, body."""
    accounts: dict[str, str] = field(default_factory=lambda: {EMAIL: PASSWORD})
    refused: tuple[int, str] | None = None
    failures: list[BaseException] = field(default_factory=list)
    tokens: int = 0

    def signed_in(self, path: str, body: dict[str, Any]) -> tuple[int, str]:
        """The status and body of the response to a POST."""
        self.posts.append((path, body))
        if self.refused is not None:
            return self.refused
        known = (
            body.get("refresh") == f"refresh-{self.tokens}"
            if path == "/api/v1/auth/token/refresh"
            else self.accounts.get(body.get("email", "")) == body.get("password")
        )
        if not known:
            return 401, json.dumps({"code": "login_failed", "message": "Wrong address or password."})
        self.tokens += 1
        return 200, json.dumps({"access": f"access-{self.tokens}", "refresh": f"refresh-{self.tokens}"})

    def answered(self, request: "_Request") -> tuple[int, str]:
        """The status and body of the response to a plain HTTP request."""
        if request.path in {"/api/v1/auth/token", "/api/v1/auth/token/refresh"}:
            return self.signed_in(request.path, request.body)
        name = f"{request.method} {request.path.removeprefix('/api/v1/')}"
        self.asked.append((name, request.headers.get("authorization", ""), request.body))
        return self.rest.get(name, (404, json.dumps({"code": "not_found", "message": "Not found."})))


@dataclass(frozen=True, kw_only=True)
class _Request:
    """An HTTP request. Header names are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@asynccontextmanager
async def scripted_server(*scripts: Script) -> AsyncIterator[ScriptedServer]:
    """Runs one script per socket, in the order in which they connect; each must have succeeded by the end."""
    waiting = list(scripts)

    async def handle(socket: ServerConnection) -> None:
        assert socket.request is not None
        server.tokens_seen.append(socket.request.headers.get("Authorization", ""))
        try:
            await waiting.pop(0)(Peer(socket=socket, received=server.received))
        except BaseException as error:
            server.failures.append(error)
            raise

    async with (
        serve(handle, "127.0.0.1", 0, compression=None, max_size=8 * 1024 * 1024) as sockets,
        _front(lambda request: server.answered(request), behind=_port(sockets.sockets)) as port,
    ):
        server = ScriptedServer(url=f"http://127.0.0.1:{port}")
        yield server
        await asyncio.gather(*(_ended(connection) for connection in list(sockets.connections)))
    for failure in server.failures:
        raise failure
    assert waiting == []


async def _ended(connection: ServerConnection) -> None:
    async with asyncio.timeout(_PATIENCE_S):
        await connection.wait_closed()


def _port(sockets: Sequence[Any]) -> int:
    port: int = next(iter(sockets)).getsockname()[1]
    return port


@asynccontextmanager
async def _front(answer: Callable[[_Request], tuple[int, str]], *, behind: int) -> AsyncIterator[int]:
    """Answers plain requests; forwards sockets to the port ``behind``, which speaks WebSocket only."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            if b"\r\nupgrade: websocket\r\n" in head.lower():
                await _let_through(head, reader, writer, behind)
            else:
                await _answer(await _read(head, reader), writer, answer)
        writer.close()

    front = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with front:
        yield _port(front.sockets)


async def _read(head: bytes, reader: asyncio.StreamReader) -> _Request:
    request, *lines = head.decode("latin-1").strip().split("\r\n")
    method, path, _ = request.split(" ")
    headers = {name.casefold(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    is_json = headers.get("content-type", "application/json") == "application/json"
    read = json.loads(body or b"{}") if is_json else {"type": headers["content-type"], "bytes": len(body)}
    return _Request(method=method, path=path, headers=headers, body=read)


async def _answer(
    request: _Request, writer: asyncio.StreamWriter, answer: Callable[[_Request], tuple[int, str]]
) -> None:
    status, text = answer(request)
    said = text.encode()
    writer.write(
        f"HTTP/1.1 {status} Said\r\nContent-Type: application/json\r\nContent-Length: {len(said)}\r\n"
        "Connection: close\r\n\r\n".encode()
    )
    writer.write(said)
    await writer.drain()


async def _let_through(head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
    inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port)
    inner_writer.write(head)
    async with asyncio.TaskGroup() as copying:
        copying.create_task(_copy(reader, inner_writer))
        copying.create_task(_copy(inner_reader, writer))


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()


def quietly(script: Script) -> Script:
    """``script`` for a device that may disconnect at any moment."""

    async def run(peer: Peer) -> None:
        with suppress(ConnectionClosed):
            await script(peer)

    return run
