"""Calls to a user's device, over its current socket."""

import asyncio
import logging
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias
from uuid import UUID

from agents.calls import MAX_ROWS, CallAction, ClientAnswer, ClientCall, Table, UndoConflict, UndoneRow
from agents.errors import ClientAbsent, ClientRefused, ClientSilent
from agents.tools.client import OnLate
from chat.errors import SocketClosed
from chat.protocol.frames.client import Answer, UndoResult
from chat.protocol.frames.codec import encode
from chat.protocol.frames.server import DataRequest, MutationFrame, ToolCallFrame
from chat.protocol.frames.vocabulary import Capability

logger = logging.getLogger(__name__)

CALL_TIMEOUT_S: Final = 30.0
_MAX_SENTENCE: Final = 500
_OPTIONAL: Final = {CallAction.PAGE_DETAILS: Capability.PAGE_DETAILS, CallAction.UNDO: Capability.UNDO}
"""The actions that not every client supports, and their capabilities."""
_NO_UNDO: Final = "this device cannot undo changes."

OnAnswer: TypeAlias = Callable[[Answer], None]
DeviceKey: TypeAlias = tuple[UUID, str]
"""A user, and the server's id of one of their devices."""


class FrameSink(Protocol):
    """Accepts frames for a client."""

    async def put(self, frame: str) -> None:
        """Queue a frame. Raises ``SocketClosed``."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Attachment:
    """The socket of a device, and the capabilities of its client."""

    sink: FrameSink
    capabilities: AbstractSet[Capability]


@dataclass(kw_only=True, eq=False)
class PendingCall:
    """A call that waits for its answer. ``news`` is set when that arrives, or when the device connects or disconnects.

    ``sent``: the device may have got the call. ``here``: another process forwarded it to this one, so this one must not
    forward it.
    """

    call: ClientCall
    request_id: str
    on_late: OnLate
    here: bool = False
    news: asyncio.Event = field(default_factory=asyncio.Event)
    answer: Answer | None = None
    sent: bool = False
    given_up: bool = False


class CallForwarder(Protocol):
    """Reaches devices that are connected to other processes of this server."""

    async def forward(self, device: DeviceKey, pending: PendingCall, on_answer: OnAnswer) -> None:
        """Send the call to ``device`` over its process, repeatedly, until its answer arrives or this is cancelled.

        Sets ``pending.sent``. ``on_answer`` gets the answer, including a late one, until ``forget``.
        """

    def forget(self, request_id: str) -> None:
        """The turn has ended."""


@dataclass(kw_only=True, eq=False, slots=True)
class DeviceLink:
    """Sends calls to the device, and matches the answers by id. Answers that belong to no call are ignored.

    If the device disconnects, it has the rest of the call's time to return: then the call is sent again on the new
    socket, with the same id. A write is sent again only to a client that keeps a ledger of ids. ``forwarder`` reaches
    the device while it has no socket on this process.
    """

    device: DeviceKey
    timeout_s: float = CALL_TIMEOUT_S
    forwarder: CallForwarder | None = None
    _socket: Attachment | None = field(default=None, init=False)
    _pending: dict[str, PendingCall] = field(default_factory=dict, init=False)
    _turns: set[str] = field(default_factory=set, init=False)

    @property
    def capabilities(self) -> AbstractSet[Capability]:
        """The capabilities of the connected client; empty while the device is away."""
        return frozenset() if self._socket is None else self._socket.capabilities

    @property
    def idle(self) -> bool:
        """Whether the link has no socket, and no turn needs it."""
        return self._socket is None and not self._pending and not self._turns

    def supports(self, action: CallAction) -> bool:
        """As ``ClientExecutor.supports``. For a device that is away, the oldest client is assumed."""
        return action not in _OPTIONAL or _OPTIONAL[action] in self.capabilities

    def attach(self, socket: Attachment) -> None:
        """Reach the device through ``socket`` from now on."""
        self._socket = socket
        self._notify()

    def detach(self, socket: Attachment) -> None:
        """``socket`` has closed. If the device has another one by now, that is kept."""
        if self._socket is socket:
            self._socket = None
            self._notify()

    def hold(self, request_id: str) -> None:
        """Keep the link for a turn until ``forget``, even while no call is pending."""
        self._turns.add(request_id)

    def for_turn(self, request_id: str) -> "TurnLink":
        """The executor for the calls of one turn, or of one job."""
        return TurnLink(link=self, request_id=request_id)

    def awaits(self, call_id: str) -> bool:
        """Whether the call still has no answer. It may have timed out."""
        pending = self._pending.get(call_id)
        return pending is not None and pending.answer is None

    def answer(self, answer: Answer) -> None:
        """Match an answer from the device to its call."""
        pending = self._pending.get(answer.id)
        if pending is None or pending.answer is not None:
            return
        if not pending.given_up:
            pending.answer = answer
            pending.news.set()
            return
        del self._pending[answer.id]
        with suppress(ClientRefused):
            pending.on_late(checked(pending.call, answer))

    def refuse(self, call_id: str) -> None:
        """The device answered ``call_id`` with a frame that cannot be read."""
        self.answer(Answer(id=call_id, error="it sent an answer that cannot be read."))

    def forget(self, request_id: str) -> None:
        """The turn has ended. Answers to its calls, including late ones, are ignored from now on."""
        self._turns.discard(request_id)
        if self.forwarder is not None:
            self.forwarder.forget(request_id)
        self._pending = {key: each for key, each in self._pending.items() if each.request_id != request_id}

    async def execute(
        self, call: ClientCall, *, request_id: str, on_late: OnLate, repeated: bool = False
    ) -> ClientAnswer:
        """As ``ClientExecutor.execute``. A ``repeated`` call may have been sent before, perhaps by another process."""
        pending = PendingCall(call=call, request_id=request_id, on_late=on_late, sent=repeated)
        return checked(call, await self._ask(pending, self.timeout_s))

    async def execute_forwarded(self, call: ClientCall, *, request_id: str, within_s: float) -> Answer:
        """The device's answer to a call of another process. Raises ``ClientSilent`` or ``ClientAbsent``."""
        pending = PendingCall(call=call, request_id=request_id, on_late=lambda _: None, here=True)
        return await self._ask(pending, within_s)

    def _notify(self) -> None:
        for pending in self._pending.values():
            pending.news.set()

    async def _ask(self, pending: PendingCall, timeout_s: float) -> Answer:
        self._pending[pending.call.id] = pending
        try:
            async with asyncio.timeout(timeout_s):
                return await self._answered(pending)
        except TimeoutError:
            if pending.answer is not None:
                # It arrived in the same iteration of the event loop in which the time ran out, so it counts.
                return pending.answer
            pending.given_up = pending.sent and not pending.here
            raise (ClientSilent if pending.sent else ClientAbsent) from None
        except Exception as error:  # the boundary of a call: a change that was sent may have happened
            if not (pending.sent and pending.call.is_write):
                raise
            logger.exception("waiting for the answer to a change failed unexpectedly; the outcome is unknown")
            pending.given_up = not pending.here
            raise ClientSilent from error
        finally:
            if not pending.given_up:
                self._pending.pop(pending.call.id, None)

    async def _answered(self, pending: PendingCall) -> Answer:
        while pending.answer is None:
            pending.news.clear()
            if self._socket is None and self.forwarder is not None and not pending.here:
                await self._forward(pending, self.forwarder)
            else:
                await self._send(pending)
                await pending.news.wait()
        return pending.answer

    async def _forward(self, pending: PendingCall, forwarder: CallForwarder) -> None:
        """Forward the call over other processes until there is news."""
        async with asyncio.TaskGroup() as group:
            forwarding = group.create_task(forwarder.forward(self.device, pending, self.answer))
            await pending.news.wait()
            forwarding.cancel()

    async def _send(self, pending: PendingCall) -> None:
        socket = self._socket
        if socket is None or (pending.sent and not may_repeat(pending.call, socket.capabilities)):
            return
        if pending.call.action is CallAction.UNDO and Capability.UNDO not in socket.capabilities:
            self.answer(Answer(id=pending.call.id, error=_NO_UNDO))
            return
        try:
            await socket.sink.put(_frame(pending, socket))
            pending.sent = True
        except SocketClosed:
            self.detach(socket)


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnLink:
    """A ``DeviceLink`` for the calls of one request: the ``ClientExecutor`` of a turn, the ``JobClient`` of a job."""

    link: DeviceLink
    request_id: str

    def supports(self, action: CallAction) -> bool:
        return self.link.supports(action)

    async def execute(self, call: ClientCall, *, on_late: OnLate, repeated: bool = False) -> ClientAnswer:
        return await self.link.execute(call, request_id=self.request_id, on_late=on_late, repeated=repeated)


