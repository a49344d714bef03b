"""A socket that sends arbitrary frames and validates every received frame against the served models."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import websockets
from pydantic import JsonValue
from websockets.asyncio.client import ClientConnection, connect

from chat.protocol.frames.codec import SERVER_FRAMES
from tests.end_to_end.conftest import Running

Frame = dict[str, JsonValue]
WAIT_S = 30.0


@dataclass
class RawSocket:
    """One connection."""

    connection: ClientConnection
    welcome: Frame = field(default_factory=dict)

    async def send(self, frame: Frame) -> None:
        await self.connection.send(json.dumps(frame))

    async def receive(self, *, wait_s: float = WAIT_S) -> Frame:
        async with asyncio.timeout(wait_s):
            text = await self.connection.recv()
        assert isinstance(text, str)
        SERVER_FRAMES.validate_json(text)
        frame: Frame = json.loads(text)
        return frame

    async def until(self, kind: str) -> list[Frame]:
        """The frames up to and including the first of type ``kind``."""
        frames = [await self.receive()]
        while frames[-1]["type"] != kind:
            frames.append(await self.receive())
        return frames

    async def hello(self, device_id: str, *capabilities: str) -> None:
        await self.send({"type": "device_hello", "device_id": device_id, "capabilities": list(capabilities)})
        self.welcome = await self.receive()
        assert self.welcome["type"] == "device_welcome", self.welcome

    async def ask(self, message: str) -> str:
        """Send a home request and return its id."""
        request_id = str(uuid.uuid4())
        await self.send({"type": "home_request", "message": message, "request_id": request_id})
        return request_id

    async def close_code(self) -> int | None:
        """The server's close code."""
        async with asyncio.timeout(WAIT_S):
            try:
                while True:
                    await self.connection.recv()
            except websockets.ConnectionClosed:
                return self.connection.close_code


@asynccontextmanager
async def socket(running: Running, access: str | None) -> AsyncIterator[RawSocket]:
    """A connection that has not said hello."""
    # As the reverse proxy would say it; a server in development does not mind.
    headers = {"X-Forwarded-Proto": "https"} | ({} if access is None else {"Authorization": f"Bearer {access}"})
    async with connect(running.socket_url, additional_headers=headers, proxy=None) as connection:
        yield RawSocket(connection)


@asynccontextmanager
async def device(
    running: Running, access: str, *capabilities: str, device_id: str = "laptop"
) -> AsyncIterator[RawSocket]:
    """A connection after its hello."""
    async with socket(running, access) as raw:
        await raw.hello(device_id, *capabilities)
        yield raw


def text_of(frames: list[Frame]) -> str:
    return "".join(str(frame["chunk"]) for frame in frames if frame["type"] == "stream_text")
