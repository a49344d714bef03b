"""A client that asks for much and then stops reading, and what that costs the server."""

import asyncio
import json
import socket
import time
import uuid
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pydantic import JsonValue
from websockets.asyncio.client import ClientConnection, connect

from benchmarks.plans import message
from benchmarks.processes import resident_bytes

PATIENCE_S: Final = 30.0
"""The server has closed the socket by then, or it never will."""

_PLAN: Final = "long"
_EVERY_S: Final = 0.05


async def slow_reader(*, url: str, token: str, pid: int, answers: int) -> JsonValue:
    """The most bytes by which the server grows for a client that reads nothing, and after how long it is closed.

    The device first reads ``answers`` long answers, which the server keeps for it anyway. Then it comes again, asks for
    all of them once more, and reads no further. ``closed_after`` (s) is ``None`` when it never was.
    """
    device_id = str(uuid.uuid4())
    requests = [str(uuid.uuid4()) for _ in range(answers)]
    async with _connect(url, token) as connection:
        await _hello(connection, device_id)
        for request_id in requests:
            await _send(connection, type="home_request", message=message(_PLAN), request_id=request_id)
            await _until(connection, "stream_end")
        read_once = await _resumed(connection, requests)
    before = resident_bytes(pid)
    most, closed_after = await _stalled(url, token, pid, device_id, requests)
    return {"grown": most - before, "closed_after": closed_after, "asked": read_once}


async def _resumed(connection: ClientConnection, requests: list[str]) -> int:
    """Ask for all answers again and read them: what a reader's copies cost is there before the measurement."""
    size = 0
    for request_id in requests:
        await _send(connection, type="resume_request", request_id=request_id, after_seq=-1)
        size += await _until(connection, "stream_end")
    return size


async def _stalled(url: str, token: str, pid: int, device_id: str, requests: list[str]) -> tuple[int, float | None]:
    with socket.socket() as link:
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        link.connect((urlsplit(url).hostname, urlsplit(url).port))
        link.setblocking(False)
        connection = await _connect(url, token, sock=link, max_queue=1)
        await _hello(connection, device_id)
        for request_id in requests:
            await _send(connection, type="resume_request", request_id=request_id, after_seq=-1)
        started, port, most = time.monotonic(), link.getsockname()[1], 0
        closed_after = None
        while closed_after is None and time.monotonic() - started < PATIENCE_S:
            most = max(most, resident_bytes(pid))
            if not _is_established(port):
                closed_after = time.monotonic() - started
            await asyncio.sleep(_EVERY_S)
        connection.transport.abort()
    return most, closed_after


def _is_established(client_port: int) -> bool:
    """Whether a socket whose other end is ``client_port`` is open still: the client that does not read cannot know."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return any(int(row[2].partition(":")[2], 16) == client_port and row[3] == "01" for row in rows)


def _connect(url: str, token: str, **options: object) -> connect:
    headers = {"Authorization": f"Bearer {token}"}
    return connect(
        url,
        additional_headers=headers,
        proxy=None,
        compression=None,
        ping_interval=None,
        max_size=None,
        **options,  # type: ignore[arg-type] # they are of many types
    )


async def _hello(connection: ClientConnection, device_id: str) -> None:
    await _send(connection, type="device_hello", device_id=device_id, capabilities=[])
    await _until(connection, "device_welcome")


async def _send(connection: ClientConnection, **frame: object) -> None:
    await connection.send(json.dumps(frame))


async def _until(connection: ClientConnection, kind: str) -> int:
    """Read up to the frame of type ``kind``; the characters read."""
    size = 0
    async for text in connection:
        size += len(text)
        if json.loads(text)["type"] == kind:
            return size
    raise ConnectionError(f"no {kind} came")