def may_repeat(call: ClientCall, capabilities: AbstractSet[Capability]) -> bool:
    """Whether a client with these capabilities, which may have got the call already, may get it again."""
    return not call.is_write or Capability.LEDGER in capabilities


def checked(call: ClientCall, answer: Answer) -> ClientAnswer:
    """The content of the answer. Raises ``ClientRefused`` for an ``error``, and for the wrong kind of answer."""
    if answer.error is not None:
        raise ClientRefused(answer.error[:_MAX_SENTENCE] or "it gave no reason.")
    most = max(MAX_ROWS, call.limit or 0)
    match call.action:
        case CallAction.SELECT if answer.rows is not None:
            sent = len(answer.rows)
            return ClientAnswer(
                rows=tuple(answer.rows[:most]),
                omitted=max(0, sent - most),
                unsent=max(0, (answer.count or 0) - sent),
                uncounted=answer.count is None and sent == call.limit,
            )
        case CallAction.VECTOR_SEARCH if answer.results is not None:
            return ClientAnswer(results=tuple(answer.results[:most]), omitted=max(0, len(answer.results) - most))
        case CallAction.GET | CallAction.UPDATE | CallAction.PAGE_DETAILS if "row" in answer.model_fields_set:
            return ClientAnswer(row=answer.row)
        case CallAction.INSERT if answer.row is not None and isinstance(answer.row.get("id"), str):
            return ClientAnswer(row=answer.row)
        case CallAction.DELETE if answer.deleted is not None:
            return ClientAnswer(deleted=answer.deleted)
        case CallAction.VECTOR_UPSERT if answer.ok:
            return ClientAnswer()
        case CallAction.UNDO if answer.undo is not None:
            return _undone(answer.undo)
        case _:
            raise ClientRefused(f"it did not answer the {call.action} in the way the protocol asks.")


