"""A client of the real ASGI application, in the test's own process."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from asgiref.testing import ApplicationCommunicator
from channels.testing import WebsocketCommunicator
from pydantic import JsonValue

from agents.adapters.base import ModelAdapter
from agents.permissions.approvals.tool_approvals import ToolApprovalManager
from agents.permissions.quotas.keeper import QuotaKeeper
from agents.telemetry.watching import Observers
from chat.cluster.commons import Commons, alone
from chat.cluster.neighbourhood import Neighbourhood
from chat.cluster.remote_links import RemoteCalls
from chat.devices.approvals import show_open_questions
from chat.devices.connections import ConnectionManager
from chat.devices.links import DeviceLink
from chat.protocol.frames.codec import SERVER_FRAMES
from chat.protocol.frames.server import EmbeddingInfo, Limits
from chat.rates import RequestRate
from chat.revocation import RevocationWatch
from chat.services import ChatServices, Timings
from chat.sockets.routing import websocket_application
from chat.turns.asking import Kit
from chat.turns.factory import TurnFactory
from chat.turns.supervisor import TurnSupervisor
from memory.embedders.base import Embedder
from tests.agents.approving import DefaultsOnly
from tests.agents.embedding import RecordingEmbedder
from tests.agents.scripts import Reply, ScriptedAdapter
from tests.chat.accounts import Accounts, MemoryAccounts

ALICES_TOKEN = "alice"
NOW = datetime(2026, 3, 29, 10, 0, tzinfo=UTC)
WAIT_S = 30.0
"""How long the server may take for what it surely does: only a fault takes as long."""
CALL_TIMEOUT_S = 60.0
"""Longer than ``WAIT_S``, so that no call runs out while a test waits."""
Frame = dict[str, JsonValue]


def leap(seconds: float) -> None:
    """Let ``seconds`` pass at once, for the timers of the running loop: what is due by then happens now."""
    loop = asyncio.get_running_loop()
    before = loop.time
    loop.time = lambda: before() + seconds  # type: ignore[method-assign]


class SocketCommunicator(WebsocketCommunicator):  # type: ignore[misc] # Channels has no types
    """Channels' own, which keeps every thread from giving database connections back while it waits, made not to."""

    async def send_input(self, message: Mapping[str, object]) -> None:
        await ApplicationCommunicator.send_input(self, message)

    async def receive_output(self, timeout: float = 1) -> dict[str, Any]:  # noqa: ASYNC109 - the base's signature
        message: dict[str, Any] = await ApplicationCommunicator.receive_output(self, timeout)
        return message


