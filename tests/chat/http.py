"""A client of the HTTP half of the real ASGI application, in the test's process."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
from asgiref.testing import ApplicationCommunicator
from channels.db import database_sync_to_async

from accounts.auth.tokens import issue_tokens
from accounts.models import User
from adiuva.server.asgi import HttpApplication
from chat.protocol.frames.codec import SERVER_FRAMES
from tests.chat.accounts import ALICE, BOB
from tests.chat.sockets import WAIT_S, Frame, Server

CHAT = "/api/v1/chat"
EVENTS = {"accept": "text/event-stream"}


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """Access tokens of the cast; the users have the ids that ``MemoryAccounts`` uses."""

    alice: str
    bob: str


async def sign_in() -> Tokens:
    """Create the accounts of Alice and Bob; other threads must see the test's database."""
    tokens: Tokens = await database_sync_to_async(_sign_in)()
    return tokens


def _sign_in() -> Tokens:
    alice = User.objects.create(id=ALICE, email="alice@example.com", timezone="Europe/Rome")
    bob = User.objects.create(id=BOB, email="bob@example.com", language="it", timezone="Asia/Tokyo")
    return Tokens(alice=issue_tokens(alice).access, bob=issue_tokens(bob).access)


@asynccontextmanager
async def rest(server: Server, token: str | None) -> AsyncIterator[httpx.AsyncClient]:
    """A REST client on the services of ``server``'s sockets; without a token, an anonymous one."""
    transport = httpx.ASGITransport(HttpApplication(server.services))  # type: ignore[arg-type] # Django's own types
    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as client:
        yield client


@dataclass
class Reader:
    """One request whose response is streamed to a reader who may disconnect."""

    communicator: ApplicationCommunicator
    status: int = 0
    headers: Mapping[str, str] | None = None
    _rest: str = ""

    @classmethod
    async def ask(cls, server: Server, token: str, *, accept: str = "text/event-stream", **body: object) -> "Reader":
        content = json.dumps(body).encode()
        headers = {
            "host": "localhost",
            "authorization": f"Bearer {token}",
            "accept": accept,
            "content-type": "application/json",
            "content-length": str(len(content)),
        }
        communicator = ApplicationCommunicator(
            HttpApplication(server.services),
            {
                "type": "http",
                "http_version": "1.1",
                "method": "POST",
                "path": CHAT,
                "query_string": b"",
                "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            },
        )
        await communicator.send_input({"type": "http.request", "body": content})
        return cls(communicator)

    async def start(self) -> None:
        """Receive status and headers."""
        message = await self.communicator.receive_output(timeout=WAIT_S)
        self.status = message["status"]
        self.headers = {name.decode().lower(): value.decode() for name, value in message["headers"]}

    async def chunk(self) -> str | None:
        """The next message of the server; ``None`` at the end."""
        message = await self.communicator.receive_output(timeout=WAIT_S)
        return message.get("body", b"").decode() if message.get("more_body") else None

    async def event(self) -> Frame | None:
        """The next frame, with its event's name and id checked; comments are skipped."""
        while "\n\n" not in self._rest:
            more = await self.chunk()
            if more is None:
                return None
            self._rest += more
        event, self._rest = self._rest.split("\n\n", 1)
        return await self.event() if event.startswith(":") else frame_in(event)

    async def until(self, kind: str) -> list[Frame]:
        """The frames up to and including the first of type ``kind``."""
        frames: list[Frame] = []
        while not frames or frames[-1]["type"] != kind:
            frame = await self.event()
            assert frame is not None, frames
            frames.append(frame)
        return frames

    async def leave(self) -> None:
        """Close the connection, and wait until the server has noticed."""
        await self.communicator.send_input({"type": "http.disconnect"})
        await self.communicator.wait(timeout=WAIT_S)


def frame_in(event: str) -> Frame:
    """The frame of one event."""
    fields = dict(line.split(": ", 1) for line in event.splitlines())
    SERVER_FRAMES.validate_json(fields["data"])
    frame: Frame = json.loads(fields["data"])
    assert (fields["event"], fields["id"]) == (frame["type"], str(frame["seq"]))
    return frame
