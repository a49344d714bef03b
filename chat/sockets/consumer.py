"""One socket: its phases, its only writer, and the dispatch of its frames.

``receive`` parses and dispatches. It waits only for the registration of the device, after the hello. The supervisor
owns turns, the device's link owns calls, and the outbox owns frames.
"""

import asyncio
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final

from channels.consumer import get_handler_name
from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer

from accounts.auth.tokens import SUBPROTOCOL, AccessGrant
from accounts.errors import KEY_ERRORS, CredentialsError, DeviceRemoved, TooManyDevices
from chat.devices.approvals import DeviceAsker
from chat.devices.connections import Connection
from chat.devices.links import Attachment, DeviceKey
from chat.errors import Replaced, SocketClosed, TooManySockets
from chat.protocol.frames.client import Answer, Authenticate, ClientFrame, DeviceHello
from chat.protocol.frames.codec import begins_as_answer, encode, is_oversized, oversized, parse
from chat.protocol.frames.errors import FrameRejected
from chat.protocol.frames.server import Authenticated, DeviceWelcome, ErrorFrame, RunningTurn, ServerFrame
from chat.protocol.frames.vocabulary import Capability, CloseCode, ErrorCode
from chat.services import ChatServices
from chat.sockets.backlog import Backlog
from chat.sockets.extensions import PACE_LARGE, SEND_NOW, TAKE_NOW
from chat.sockets.handshake import NO_KEY, Refusal, identified, origin_allowed, refusal_of
from chat.sockets.pace import FramePace
from chat.sockets.registration import Registration
from chat.sockets.sessions import DeviceSession, capabilities_of, hello_in, requester_of
from chat.sockets.transport import Outbox, SocketTimers
from chat.tasks import Flag, OwnedTasks

logger = logging.getLogger(__name__)

MAX_BAD_FRAMES: Final = 20
_FLUSH_S: Final = 1.0


