"""A device after its hello, and the handling of its frames."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import cache, partial
from uuid import UUID

from accounts.auth.devices import SocketIdentity
from accounts.timezones import is_timezone, zone_named
from agents.engine.run import Requester
from agents.errors import ApprovalError, UnknownApproval
from agents.permissions.approvals.repository import Answer
from agents.permissions.approvals.service import Asker, TurnFate
from agents.permissions.models import ApprovalState
from chat.devices.connections import Connection
from chat.devices.links import DeviceLink
from chat.errors import SocketClosed
from chat.protocol.frames import client as frames
from chat.protocol.frames.codec import call_ids_in, parse
from chat.protocol.frames.errors import FrameRejected
from chat.protocol.frames.server import ContextualScopeAck
from chat.protocol.frames.vocabulary import Capability, ErrorCode
from chat.runner import begin, work_of
from chat.services import ChatServices
from chat.sockets.backlog import MAX_WAITING, Backlog, or_reject, too_many_waiting
from chat.tasks import OwnedTasks
from chat.turns.contextual import sidebar_session
from chat.turns.supervisor import TurnKey


def hello_in(frame: frames.ClientFrame) -> frames.DeviceHello:
    """The first frame of a client. Raises ``FrameRejected`` if it is another."""
    if not isinstance(frame, frames.DeviceHello):
        raise FrameRejected(ErrorCode.HELLO_REQUIRED, "The first frame must be device_hello.")
    return frame


def requester_of(identity: SocketIdentity, hello: frames.DeviceHello, asker: Asker, *, device_id: str) -> Requester:
    """The user of a device. The device's time zone and language take precedence over the account's."""
    zone = hello.timezone or ""
    return Requester(
        user_id=identity.user_id,
        timezone=zone_named(zone if is_timezone(zone) else identity.timezone),
        language=hello.language or identity.language,
        asker=asker,
        device_id=device_id,
    )


def capabilities_of(hello: frames.DeviceHello) -> frozenset[Capability]:
    """The capabilities in the hello. Unknown ones are ignored."""
    return _shared(frozenset(known for known in Capability if known.value in hello.capabilities))


@cache
def _shared(capabilities: frozenset[Capability]) -> frozenset[Capability]:
    """The same object for all devices with the same capabilities, to save memory."""
    return capabilities


@dataclass(kw_only=True, eq=False, slots=True)
class DeviceSession:
    """Handles the frames of one connected device, and copies the frames of turns to its socket.

    Operations that need the database wait in ``backlog``. ``reject`` sends the client a rejection after its frame was
    handled.
    """

    services: ChatServices
    requester: Requester
    connection: Connection
    link: DeviceLink
    tasks: OwnedTasks
    backlog: Backlog
    reject: Callable[[FrameRejected], None]
    _watched: dict[str, asyncio.Task[None]] = field(default_factory=dict, init=False)

    def awaited_calls(self, text: str) -> Collection[str]:
        """The open calls that ``text`` may answer. It is not parsed, only searched for their ids."""
        return [call_id for call_id in call_ids_in(text) if self.link.awaits(call_id)]

    def take_answer(self, text: str) -> bool:
        """Handle ``text`` if it is the answer to an open call. Returns whether it is."""
        awaited = self.awaited_calls(text)
        if not awaited:
            return False
        try:
            frame = parse(text, self.services.frame_limits)
        except FrameRejected:
            return False
        if not isinstance(frame, frames.Answer) or frame.id not in awaited:
            return False
        self.link.answer(frame)
        return True

    def handle(self, frame: frames.SessionFrame) -> None:
        """Handle ``frame``. Never waits. Raises ``FrameRejected``."""
        match frame:
            case frames.ToolResult() | frames.DataResponse():
                self.link.answer(frame)
            case frames.ContextualScopeUpdate():
                sidebar_session(self.services.turns, self.requester, frame.session_id).navigate(frame.scope)
                self.connection.socket.send_soon(ContextualScopeAck(session_id=frame.session_id))
            case frames.CancelRequest():
                self._cancel(frame)
            case frames.ResumeRequest():
                self._resume(frame)
            case frames.ApprovalResponse():
                self.backlog.add(partial(self._answer, frame), name="answering a question")
            case frames.JobAck():
                self._acknowledge(frame)
            case frames.Ping() | frames.Pong():
                pass
            case _:
                self._begin(frame)

    async def _answer(self, frame: frames.ApprovalResponse) -> None:
        given = Answer(approved=frame.approved, reason=frame.reason or "", remember=frame.remember)
        approval_id = _uuid(frame.id)
        try:
            if approval_id is None:
                raise UnknownApproval
            outcome = await self.services.turns.run.approvals.answer(self.requester.user_id, approval_id, given)
        except ApprovalError as error:
            raise FrameRejected(ErrorCode.UNKNOWN_REQUEST, str(error)) from None
        if outcome.turn is TurnFate.GONE and outcome.answered.state is ApprovalState.APPROVED:
            raise FrameRejected(
                ErrorCode.TURN_LOST,
                "The request that asked this has ended, so nothing was done. Ask for it again.",
                request_id=outcome.answered.request_id,
                retryable=True,
            )

    def _acknowledge(self, frame: frames.JobAck) -> None:
        """The device has the result of a job. If the user has no such job, it may have been deleted."""
        jobs, job_id = self.services.jobs, _uuid(frame.job_id)
        if jobs is None:
            raise FrameRejected(ErrorCode.NOT_AVAILABLE, f"This server does not offer {frame.type}.")
        if job_id is not None:
            acknowledging = partial(jobs.acknowledged, self.requester.user_id, job_id)
            self.backlog.add(acknowledging, name="acknowledging a job")

    def _begin(self, request: frames.TurnRequest) -> None:
        chosen_id = None if isinstance(request, frames.ChatRequest) else request.request_id
        request_id, requester, link = chosen_id or str(uuid.uuid4()), self.requester, self.link
        work = work_of(
            request,
            dependencies=self.services.turns,
            requester=requester,
            client=link.for_turn(request_id),
            request_id=request_id,
            shows_remembered=Capability.REMEMBERED in self.connection.attachment.capabilities,
        )
        turn = begin(self.services, request, work, requester=requester, request_id=request_id, link=link)
        self._watch(request_id, turn.log.read(after_seq=-1))

    def _cancel(self, frame: frames.CancelRequest) -> None:
        key, supervisor = (self.requester.user_id, frame.request_id), self.services.supervisor
        here = supervisor.find(key) is not None and not self.services.cluster.turns.copies(key)
        if here:
            supervisor.cancel(key)
        rest = partial(self._cancel_rest, key, here=here)
        self.backlog.add(rest, name=f"cancelling {frame.request_id}", request_id=frame.request_id)

    async def _cancel_rest(self, key: TurnKey, *, here: bool) -> None:
        """Cancel the open questions and the jobs of a request, and its turn if that is not ``here``.

        Raises ``FrameRejected`` if there is neither a turn nor a job.
        """
        # Jobs last, because an answer to a question or the turn itself could begin one until then.
        await self.services.turns.run.approvals.cancel(*key)
        rejected: FrameRejected | None = None
        try:
            if not here:
                await self.services.cluster.turns.cancel(key)
        except FrameRejected as rejection:
            rejected = rejection
        cancelled = self.services.jobs is not None and await self.services.jobs.cancel(*key)
        if rejected is not None and not cancelled:
            raise rejected

    def _resume(self, frame: frames.ResumeRequest) -> None:
        if frame.request_id not in self._watched and len(self._watched) >= MAX_WAITING:
            raise too_many_waiting(frame.request_id)
        key = (self.requester.user_id, frame.request_id)
        turn = self.services.supervisor.find(key)
        if turn is not None:
            self._watch(turn.request_id, turn.log.read(after_seq=frame.after_seq))
        else:
            self._watch(frame.request_id, self.services.cluster.turns.frames(key, after_seq=frame.after_seq))

    def _watch(self, request_id: str, batches: AsyncGenerator[Sequence[str], None]) -> None:
        """Copy a turn's frames to this socket. This replaces an earlier copy, so that no frame is sent twice."""
        former = self._watched.pop(request_id, None)
        if former is not None:
            former.cancel()
        name, copy = f"copying turn {request_id}", partial(self._copy, request_id, batches)
        copying = or_reject(copy, self.reject, name=name, request_id=request_id)
        self._watched[request_id] = self.tasks.start(copying, name=name)

    async def _copy(self, request_id: str, batches: AsyncGenerator[Sequence[str], None]) -> None:
        try:
            async with aclosing(batches):
                async for batch in batches:
                    for frame in batch:
                        await self.connection.attachment.sink.put(frame)
        except SocketClosed:
            return
        finally:
            if self._watched.get(request_id) is asyncio.current_task():
                del self._watched[request_id]


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
