"""Calls to one device of one user, whichever socket it hangs on at the moment."""

import asyncio
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final, Protocol

from pydantic import JsonValue

from agents.calls import ClientAnswer, ClientCall
from agents.client import OnLate
from agents.errors import ClientAbsent, ClientRefused, ClientSilent
from chat.answers import checked
from chat.errors import SocketClosed
from chat.frames.client import Answer
from chat.frames.codec import encode
from chat.frames.fields import Row
from chat.frames.server import DataRequest, MutationFrame, ToolCallFrame
from chat.frames.vocabulary import Capability

CALL_TIMEOUT_S: Final = 30.0


class FrameSink(Protocol):
    """Where frames for a client go."""

    async def put(self, frame: str) -> None:
        """Queue a frame. Raises ``SocketClosed``."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Attachment:
    """The socket a device hangs on, and what its client can do."""

    sink: FrameSink
    capabilities: AbstractSet[Capability]


@dataclass(kw_only=True, eq=False)
class _Pending:
    """A call that has no answer yet. ``news`` is set when the answer or a new socket has come."""

    call: ClientCall
    request_id: str
    on_late: OnLate
    news: asyncio.Event = field(default_factory=asyncio.Event)
    answer: Answer | None = None
    sent: bool = False
    given_up: bool = False


@dataclass(kw_only=True)
class DeviceLink:
    """Sends calls to the device and matches the answers by id.

    A device that drops has the rest of a call's time to come back: on the new socket the call is sent again with the
    same id, a write only to a client that keeps a ledger of ids. Answers that belong to no call are ignored.
    """

    timeout_s: float = CALL_TIMEOUT_S
    _socket: Attachment | None = field(default=None, init=False)
    _pending: dict[str, _Pending] = field(default_factory=dict, init=False)
    _turns: set[str] = field(default_factory=set, init=False)

    @property
    def attached(self) -> bool:
        return self._socket is not None

    @property
    def idle(self) -> bool:
        """Neither on a socket nor needed by a turn."""
        return self._socket is None and not self._pending and not self._turns

    def attach(self, socket: Attachment) -> None:
        """From now on the device is reached through ``socket``."""
        self._socket = socket
        for pending in self._pending.values():
            pending.news.set()

    def detach(self, socket: Attachment) -> None:
        """``socket`` is gone; nothing happens when the device has another by now."""
        if self._socket is socket:
            self._socket = None

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
        self._pending = {
            call_id: pending for call_id, pending in self._pending.items() if pending.request_id != request_id
        }

    async def execute(self, call: ClientCall, *, request_id: str, on_late: OnLate) -> ClientAnswer:
        """As ``ClientExecutor.execute``."""
        pending = _Pending(call=call, request_id=request_id, on_late=on_late)
        self._pending[call.id] = pending
        try:
            async with asyncio.timeout(self.timeout_s):
                answer = await self._answered(pending)
        except TimeoutError:
            pending.given_up = pending.sent
            raise (ClientSilent if pending.sent else ClientAbsent) from None
        finally:
            if not pending.given_up:
                self._pending.pop(call.id, None)
        return checked(call, answer)

    async def _answered(self, pending: _Pending) -> Answer:
        while pending.answer is None:
            pending.news.clear()
            await self._send(pending)
            await pending.news.wait()
        return pending.answer

    async def _send(self, pending: _Pending) -> None:
        socket = self._socket
        if socket is None or (pending.sent and not _may_repeat(pending.call, socket)):
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

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        return await self.link.execute(call, request_id=self.request_id, on_late=on_late)


def _may_repeat(call: ClientCall, socket: Attachment) -> bool:
    return not call.is_write or Capability.LEDGER in socket.capabilities


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