@dataclass
class Server:
    """The application with a scripted model."""

    replies: list[Reply] = field(default_factory=list)
    timings: Timings = field(default_factory=Timings)
    call_timeout_s: float = CALL_TIMEOUT_S
    max_running: int = 8
    per_minute: int = 1000
    allowed_origins: Sequence[str] = ("https://app.example",)
    hosts: Sequence[str] = ("adiuva.example",)
    accounts: Accounts = field(default_factory=MemoryAccounts)
    model: ModelAdapter | None = None
    """Whose answers count instead of ``replies``."""
    approvals: ToolApprovalManager = field(default_factory=lambda: ToolApprovalManager(store=DefaultsOnly()))
    commons: Commons = field(default_factory=alone)
    beat_s: float = 1.0
    observers: Observers = field(default_factory=Observers)
    quotas: QuotaKeeper = field(default_factory=QuotaKeeper)

    def __post_init__(self) -> None:
        supervisor = TurnSupervisor(max_running=self.max_running)
        self.adapter = ScriptedAdapter(list(self.replies))
        calls = RemoteCalls(presence=self.commons.presence, mailbox=self.commons.mailbox, hints=self.commons.hints)
        connections = ConnectionManager(
            make_link=lambda device: DeviceLink(
                timeout_s=self.call_timeout_s, elsewhere=calls.link(device) if self.commons.shared else None
            )
        )
        revocation = RevocationWatch(
            ask=self.accounts.revoked, supervisor=supervisor, every_s=self.timings.revocation_s
        )
        self.services = ChatServices(
            authenticate=self.accounts.authenticate,
            device_arrived=self.accounts.device_arrived,
            device_left=self.accounts.device_left,
            revocation=revocation,
            connections=connections,
            supervisor=supervisor,
            neighbours=Neighbourhood(
                self.commons,
                calls=calls,
                connections=connections,
                supervisor=supervisor,
                revocation=revocation,
                show_questions=partial(show_open_questions, self.approvals),
                secret=b"a secret of the tests",
                beat_s=self.beat_s,
            ),
            turns=TurnFactory(
                kit=Kit(
                    adapter=self.model or self.adapter,
                    embedder=RecordingEmbedder(),
                    approvals=self.approvals,
                    clock=lambda: NOW,
                )
            ),
            embedding=EmbeddingInfo(model="recording", dimensions=1536),
            rate=RequestRate(per_minute=self.per_minute),
            limits=Limits(max_frame_bytes=4 * 1024 * 1024, max_concurrent_requests=self.max_running),
            allowed_origins=self.allowed_origins,
            hosts=self.hosts,
            timings=self.timings,
            observers=self.observers,
            quotas=self.quotas,
        )
        self.reopen()

    def reopen(self) -> None:
        """Serve with ``services`` as they are now."""
        self.application = websocket_application(self.services)

    def embed_with(self, embedder: Embedder) -> None:
        """Have the services use ``embedder``."""
        kit = replace(self.services.turns.kit, embedder=embedder)
        self.services = replace(self.services, turns=TurnFactory(kit=kit))

    def restarted(self) -> "Server":
        """The same server, whose application has its services as they are now."""
        self.reopen()
        return self

    def socket(
        self,
        token: str | None = ALICES_TOKEN,
        *,
        path: str = "/api/v1/ws/device",
        headers: Sequence[tuple[bytes, bytes]] = (),
        subprotocols: Sequence[str] = (),
    ) -> "Socket":
        bearer = [] if token is None else [(b"authorization", f"Bearer {token}".encode())]
        return Socket(
            SocketCommunicator(
                self.application, path, headers=[*bearer, *headers], subprotocols=list(subprotocols) or None
            )
        )

    @asynccontextmanager
    async def device(
        self, device_id: str = "laptop", *, token: str = ALICES_TOKEN, capabilities: Sequence[str] = ("ledger",)
    ) -> AsyncIterator["Socket"]:
        """A connected device after its hello."""
        socket = self.socket(token)
        await socket.connect()
        await socket.send({"type": "device_hello", "device_id": device_id, "capabilities": list(capabilities)})
        socket.welcome = await socket.receive()
        assert socket.welcome["type"] == "device_welcome"
        try:
            yield socket
        finally:
            await socket.close()


@dataclass
class Socket:
    """Sends and receives frames; every frame received is checked against the served models."""

    communicator: SocketCommunicator
    welcome: Frame = field(default_factory=dict)

    async def connect(self) -> tuple[bool, str | int | None]:
        connected, detail = await self.communicator.connect(timeout=WAIT_S)
        return connected, detail

    async def send(self, frame: Frame) -> None:
        await self.communicator.send_to(text_data=json.dumps(frame))

    async def send_text(self, text: str) -> None:
        await self.communicator.send_to(text_data=text)

    async def send_bytes(self, data: bytes) -> None:
        await self.communicator.send_to(bytes_data=data)

    async def receive(self) -> Frame:
        text = await self.communicator.receive_from(timeout=WAIT_S)
        SERVER_FRAMES.validate_json(text)
        frame: Frame = json.loads(text)
        return frame

    async def until(self, kind: str) -> list[Frame]:
        """Frames up to and with the first of type ``kind``."""
        frames = [await self.receive()]
        while frames[-1]["type"] != kind:
            frames.append(await self.receive())
        return frames

    async def closed(self) -> int:
        """The code the server closes with."""
        message = await self.communicator.receive_output(timeout=WAIT_S)
        assert message["type"] == "websocket.close"
        code: int = message["code"]
        return code

    async def silent(self) -> bool:
        nothing: bool = await self.communicator.receive_nothing(timeout=0.05)
        return nothing

    async def close(self) -> None:
        await self.communicator.disconnect(timeout=WAIT_S)
