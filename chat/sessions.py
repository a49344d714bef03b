"""One device after its hello: what each of its frames does."""

import asyncio
import uuid
from dataclasses import dataclass, field
from typing import Final, NoReturn, TypeAlias
from zoneinfo import ZoneInfo

from accounts.socket_auth import SocketIdentity
from chat.beginning import begin
from chat.connections import Connection
from chat.errors import FrameRejected, SocketClosed
from chat.frames.client import (
    ApprovalResponse,
    BriefRequest,
    CancelRequest,
    ChatRequest,
    ContextualRequest,
    ContextualScopeUpdate,
    DataResponse,
    DeviceHello,
    HomeRequest,
    JobAck,
    Ping,
    Pong,
    PopupRequest,
    ResumeRequest,
    TaskBriefRequest,
    ToolResult,
)
from chat.frames.codec import encode
from chat.frames.server import RunningTurn, ServerFrame
from chat.frames.vocabulary import Capability, ErrorCode
from chat.links import DeviceLink
from chat.outbox import Outbox
from chat.services import ChatServices
from chat.supervisor import Turn
from chat.tasks import OwnedTasks
from chat.turns.asking import Person
from chat.turns.factory import TurnRequest, fingerprint

NotYet: TypeAlias = (
    ContextualRequest | ContextualScopeUpdate | BriefRequest | TaskBriefRequest | ApprovalResponse | JobAck
)
SessionFrame: TypeAlias = (
    HomeRequest
    | PopupRequest
    | ChatRequest
    | ToolResult
    | DataResponse
    | CancelRequest
    | ResumeRequest
    | Ping
    | Pong
    | NotYet
)
MAX_REQUEST_BYTES: Final = 256 * 1024


def person_of(identity: SocketIdentity, hello: DeviceHello) -> Person:
    """Whom the device's turns answer: what the device says of time zone and language wins over the account."""
    return Person(
        user_id=identity.user_id,
        timezone=_zone(hello.timezone) or _zone(identity.timezone) or ZoneInfo("UTC"),
        language=hello.language or identity.language,
    )


def capabilities_of(hello: DeviceHello) -> frozenset[Capability]:
    """Those of the named capabilities that this server knows."""
    return frozenset(known for known in Capability if known.value in hello.capabilities)


def _zone(name: str | None) -> ZoneInfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ValueError, OSError):
        return None


@dataclass(kw_only=True, eq=False)
class DeviceSession:
    """Handles the frames of one connected device and copies the turns it watches to its outbox."""

    services: ChatServices
    person: Person
    connection: Connection
    link: DeviceLink
    outbox: Outbox
    tasks: OwnedTasks
    _watched: dict[str, asyncio.Task[None]] = field(default_factory=dict, init=False)

    @property
    def running(self) -> list[RunningTurn]:
        """The turns this device may resume."""
        return [
            RunningTurn(request_id=turn.request_id, last_seq=turn.log.last_seq)
            for turn in self.services.supervisor.running(self.connection.device)
        ]

    def send(self, frame: ServerFrame) -> None:
        """Queue a small frame of the session's own."""
        self.outbox.put_now(encode(frame))

    def handle(self, frame: SessionFrame) -> None:
        """Do what ``frame`` asks; never waits. Raises ``FrameRejected``."""
        match frame:
            case ToolResult() | DataResponse():
                self.link.answer(frame)
            case HomeRequest() | PopupRequest():
                self._begin(frame, frame.request_id or str(uuid.uuid4()))
            case ChatRequest():
                self._begin(frame, str(uuid.uuid4()))
            case CancelRequest():
                self._cancel(frame)
            case ResumeRequest():
                self._resume(frame)
            case Ping() | Pong():
                pass
            case _:
                _refuse(frame)

    def _begin(self, request: TurnRequest, request_id: str) -> None:
        turn = Turn(
            key=(self.person.user_id, request_id), device=self.connection.device, fingerprint=fingerprint(request)
        )
        work = self.services.turns.work(
            request, request_id=request_id, person=self.person, client=self.link.for_turn(request_id)
        )
        self._watch(begin(self.services, turn, work, link=self.link), after_seq=-1)

    def _cancel(self, frame: CancelRequest) -> None:
        key = (self.person.user_id, frame.request_id)
        if self.services.supervisor.find(key) is None:
            _unknown(frame.request_id)
        self.services.supervisor.cancel(key)

    def _resume(self, frame: ResumeRequest) -> None:
        turn = self.services.supervisor.find((self.person.user_id, frame.request_id))
        if turn is None:
            _unknown(frame.request_id)
        self._watch(turn, after_seq=frame.after_seq)

    def _watch(self, turn: Turn, *, after_seq: int) -> None:
        """Copy the turn's frames to this socket; a second wish replaces the first, so that no frame comes twice."""
        former = self._watched.pop(turn.request_id, None)
        if former is not None:
            former.cancel()
        self._watched[turn.request_id] = self.tasks.start(
            self._copy(turn, after_seq), name=f"copying turn {turn.request_id}"
        )

    async def _copy(self, turn: Turn, after_seq: int) -> None:
        try:
            async for batch in turn.log.read(after_seq=after_seq):
                for frame in batch:
                    await self.outbox.put(frame)
        except SocketClosed:
            return
        finally:
            if self._watched.get(turn.request_id) is asyncio.current_task():
                del self._watched[turn.request_id]


def _refuse(frame: NotYet) -> NoReturn:
    raise FrameRejected(
        ErrorCode.NOT_AVAILABLE,
        f"This server does not offer {frame.type}.",
        request_id=getattr(frame, "request_id", None),
    )


def _unknown(request_id: str) -> NoReturn:
    # The same words for another user's turn and for one that never was.
    raise FrameRejected(ErrorCode.UNKNOWN_REQUEST, "There is no such request.", request_id=request_id)