class DeviceConsumer(AsyncWebsocketConsumer):  # type: ignore[misc] # Channels has no types
    """Speaks the socket protocol with one client."""

    def __init__(self, services: ChatServices) -> None:
        super().__init__()
        self._services = services
        self._tasks = OwnedTasks()
        self._outbox = Outbox(self.send, on_stalled=self._stalled, stall_s=services.timings.stall_s)
        self._registration: Registration | None = None
        self._connection_id = str(uuid.uuid4())
        self._opened_at = 0.0
        self._announced: DeviceKey | None = None
        self._session: DeviceSession | None = None
        self._writer: asyncio.Task[None] | None = None
        self._timers = SocketTimers(
            timings=services.timings, send=self.send_soon, close=self.close_soon, on_expiry=self._expired
        )
        self._backlog = Backlog(tasks=self._tasks, delay_s=self._operation_delay_s, reject=self._reject)
        self._pace: FramePace | None = None
        self._bad_frames = 0
        self._closing = False
        self._close_sent = Flag()
        self._gone = Flag()

    async def __call__(
        self,
        scope: Mapping[str, Any],
        receive: Callable[[], Awaitable[Mapping[str, Any]]],
        send: Callable[[Mapping[str, Any]], Awaitable[None]],
    ) -> None:
        """Like the base class, without its task and two iterations of the event loop for every frame.

        The base class also reads from a channel layer, which is not used here.
        """
        self.scope, self.base_send = scope, send
        with suppress(StopConsumer):
            while True:
                await self.dispatch(await receive())

    async def dispatch(self, message: Mapping[str, Any]) -> None:
        """Like the base class, without its clean-up of database connections, which is a thread switch for every frame.

        This task does not use the ORM, and other tasks clean up themselves.
        """
        handler: Callable[[Mapping[str, Any]], Awaitable[None]] | None = getattr(self, get_handler_name(message), None)
        if handler is None:
            raise ValueError(f"No handler for message type {message['type']}")
        await handler(message)

    async def websocket_receive(self, message: dict[str, Any]) -> None:
        """Like the base class, but ``message`` does not keep the frame alive while ``receive`` runs."""
        await self.receive(message.pop("text", None), message.pop("bytes", None))

    async def websocket_disconnect(self, message: Mapping[str, Any]) -> None:
        """Like the base class, without groups, which are not used, and without the clean-up."""
        await self.disconnect(message["code"])
        raise StopConsumer

    async def connect(self) -> None:
        self._opened_at = asyncio.get_running_loop().time()
        if not origin_allowed(self.scope, self._services):
            await self.close()
            return
        identity = await identified(self.scope, self._services)
        await self.accept(subprotocol=SUBPROTOCOL if SUBPROTOCOL in self.scope["subprotocols"] else None)
        self._outbox.send_now = self.scope.get("extensions", {}).get(SEND_NOW)
        self._writer = self._tasks.start(self._outbox.run(), name="outbox")
        if isinstance(identity, Refusal):
            self._refuse(identity)
            return
        self._registration = Registration(services=self._services, identity=identity)
        self._pace = FramePace(
            rates=self._services.socket_rates,
            user_id=identity.user_id,
            notify=self._slow_down,
            on_flood=self._flooded,
        )
        if (pace_large := self.scope.get("extensions", {}).get(PACE_LARGE)) is not None:
            pace_large(partial(self._services.socket_rates.user_large_bytes.of, identity.user_id))
        if (set_take_now := self.scope.get("extensions", {}).get(TAKE_NOW)) is not None:
            set_take_now(self._take_answer)
        self._timers.expect_hello()
        self._timers.expect_expiry(identity.expires_at)
        self._services.revocation.watch(self)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if self._closing:
            # Further frames remain unread until the close is sent.
            await self._close_sent.wait()
            return
        if self._registration is None or self._pace is None:
            return
        self._timers.heard()
        text, size = text_data or "", len(text_data or bytes_data or "")
        awaited = () if self._session is None else self._session.awaited_calls(text)
        if not awaited and is_oversized(text, self._services.frame_limits):
            self._drop(text)
            # Many sockets may wait here, so their large frames are released.
            text = text_data = ""
            await self._pace.admit(size)
        elif await (self._pace.admit_answer() if awaited else self._pace.admit(size)):
            began = time.thread_time()
            frame = self._read(text_data)
            if not awaited:
                self._pace.charge(time.thread_time() - began)
            elif not (isinstance(frame, Answer) and frame.id in awaited):
                self._pace.charge_disguised(time.thread_time() - began)
                # It only looked like an answer to an open call, so it is counted now, and the next frame waits.
                text = text_data = ""
                await self._pace.admit(size)
            if self._session is None and frame is not None:
                # Frames must not be read before the welcome, so this may wait.
                await self._greet(self._registration, frame)

    def _take_answer(self, text: str) -> bool:
        """Handle ``text`` if it answers an open call, and return whether it does. ``receive`` handles other frames.

        Unlike ``receive``, this needs no iteration of the event loop, and a tool waits for the answer.
        """
        session, pace = self._session, self._pace
        if self._closing or session is None or pace is None or pace.delays_answers:
            return False
        began = time.thread_time()
        if not session.take_answer(text):
            pace.charge(time.thread_time() - began)
            return False
        self._timers.heard()
        self._bad_frames = 0
        return True

    async def disconnect(self, code: int) -> None:  # noqa: ARG002 - Channels' signature
        self._closing = True
        self._timers.end()
        self._outbox.close()
        if self._session is not None:
            self._services.connections.remove(self._session.connection)
        if self._registration is not None:
            await self._services.revocation.unwatch(self)
        if self._announced is not None:
            await self._services.cluster.presence.leave(self._announced, connection_id=self._connection_id)
        if self._registration is not None:
            await self._registration.depart()
        self._gone.set()
        await self._tasks.aclose()

    @property
    def grant(self) -> AccessGrant:
        """The grant of the latest token. Requires that the handshake had a token."""
        assert self._registration is not None  # noqa: S101 - only then is the socket watched
        return self._registration.identity.grant

    @property
    def device(self) -> DeviceKey | None:
        """The device, after its welcome."""
        return None if self._session is None else self._session.connection.device

    def send_soon(self, frame: ServerFrame) -> None:
        """Queue a small frame, unless the socket is closed."""
        with suppress(SocketClosed):
            self._outbox.put_now(encode(frame))

    async def wait_closed(self) -> None:
        """Return once the client is disconnected."""
        await self._gone.wait()

    def close_soon(self, code: CloseCode) -> None:
        """Send the queued frames, then close with ``code``."""
        if not self._closing:
            self._closing = True
            self._timers.end()
            if self._pace is not None:
                self._pace.end()
            self._tasks.start(self._close_after_flush(code), name="closing")

    def _drop(self, text: str) -> None:
        """Reject a frame that is too large for a request. Late answers are ignored."""
        if not begins_as_answer(text):
            self._reject(oversized(text, self._services.frame_limits))

    def _read(self, text: str | None) -> ClientFrame | None:
        """Parse a frame, and pass it to the session if there is one. Returns None if the frame was rejected."""
        if text is None:
            self._reject(FrameRejected(ErrorCode.BAD_FRAME, "Frames must be text, not binary."))
            return None
        try:
            frame = parse(text, self._services.frame_limits)
            if self._session is not None:
                self._take(frame, self._session)
                self._bad_frames = 0
        except FrameRejected as rejection:
            self._reject(rejection)
            return None
        return frame

    async def _greet(self, registration: Registration, frame: ClientFrame) -> None:
        try:
            hello = hello_in(frame)
            refusal = await registration.arrive(hello)
        except FrameRejected as rejection:
            self._reject(rejection)
            return
        if refusal is not None:
            self._refuse(refusal)
            return
        if self._closing:
            return
        device = (registration.identity.user_id, registration.device_id)
        await self._announce(device, hello)
        elsewhere = await self._services.cluster.turns.running(device)
        if not self._closing:
            self._welcome(registration, hello, elsewhere)
            self._bad_frames = 0

    async def _announce(self, device: DeviceKey, hello: DeviceHello) -> None:
        """Announce the device to the other processes. Close a socket that is one too many, or that was replaced."""
        presence = self._services.cluster.presence
        await self._services.cluster.joined()
        self._announced = device
        try:
            await presence.arrive(
                device,
                connection_id=self._connection_id,
                capabilities=capabilities_of(hello),
                opened_at=self._opened_at,
            )
        except TooManySockets as error:
            self._refuse(refusal_of(error))
        except Replaced:
            self.close_soon(CloseCode.REPLACED)

    def _take(self, frame: ClientFrame, session: DeviceSession) -> None:
        match frame:
            case DeviceHello():
                raise FrameRejected(ErrorCode.INVALID, "device_hello was already sent.")
            case Authenticate():
                self._backlog.add(partial(self._authenticate_again, frame.token), name="authenticating again")
            case _:
                session.handle(frame)

    def _welcome(self, registration: Registration, hello: DeviceHello, elsewhere: Mapping[str, int]) -> None:
        """``elsewhere`` has the device's turns on other processes: the last ``seq`` by request id."""
        services, session = self._services, self._session_of(registration, hello)
        self._session = session
        here = {turn.request_id: turn.log.last_seq for turn in services.supervisor.running(session.connection.device)}
        self.send_soon(
            DeviceWelcome(
                connection_id=self._connection_id,
                server_time=round(time.time() * 1000),
                heartbeat_s=round(services.timings.heartbeat_s),
                limits=services.limits,
                embedding=services.embedding,
                models=list(services.assistant.models) or None,
                running=[RunningTurn(request_id=key, last_seq=last) for key, last in {**elsewhere, **here}.items()],
            )
        )
        self._timers.greeted(answers_pings=Capability.PONG in session.connection.attachment.capabilities)
        self._timers.watch_token(registration.identity.expires_at)
        # After the welcome, so that no call overtakes it.
        services.connections.add(session.connection)
        services.arrivals.add(session.connection)

    def _session_of(self, registration: Registration, hello: DeviceHello) -> DeviceSession:
        connections, identity = self._services.connections, registration.identity
        device = (identity.user_id, registration.device_id)
        asker = DeviceAsker(connections=connections, device=device, announce=self._services.cluster.announce_question)
        return DeviceSession(
            services=self._services,
            requester=requester_of(identity, hello, asker, device_id=registration.device_id),
            connection=Connection(
                id=self._connection_id,
                device=device,
                attachment=Attachment(sink=self._outbox, capabilities=capabilities_of(hello)),
                socket=self,
                opened_at=self._opened_at,
            ),
            link=connections.link(device),
            tasks=self._tasks,
            backlog=self._backlog,
            reject=self._reject,
        )

    def _refuse(self, refusal: Refusal) -> None:
        self._reject(refusal.rejection, close=refusal.close)

    def _reject(self, rejection: FrameRejected, *, close: CloseCode | None = None) -> None:
        """The only place where a rejection becomes an ``error`` frame."""
        if rejection.is_abuse:
            self._bad_frames += 1
        if rejection.call_id is not None and self._session is not None:
            self._session.link.refuse(rejection.call_id)
        self.send_soon(
            ErrorFrame(
                code=rejection.code,
                message=rejection.message,
                request_id=rejection.request_id,
                retryable=rejection.retryable,
                details=None if rejection.details is None else list(rejection.details),
            )
        )
        if self._bad_frames >= MAX_BAD_FRAMES:
            close = CloseCode.PROTOCOL_ABUSE
        if close is not None:
            self.close_soon(close)

    def _operation_delay_s(self) -> float:
        assert self._registration is not None  # noqa: S101 - only then are frames read
        return self._services.socket_rates.user_operations.of(self._registration.identity.user_id).reserve()

    def _slow_down(self) -> None:
        fast = "This device sends frames too fast, so they are read more slowly."
        self._reject(FrameRejected(ErrorCode.RATE_LIMITED, fast, retryable=True))

    def _flooded(self) -> None:
        logger.info("a client keeps sending too fast: its socket is closed")
        fast = "This device keeps sending frames too fast."
        self._reject(FrameRejected(ErrorCode.RATE_LIMITED, fast), close=CloseCode.PROTOCOL_ABUSE)

    def _stalled(self) -> None:
        logger.info("a client does not read: its socket is closed")
        self.close_soon(CloseCode.TOO_SLOW)

    def _expired(self) -> None:
        rejection = FrameRejected(ErrorCode.TOKEN_EXPIRED, "The access token has expired. Connect with a new one.")
        self._reject(rejection, close=CloseCode.CREDENTIALS)

    async def _authenticate_again(self, token: str) -> None:
        assert self._registration is not None  # noqa: S101 - there was a hello
        try:
            await self._registration.renew(token)
        except (CredentialsError, DeviceRemoved, TooManyDevices):
            self._reject(FrameRejected(ErrorCode.UNAUTHORIZED, "The token is not a valid token of this user."))
            return
        except KEY_ERRORS as error:
            logger.warning("a token could not be accepted: %s", error)
            self._reject(NO_KEY.rejection)
            return
        if not self._closing:
            expires_at = self._registration.identity.expires_at
            self._timers.watch_token(expires_at)
            self.send_soon(Authenticated(expires_at=expires_at))

    async def _close_after_flush(self, code: CloseCode) -> None:
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(_FLUSH_S):
                    await self._outbox.flush()
            self._outbox.close()
            # A writer whose client does not read must not write after the close.
            if self._writer is not None:
                self._writer.cancel()
            with suppress(OSError):  # the client has disconnected meanwhile
                await self.close(code=code)
        finally:
            self._close_sent.set()
