"""What the sockets of a process share, made once and passed in."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from accounts.devices import DeviceFacts
from accounts.socket_auth import SocketIdentity
from agents.permissions.quotas.keeper import QuotaKeeper
from agents.telemetry.watching import Observers
from chat.cluster.neighbourhood import Neighbourhood
from chat.devices.attendance import Attendance
from chat.devices.connections import ConnectionManager
from chat.devices.jobs import JobDesk
from chat.protocol.frames.server import EmbeddingInfo, Limits
from chat.rates import RequestRate
from chat.revocation import ASK_EVERY_S, RevocationWatch
from chat.turns.factory import TurnFactory
from chat.turns.supervisor import MakeLog, TurnSupervisor, memory_log


class BackgroundPart(Protocol):
    """What works beside the requests of a process, from its first event to its end."""

    def begin(self) -> None:
        """Be at work from now on, in the running loop; saying so again changes nothing."""

    async def aclose(self) -> None:
        """Do what is left to do, and end."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AssistantFacts:
    """``model`` is the name that its server knows it by; ``offline`` is true of the assistant that needs none."""

    model: str = "offline"
    offline: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Timings:
    """How long the server waits, in seconds; the protocol's own figures by default."""

    hello_s: float = 10.0
    heartbeat_s: float = 30.0
    silence_s: float = 90.0
    token_notice_s: float = 60.0
    stall_s: float = 10.0
    drain_s: float = 20.0
    revocation_s: float = ASK_EVERY_S


@dataclass(frozen=True, kw_only=True, slots=True)
class ChatServices:
    """The parts a consumer works with.

    ``authenticate`` raises ``accounts.errors.CredentialsError`` for a bad token; ``device_arrived`` takes a device in,
    and raises what ``accounts.devices.register_device`` does; ``device_left`` says since when it was there, until now.
    Without ``jobs`` no queued tool runs, without ``attendance`` nobody is told which devices are online. ``hosts`` are
    the names that the server is called by, in the manner of Django's ``ALLOWED_HOSTS``: its own pages may open the
    socket.
    """

    authenticate: Callable[[str], Awaitable[SocketIdentity]]
    device_arrived: Callable[[SocketIdentity, DeviceFacts], Awaitable[None]]
    device_left: Callable[[SocketIdentity, str, datetime], Awaitable[None]]
    revocation: RevocationWatch
    connections: ConnectionManager
    supervisor: TurnSupervisor
    neighbours: Neighbourhood
    turns: TurnFactory
    embedding: EmbeddingInfo
    limits: Limits
    rate: RequestRate
    jobs: JobDesk | None = None
    attendance: Attendance | None = None
    allowed_origins: Collection[str] = ()
    hosts: Collection[str] = ()
    assistant: AssistantFacts = field(default_factory=AssistantFacts)
    make_log: MakeLog = memory_log
    observers: Observers = field(default_factory=Observers)
    quotas: QuotaKeeper = field(default_factory=QuotaKeeper)
    timings: Timings = Timings()

    @property
    def background(self) -> Sequence[BackgroundPart]:
        """What works beside the sockets, in the order in which it begins; it ends in the reverse one."""
        parts: tuple[BackgroundPart | None, ...] = (self.neighbours, self.quotas, self.attendance, self.jobs)
        return [part for part in parts if part is not None]