def _undone(result: UndoResult) -> ClientAnswer:
    """Raises ``ClientRefused`` for rows of tables that are not the protocol's."""
    try:
        return ClientAnswer(
            undone=tuple(
                UndoneRow(table=Table(row.table), id=row.id, effect=row.effect, before=row.before, after=row.after)
                for row in result.undone
            ),
            conflicts=tuple(
                UndoConflict(table=Table(row.table), id=row.id, now=row.now, would_be=row.would_be)
                for row in result.conflicts
            ),
        )
    except ValueError:
        raise ClientRefused("it named a table that the protocol does not have.") from None


def _frame(pending: PendingCall, socket: Attachment) -> str:
    call = pending.call
    kind: type[ToolCallFrame | DataRequest | MutationFrame] = ToolCallFrame
    if Capability.DATA_FRAMES in socket.capabilities:
        kind = MutationFrame if call.is_write else DataRequest
    frame = kind(
        id=call.id,
        request_id=call.request_id or pending.request_id,
        action=call.action,
        table=call.table,
        data=None if call.data is None else dict(call.data),
        filters=None if call.filters is None else dict(call.filters),
        vector=None if call.vector is None else list(call.vector),
        limit=call.limit,
        count=True if call.count and Capability.COUNTS in socket.capabilities else None,
        by=call.by or None if call.is_write and Capability.UNDO in socket.capabilities else None,
    )
    return encode(frame)
