"""The services that the sockets and the REST views of a process share. They are created once and passed in."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

from accounts.auth.devices import DeviceFacts, SocketIdentity
from chat.cluster.node import ClusterNode
from chat.devices.arrivals import Arrivals
from chat.devices.connections import ConnectionManager, OnlineReporter
from chat.devices.jobs import JobNotifier
from chat.protocol.frames.codec import FrameLimits
from chat.protocol.frames.server import EmbeddingInfo, Limits, ModelInfo, ServerShutdown
from chat.protocol.frames.vocabulary import CloseCode
from chat.rates import RequestRate, SocketLimits, SocketRates
from chat.revocation import ASK_EVERY_S, RevocationWatch
from chat.tasks import close_in_order
from chat.turns.dependencies import TurnDependencies
from chat.turns.supervisor import TurnSupervisor

RETRY_AFTER_MS: Final = 2000
RETURNS_PER_S: Final = 200
"""How many devices are asked to return in each second after a restart."""
_CLOSING_S: Final = 2.0


class BackgroundPart(Protocol):
    """Background work of a process, from its first event to its end."""

    def begin(self) -> None:
        """Begin in the running loop. Idempotent."""

    async def aclose(self) -> None:
        """Complete the remaining work, and end."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AssistantFacts:
    """The models that answer. ``model`` is the default model, by its name on its server.

    ``offline``: whether there is no model. ``models`` are those that a request may choose.
    """

    model: str = "offline"
    offline: bool = True
    models: Sequence[ModelInfo] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Timings:
    """Times and time-outs, in seconds. The defaults are those of the protocol."""

    hello_s: float = 10.0
    heartbeat_s: float = 30.0
    silence_s: float = 90.0
    token_notice_s: float = 60.0
    stall_s: float = 10.0
    drain_s: float = 20.0
    refusal_s: float = 1.0
    revocation_s: float = ASK_EVERY_S


@dataclass(frozen=True, kw_only=True, slots=True)
class ChatServices:
    """The services of sockets and REST views. They begin and close as one ``BackgroundPart``.

    ``subject_of`` returns the user whom a token names, without the database. ``authenticate`` raises
    ``accounts.errors.CredentialsError`` for a bad token. ``device_arrived`` registers a device, returns the server's id
    of it, and raises as ``accounts.auth.devices.register_device``. ``device_left`` gets that id, and the time at which
    the device connected. ``device_called`` finds the id by the device's own id. Without ``jobs``, queued tools are
    refused. Without ``online_reporter``, it is not stored which devices are online. ``hosts`` are the names of the
    server, as in Django's ``ALLOWED_HOSTS``: its own pages may open the socket.
    """

    subject_of: Callable[[str], UUID | None]
    authenticate: Callable[[str], Awaitable[SocketIdentity]]
    device_arrived: Callable[[SocketIdentity, DeviceFacts], Awaitable[str]]
    device_left: Callable[[SocketIdentity, str, datetime], Awaitable[None]]
    device_called: Callable[[UUID, str], Awaitable[str | None]]
    revocation: RevocationWatch
    connections: ConnectionManager
    supervisor: TurnSupervisor
    cluster: ClusterNode
    arrivals: Arrivals
    turns: TurnDependencies
    limits: Limits
    frame_limits: FrameLimits = field(default_factory=FrameLimits)
    rate: RequestRate
    socket_rates: SocketRates = field(default_factory=lambda: SocketRates(SocketLimits()))
    jobs: JobNotifier | None = None
    online_reporter: OnlineReporter | None = None
    allowed_origins: Collection[str] = ()
    hosts: Collection[str] = ()
    assistant: AssistantFacts = field(default_factory=AssistantFacts)
    timings: Timings = Timings()
    draw: Callable[[], float] = random.random
    """Returns a random number from 0 to 1."""

    @property
    def embedding(self) -> EmbeddingInfo:
        """The model that makes vectors."""
        embedder = self.turns.run.embedder
        return EmbeddingInfo(model=embedder.name, dimensions=embedder.dimensions)

    @property
    def background(self) -> Sequence[BackgroundPart]:
        """The background parts, in the order in which they begin. They end in the reverse order."""
        parts = (self.cluster, self.turns.run.quotas, self.online_reporter, self.jobs)
        return [part for part in parts if part is not None]

    def begin(self) -> None:
        """Begin the background parts. Idempotent."""
        for part in self.background:
            part.begin()

    async def aclose(self) -> None:
        """Announce the end, wait up to ``drain_s`` seconds for running turns, then close every socket with 1012.

        The exchanges of these turns are recorded before that. The background parts end last.
        """
        background = (part.aclose for part in reversed(self.background))
        await close_in_order(self._close_sockets, self.revocation.aclose, self.arrivals.aclose, *background)

    async def _close_sockets(self) -> None:
        # Each device gets its own time, because if all returned at once, some would wait too long.
        spread_ms = 1000 * len(self.connections) / RETURNS_PER_S
        for connection in self.connections.all():
            connection.socket.send_soon(ServerShutdown(retry_after_ms=RETRY_AFTER_MS + round(self.draw() * spread_ms)))
        self.turns.run.approvals.leave()
        await asyncio.gather(
            self.supervisor.drain(self.timings.drain_s),
            *([] if self.jobs is None else [self.jobs.drain(self.timings.drain_s)]),
        )
        if (memory := self.turns.memory) is not None:
            await memory.drain()
        sockets = [connection.socket for connection in self.connections.all()]
        for socket in sockets:
            socket.close_soon(CloseCode.RESTARTING)
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSING_S):
                await asyncio.gather(*(socket.wait_closed() for socket in sockets))
