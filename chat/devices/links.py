"""Calls to one device of one user, whichever socket it hangs on at the moment."""

import asyncio
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias
from uuid import UUID

from pydantic import JsonValue

from agents.calls import CallAction, ClientAnswer, ClientCall
from agents.errors import ClientAbsent, ClientRefused, ClientSilent
from agents.tools.client import OnLate
from chat.devices.answers import checked
from chat.errors import SocketClosed
from chat.protocol.frames.client import Answer
from chat.protocol.frames.codec import encode
from chat.protocol.frames.fields import Row
from chat.protocol.frames.server import DataRequest, MutationFrame, ToolCallFrame
from chat.protocol.frames.vocabulary import Capability

CALL_TIMEOUT_S: Final = 30.0

OnAnswer: TypeAlias = Callable[[Answer], None]


class FrameSink(Protocol):
    """Where frames for a client go."""

    async def put(self, frame: str) -> None:
        """Queue a frame. Raises ``SocketClosed``."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Attachment:
    """The socket a device hangs on, and what its client can do."""

    sink: FrameSink
    capabilities: AbstractSet[Capability]


class Elsewhere(Protocol):
    """The way to the same device over the other processes of this server."""

    async def carry(
        self, call: ClientCall, *, request_id: str, repeated: bool, sent: Callable[[], None], on_answer: OnAnswer
    ) -> None:
        """Bring ``call`` to wherever the device is, again and again, until its answer has come or this is cancelled.

        ``repeated`` says that the device may have got it already; ``sent`` is told when this is so from now on.
        ``on_answer`` gets the answer, late ones too until ``forget``.
        """

    def forget(self, request_id: str) -> None:
        """The turn is over."""


@dataclass(kw_only=True, eq=False)
class _Pending:
    """A call that has no answer yet. ``news`` is set when the answer has come, or the device has come or gone.

    ``here`` keeps it on this process: it was brought here by another one, which looks elsewhere by itself.
    """

    call: ClientCall
    request_id: str
    on_late: OnLate
    here: bool = False
    news: asyncio.Event = field(default_factory=asyncio.Event)
    answer: Answer | None = None
    sent: bool = False
    given_up: bool = False

    def was_sent(self) -> None:
        self.sent = True


@dataclass(kw_only=True)
class DeviceLink:
    """Sends calls to the device and matches the answers by id.

    A device that drops has the rest of a call's time to come back: on the new socket the call is sent again with the
    same id, a write only to a client that keeps a ledger of ids. Answers that belong to no call are ignored.

    ``elsewhere`` reaches the device while it is on no socket of this process, where there are other processes.
    """

    timeout_s: float = CALL_TIMEOUT_S
    elsewhere: Elsewhere | None = None
    _socket: Attachment | None = field(default=None, init=False)
    _pending: dict[str, _Pending] = field(default_factory=dict, init=False)
    _turns: set[str] = field(default_factory=set, init=False)

    @property
    def attached(self) -> bool:
        return self._socket is not None

    @property
    def capabilities(self) -> AbstractSet[Capability]:
        """What the client on the socket can do; nothing while there is none."""
        return frozenset() if self._socket is None else self._socket.capabilities

    @property
    def idle(self) -> bool:
        """Neither on a socket nor needed by a turn."""
        return self._socket is None and not self._pending and not self._turns

    def supports(self, action: CallAction) -> bool:
        """As ``ClientExecutor.supports``; of a device that is not there it is not known, so the oldest is assumed."""
        if action is not CallAction.PAGE_DETAILS:
            return True
        return self._socket is not None and Capability.PAGE_DETAILS in self._socket.capabilities

    def attach(self, socket: Attachment) -> None:
        """From now on the device is reached through ``socket``."""
        self._socket = socket
        for pending in self._pending.values():
            pending.news.set()

    def detach(self, socket: Attachment) -> None:
        """``socket`` is gone; nothing happens when the device has another by now."""
        if self._socket is socket:
            self._socket = None
            for pending in self._pending.values():
                pending.news.set()

    def hold(self, request_id: str) -> None:
        """A turn runs on the device, so that the link is needed even while no call is under way: until ``forget``."""
        self._turns.add(request_id)

    def for_turn(self, request_id: str) -> "TurnLink":
        """The executor of one turn's calls."""
        return TurnLink(link=self, request_id=request_id)

    def answer(self, answer: Answer) -> None:
        """An answer came from the device."""
        pending = self._pending.get(answer.id)
        if pending is None:
            return
        if pending.given_up:
            self._answer_late(pending, answer)
        else:
            pending.answer = answer
            pending.news.set()

    def refuse(self, call_id: str) -> None:
        """The device answered ``call_id`` with a frame that cannot be read."""
        self.answer(Answer(id=call_id, error="it sent an answer that cannot be read."))

    def forget(self, request_id: str) -> None:
        """The turn is over: answers to its calls, late ones too, mean nothing any more."""
        self._turns.discard(request_id)
        if self.elsewhere is not None:
            self.elsewhere.forget(request_id)
        self._pending = {
            call_id: pending for call_id, pending in self._pending.items() if pending.request_id != request_id
        }

    def for_job(self, job_id: UUID) -> "JobLink":
        """What runs the calls of one job."""
        return JobLink(link=self, job_id=job_id)

    async def execute(
        self, call: ClientCall, *, request_id: str, on_late: OnLate, repeated: bool = False
    ) -> ClientAnswer:
        """As ``ClientExecutor.execute``; a ``repeated`` call may have been sent before, by whoever had it then."""
        pending = _Pending(call=call, request_id=request_id, on_late=on_late, sent=repeated)
        return checked(call, await self._ask(pending, self.timeout_s))

    async def bring(self, call: ClientCall, *, request_id: str, within_s: float) -> Answer:
        """The device's answer to a call of another process. Raises ``ClientSilent`` or ``ClientAbsent``."""
        return await self._ask(_Pending(call=call, request_id=request_id, on_late=_ignore, here=True), within_s)

    async def _ask(self, pending: _Pending, timeout_s: float) -> Answer:
        self._pending[pending.call.id] = pending
        try:
            async with asyncio.timeout(timeout_s):
                return await self._answered(pending)
        except TimeoutError:
            if pending.answer is not None:
                # It came in the same turn of the loop in which the time ran out: it did come.
                return pending.answer
            pending.given_up = pending.sent and not pending.here
            raise (ClientSilent if pending.sent else ClientAbsent) from None
        finally:
            if not pending.given_up:
                self._pending.pop(pending.call.id, None)

    async def _answered(self, pending: _Pending) -> Answer:
        while pending.answer is None:
            pending.news.clear()
            if self._socket is None and self.elsewhere is not None and not pending.here:
                await self._carry(pending, self.elsewhere)
            else:
                await self._send(pending)
                await pending.news.wait()
        return pending.answer

    async def _carry(self, pending: _Pending, elsewhere: Elsewhere) -> None:
        """Have the call brought to the device over other processes, until there is news."""
        async with asyncio.TaskGroup() as group:
            carrying = group.create_task(
                elsewhere.carry(
                    pending.call,
                    request_id=pending.request_id,
                    repeated=pending.sent,
                    sent=pending.was_sent,
                    on_answer=self.answer,
                )
            )
            await pending.news.wait()
            carrying.cancel()

    async def _send(self, pending: _Pending) -> None:
        socket = self._socket
        if socket is None or (pending.sent and not may_repeat(pending.call, socket.capabilities)):
            return
        try:
            await socket.sink.put(_frame(pending, socket))
            pending.sent = True
        except SocketClosed:
            self.detach(socket)

    def _answer_late(self, pending: _Pending, answer: Answer) -> None:
        del self._pending[pending.call.id]
        try:
            pending.on_late(checked(pending.call, answer))
        except ClientRefused:
            return


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnLink:
    """A ``DeviceLink`` as one turn uses it: the ``ClientExecutor`` of its tools."""

    link: DeviceLink
    request_id: str

    def supports(self, action: CallAction) -> bool:
        return self.link.supports(action)

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        return await self.link.execute(call, request_id=self.request_id, on_late=on_late)


