"""A device on its socket: asks, reads the answers as they stream, and answers the server's calls meanwhile."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Final

from pydantic import JsonValue

from device.addresses import ServerAddress
from device.connection import Connection, Tap, opened
from device.errors import RequestRejected, ServerGone
from device.executor import MAX_ANSWER_BYTES, Executor
from device.frames import (
    ApprovalRequest,
    CallFrame,
    ChatFrame,
    DeviceWelcome,
    ErrorFrame,
    FinalAnswer,
    JobUpdate,
    ModelInfo,
    Ping,
    ServerFrame,
    ServerShutdown,
    StreamEnd,
    TextChunk,
    TurnFrame,
)
from device.hello import Capability, Hello
from device.jobs import JobWatcher
from device.store import IdMaker, new_uuid
from device.streams import AnswerStream
from device.verdicts import Approver

logger = logging.getLogger(__name__)

_ENVELOPE_BYTES: Final = 1024
"""What an answer frame holds beside the answer: its type and its id."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HistoryMessage:
    """One message of the conversation so far; ``role`` is user or assistant."""

    role: str
    content: str


class DeviceClient:
    """Use it through ``connected``. Any number of answers may stream at once.

    ``models`` are those to choose from, and ``model`` is the one that answers what is asked from now on; None: the
    server's default.

    The answers raise ``RequestRejected`` when the server does not begin them, and ``ServerGone`` when the connection
    breaks off; the turn then runs on at the server.
    """

    def __init__(
        self,
        connection: Connection,
        executor: Executor,
        *,
        max_frame_bytes: int,
        models: Sequence[ModelInfo] = (),
        approve: Approver | None = None,
        jobs: JobWatcher | None = None,
        new_id: IdMaker = new_uuid,
    ) -> None:
        self.models = models
        self.model: str | None = None
        self._connection = connection
        self._executor = executor
        self._max_answer_bytes = min(max_frame_bytes, MAX_ANSWER_BYTES) - _ENVELOPE_BYTES
        self._approve = approve
        self._approving: dict[str, tuple[str, asyncio.Task[None]]] = {}
        self._jobs = jobs
        self._delivering: set[asyncio.Task[None]] = set()
        self._new_id = new_id
        self._turns: dict[str, AnswerStream[TurnFrame]] = {}
        self._chat: AnswerStream[ChatFrame] | None = None
        self._one_chat = asyncio.Lock()
        self._loss: ServerGone | None = None
        self._lost = asyncio.Event()
        self._called: set[str] = set()
        self._retry_after_s = 0.0

    @property
    def is_gone(self) -> bool:
        """Whether the connection has broken off."""
        return self._loss is not None

    @property
    def retry_after_s(self) -> float:
        """How long the server asked to be left alone before the next connection, when it said that it stops."""
        return self._retry_after_s

    async def gone(self) -> ServerGone:
        """Why the connection has broken off, once it has."""
        await self._lost.wait()
        return ServerGone() if self._loss is None else self._loss

    def was_called(self, request_id: str) -> bool:
        """Whether the turn of this request, whose answer broke off, has called into the tables on this connection."""
        return request_id in self._called

    def home(
        self,
        message: str,
        *,
        request_id: str | None = None,
        session_id: str | None = None,
        history: Sequence[HistoryMessage] = (),
        images: Sequence[str] = (),
    ) -> AsyncGenerator[TurnFrame, None]:
        """The frames of a full answer, up to and with its ``stream_end``. ``images`` are ids of uploaded ones."""
        request: dict[str, JsonValue] = {"type": "home_request", "message": message}
        if session_id is not None:
            request["session_id"] = session_id
        if history:
            request["conversation_history"] = [{"role": said.role, "content": said.content} for said in history]
        if images:
            request["images"] = list(images)
        return self._turn(request, request_id or self._new_id())

    def popup(
        self, message: str, *, scope_type: str, scope_id: str | None = None, request_id: str | None = None
    ) -> AsyncGenerator[TurnFrame, None]:
        """The frames of a short answer, up to and with its ``stream_end``."""
        scope: dict[str, JsonValue] = {"type": scope_type}
        if scope_id is not None:
            scope["id"] = scope_id
        return self._turn({"type": "popup_request", "message": message, "scope": scope}, request_id or self._new_id())

    def contextual(
        self, message: str, *, session_id: str, scope: Mapping[str, JsonValue], request_id: str | None = None
    ) -> AsyncGenerator[TurnFrame, None]:
        """The frames of an answer beside the page that ``scope`` describes, up to and with its ``stream_end``."""
        request: dict[str, JsonValue] = {
            "type": "contextual_request",
            "message": message,
            "session_id": session_id,
            "scope": dict(scope),
        }
        return self._turn(request, request_id or self._new_id())

    def brief(self, *, date: str | None = None, request_id: str | None = None) -> AsyncGenerator[TurnFrame, None]:
        """The frames of a day's brief, up to and with its ``stream_end``; ``date`` as 2026-11-24, today without it."""
        request: dict[str, JsonValue] = {"type": "brief_request"}
        if date is not None:
            request["date"] = date
        return self._turn(request, request_id or self._new_id())

    def task_brief(self, task_id: str, *, request_id: str | None = None) -> AsyncGenerator[TurnFrame, None]:
        """The frames of what to know before a task, up to and with its ``stream_end``."""
        return self._turn({"type": "task_brief_request", "task_id": task_id}, request_id or self._new_id())

    async def navigate(self, scope: Mapping[str, JsonValue], *, session_id: str) -> None:
        """Tell the server that the user went to another page. Raises ``ServerGone``."""
        await self._send({"type": "contextual_scope_update", "session_id": session_id, "scope": dict(scope)})

    def resume(self, request_id: str, *, after_seq: int) -> AsyncGenerator[TurnFrame, None]:
        """The frames of an answer that was asked for earlier, those after ``after_seq`` (-1: all), as they come."""
        return self._turn({"type": "resume_request", "after_seq": after_seq}, request_id)

    async def chat(
        self, message: str, *, context: Mapping[str, JsonValue] | None = None
    ) -> AsyncGenerator[ChatFrame, None]:
        """The frames of the older chat, up to and with its ``final``; one answer at a time, as they bear no id."""
        request: dict[str, JsonValue] = {"type": "chat_request", "message": message}
        if context is not None:
            request["context"] = dict(context)
        async with self._one_chat:
            self._chat = AnswerStream()
            try:
                await self._send(request)
                while True:
                    frame = await self._chat.next()
                    yield frame
                    if isinstance(frame, FinalAnswer):
                        return
            finally:
                self._chat = None

    async def cancel(self, request_id: str) -> None:
        """Ask the server to stop an answer, which then ends with ``cancelled``. Raises ``ServerGone``."""
        await self._send({"type": "cancel_request", "request_id": request_id})

    async def run(self) -> None:
        """Reads until the connection ends; then ends the answers that stream, and waits for the calls that run."""
        loss = ServerGone()
        async with asyncio.TaskGroup() as answering:
            try:
                loss = await self._listen(answering)
            finally:
                self._end(loss)
        await self._connection.close()

    async def _listen(self, answering: asyncio.TaskGroup) -> ServerGone:
        try:
            while True:
                self._take(await self._connection.receive(), answering)
        except ServerGone as loss:
            return loss

    def _end(self, loss: ServerGone) -> None:
        self._loss = loss
        self._lost.set()
        for turn in self._turns.values():
            turn.put(_again(loss))
        if self._chat is not None:
            self._chat.put(_again(loss))
        self._withdraw_all()
        # The server sends it again after the next hello. Showing it may need that very connection.
        for task in self._delivering:
            task.cancel()

    def _take(self, frame: ServerFrame, answering: asyncio.TaskGroup) -> None:
        """Never waits: the next frames on the socket may be for another caller."""
        match frame:
            case CallFrame():
                self._note_call(frame.call.get("request_id"))
                answering.create_task(self._answer(frame))
            case Ping():
                answering.create_task(self._send_if_there({"type": "pong"}))
            case ErrorFrame():
                self._reject(frame)
            case TextChunk() | FinalAnswer():
                if self._chat is not None:
                    self._chat.put(frame)
            case ApprovalRequest():
                self._ask(frame, answering)
            case JobUpdate():
                self._follow(frame, answering)
            case ServerShutdown():
                self._retry_after_s = frame.retry_after_ms / 1000
            case DeviceWelcome():
                pass
            case _:
                self._put(frame)

    def _put(self, frame: TurnFrame) -> None:
        if isinstance(frame, StreamEnd):
            self._withdraw(frame.request_id)
        stream = self._turns.get(frame.request_id)
        if stream is not None:
            stream.put(frame)

    def _note_call(self, request_id: JsonValue) -> None:
        if isinstance(request_id, str) and request_id in self._turns:
            self._called.add(request_id)

    def _reject(self, frame: ErrorFrame) -> None:
        details = {problem.field: problem.problem for problem in frame.details or ()}
        rejection = RequestRejected(frame.message, code=frame.code, retryable=frame.retryable, details=details)
        # The older chat's requests have no id, so an error without a known id is about them.
        stream = self._turns.get(frame.request_id or "") or self._chat
        if stream is None:
            logger.info("The server reports %s: %s", frame.code, frame.message)
        else:
            stream.put(rejection)

    async def _answer(self, frame: CallFrame) -> None:
        call_id = frame.call.get("id")
        if not isinstance(call_id, str):
            logger.info("The server sent a call without an id")
            return
        answer = await asyncio.to_thread(self._executor.execute, frame.call, max_bytes=self._max_answer_bytes)
        await self._send_if_there({"type": frame.answer_type, "id": call_id, **answer})

    def _ask(self, frame: ApprovalRequest, answering: asyncio.TaskGroup) -> None:
        # One that is being asked already comes again after a hello.
        if self._approve is not None and frame.id not in self._approving:
            task = answering.create_task(self._answer_approval(frame, self._approve))
            self._approving[frame.id] = (frame.request_id, task)

    async def _answer_approval(self, frame: ApprovalRequest, approve: Approver) -> None:
        try:
            verdict = await approve(frame)
        finally:
            self._approving.pop(frame.id, None)
        if verdict is None:
            return
        answer: dict[str, JsonValue] = {"type": "approval_response", "id": frame.id, "approved": verdict.approved}
        if verdict.reason is not None:
            answer["reason"] = verdict.reason
        if verdict.remember:
            answer["remember"] = True
        await self._send_if_there(answer)

    def _follow(self, update: JobUpdate, answering: asyncio.TaskGroup) -> None:
        if self._jobs is None:
            return
        self._jobs.note(update)
        if update.tells_end:
            task = answering.create_task(self._deliver(update, self._jobs))
            self._delivering.add(task)
            task.add_done_callback(self._delivering.discard)

    async def _deliver(self, update: JobUpdate, jobs: JobWatcher) -> None:
        # Each time it comes: it comes again because the server does not know that it has arrived.
        if await jobs.deliver(update):
            await self._send_if_there({"type": "job_ack", "job_id": update.job_id})

    def _withdraw(self, request_id: str) -> None:
        """Withdraws the questions of this request."""
        for asked, task in list(self._approving.values()):
            if asked == request_id:
                task.cancel()

    def _withdraw_all(self) -> None:
        for _, task in list(self._approving.values()):
            task.cancel()

    async def _turn(self, request: Mapping[str, JsonValue], request_id: str) -> AsyncGenerator[TurnFrame, None]:
        if request_id in self._turns:
            raise RequestRejected("An answer with this id is streaming already.", code="request_id_reused")
        stream: AnswerStream[TurnFrame] = AnswerStream()
        self._turns[request_id] = stream
        try:
            chosen = {} if self.model is None or request["type"] == "resume_request" else {"model": self.model}
            await self._send({**request, **chosen, "request_id": request_id})
            while True:
                frame = await stream.next()
                yield frame
                if isinstance(frame, StreamEnd):
                    self._called.discard(request_id)
                    return
        finally:
            del self._turns[request_id]

    async def _send(self, frame: Mapping[str, JsonValue]) -> None:
        if self._loss is not None:
            raise _again(self._loss)
        try:
            await self._connection.send(frame)
        except ServerGone:
            # Only the reader knows why, and passes it on to all callers.
            raise _again(await self.gone()) from None

    async def _send_if_there(self, frame: Mapping[str, JsonValue]) -> None:
        try:
            await self._connection.send(frame)
        except ServerGone:
            # The ledger keeps what a write did; the server asks again, or counts its outcome as unknown.
            logger.info("The server went before it had its answer")


