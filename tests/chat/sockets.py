"""A client of the real ASGI application, in the test's process."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import UUID

from asgiref.testing import ApplicationCommunicator
from channels.testing import WebsocketCommunicator
from pydantic import JsonValue

from accounts.cipher import new_user_key
from accounts.keys.vault import Vault
from agents.adapters.base import ModelAdapter
from agents.engine.run import RunDependencies
from agents.permissions.approvals.service import ApprovalService
from agents.permissions.quotas import QuotaService
from agents.telemetry.turns import Observers
from chat.cluster.node import ClusterNode, ClusterPorts, single_process_ports
from chat.cluster.remote_calls import RemoteCalls
from chat.devices.approvals import question_handler, show_open_questions
from chat.devices.arrivals import Arrivals
from chat.devices.connections import ConnectionManager
from chat.protocol.frames.codec import SERVER_FRAMES
from chat.protocol.frames.server import Limits
from chat.rates import RequestRate, SocketLimits, SocketRates
from chat.revocation import RevocationWatch
from chat.services import ChatServices, Timings
from chat.sockets.routing import websocket_application
from chat.turns.dependencies import TurnDependencies
from chat.turns.images import MemoryImages
from chat.turns.supervisor import TurnSupervisor
from tests.agents.approving import NoApprovals
from tests.agents.embedding import RecordingEmbedder
from tests.agents.scripts import Reply, ScriptedAdapter
from tests.chat.accounts import Accounts, MemoryAccounts

ALICES_TOKEN = "alice"
NOW = datetime(2026, 3, 29, 10, 0, tzinfo=UTC)
WAIT_S = 30.0
"""A limit for what the server certainly does: only a fault takes as long."""
CALL_TIMEOUT_S = 60.0
"""Longer than ``WAIT_S``, so that no call runs out while a test waits."""
Frame = dict[str, JsonValue]


def leap(seconds: float) -> None:
    """Advance the running loop's timers by ``seconds`` at once: everything due by then happens now."""
    loop = asyncio.get_running_loop()
    before = loop.time
    loop.time = lambda: before() + seconds  # type: ignore[method-assign]


class SocketCommunicator(WebsocketCommunicator):  # type: ignore[misc] # Channels has no types
    """Channels' communicator, changed so that waiting does not keep threads from closing database connections."""

    async def send_input(self, message: Mapping[str, object]) -> None:
        await ApplicationCommunicator.send_input(self, message)

    async def receive_output(self, timeout: float = 1) -> dict[str, Any]:  # noqa: ASYNC109 - the base's signature
        message: dict[str, Any] = await ApplicationCommunicator.receive_output(self, timeout)
        return message


@dataclass
class Vaults:
    """Each user's vault, made when it is needed."""

    made: dict[UUID, Vault] = field(default_factory=dict)

    async def __call__(self, user_id: UUID) -> Vault:
        return self.made.setdefault(user_id, Vault(key=new_user_key()))


@dataclass
class Server:
    """The application with a scripted model."""

    replies: list[Reply] = field(default_factory=list)
    timings: Timings = field(default_factory=Timings)
    call_timeout_s: float = CALL_TIMEOUT_S
    max_running: int = 8
    per_minute: int = 1000
    socket_limits: SocketLimits = field(default_factory=SocketLimits)
    allowed_origins: Sequence[str] = ("https://app.example",)
    hosts: Sequence[str] = ("adiuva.example",)
    accounts: Accounts = field(default_factory=MemoryAccounts)
    model: ModelAdapter | None = None
    """Replaces ``replies``."""
    approvals: ApprovalService = field(default_factory=NoApprovals)
    ports: ClusterPorts = field(default_factory=single_process_ports)
    renew_every_s: float = 1.0
    observers: Observers = field(default_factory=Observers)
    quotas: QuotaService = field(default_factory=QuotaService)
    now: datetime = NOW

    def __post_init__(self) -> None:
        supervisor = TurnSupervisor(max_running=self.max_running)
        self.adapter = ScriptedAdapter(list(self.replies))
        calls = RemoteCalls(presence=self.ports.presence, calls=self.ports.calls, bus=self.ports.bus)
        connections = ConnectionManager(
            call_timeout_s=self.call_timeout_s, forwarder=calls if self.ports.shared else None
        )
        revocation = RevocationWatch(
            ask=self.accounts.revoked, supervisor=supervisor, every_s=self.timings.revocation_s
        )
        self.services = ChatServices(
            subject_of=self.accounts.subject_of,
            authenticate=self.accounts.authenticate,
            device_arrived=self.accounts.device_arrived,
            device_called=self.accounts.device_called,
            device_left=self.accounts.device_left,
            revocation=revocation,
            connections=connections,
            supervisor=supervisor,
            cluster=ClusterNode(
                ports=self.ports,
                calls=calls,
                connections=connections,
                supervisor=supervisor,
                revocation=revocation,
                show_questions=partial(show_open_questions, self.approvals),
                secret=b"a secret of the tests",
                renew_every_s=self.renew_every_s,
                max_sockets=self.socket_limits.sockets,
            ),
            arrivals=Arrivals(connections=connections, handlers=[question_handler(self.approvals)]),
            turns=TurnDependencies(
                run=RunDependencies(
                    adapter=self.model or self.adapter,
                    embedder=RecordingEmbedder(),
                    approvals=self.approvals,
                    quotas=self.quotas,
                    observers=self.observers,
                    clock=lambda: self.now,
                ),
                images=MemoryImages(open_vault=Vaults()),
                sees_images=True,
            ),
            rate=RequestRate(per_minute=self.per_minute),
            socket_rates=SocketRates(self.socket_limits),
            limits=Limits(max_frame_bytes=4 * 1024 * 1024, max_concurrent_requests=self.max_running),
            allowed_origins=self.allowed_origins,
            hosts=self.hosts,
            timings=self.timings,
        )
        self.reopen()

    def reopen(self) -> None:
        """Serve with ``services`` as they are now."""
        self.application = websocket_application(self.services)

    def run_with(self, **changes: Any) -> None:
        """Have turns that begin from now on use other ``RunDependencies``."""
        turns = self.services.turns
        self.services = replace(self.services, turns=replace(turns, run=replace(turns.run, **changes)))

    def restarted(self) -> "Server":
        """The same server with an application that uses its current services."""
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


async def looked_up() -> None:
    """Return once all handlers of devices that have connected have run."""
    while tasks := [task for task in asyncio.all_tasks() if "connected" in task.get_name()]:
        await asyncio.gather(*tasks)


@dataclass
class Socket:
    """Sends and receives frames; every received frame is validated against the served models."""

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

    async def until(self, *kinds: str) -> list[Frame]:
        """The frames up to and including the first of one of the types ``kinds``."""
        frames = [await self.receive()]
        while frames[-1]["type"] not in kinds:
            frames.append(await self.receive())
        return frames

    async def closed(self) -> int:
        """The server's close code."""
        message = await self.communicator.receive_output(timeout=WAIT_S)
        assert message["type"] == "websocket.close"
        code: int = message["code"]
        return code

    async def silent(self) -> bool:
        nothing: bool = await self.communicator.receive_nothing(timeout=0.05)
        return nothing

    async def close(self) -> None:
        await self.communicator.disconnect(timeout=WAIT_S)