@dataclass(frozen=True, kw_only=True, slots=True)
class JobLink:
    """A ``DeviceLink`` as one job uses it: the ``JobClient`` of its calls."""

    link: DeviceLink
    job_id: UUID

    def supports(self, action: CallAction) -> bool:
        return self.link.supports(action)

    async def execute(self, call: ClientCall, *, on_late: OnLate, repeated: bool) -> ClientAnswer:
        return await self.link.execute(call, request_id=str(self.job_id), on_late=on_late, repeated=repeated)


def may_repeat(call: ClientCall, capabilities: AbstractSet[Capability]) -> bool:
    """Whether a call that such a client may have got already may go to it again."""
    return not call.is_write or Capability.LEDGER in capabilities


def _ignore(_: ClientAnswer) -> None:
    return None


def _frame(pending: _Pending, socket: Attachment) -> str:
    call = pending.call
    kind: type[ToolCallFrame | DataRequest | MutationFrame] = ToolCallFrame
    if Capability.DATA_FRAMES in socket.capabilities:
        kind = MutationFrame if call.is_write else DataRequest
    frame = kind(
        id=call.id,
        request_id=pending.request_id,
        action=call.action,
        table=call.table,
        data=_copied(call.data),
        filters=_copied(call.filters),
        vector=None if call.vector is None else list(call.vector),
        limit=call.limit,
    )
    return encode(frame)


def _copied(values: Mapping[str, JsonValue] | None) -> Row | None:
    return None if values is None else dict(values)