def _again(loss: ServerGone) -> ServerGone:
    """One more of the same: each that waits raises its own."""
    return ServerGone(str(loss), code=loss.code, is_final=loss.is_final)


@asynccontextmanager
async def connected(
    server: ServerAddress,
    token: str,
    *,
    executor: Executor,
    hello: Hello,
    approve: Approver | None = None,
    jobs: JobWatcher | None = None,
    tap: Tap | None = None,
) -> AsyncIterator[DeviceClient]:
    """A client that is connected, and disconnected on leaving. ``tap`` is shown every frame.

    With ``approve`` the hello says that questions are shown; without it the server refuses what needs approval. With
    ``jobs`` it says that the ends of jobs are acknowledged.

    Raises ``ConnectionFailed`` or ``Unauthorized``.
    """
    if approve is not None:
        hello = replace(hello, capabilities=hello.capabilities | {Capability.APPROVALS})
    if jobs is not None:
        hello = replace(hello, capabilities=hello.capabilities | {Capability.JOB_ACK})
    async with opened(server, token, hello, tap=tap) as (connection, welcome):
        most, models = welcome.limits.max_frame_bytes, welcome.models
        client = DeviceClient(connection, executor, max_frame_bytes=most, models=models, approve=approve, jobs=jobs)
        running = asyncio.create_task(client.run(), name="device client")
        try:
            yield client
        finally:
            await connection.close()
            await running
