"""The part of HTTP/1.1 that an API client uses, over asyncio streams that notice when the client disconnects."""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from tests.model_server.recorded import Recorded

_MAX_HEAD: Final = 64 * 1024
_STREAM: Final = {"Content-Type": "text/event-stream; charset=utf-8", "Transfer-Encoding": "chunked"}


class Connection:
    """One client's connection; requests on it are served one after the other."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, gone: asyncio.Event) -> None:
        self.gone = gone
        self.has_answered = False
        self._streams = False
        self._reader = reader
        self._writer = writer

    async def receive(self) -> Recorded | None:
        """The next request; None when the client has closed."""
        try:
            head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            request_line, *lines = head.rstrip().split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            body = await self._reader.readexactly(int(headers.get("content-length", "0")))
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        self.has_answered = self._streams = False
        address = urlsplit(request_line.split(" ")[1])
        return Recorded(address.path, headers, json.loads(body or b"{}"), address.query)

    async def send_json(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Send a complete response."""
        length = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        self._write_head(status, {**length, **(headers or {})})
        await self._send(body)

    async def send_piece(self, piece: bytes) -> None:
        """Send a piece of an event stream; the first one sends the head, too."""
        if not self._streams:
            self._write_head(200, _STREAM)
            self._streams = True
        await self._send(b"%x\r\n%b\r\n" % (len(piece), piece))

    async def end_stream(self) -> None:
        """End the event stream, if one was begun."""
        if self._streams:
            await self._send(b"0\r\n\r\n")

    async def break_off(self) -> None:
        """Close in the middle of a response; what was sent still arrives. Raises ``ConnectionAbortedError``."""
        await self.close()
        raise ConnectionAbortedError

    async def close(self) -> None:
        self._writer.close()
        with suppress(ConnectionError):
            # Shielded: the awaited task belongs to the connection, and the next caller of close awaits it too.
            await asyncio.shield(self._writer.wait_closed())

    def _write_head(self, status: int, headers: Mapping[str, str]) -> None:
        self.has_answered = True
        phrase = next((each.phrase for each in HTTPStatus if each == status), "")
        lines = [f"HTTP/1.1 {status} {phrase}", *(f"{name}: {headers[name]}" for name in headers)]
        self._writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))

    async def _send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()


Serve: TypeAlias = Callable[[Connection], None]


class _WatchedProtocol(asyncio.StreamReaderProtocol):
    """Reports that the client has closed at once, not at the next read."""

    def __init__(self, reader: asyncio.StreamReader, serve: Serve) -> None:
        self._gone = asyncio.Event()
        super().__init__(reader, lambda reader, writer: serve(Connection(reader, writer, self._gone)))

    def eof_received(self) -> bool:
        self._gone.set()
        return bool(super().eof_received())

    def connection_lost(self, exc: Exception | None) -> None:
        self._gone.set()
        super().connection_lost(exc)


async def listen(serve: Serve) -> asyncio.Server:
    """Accept connections on a free loopback port and call ``serve`` with each."""
    loop = asyncio.get_running_loop()
    return await loop.create_server(
        lambda: _WatchedProtocol(asyncio.StreamReader(limit=_MAX_HEAD, loop=loop), serve), "127.0.0.1", 0
    )
